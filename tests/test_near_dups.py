"""near-dups: groups, what holds them together and what keeps them apart."""

import gzip
import itertools
import random
import time
from fractions import Fraction

import pytest
from hypothesis import given, settings, strategies as st

from conftest import ROOT, run, shell
from sieve import groups, signatures, sketch

HEADER = b"#sieve-minhash 1 permutations=128 shingle=3 seed=0\n"
BASE = random.Random(0).randbytes(128)


def changed(signature, *places):
    """`signature` with the bytes at `places` changed, always in the same way."""
    return bytes(byte ^ 0x55 if i in places else byte for i, byte in enumerate(signature))


def line(name, signature, digest=None):
    """A line of minhash; a document's bytes are its own unless a digest is given."""
    digest = random.Random(name).randbytes(16).hex() if digest is None else digest
    return f"{name}\t{digest}\t100\t{signature.hex() if signature else '-'}\n".encode()


def near_dups(lines, *args, **how):
    """The columns of what near-dups prints for `lines`."""
    output = run("near-dups", *args, input=HEADER + b"".join(lines), **how)
    return [row.split("\t") for row in output.decode().splitlines()]


def grouped(lines, *args, **how):
    """The groups as sets of names."""
    rows = near_dups(lines, *args, **how)
    return [{row[2] for row in group} for _, group in itertools.groupby(rows, key=lambda row: row[0])]


# --- threshold ---


@pytest.mark.parametrize("options", [[], ["--threshold=0.80"], ["--limit=25"]])
def test_twenty_five_differing_bytes_are_in_and_twenty_six_are_not(options):
    near, far = changed(BASE, *range(101, 126)), changed(BASE, *range(100, 126))
    assert near_dups([line("a", BASE), line("b", near)], *options) == [["1", "1.0000", "a"], ["1", "0.8039", "b"]]
    assert near_dups([line("a", BASE), line("b", far)], *options) == []


def test_threshold_is_exact_arithmetic():
    """The similarity that is printed reaches the threshold just as far as the limit says."""
    for parts in range(1, 10001):
        limit = sketch.limit(parts)
        true = [(Fraction(128 - bytes, 128) - Fraction(1, 256)) / (1 - Fraction(1, 256)) for bytes in (limit, limit + 1)]
        assert true[0] >= Fraction(parts, 10000) > true[1]
        assert sketch.similarity(limit) >= parts > sketch.similarity(limit + 1) or parts > 9999


@given(st.binary(min_size=128, max_size=128), st.binary(min_size=128, max_size=128))
def test_differing_bytes_are_counted(one, other):
    assert sketch.differing(one, other) == sum(a != b for a, b in zip(one, other))


# --- bands ---


@pytest.mark.parametrize("bands, rows, low, high", [(21, 6, 0, 0.01), (16, 8, 0.03, 0.07)])
def test_bands_miss_what_the_article_measured(bands, rows, low, high):
    """2,000 pairs whose bytes agree with the probability 0.80, each compared with all the others."""
    draw = random.Random(bands)
    lines = []
    for i in range(2000):
        one = draw.randbytes(128)
        other = bytes(a if draw.random() < 0.8 else a ^ draw.randrange(1, 256) for a in one)
        lines += [line(f"{i}a", one), line(f"{i}b", other)]
    rows_ = near_dups(lines, "--pairs", "--limit=128", f"--bands={bands}", f"--rows={rows}")
    found = {one for _, one, other in rows_ if one[:-1] == other[:-1]}
    loss = 1 - len(found) / 2000
    assert low <= loss <= high
    told = run("near-dups", "--explain-bands", f"--bands={bands}", f"--rows={rows}").decode()
    assert f"{bands} bands of {rows} miss a pair that is 0.8000 alike" in told
    assert abs(float(told.split("\n")[0].split()[-1]) - loss) < 0.015


def test_explained_bands_are_the_formula():
    told = run("near-dups", "--explain-bands", "--bands=3", "--rows=2", "--threshold=0.6").decode().splitlines()
    for row in told[1:]:
        similarity, missed = map(float, row.split("\t"))
        assert missed == pytest.approx((1 - (similarity + (1 - similarity) / 256) ** 2) ** 3, abs=1e-6)
    assert [row.split("\t")[0] for row in told[1:]] == [f"{i / 100:.4f}" for i in range(50, 101, 5)]


