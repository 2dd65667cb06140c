"""ngram-model: counting, merging, cutting, refining; files that are not as they should be."""

import gzip
from collections import Counter

import pytest
from conftest import run, shell
from hypothesis import given, settings, strategies as st
from xxhash import xxh64_intdigest

from sieve.fold import fold, ngrams
from sieve.model import CLOSE, END, LINE, NGRAM, OPEN, PAIR, PLACE

PAGES = {
    f"page{i}.txt": b"  Site of Things\nHome | About\n\n" + body + b"\nCopyright 20%02d Things\n" % i
    for i, body in enumerate([b"Of apples.\n", b"Of pears.\n", b"Of plums, and of Things.\n", b"Of quinces.\nHome\n", b"x\n"])
}


def entries(output):
    return dict(line.split(b"\t", 1) if b"\t" in line else (line, b"")
                for line in output.splitlines() if not line.startswith(b"#"))


def header(output):
    return dict(line[1:].split(b" ", 1) for line in output.splitlines() if line.startswith(b"#"))


def expected_counts(texts, n):
    counts = Counter()
    for text in texts:
        lines = {fold(line) for line in text.split(b"\n")} - {b""}
        counts.update({xxh64_intdigest(gram, NGRAM) for line in lines for piece in ngrams(line, n) for gram in piece})
        counts.update({xxh64_intdigest(line, LINE) for line in lines})
    return counts


def kinds(output, *wanted):
    """The entries of counts that are of n-grams (b"") or other kinds."""
    return {int(key): int(value.split(b"\t")[0]) for key, value in entries(output).items()
            if (value.split(b"\t") + [b""])[1] in wanted}


def test_counts_are_of_documents(tree):
    """Whatever is repeated inside one counts once, however it is spelt."""
    top = tree({"a": b"Menu 1\nMENU 2\nMenu 1\n", "b": b"menu 3", "c": b""})
    output = run("ngram-model", "count", "-n", "5", *sorted(top.iterdir()))
    counts = expected_counts([b"Menu 1", b"menu 3", b""], 5)
    assert kinds(output, b"", b"line") == counts
    assert set(counts.values()) == {2}
    assert header(output)[b"documents"] == b"3"


def test_contexts_are_counted(tree):
    """Pairs of lines with the document's edges, and the places of lines and of their ends."""
    top = tree({"a": b"Menu\n\nof a\nFoot\n", "b": b"Menu\nof b\nand more\n FOOT", "c": b"\n"})
    output = run("ngram-model", "count", *sorted(top.iterdir()))
    line = {text: xxh64_intdigest(fold(text), LINE) for text in (b"menu", b"of a", b"foot", b"of b", b"and more")}
    number = lambda *values, kind: xxh64_intdigest(b"".join(value.to_bytes(8, "little") for value in values), kind)
    pairs = [(0, b"menu"), (b"menu", b"of a"), (b"of a", b"foot"), (b"foot", 0), (b"menu", b"of b"), (b"of b", b"and more"), (b"and more", b"foot")]
    expected = {number(line.get(a, 0), line.get(b, 0), kind=PAIR): 1 + (0 in (a, b)) for a, b in pairs}
    assert kinds(output, b"pair") == expected
    places = Counter()
    for text in ([b"menu", b"of a", b"foot"], [b"menu", b"of b", b"and more", b"foot"]):
        for i, name in enumerate(text):
            places[number(line[name], i << 2, kind=PLACE)] += 1
            places[number(line[name], len(text) - 1 - i << 2 | 2, kind=PLACE)] += 1
    assert kinds(output, b"place") == places
    begin = xxh64_intdigest(b" menu ", NGRAM)
    assert kinds(output, b"end")[number(begin, 0, kind=END)] == 2
    assert kinds(output, b"end")[number(begin, 1, kind=END)] == 2  # it is the line's end as well


def test_entries_are_in_numeric_order(tree):
    top = tree(PAGES)
    assert shell("ngram-model count *.txt | grep -v '^#' | sort -c -n", cwd=top) == b""


@given(st.lists(st.lists(st.text("ab \n1", max_size=30), min_size=1, max_size=3), min_size=1, max_size=4), st.integers(1, 4))
@settings(max_examples=8, deadline=None)
def test_counting_in_parts_is_counting_at_once(tmp_path_factory, parts, n):
    top = tmp_path_factory.mktemp("parts")
    whole = []
    for i, part in enumerate(parts):
        paths = [top / f"{i}.{j}" for j in range(len(part))]
        for path, text in zip(paths, part):
            path.write_text(text)
        whole += paths
        (top / f"{i}.counts").write_bytes(run("ngram-model", "count", f"-n{n}", *paths))
    at_once = run("ngram-model", "count", f"-n{n}", *whole)
    assert run("ngram-model", "merge", *top.glob("*.counts")) == at_once
    assert run("ngram-model", "cut", *top.glob("*.counts")) == run("ngram-model", "build", f"-n{n}", *whole)


