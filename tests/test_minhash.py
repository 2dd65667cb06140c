"""minhash: shingles, signatures, and whether these tell the truth."""

import gzip
import math
import random
import re
import subprocess
import sys
from pydoc_data.topics import topics

import pytest
import xxhash
from hypothesis import given, strategies as st

from conftest import ENVIRONMENT, ROOT, run, shell
from sieve import minhash, sketch

WORDS = [a + b + c for a in "bcdfgklmnprst" for b in "aeiou" for c in ("", "n", "r", "st")]


def text(words, seed=0):
    """`words` random words, of which hardly any three follow each other twice."""
    draw = random.Random(seed)
    return " ".join(draw.choices(WORDS, k=words)).encode()


def fields(output):
    """The columns of each document's line; the header line comes first."""
    header, *lines = output.decode().removesuffix("\n").split("\n")
    assert header.startswith("#sieve-minhash 1 permutations=128 ")
    return [line.split("\t") for line in lines]


# --- the lines ---


def test_line_of_a_document():
    document = b"The quick brown fox; the QUICK brown dog.\n" + text(60)
    [[name, digest, shingles, signature]] = fields(run("minhash", input=document))
    words = document.lower().replace(b";", b"").replace(b".", b"").split()
    assert name == "-"
    assert digest == xxhash.xxh3_128(document).hexdigest()
    assert int(shingles) == len(set(zip(words, words[1:], words[2:]))) < len(words) - 2
    assert re.fullmatch("[0-9a-f]{256}", signature)


def test_signature_is_that_of_the_stated_family():
    """SplitMix64, (a * x + b) mod 2^32 and XXH64, each number on its own."""
    words = text(200).split()
    hashes = {xxhash.xxh64_intdigest(b" ".join(three)) % 2**32 for three in zip(words, words[1:], words[2:])}
    state, expected = 0, b""
    for _ in range(128):
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        z = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        z ^= z >> 31
        a, b = z % 2**32 | 1, z >> 32
        expected += bytes([min((a * x + b) % 2**32 for x in hashes) % 256])
    assert fields(run("minhash", input=b" ".join(words)))[0][3] == expected.hex()


def test_splitmix64_gives_the_published_numbers():
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821]
    factors, terms = sketch.permutations(1234567)
    for i, number in enumerate(published):
        assert factors >> 64 * i & 2**64 - 1 == number % 2**32 | 1
        assert terms >> 64 * i & 2**64 - 1 == number >> 32


@pytest.mark.parametrize("words, signed", [(51, False), (52, True)])
def test_fifty_shingles_are_enough_and_forty_nine_are_not(words, signed):
    [[_, _, shingles, signature]] = fields(run("minhash", input=b" ".join(b"w%d" % i for i in range(words))))
    assert int(shingles) == words - 2
    assert (signature != "-") == signed


def test_documents_with_little_or_nothing_in_them_get_no_signature(tree):
    top = tree({str(i): content for i, content in enumerate([b"cat", b"dog", b"cat", b"", b"{}"])})
    lines = fields(run("minhash", "0", "1", "2", "3", "4", cwd=top))
    assert [line[2:] for line in lines] == [["0", "-"]] * 5
    assert lines[0][1] == lines[2][1]
    assert len({line[1] for line in lines}) == 4


def test_repeated_shingles_count_once():
    [once], [twice] = fields(run("minhash", input=text(100))), fields(run("minhash", input=(text(100) + b"\n") * 2))
    assert int(twice[2]) == int(once[2]) + 2  # those across the seam


def test_seed_and_shingle_size_are_in_the_header_and_matter():
    outputs = [run("minhash", *options, input=text(100)) for options in ([], ["--seed=2"], ["--shingle=2"])]
    assert [output.split(b"\n")[0].split(b" ")[3:] for output in outputs] == [
        [b"shingle=3", b"seed=0"], [b"shingle=3", b"seed=2"], [b"shingle=2", b"seed=0"]]
    assert len({fields(output)[0][3] for output in outputs}) == 3
    assert [fields(output)[0][2] for output in outputs] == ["98", "98", "99"]


# --- names ---


def test_documents_are_named_by_frame_or_file(tree):
    top = tree({"a b": b"one\n", "tab\tand\nnewline": b"two\n"})
    assert [line[0] for line in fields(run("minhash", "a b", "tab\tand\nnewline", cwd=top))] == ["a b", "tab\\tand\\nnewline"]
    assert [line[0] for line in fields(run("minhash", "a b", cwd=top))] == ["a b"]
    framed = b"\x1cx\\ty\none\n\x1c\n\x1cz\ntwo\n"
    assert [line[0] for line in fields(run("minhash", input=framed))] == ["x\\ty", "z"]
    assert fields(run("minhash", input=framed))[0][1] == xxhash.xxh3_128(b"one").hexdigest()
    assert [line[0] for line in fields(run("minhash", "-h", "a b", cwd=top))] == ["-"]