def test_bands_that_do_not_fit_are_refused():
    run("near-dups", "--bands=22", "--rows=6", input=b"", status=2)
    assert "22 bands of 6 bytes" in run.stderr


# --- groups ---


def test_groups_are_transitive_and_a_chain_is_marked():
    """a and b, b and c are near; a and c are not."""
    lines = [line("a", BASE), line("b", changed(BASE, *range(20))), line("c", changed(BASE, *range(40)))]
    assert near_dups(lines) == [["1-chain", "1.0000", "a"], ["1-chain", "0.8431", "b"], ["1-chain", "0.6862", "c"]]
    assert "by a chain only" in run.stderr
    assert near_dups(lines, "--pairwise") == [
        ["1-chain", "0.8431", "a", "b"], ["1-chain", "0.6862", "a", "c"], ["1-chain", "0.8431", "b", "c"]]
    assert near_dups(lines, "--pairs") == [["0.8431", "a", "b"], ["0.8431", "b", "c"]]


def test_a_chain_is_found_where_its_ends_are_near_the_first():
    """b and c are near a, on opposite sides of it."""
    for end, label in ((26, "1-chain"), (25, "1")):
        lines = [line("a", BASE), line("b", changed(BASE, *range(13))), line("c", changed(BASE, *range(13, end)))]
        assert [row[0] for row in near_dups(lines)] == [label] * 3


def test_a_group_whose_ends_are_not_alike_is_flagged(tree):
    """Windows on one row of words: neighbours share 78 of 98 shingles, the ends 68 of 108."""
    top = tree({str(n): b" ".join(b"w%03d" % k for k in range(i, j))
                for n, (i, j) in enumerate([(0, 90), (10, 100), (20, 110)])})
    output = shell("minhash 0 1 2 | near-dups --threshold 0.72 | tee out; minhash 0 1 2 | near-dups --verify --threshold 0.72", cwd=top)
    rows = [row.split("\t") for row in output.decode().splitlines()]
    assert [row[::2] for row in rows[:3]] == [["1-chain", "0"], ["1-chain", "1"], ["1-chain", "2"]]
    assert [row[1:] for row in sorted(rows[3:], key=lambda row: row[2])] == [["0.7959", "0", "1"], ["0.7959", "1", "2"]]


def test_byte_identical_documents_are_exact_and_grouped_once():
    near = changed(BASE, 1, 2, 3)
    lines = [line("b", BASE, "ab" * 16), line("a", BASE, "ab" * 16), line("c", near), line("d", BASE), line("e", near[::-1])]
    assert near_dups(lines) == [["1", "1.0000", "a"], ["1", "exact", "b"], ["1", "0.9764", "c"], ["1", "1.0000", "d"]]
    assert near_dups(lines, "--pairs") == [
        ["exact", "a", "b"], ["1.0000", "a", "d"], ["1.0000", "b", "d"],
        ["0.9764", "a", "c"], ["0.9764", "b", "c"], ["0.9764", "c", "d"]]


def test_short_documents_are_grouped_only_with_exact_copies(tree):
    top = tree({str(i): content for i, content in enumerate([b"cat", b"dog", b"cat", b"", b"{}"])})
    assert shell("minhash 0 1 2 3 4 | near-dups", cwd=top) == b"1\t1.0000\t0\n1\texact\t2\n"
    assert "too short for a signature, told by their bytes alone: 5" in shell.stderr


def test_a_chain_is_followed_inside_a_bucket():
    """All three agree in the first band alone; b and c are near, and a and c are not."""
    b, c = changed(BASE, *range(6, 126, 6)), changed(BASE, *range(6, 126, 6), *range(7, 126, 6))
    assert grouped([line("a", BASE), line("b", b), line("c", c)]) == [{"a", "b", "c"}]


def test_groups_and_names_come_in_the_order_of_names():
    lines = [line(name, sketch) for name, sketch in
             (("z", BASE), ("y", BASE[::-1]), ("b", BASE[::-1]), ("x", BASE), ("a9", BASE[::-1]), ("a10", BASE))]
    expected = [["1", "a10"], ["1", "x"], ["1", "z"], ["2", "a9"], ["2", "b"], ["2", "y"]]
    for order in itertools.islice(itertools.permutations(lines), 0, 720, 80):
        assert [row[::2] for row in near_dups(order)] == expected


# --- alternates ---


