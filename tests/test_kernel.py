"""The compiled kernel beside plain Python: the same bytes for any input, however it is cut."""

import itertools
import os
import random
import time

import pytest
from conftest import run
from hypothesis import given, settings, strategies as st
from xxhash import xxh64_intdigest

from sieve import contexts, dedup, fold, line_score, minhash, model, ngrams, sketch, wire
from sieve.repeats import Repeats
from sieve.model import CLOSE, LINE, NGRAM, OPEN

compiled = pytest.importorskip("sieve._kernel", reason="the kernel is not compiled")


@pytest.fixture(scope="module", params=[True, False], ids=["vectors", "plain loops"], autouse=True)
def vectors(request):
    compiled.vectors(request.param)
    yield
    compiled.vectors(True)


# Text in which what is special meets: letters that fold to others of another length, all kinds of space,
# symbols, digits of other scripts, broken and astral UTF-8; and words that come again.
PIECES = [b"the ", b"site of things", b"Page 12", b"a", b"B", b" ", b"  ", b"\t", b"\r", b"\x0b", b"\x1c", b"\x00", b"---", b".",
          b"\xff", b"\xc3", b"\xe2\x82", b"\xed\xa0\x80", b"\xf0\x9f\x98", b"\xc0\xaf", b"\xf4\x90\x80\x80", b"\xa9",
          *(char.encode() for char in "éÉßİıΣςȺⱥKÅǅ\x85\xa0\u1680\u2003\u2028\u3000٣९𝟗𐐀𐐨😀中カŸ«»—•×÷\u200b\ufeff\U0010ffff")]
line = st.lists(st.sampled_from(PIECES) | st.binary(max_size=3) | st.text(max_size=4).map(
    lambda text: text.encode("utf-8", "surrogatepass")), max_size=30).map(lambda pieces: b"".join(pieces).replace(b"\n", b""))
text = st.lists(line, max_size=12).map(lambda lines: b"\n".join(lines + lines[:3]))


def cut(text, places):
    """`text` in blocks of whole lines, cut near `places`."""
    blocks, start = [], 0
    for place in sorted(places):
        end = text.find(b"\n", place % (len(text) + 1)) + 1
        if end > start:
            blocks.append(text[start:end])
            start = end
    return [block for block in (*blocks, text[start:]) if block]


@pytest.mark.parametrize("seed", [0, 1, 2, 3, 2**32, 2**63 + 12345, 2**64 - 1])
def test_xxh64_is_that_of_the_package(seed):
    data = random.Random(1).randbytes(300)
    for size in range(301):
        assert compiled.xxh64(data[:size], seed) == xxh64_intdigest(data[:size], seed)
        assert compiled.xxh64(data[300 - size:], seed) == xxh64_intdigest(data[300 - size:], seed)


def test_every_code_point_folds_alike():
    for start in range(0, 0x110000, 0x100):
        if not 0xD800 <= start < 0xE000:
            for text in ("x".join(map(chr, range(start, start + 0x100))), "".join(map(chr, range(start, start + 0x100)))):
                assert compiled.fold(text.encode()) == fold.fold(text.encode())


@given(line)
def test_lines_fold_alike(line):
    assert compiled.fold(line) == fold.fold(line)
    assert compiled.fold(line + b"\n") == fold.fold(line + b"\n")


def write_model(path, n, lines, weights):
    """A model file of some n-grams, lines, edges and contexts of `lines`."""
    known = contexts.ContextFrequency(n)
    known.add(lines)
    hashes = dict(zip([value for value, _, _ in known.entries()[::2]], itertools.cycle(weights)))
    for i, (line, weight) in enumerate(zip(lines, weights)):
        folded = fold.fold(line)
        grams = [gram for piece in fold.ngrams(folded, n) for gram in piece]
        for text, kind in [(gram, NGRAM) for gram in grams[i % 3::3]] + [(folded, (LINE, OPEN, CLOSE)[i % 3])]:
            hashes[xxh64_intdigest(text, kind)] = weight
    path.write_bytes(b"#sieve-model 1\n#profile sieve\n#n %d\n#hash xxh64\n#fold unicode-15.0\n#documents 9\n#min-df 0.8\n"
                     b"#entries %d\n" % (n, len(hashes))
                     + b"".join(b"%d\t%d\n" % entry if entry[1] != wire.SCALE else b"%d\n" % entry[0] for entry in sorted(hashes.items())))
    return path