# --- what does not matter ---


def test_wrapping_line_ends_case_and_punctuation_do_not_matter():
    words = text(300).decode().split()
    plain = " ".join(words)
    versions = ["\n".join(words), "\r\n\r\n".join(words), "; ".join(words).upper(), "\u3000".join(words), plain + "\n\n"]
    [[_, _, *expected]] = fields(run("minhash", input=plain.encode()))
    for version in versions:
        assert fields(run("minhash", input=version.encode()))[0][2:] == expected


def test_compression_does_not_matter(tree):
    top = tree({"plain": text(3000), "gzip": gzip.compress(text(3000))})
    plain, compressed = fields(run("minhash", "plain", "gzip", cwd=top))
    assert plain[1:] == compressed[1:]


def test_pieces_of_a_pipe_do_not_matter():
    document = text(400).replace(b" ", b"\n")
    process = subprocess.Popen([sys.executable, ROOT / "bin" / "minhash"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENVIRONMENT)
    for i in range(0, len(document), 97):
        process.stdin.write(document[i:i + 97])
        process.stdin.flush()
    assert process.communicate()[0] == run("minhash", input=document)


@given(st.lists(st.sampled_from([b"a", b"b ", b" c", b"\xff", "é".encode(), "字".encode(), b"", b"\t"]), max_size=30),
       st.data())
def test_cuts_between_blocks_do_not_matter(lines, data):
    lines = [line + b"\n" for line in lines]
    blocks = []
    while lines:
        size = data.draw(st.integers(1, len(lines)))
        blocks.append(b"".join(lines[:size]))
        lines = lines[size:]
    for size in (1, 2, 3, 5):
        assert minhash.read(blocks, size) == minhash.read([b"".join(blocks)], size)


def test_a_huge_line_is_cut_where_it_does_not_matter():
    for gap in (b" ", b"\t", b"; "):
        document = gap.join(text(200_000).split())
        assert minhash.read([document], 3)[1] == minhash.read([document.replace(gap, b"\n")], 3)[1]
        assert b"".join(minhash._pieces(document)) == document


def test_hash_seed_and_locale_do_not_matter():
    document = text(100) + "\nÉtude ΟΔΟΣ 字字字\n".encode()
    outputs = {run("minhash", input=document, env={"PYTHONHASHSEED": seed, "LC_ALL": locale})
               for seed, locale in (("0", "C"), ("1", "C.UTF-8"), ("2", "tr_TR.UTF-8"))}
    assert len(outputs) == 1


def test_any_bytes_will_do():
    document = random.Random(5).randbytes(100_000) + b"\x00\x1c\n\x1c" + b"x" * 1_000_000
    [[_, digest, shingles, signature]] = fields(run("minhash", input=document))
    assert digest == xxhash.xxh3_128(document).hexdigest()
    assert int(shingles) > 1000 and len(signature) == 256


# --- faults ---


def test_an_unreadable_file_does_not_keep_the_others_from_their_lines(tree):
    top = tree({"a": b"x\n", "b": gzip.compress(b"y\n" * 1000)[:-9]})
    assert [line[0] for line in fields(run("minhash", "a", "none", "b", cwd=top, status=2))] == ["a", "b"]
    assert "none" in run.stderr and "b: gzip data ends too early" in run.stderr


def test_full_disk_and_closed_pipe():
    shell("seq 1000 | minhash > /dev/full", status=2)
    assert "No space left" in shell.stderr
    assert shell("set +o pipefail; seq 1000 | minhash | head -n 1").startswith(b"#sieve-minhash")
    assert shell.stderr == ""


# --- honesty ---

PAIRS = 600


def exact(one, other):
    """The Jaccard index of the 3-word shingles of two texts of small letters and spaces."""
    sets = [set(zip(words, words[1:], words[2:])) for words in (one.split(), other.split())]
    return len(sets[0] & sets[1]) / len(sets[0] | sets[1])


def synthetic_pairs(seed):
    """Pairs of texts that share a part, from 0.05 to 1.0 alike, of 60 to 600 shingles."""
    draw = random.Random(seed)
    for i in range(PAIRS):
        likeness = 0.05 + 0.95 * i / (PAIRS - 1)
        words = draw.randrange(120, 600)
        common = round(words * likeness)
        rest = (words - common) // 2
        shared, first, second = (text(size, draw.random()) for size in (common, rest, rest))
        yield shared + b" " + first, shared + b" " + second


def real_pairs(seed):
    """Pairs of overlapping stretches of a manual, its words in small letters."""
    draw = random.Random(seed)
    words = re.findall(rb"[a-z]+", " ".join(topics[key] for key in sorted(topics)).lower().encode())
    for i in range(PAIRS):
        likeness = 0.05 + 0.95 * i / (PAIRS - 1)
        size = draw.randrange(100, 500)
        shift = round(size * (1 - likeness) / (1 + likeness))
        start = draw.randrange(len(words) - 2 * size)
        yield b" ".join(words[start:start + size]), b" ".join(words[start + shift:start + shift + size])


def honesty(pairs, signature):
    """`(mean error, spread)` of the estimates: spread is the root of the mean square error,
    each in units of the standard error of 128 independent permutations."""
    errors, squares = [], []
    for one, other in pairs:
        likeness = exact(one, other)
        agreeing = sum(map(int.__eq__, signature(one), signature(other))) / 128
        error = (agreeing - 1 / 256) / (1 - 1 / 256) - likeness
        errors.append(error)
        if likeness < 1:
            squares.append(error**2 / (likeness * (1 - likeness) / 128))
        else:
            assert error == 0
    return sum(errors) / len(errors), math.sqrt(sum(squares) / len(squares))


@pytest.mark.parametrize("pairs", [synthetic_pairs, real_pairs])
@pytest.mark.parametrize("seed", [0, 1, 20240229])
def test_estimates_are_honest(pairs, seed):
    permutations = sketch.permutations(seed)
    error, spread = honesty(pairs(seed), lambda text: sketch.sketch(minhash.read([text], 3)[1], permutations))
    assert abs(error) <= 0.01
    assert spread <= 1.3


def test_the_pairs_are_what_they_are_said_to_be():
    for pairs in (synthetic_pairs, real_pairs):
        likenesses = [exact(*pair) for pair in pairs(1)]
        assert len(likenesses) == PAIRS
        assert min(likenesses) < 0.08 and max(likenesses) == 1
        assert all(sum(low <= likeness < low + 0.1 for likeness in likenesses) > 30 for low in (0.1, 0.3, 0.5, 0.7, 0.9))


def test_estimates_of_the_tools_themselves_are_honest(tree):
    """The same through files, minhash and near-dups, which compares all pairs with one band a byte."""
    pairs = list(synthetic_pairs(7))
    top = tree({f"{i:03d}{side}": text for i, pair in enumerate(pairs) for side, text in zip("ab", pair)})
    output = shell("find . -type f -print0 | minhash --files0-from=- | near-dups --pairs --limit 128 --bands 128 --rows 1", cwd=top)
    estimates = {}
    for line in output.decode().splitlines():
        similarity, one, other = line.split("\t")
        if one[2:5] == other[2:5]:
            estimates[int(one[2:5])] = float(similarity) if similarity != "exact" else 1.0
    errors = [estimates[i] - exact(*pair) for i, pair in enumerate(pairs)]
    assert len(estimates) == PAIRS
    assert abs(sum(errors) / PAIRS) <= 0.01


def bad_sketch(minimum):
    """A signature made by `minimum(hashes, a, b)` for each of 128 permutations."""
    draw = random.Random(1)
    permutations = [(draw.getrandbits(64), draw.getrandbits(64)) for _ in range(128)]

    def signature(text):
        hashes = minhash.read([text], 3)[1]
        return bytes(minimum(hashes, a, b) & 255 for a, b in permutations)

    return signature


@pytest.mark.parametrize("fault, minimum", [
    ("32-bit hashes under 64-bit arithmetic keep their order",
     lambda hashes, a, b: min((a >> 32) * (x & 0xFFFFFFFF) + (b >> 32) for x in hashes)),
    ("even factors lose what their zeros shift out",
     lambda hashes, a, b: min(((a << 24) * x + b) % 2**32 for x in hashes)),
    ("a minimum of bytes is 0 for every long text",
     lambda hashes, a, b: min((a * x + b >> 24) % 256 for x in hashes)),
])
def test_bad_signatures_do_not_pass_for_honest(fault, minimum):
    error, spread = honesty(list(synthetic_pairs(1))[::5], bad_sketch(minimum))
    assert abs(error) > 0.01 or spread > 1.3, fault