def test_alternates_share_no_group_even_through_a_third(tree):
    """a is near b and b near c, b nearer to c; a and c are one page in two languages."""
    lines = [line("a", BASE), line("b", changed(BASE, *range(20))), line("c", changed(BASE, *range(30)))]
    top = tree({"alternates": b"c\ta\n", "other way": b"a\tc\n"})
    for order in itertools.permutations(lines):
        for file in ("alternates", "other way"):
            assert grouped(order, f"--alternates={top / file}") == [{"b", "c"}]
    assert grouped(lines) == [{"a", "b", "c"}]


def test_of_pairs_as_alike_the_first_by_name_is_joined(tree):
    lines = [line("a", BASE), line("b", changed(BASE, *range(20))), line("c", changed(BASE, *range(40)))]
    top = tree({"alternates": b"a\tc\n"})
    for order in itertools.permutations(lines):
        assert grouped(order, f"--alternates={top / 'alternates'}") == [{"a", "b"}]


def test_alternates_with_one_signature_or_the_same_bytes_stay_apart(tree):
    top = tree({"alternates": b"a\tb\n\nnot there\ta\n", "none": b""})
    for digest in (None, "00" * 16):
        lines = [line(name, BASE, digest) for name in "abc"]
        assert grouped(lines, f"--alternates={top / 'alternates'}") == [{"a", "c"}]
        assert [row[1:] for row in near_dups(lines, "--pairs", f"--alternates={top / 'alternates'}")] == [["a", "c"], ["b", "c"]]
        assert grouped(lines, f"--alternates={top / 'none'}") == [{"a", "b", "c"}]


def test_a_copy_goes_with_its_like_and_not_with_the_first_by_name(tree):
    top = tree({"alternates": b"a\tb\n"})
    lines = [line("a", BASE), line("b", BASE, "00" * 16), line("c", BASE, "00" * 16)]
    assert grouped(lines, f"--alternates={top / 'alternates'}") == [{"b", "c"}]


def test_a_list_of_alternates_that_is_none_is_refused(tree):
    top = tree({"alternates": b"a\tb\na b\n"})
    run("near-dups", f"--alternates={top / 'alternates'}", input=HEADER, status=2)
    assert "alternates: line 2: not two names with a TAB between" in run.stderr
    run("near-dups", "--alternates=/nowhere", input=HEADER, status=2)
    assert "/nowhere: No such file" in run.stderr


def by_every_pair(documents, limit, apart):
    """The groups by definition: every pair, by falling likeness, then by name."""
    def distance(one, other):
        return -1 if one[1] == other[1] else sum(a != b for a, b in zip(one[2], other[2]))

    pairs = sorted((distance(*pair), pair[0][0], pair[1][0]) for pair in itertools.combinations(sorted(documents), 2))
    group = {name: {name} for name, _, _ in documents}
    for bytes, one, other in pairs:
        both = group[one] | group[other]
        if bytes <= limit and not any(a in both and b in both for a, b in apart):
            group.update(dict.fromkeys(both, both))
    return {frozenset(names) for names in group.values() if len(names) > 1}


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_groups_are_those_of_joining_every_pair_in_order(data):
    names = data.draw(st.permutations([f"{i:02d}".encode() for i in range(data.draw(st.integers(2, 12)))]))
    kinds = [(digest, changed(BASE, *range(start, start + length)))
             for digest, (start, length) in enumerate(data.draw(st.lists(
                 st.tuples(st.integers(0, 8), st.integers(0, 16)), min_size=1, max_size=8)))]
    documents = [(name, *data.draw(st.sampled_from(kinds))) for name in names]
    apart = data.draw(st.lists(st.tuples(st.sampled_from(names), st.sampled_from(names)).filter(lambda p: p[0] != p[1]), max_size=8))
    limit = data.draw(st.integers(0, 12))
    read = signatures.Documents(*map(list, zip(*documents)))
    number = {name: i for i, name in enumerate(read.names)}
    others = {}
    for one, other in apart:
        others.setdefault(number[one], set()).add(number[other])
        others.setdefault(number[other], set()).add(number[one])
    found = groups.group(len(names), read.copies, read.sketches, read.holders, 128, 1, limit, others)
    assert {frozenset(read.names[i] for i in members) for members in found.lists()} == by_every_pair(documents, limit, apart)


# --- what is printed and what is left out ---