def scores(path, kernel, blocks, live):
    scorer = line_score.load(os.fsencode(path), kernel)
    assert isinstance(scorer, line_score.CompiledScorer) == bool(kernel)
    return b"".join(blocks_scored(scorer, wire.Document(None, blocks, live)))


def blocks_scored(scorer, document):
    """The scored lines of a document as a tool writes them."""
    if isinstance(scorer, line_score.CompiledScorer):
        return list(scorer.scored(document))
    return [score + b"\t" + line for lines, scores in line_score.scored(scorer, document) for score, line in zip(scores, lines)]


@given(text, st.integers(1, 12), st.lists(st.sampled_from([0, 1, 499, 4999, 5000, 9999, 10000]), min_size=1, max_size=15),
       st.lists(st.integers(0, 4000), max_size=4), st.booleans())
@settings(deadline=None)
def test_lines_score_alike(tmp_path_factory, text, n, weights, places, live):
    path = write_model(tmp_path_factory.mktemp("model") / "m", n, text.split(b"\n"), weights)
    assert scores(path, compiled, cut(text, places), live) == scores(path, None, [text] if text else [], live)


@pytest.mark.parametrize("n", [1, 7, 64])
def test_huge_lines_and_many_windows_score_alike(tmp_path, n):
    chance = random.Random(n)
    words = [b"thing", b"Th\xc3\xa9", b"a", b"\xff", b"of the", b"1", "中文".encode(), b"...", b"\t"]
    lines = [b" ".join(chance.choices(words, k=k)) for k in [20_000, 3, 0, 150_000, *(chance.randrange(9) for _ in range(25_000))]]
    path = write_model(tmp_path / "m", n, lines[-40:], [9000, 0, 700] * 20)
    text = b"\n".join(lines)
    assert scores(path, compiled, cut(text, range(0, len(text), 77_777)), False) == scores(path, None, [text], False)


def test_a_scorer_begins_each_document_anew(tmp_path):
    path = write_model(tmp_path / "m", 7, [b"some line of a template"], [10000])
    documents = [[b"one heading\n"], [b"one heading\nsome line of a template"], [], [b"one heading\n", b"one heading"]]
    scorers = [line_score.load(os.fsencode(path), kernel) for kernel in (compiled, None)]
    for blocks in documents:
        one, other = (b"".join(blocks_scored(scorer, wire.Document(None, blocks))) for scorer in scorers)
        assert one == other


@pytest.mark.parametrize("entries", [b"1\n2\n", b"1\n1\n1\n", b"3\n2\n5\n", b"x\n2\n3\n", b"1\t10001\n2\n3\n", b"1\t\n2\n3\n", b"1\n2\n3\n4\n",
                                     b"1\n\n3\n", b"18446744073709551616\n", b"1\n2\n18446744073709551616\n", b"1\n2\t3\t4\n3\n"])
def test_a_damaged_model_is_refused_with_the_same_words(tmp_path, entries):
    path = tmp_path / "m"
    path.write_bytes(b"#sieve-model 1\n#profile sieve\n#n 7\n#hash xxh64\n#fold unicode-15.0\n#documents 9\n#min-df 0.8\n#entries 3\n" + entries)
    said = []
    for chosen in ("python", ""):
        run("line-score", "-m", path, status=2, env={"SIEVE_KERNEL": chosen})
        said.append(run.stderr)
    assert said[0] == said[1] != ""


def test_hashes_made_to_collide_are_no_slower(tmp_path):
    """Models of which all hashes share their upper or lower bits, as who writes one may choose."""
    text = b"some line of ordinary text without an end\n" * 50_000
    for hashes in ([i << 44 for i in range(1 << 17)], [1 << 63 | i for i in range(1 << 17)], [i * 0x9E37 for i in range(1 << 17)]):
        entries = b"".join(b"%d\n" % i for i in hashes)
        start = time.process_time()
        scorer = compiled.Scorer(7, entries, len(hashes))
        scorer.score(text)
        assert time.process_time() - start < 2  # it takes 0.03 s; one long chain would take a minute