def test_many_parts_under_few_descriptors(tree):
    """More files than may be open, in two levels of merging."""
    top = tree(PAGES)
    shell("for i in $(seq 40); do for p in 0 1 2 3 4; do ngram-model count page$p.txt > $p; done; break; done", cwd=top)
    for i in range(300):
        (top / f"{i}.counts").symlink_to(top / str(i % 5))
    merged = shell("ulimit -n 64; ngram-model merge *.counts", cwd=top)
    once = shell("ngram-model count page?.txt", cwd=top)
    assert header(merged)[b"documents"] == b"300"
    assert [int(v.split(b"\t")[0]) for v in entries(merged).values()] == [60 * int(v.split(b"\t")[0]) for v in entries(once).values()]
    assert entries(merged).keys() == entries(once).keys()


def test_cut_keeps_what_is_in_enough_documents(tree):
    """4 of 5 is 0.8 exactly, with no rounding in the way; a line that a few share has weight 0."""
    top = tree({str(i): (b"in four\n" if i < 4 else b"") + (b"in two\n" if i < 2 else b"") + b"alone %c\n" % (97 + i)
                for i in range(5)})
    model = entries(run("ngram-model", "build", "--min-df", "0.8", *sorted(top.iterdir())))
    line = {text: str(xxh64_intdigest(fold(text), LINE)).encode() for text in (b"in four", b"in two", b"alone a")}
    assert model[line[b"in four"]] == b""
    assert model[line[b"in two"]] == b"0"
    assert line[b"alone a"] not in model
    assert str(xxh64_intdigest(b" in fou", NGRAM)).encode() in model


@pytest.mark.parametrize("documents", [3, 7, 10, 15, 35])
@pytest.mark.parametrize("share", ["0.1", "0.55", "0.7", "0.9"])
def test_shares_are_exact(documents, share):
    """0.7 of 10 is 7, where a float may say 7.000000000000001."""
    from fractions import Fraction

    from sieve import model, ngram_model
    from sieve.wire import parse_score

    counts = model.Header(model.COUNTS, profile="sieve", documents=documents)
    _, kept = ngram_model._cut(counts, [(i, i, NGRAM) for i in range(documents + 1)], parse_score(share.encode())[1])
    needed = Fraction(share) * documents
    assert [i for i, _ in kept] == [i for i in range(documents + 1) if i >= max(1, needed)]


def test_a_framed_stream_is_as_good_as_files(tree):
    top = tree({**PAGES, "z.gz": gzip.compress(PAGES["page0.txt"])})
    assert shell("doc-cat . | ngram-model build", cwd=top) == shell("ngram-model build page?.txt z.gz", cwd=top)
    assert shell("ls | tr '\\n' '\\0' | ngram-model build --files0-from=-", cwd=top) == shell("ngram-model build *", cwd=top)


def test_info(tree):
    top = tree(PAGES)
    info = shell("ngram-model build *.txt > m; ngram-model info m", cwd=top)
    assert header(info)[b"documents"] == b"5"
    weights = dict(line.split(b"\t") for line in info.splitlines() if not line.startswith(b"#"))
    assert sum(map(int, weights.values())) == int(header(info)[b"entries"])
    assert b"n-grams\t" in shell("ngram-model count *.txt | ngram-model info", cwd=top)


def test_refine_weighs_by_region(tmp_path):
    """Document frequency times purity: what the body has as well counts for less."""
    tagged = b"".join(
        b"\x1cdoc%d\ndrop\theader\t1.0000\tMenu\nkeep\tbody\t0.0000\tcommon words\nkeep\tbody\t0.0000\town %d\n%s"
        b"drop\tfooter\t0.5000\tcommon words\nkeep\tfooter\t-\t\n" % (i, 10 ** i, b"drop\tinset\t0\tinset\n" if i else b"")
        for i in range(4))
    (tmp_path / "m").write_bytes(run("ngram-model", "build", "-n", "3", input=b"Menu\n"))
    model = run("ngram-model", "refine", "-m", tmp_path / "m", input=tagged)
    weights = {int(key): value for key, value in entries(model).items()}
    line = lambda text: weights.get(xxh64_intdigest(fold(text), LINE))
    assert line(b"menu") == b""  # in all, and always template
    assert line(b"common words") == b"5000"  # in all: 4 of 4, half template
    assert line(b"inset") == b"7500"  # in 3 of 4, always template
    assert line(b"own 1") is None and line(b"own 10") is None  # in one document each
    assert header(model)[b"documents"] == b"4"
    assert weights[xxh64_intdigest(b" menu ", OPEN)] == b""
    assert weights[xxh64_intdigest(b" inset ", CLOSE)] == b""  # it closes every body that it comes with
    assert weights[xxh64_intdigest(b" common words ", CLOSE)] == b"2500"  # it closes one of four