def test_drop_names_all_but_the_first_of_each_group():
    lines = [line("x y", BASE), line("b", BASE), line("a", BASE), line("alone", BASE[::-1])]
    assert run("near-dups", "--drop", input=HEADER + b"".join(lines)) == b"b\nx y\n"
    assert run("near-dups", "--drop", "-z", input=HEADER + b"".join(lines)) == b"b\0x y\0"
    run("near-dups", "-z", input=b"", status=2)


def test_names_as_bad_as_they_come_can_be_removed(tree):
    text = b" ".join(b"word%d" % i for i in range(80))
    names = ["a b.txt", "it's.txt", "new\nline.txt", "-n", "back\\n.txt", "tab\t.txt", "z"]
    top = tree({name: text + b"\n" * i for i, name in enumerate(names)})
    (top / "other").write_bytes(text[::-1])
    shell("find . -type f -print0 | minhash --files0-from=- | near-dups --drop -z | xargs -0 rm", cwd=top)
    assert sorted(path.name for path in top.iterdir()) == ["-n", "other"]


def test_only_the_named_documents_are_looked_at(tree):
    top = tree({"only": b"a\nc\nnot there\nback\\\\slash\n"})
    lines = [line(name, BASE) for name in ("a", "b", "c", "d", "back\\\\slash")]
    assert grouped(lines, f"--only={top / 'only'}") == [{"a", "c", "back\\\\slash"}]


def test_exact_likeness_is_read_again(tree):
    words = [b"word%d" % i for i in range(200)]
    documents = {"a": words, "b": words[:180], "c": words[10:], "d": words[:190]}
    top = tree({name: b"\n".join(text) for name, text in documents.items()})
    (top / "c").write_bytes(gzip.compress((top / "c").read_bytes()))
    shell("minhash a b c d > sigs; echo more >> b; rm d", cwd=top)
    rows = [row.split("\t") for row in shell("near-dups --verify --threshold 0.7 sigs", cwd=top).decode().splitlines()]
    sets = {name: set(zip(text, text[1:], text[2:])) for name, text in documents.items()}
    assert len(rows) == 6
    for estimate, exact, one, other in rows:
        jaccard = len(sets[one] & sets[other]) / len(sets[one] | sets[other])
        assert exact == ("-" if {one, other} & {"b", "d"} else f"{int(jaccard * 10000) / 10000:.4f}")
        assert abs(float(estimate) - jaccard) < 0.12
    assert "documents not found under their names as they were: 2" in shell.stderr


# --- after cleaning ---


def test_menus_make_all_pages_alike_until_they_are_cleaned_away(tmp_path):
    """Of the 30 pages of the example, two are near copies; the others share their template alone."""
    all_pairs = "--threshold=0.10 --bands=128 --rows=1"
    before, after = shell(f"""
        doc-cat {ROOT}/examples/dumps | minhash | near-dups {all_pairs}
        sieve clean {ROOT}/examples/dumps -o clean >&2
        echo; doc-cat clean | minhash | near-dups {all_pairs}""", cwd=tmp_path).decode().split("\n\n")
    assert [row.partition("-")[0].partition("\t")[0] for row in before.splitlines()] == ["1"] * 30
    assert [row.split("\t")[2] for row in after.splitlines()] == ["clean/company/before-you-board.txt", "clean/company/rules.txt"]
    assert shell("doc-cat clean | minhash | near-dups --drop", cwd=tmp_path) == b"clean/company/rules.txt\n"


# --- bad input ---


def test_what_is_no_signature_is_skipped_and_counted():
    good = line("a", BASE), line("b", BASE)
    bad = [b"c\t" + good[0].split(b"\t", 1)[1][:-3] + b"\n",  # short
           line("d", BASE + b"\0"), line("e", BASE[:64]), b"f\t%s\t100\t\n" % (b"0" * 32), b"words\n", b"\n",
           line("g", BASE).replace(b"\t100\t", b"\tmany\t"), line("h", BASE, "0" * 30), line("", BASE),
           line("i", BASE)[:-1] + b"\r\n", line("j", BASE)[:-2] + b"g\n"]
    assert grouped([good[0], *bad, good[1]]) == [{"a", "b"}]
    assert run.stderr == f"near-dups: lines that are no signatures, skipped: {len(bad)}\n"


def test_lines_without_a_header_will_do():
    assert run("near-dups", input=line("a", BASE) + line("b", BASE)[:-1]) == b"1\t1.0000\ta\n1\t1.0000\tb\n"


def test_nothing_gives_nothing():
    assert run("near-dups", input=b"") == b""
    assert run("near-dups", input=HEADER) == b""