@given(st.lists(text, max_size=4), st.integers(1, 12), st.lists(st.integers(0, 4000), max_size=4), st.integers(1, 3))
@settings(deadline=None)
def test_documents_are_counted_alike(texts, n, places, least):
    plain = contexts.WithContexts(ngrams.DocumentFrequency(n), n)
    kernel = ngrams.CompiledFrequency(compiled.Counter(n))
    for text in texts:
        plain.add(wire.Document(None, [text] if text else []))
        kernel.add(wire.Document(None, cut(text, places)))
    entries = list(plain.entries())
    assert list(kernel.entries()) == entries
    needed = {NGRAM: 2, LINE: least}
    assert list(kernel.entries().frequent(2, least, 3)) == [entry for entry in entries if entry[1] >= needed.get(entry[2], 3)]
    written = []
    header = model.Header(model.COUNTS)
    model.write(header, len(entries), entries, written.append)
    model.write_header(header, kernel.entries().sort(), lambda head: None)
    assert b"".join(written[1:]) == b"".join(kernel.entries().blocks())
    assert plain.documents == kernel.documents


def test_counting_grows_with_the_text_alone():
    """Twice the distinct n-grams, twice the time, also when their tables outgrow the processor's memory."""
    chance = random.Random(2)
    blocks = [b"".join(b"%x\n" % chance.getrandbits(300) for _ in range(4000)) for _ in range(24)]
    seconds = []
    for part in (blocks[:12], blocks):
        counter = compiled.Counter(7)
        start = time.process_time()
        for block in part:
            counter.add(block)
        seconds.append(time.process_time() - start)
    assert seconds[1] < 6 * seconds[0]


@given(st.lists(text, max_size=4).map(b"\n".join), st.integers(1, 5), st.lists(st.integers(0, 4000), max_size=4), st.integers(0, 99))
@settings(deadline=None)
def test_documents_are_sketched_alike(text, size, places, seed):
    blocks = cut(text, places)
    digest, hashes = minhash.read(blocks, size)
    same, shingles = minhash.read_compiled(blocks, minhash.shingles(compiled, size))
    assert (digest, len(hashes)) == (same, len(shingles))
    permuted = sketch.permutations(seed)
    assert shingles.sketch(*map(sketch.lanes, permuted)) == sketch.sketch(hashes, permuted)


def test_a_long_document_is_sketched_alike():
    words = [b"%x" % random.Random(3).getrandbits(40) for _ in range(30_000)]
    hashes = minhash.read([b" ".join(words)], 3)[1]
    shingles = minhash.read_compiled([b" ".join(words)], minhash.shingles(compiled, 3))[1]
    permuted = sketch.permutations(0)
    assert shingles.sketch(*map(sketch.lanes, permuted)) == sketch.sketch(hashes, permuted)


@given(st.lists(text, max_size=4), st.lists(st.integers(0, 4000), max_size=4), st.booleans())
@settings(deadline=None)
def test_repeated_lines_are_told_alike(texts, places, repeated):
    plain, kernel = Repeats(), compiled.Repeats()
    pick = dedup._repeated if repeated else dedup._new
    for text in texts:
        assert b"".join(kernel.pick(block, repeated) for block in cut(text, places)) == (pick(text, plain) if text else b"")
    kernel.clear()
    for text in texts[:1]:
        assert kernel.pick(text, False) == dedup._new(text, Repeats())


def test_many_lines_are_told_alike():
    chance = random.Random(4)
    lines = [b"%d" % chance.randrange(200_000) for _ in range(300_000)] + [b"x" * size for size in range(300)] * 2
    chance.shuffle(lines)
    text = b"\n".join(lines)
    kernel = compiled.Repeats()
    assert b"".join(kernel.pick(block, False) for block in cut(text, range(0, len(text), 99_999))) == dedup._new(text, Repeats())


def test_version_tells_which_is_in_use():
    assert run("line-score", "--version", env={"SIEVE_KERNEL": "python"}).endswith(b"plain Python\n")
    assert run("line-score", "--version", env={"SIEVE_KERNEL": ""}).endswith(b"compiled kernel\n")