def test_refine_refuses_what_is_not_tagged(tmp_path):
    (tmp_path / "m").write_bytes(run("ngram-model", "build", input=b"Menu\n"))
    run("ngram-model", "refine", "-m", tmp_path / "m", input=b"keep\tbody\t0.5\tx\n0.5\tx\n", status=2)
    assert run.stderr == "ngram-model: <stdin>: line 2: not VERDICT, REGION, SCORE and TEXT, as regions --tag writes them\n"


GOOD = b"#sieve-model 1\n#profile sieve\n#n 7\n#hash xxh64\n#fold unicode-15.0\n#documents 3\n#min-df 0.8\n#entries 3\n5\n6\t500\n70\n"


@pytest.mark.parametrize("model, complaint", [
    (b"", "empty"),
    (b"hello\n", "line 1: neither a model nor counts"),
    (GOOD.replace(b"model 1", b"model 2"), "line 1: another version of the format"),
    (GOOD.replace(b"5\n6", b"5\nx"), "line 10: not an integer"),
    (GOOD.replace(b"6\t500", b"6\tmuch"), "line 10: no weight"),
    (GOOD.replace(b"6\t500", b"6\t10001"), "line 10: no weight"),
    (GOOD.replace(b"6\t500", b"4\t500"), "line 10: not in order"),
    (GOOD.replace(b"6\t500", b"5\t500"), "line 10: not in order"),
    (GOOD.replace(b"70", b"18446744073709551616"), "line 11: not a 64-bit integer"),
    (GOOD.replace(b"70", b"9" * 5000), "line 11: not a 64-bit integer"),
    (GOOD.replace(b"70", b"\xd9\xa3"), "line 11: not an integer"),
    (GOOD[:-3], "not the 3 entries that it announces: truncated or damaged"),
    (GOOD + b"80\n", "not the 3 entries that it announces: truncated or damaged"),
    (GOOD.replace(b"#entries 3\n", b""), "line 8: an entry before #entries"),
    (GOOD[:GOOD.index(b"#entries")], "no number #entries in the header: truncated or damaged"),
    (GOOD.replace(b"#n 7", b"#n x"), "no number #n in the header: truncated or damaged"),
    (GOOD.replace(b"#n 7", b"#n 0"), "#n is 0"),
    (GOOD.replace(b"#profile sieve", b"#profile other"), "a model of an unknown profile"),
    (gzip.compress(GOOD)[:-4], "gzip data ends too early"),
])
def test_a_bad_model_is_refused(tmp_path, model, complaint):
    path = tmp_path / "m"
    path.write_bytes(model)
    assert run("line-score", "-m", path, input=b"x\n", status=2) == b""
    assert run.stderr == f"line-score: {path}: {complaint}\n"


def test_a_missing_model(tmp_path):
    run("line-score", "-m", tmp_path / "none", input=b"x\n", status=2)
    assert run.stderr == f"line-score: {tmp_path}/none: No such file or directory\n"


def test_a_good_model_may_be_compressed(tmp_path):
    (tmp_path / "m").write_bytes(gzip.compress(GOOD))
    assert run("line-score", "-m", tmp_path / "m", input=b"x\n") == b"0.0000h\tx\n"


def test_counts_are_not_a_model_and_no_other_method_merges(tree):
    top = tree(PAGES)
    shell("ngram-model count *.txt > c; ngram-model count -n 5 *.txt > d; ngram-model build *.txt > m", cwd=top)
    assert run("line-score", "-m", "c", cwd=top, status=2) == b""
    assert run.stderr == "line-score: c: counts, not a model: ngram-model cut makes one of them\n"
    assert run("ngram-model", "merge", "c", "m", cwd=top, status=2) == b""
    assert run.stderr == "ngram-model: m: a model, not counts\n"
    assert run("ngram-model", "merge", "c", "d", cwd=top, status=2) == b""
    assert run.stderr == "ngram-model: d: counted by another method than c (n, hash, fold, profile or key)\n"


def test_a_missing_file_among_good_ones(tree):
    top = tree(PAGES)
    good = run("ngram-model", "count", *sorted(PAGES), cwd=top)
    assert run("ngram-model", "count", "none", *sorted(PAGES), cwd=top, status=2) == good
    assert run.stderr == "ngram-model: none: No such file or directory\n"


def test_commands():
    assert run("ngram-model", "biuld", status=2) == b""
    assert run.stderr == "ngram-model: 'biuld' is not a command; did you mean build?\n"
    assert b"count" in run("ngram-model", "--help")
    assert b"--min-df" in run("ngram-model", "cut", "--help")
    run("ngram-model", "build", "--min-df", "1.5", input=b"", status=2)
    assert run.stderr.startswith("ngram-model: argument --min-df: '1.5' is not a number from 0 to 1")