def test_signatures_made_in_different_ways_are_refused_together(tree):
    other = HEADER.replace(b"seed=0", b"seed=2")
    top = tree({"a": HEADER + line("a", BASE), "b": HEADER + line("b", BASE), "c": other + line("c", BASE)})
    assert run("near-dups", "a", "b", cwd=top) == b"1\t1.0000\ta\n1\t1.0000\tb\n"
    assert shell("cat a b | near-dups", cwd=top) == b"1\t1.0000\ta\n1\t1.0000\tb\n"
    assert run("near-dups", "a", "c", cwd=top, status=2) == b""
    assert run.stderr == "near-dups: c: line 1: signatures not made as those before\n"


@pytest.mark.parametrize("header", [
    HEADER.replace(b" 1 ", b" 2 "), HEADER.replace(b"128", b"256"), HEADER.replace(b"=3", b"=x"), b"#sieve-minhash \n"])
def test_signatures_of_another_version_are_refused(header):
    run("near-dups", input=header + line("a", BASE), status=2)
    assert "<stdin>: line 1: signatures not made as this version makes them" in run.stderr


def test_two_documents_of_one_name_are_refused(tree):
    top = tree({"a": HEADER + line("x", BASE), "b": HEADER + line("x", BASE[::-1])})
    assert run("near-dups", "a", "b", cwd=top, status=2) == b""
    assert run.stderr == "near-dups: two documents are called x\n"


def test_a_file_that_cannot_be_read_is_told_and_the_others_are_read(tree):
    top = tree({"a": HEADER + line("a", BASE) + line("b", BASE)})
    assert run("near-dups", "none", "a", cwd=top, status=2) == b"1\t1.0000\ta\n1\t1.0000\tb\n"


# --- many ---


def test_a_hundred_thousand_identical_signatures_are_one_group():
    lines = [b"%06d\t%032x\t99\t%s\n" % (i, i, BASE.hex().encode()) for i in range(100_000)]
    started = time.monotonic()
    output = run("near-dups", input=HEADER + b"".join(lines))
    assert time.monotonic() - started < 20  # every pair would take an hour
    assert output.count(b"\n1\t") == 99_999


@pytest.mark.parametrize("kind", ["band", "close"])
def test_a_crowd_does_not_go_quadratic(kind):
    """Twenty thousand that agree in one band and nothing else, and as many copies with a byte changed."""
    draw, lines = random.Random(1), []
    for i in range(20_000):
        signature = BASE[:6] + draw.randbytes(122) if kind == "band" else changed(BASE, i % 126)
        if kind == "close":
            signature = signature[:126] + i.to_bytes(2, "big")
        lines.append(line(f"{i:05d}", signature))
    started = time.monotonic()
    output = run("near-dups", input=HEADER + b"".join(lines))
    assert time.monotonic() - started < 20  # every pair would take minutes
    assert output.count(b"\n") == (0 if kind == "band" else 20_000)


@pytest.mark.parametrize("common, agreeing, found", [
    (1, [0], False), (1, [0, 20], True), (2, [0, 1], True), (2, [1], False), (2, [1, 2], True)])
def test_in_a_crowd_pairs_that_agree_in_a_second_band_are_compared(common, agreeing, found):
    """The crowd has the first band or two in common; x and y are near, and agree in some bands."""
    draw = random.Random(2)
    crowd = [line(f"{i:04d}", BASE[:6 * common] + draw.randbytes(128 - 6 * common)) for i in range(groups.CROWD)]
    pair = [line("x", BASE), line("y", changed(BASE, *(6 * band for band in range(21) if band not in agreeing)))]
    assert grouped(pair) == [{"x", "y"}]
    assert grouped([*crowd, *pair]) == ([{"x", "y"}] if found else [])


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 21), st.integers(1, 6))
def test_buckets_are_all_pairs_that_agree_in_a_band(seed, bands, rows):
    draw = random.Random(seed)
    sketches = list({bytes(draw.choices(b"ab", k=128)) for _ in range(40)})
    found = {pair for bucket in groups.buckets(sketches, range(len(sketches)), bands, rows)
             for pair in itertools.combinations(bucket, 2)}
    expected = {(i, j) for i, j in itertools.combinations(range(len(sketches)), 2)
                if any(sketches[i][at:at + rows] == sketches[j][at:at + rows] for at in range(0, bands * rows, rows))}
    assert found == expected
