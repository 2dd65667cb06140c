"""line-score: the score as arithmetic, the marks, echoes, and every line as it was."""

import gzip
import random
import re
import subprocess
import sys

import pytest
from conftest import ENVIRONMENT, ROOT, run, shell
from hypothesis import given, settings, strategies as st
from xxhash import xxh64_intdigest

from sieve.fold import fold
from sieve import contexts
from sieve.model import CLOSE, END, LINE, NGRAM, OPEN, PLACE


def model(tmp_path, n, weights):
    """A model file of `{(kind, text): weight}`."""
    hashes = sorted((xxh64_intdigest(text, kind), weight) for (kind, text), weight in weights.items())
    path = tmp_path / "model"
    path.write_text(f"#sieve-model 1\n#profile sieve\n#n {n}\n#hash xxh64\n#fold unicode-15.0\n#documents 9\n"
                    f"#min-df 0.8\n#entries {len(hashes)}\n" + "".join(f"{h}\t{w}\n" for h, w in hashes))
    return path


def plain(scored):
    """Scored lines without their marks."""
    return re.sub(rb"^([-.0-9]+)[A-Za-z]*\t", rb"\1\t", scored, flags=re.M)


def marks(scored):
    return [line.split(b"\t")[0].lstrip(b"-.0123456789").decode() for line in scored.split(b"\n")[:-1]]


def test_score_is_the_mean_of_the_best_ngram_over_each_character(tmp_path):
    path = model(tmp_path, 3, {(NGRAM, b" ab"): 10000, (NGRAM, b"abc"): 5000, (NGRAM, b"de "): 3000, (NGRAM, "é 0".encode()): 10000})
    # " abcxyzde " is 10 characters: " ab" 3 of 1.0, c 1 of 0.5, "de " 3 of 0.3
    # " é 0 " is 5: the n-gram covers 3
    assert plain(run("line-score", "-m", path, input="ABC xyzde\nabcxyzde\né 7\nab\nzzz\n".encode())) == (
        b"0.4000\tABC xyzde\n0.4400\tabcxyzde\n" + "0.6000\té 7\n".encode() + b"0.7500\tab\n0.0000\tzzz\n")


def test_scores_round_half_up(tmp_path):
    path = model(tmp_path, 3, {(NGRAM, b"xyz"): 2})
    # in ten-thousandths: 6 / 5, 12 / 8 (half, so up), 18 / 13 and 6 / 7
    assert plain(run("line-score", "-m", path, input=b"xyz\nxyzxyz\nxyz xyz xyz\nxyzab\n")) == (
        b"0.0001\txyz\n0.0002\txyzxyz\n0.0001\txyz xyz xyz\n0.0001\txyzab\n")


def test_a_whole_line_counts_if_it_is_more(tmp_path):
    path = model(tmp_path, 7, {(LINE, b" hi "): 9000, (LINE, b" site of things "): 100, (NGRAM, b" site o"): 10000})
    assert plain(run("line-score", "-m", path, input=b"Hi\n  HI \nhi there\nSite of Things\n")) == (
        b"0.9000\tHi\n0.9000\t  HI \n0.0000\thi there\n0.4375\tSite of Things\n")


def test_marks_of_a_line_by_itself(tmp_path):
    path = model(tmp_path, 7, {(OPEN, b" menu "): 4000, (CLOSE, b" menu "): 3999, (CLOSE, b" --- "): 10000, (LINE, b" menu "): 0})
    lines = ["menu", "---", "", " \t", "---a", "x" * 17, "x" * 18, "x" * 58, "x" * 59, "語" * 8, "語" * 9, "語" * 30]
    assert marks(run("line-score", "-m", path, input="\n".join(lines + [""]).encode())) == [
        "Ochr", "Chs", "", "", "h", "h", "", "", "l", "h", "", "l"]  # a line's width has a space at each end


def context(*args, kind):
    """The hash of a context as the module says it: XXH64 of two numbers, under the seed of its kind."""
    return kind, b"".join(number.to_bytes(8, "little") for number in args)


def line(text):
    return xxh64_intdigest(fold(text), LINE)


def pair(before, after, weight):
    return {context(before and line(before), after and line(after), kind=contexts.PAIR): weight}


def test_neighbours(tmp_path):
    """R: beside the same line as in others; a: in most of them; r: only the line itself is known."""
    known = {(LINE, fold(text)): 0 for text in (b"Home", b"About", b"Help", b"Foot")}
    path = model(tmp_path, 7, {**known, **pair(0, b"Home", 7000), **pair(b"Home", b"About", 6999),
                               **pair(b"Foot", 0, 10000)})
    (tmp_path / "page").write_bytes(b"\nHome\n\nAbout\nHelp\nNew\nAbout\nFoot\n \n")
    assert marks(run("line-score", "-m", path, tmp_path / "page")) == ["", "haR", "", "hRE", "hr", "h", "hrE", "haR", ""]
    # what comes after is not known of standard input, as it comes
    assert marks(run("line-score", "-m", path, input=(tmp_path / "page").read_bytes())) == ["", "haR", "", "hR", "hr", "h", "hr", "hr", ""]


@pytest.mark.parametrize("distance, bucket", [(0, 0), (1, 1), (3, 3), (4, 4), (7, 4), (8, 5), (15, 5), (16, 6), (31, 6), (32, None)])
@pytest.mark.parametrize("side", [0, 1])
def test_places(tmp_path, distance, bucket, side):
    """The distance from top or bottom, in lines that are not blank, the farther the coarser."""
    lines = [b"of this page %c" % (97 + i % 26) * (i + 1) for i in range(80)]
    lines[distance if side == 0 else 79 - distance] = b"Menu"
    (tmp_path / "page").write_bytes(b"\n\n".join(lines))
    for other in range(8):
        path = model(tmp_path, 7, {(LINE, b" menu "): 0, context(line(b"Menu"), other << 2 | side << 1, kind=PLACE): 7000})
        found = [i for i, mark in enumerate(marks(run("line-score", "-m", path, tmp_path / "page") + b"\n")) if "a" in mark]
        assert bool(found) == (other == bucket)


def test_windows_of_a_long_document_go_on_where_the_last_ended(tmp_path):
    known = {(LINE, fold(text)): 0 for text in (b"Home", b"About")}
    path = model(tmp_path, 7, {**known, **pair(b"Home", b"About", 7000), **pair(0, b"Home", 7000)})
    (tmp_path / "page").write_bytes(b"x\n" * 9998 + b"Home\n\n\nAbout\nHome\n")
    assert marks(run("line-score", "-m", path, tmp_path / "page"))[-5:] == ["hr", "", "", "haR", "hr"]


def test_ends_at_a_place(tmp_path):
    """p: begins or ends as lines at this place do, unless more than three lines of the page do."""
    first, last = xxh64_intdigest(b" last c", NGRAM), xxh64_intdigest(b"author ", NGRAM)
    path = model(tmp_path, 7, {context(first, 1 << 2 | 1 << 1, kind=END): 5000, context(last, 1, kind=END): 5000})
    page = b"A title by some author\nSome text\nLast changed in May\nfoot\n"
    (tmp_path / "page").write_bytes(page)
    assert ["p" in mark for mark in marks(run("line-score", "-m", path, tmp_path / "page"))] == [True, False, True, False]
    (tmp_path / "log").write_bytes(b"Last called\n" * 2 + page)
    assert ["p" in mark for mark in marks(run("line-score", "-m", path, tmp_path / "log"))][-2:] == [True, False]
    (tmp_path / "log").write_bytes(b"Last called\n" * 3 + page)
    assert ["p" in mark for mark in marks(run("line-score", "-m", path, tmp_path / "log"))][-2:] == [False, False]


def test_echoes_in_a_file_but_not_on_standard_input(tmp_path, tree):
    """A heading echoes its entry in the table of contents, whatever is around the letters. Where
    echoes stand together (e) they are such a table, alone (E) a heading."""
    path = model(tmp_path, 7, {})
    text = "• The Sea\n\n1. Fish\nso\n\nthe sea\nab\nab\n†††\n†††\n¶ The  Sea ━━\nfish 2\n".encode()
    top = tree({"a": text, "b": b"fish\n"})
    scored = run("line-score", "-m", path, top / "a")
    assert [mark.lstrip("hs") for mark in marks(scored)] == ["E", "", "", "", "", "E", "", "", "", "", "E", ""]
    (tmp_path / "toc").write_bytes("• Sea\n\n• Fish\n\nSea\nwet\nFish\n".encode())
    assert [mark.lstrip("h") for mark in marks(run("line-score", "-m", path, tmp_path / "toc"))] == ["e", "", "e", "", "e", "", "E"]
    assert not {"e", "E"} & set("".join(marks(run("line-score", "-m", path, input=text))))
    framed = shell(f"doc-cat a b | line-score -m {path}", cwd=top)
    assert framed == b"\x1ca\n" + scored + b"\x1cb\n0.0000h\tfish\n"


def test_echoes_reach_ten_thousand_lines(tmp_path):
    lines = [b"first"] + [b"%d" % i for i in range(9998)] + [b"first", b"second", b"first"]
    (tmp_path / "a").write_bytes(b"\n".join(lines))
    scored = run("line-score", "-m", model(tmp_path, 7, {}), tmp_path / "a").split(b"\n")
    assert (scored[0], scored[9999]) == (b"0.0000hE\tfirst", b"0.0000he\tfirst")  # after numbers, echoes too
    assert scored[10001] == b"0.0000h\tfirst"


HARD = [b"a\tb\n\tc\\t\n", b"caf\xe9 ol\xe9\nok\n", b"one\xe2\x80\xa8two\x0cthree\xc2\x85four\nfive\n", b"alpha\x00beta\ngamma\n",
        b"a\r\nb\r", b"\xef\xbb\xbfbom\n", b"\x1c\x1cx\n", b"", b"\n\n", b"no newline"]


@pytest.mark.parametrize("text", HARD)
@pytest.mark.parametrize("how", ["stdin", "file", "gzip"])
def test_every_line_is_left_as_it_was(tmp_path, text, how):
    path = model(tmp_path, 3, {(NGRAM, b"alp"): 10000})
    if how == "stdin":
        scored = run("line-score", "-m", path, input=text)
    else:
        (tmp_path / "t").write_bytes(gzip.compress(text) if how == "gzip" else text)
        scored = run("line-score", "-m", path, tmp_path / "t")
    assert scored.count(b"\n") == text.count(b"\n")
    assert subprocess.run(["cut", "-f2-"], input=scored, capture_output=True).stdout.removesuffix(
        b"" if text.endswith(b"\n") or not text else b"\n") == text


def test_blocks_do_not_show(tmp_path):
    """Long lines, short reads: the same bytes."""
    path = model(tmp_path, 3, {(NGRAM, b" th"): 10000, (NGRAM, b"ing"): 500})
    random.seed(7)
    text = b"".join(b" ".join(random.choices([b"thing", "thé".encode(), b"a", b"\xff"], k=random.randint(0, 30))) + b"\n"
                    for _ in range(20000))
    whole = run("line-score", "-m", path, input=text)
    drip = subprocess.Popen([sys.executable, ROOT / "bin/line-score", "-m", path], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, env=ENVIRONMENT)
    import threading
    def feed():
        for i in range(0, len(text), 7919):
            drip.stdin.write(text[i:i + 7919])
            drip.stdin.flush()
        drip.stdin.close()
    threading.Thread(target=feed).start()
    assert drip.stdout.read() == whole
    assert drip.wait() == 0


def test_a_huge_line(tmp_path):
    """50 MB in one line is ordinary: its score is the same mean, in little memory."""
    path = model(tmp_path, 3, {(NGRAM, b"abc"): 10000})
    text = b"abcx" * (12 << 20)
    script = ("import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (600 << 20,) * 2);"
              "import runpy; sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')")
    done = subprocess.run([sys.executable, "-c", script, ROOT / "bin/line-score", "-m", path], input=text,
                          capture_output=True, env=ENVIRONMENT)
    assert done.stderr == b"" and done.stdout[:8] == b"0.7500l\t"  # 3 of 4, less a hair for the spaces at the ends
    assert done.stdout[8:] == text


def test_memory_does_not_grow_with_the_stream(tmp_path):
    """Distinct lines without end, in 40 MB at most."""
    path = model(tmp_path, 7, {(NGRAM, b"0000000"): 10000})
    script = (f"seq -f 'line %.0f of many, each unlike the others in its words and so its n-grams' 400000 | tr 0-9 a-j |"
              f" {sys.executable} -c \"import resource, subprocess, sys;"
              f"status = subprocess.call([sys.executable, 'line-score', '-m', '{path}']);"
              f"print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr); sys.exit(status)\" >/dev/null")
    shell(script, cwd=ROOT / "bin")
    assert int(shell.stderr) < 40 << 10


def test_answers_while_its_input_waits(tmp_path):
    path = model(tmp_path, 7, {})
    tool = subprocess.Popen([sys.executable, ROOT / "bin/line-score", "-m", path], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, env=ENVIRONMENT)
    tool.stdin.write(b"a line\nhalf a ")
    tool.stdin.flush()
    assert tool.stdout.readline() == b"0.0000h\ta line\n"
    tool.stdin.write(b"line")
    tool.stdin.close()
    assert tool.stdout.read() == b"0.0000h\thalf a line"


def test_explain_gives_ranges_of_characters(tmp_path):
    """Of the line as it is, counted from 1 as cut -c counts, whatever folding did."""
    path = model(tmp_path, 3, {(NGRAM, b"b c"): 10000, (NGRAM, "éé0".encode()): 5000, (LINE, b" whole "): 10000})
    assert plain(run("line-score", "-m", path, "--explain", input="a b   c d\nxÉé7\nnone\n  whole\n\n".encode())) == (
        "0.3333\t3-7\ta b   c d\n0.2500\t2-4\txÉé7\n0.0000\t\tnone\n1.0000\t3-7\t  whole\n-\t\t\n".encode())


@given(st.lists(st.binary(max_size=40).map(lambda b: b.replace(b"\n", b"")), max_size=8))
@settings(max_examples=15, deadline=None)
def test_scores_are_numbers_from_0_to_1_of_any_bytes(tmp_path_factory, lines):
    path = model(tmp_path_factory.mktemp("m"), 2, {(NGRAM, fold(line)[1:3]): 7777 for line in lines if len(fold(line)) > 2})
    text = b"\n" + b"".join(line + b"\n" for line in lines)  # so that it never begins as compressed data does
    lines = [b"", *lines]
    scored = run("line-score", "-m", path, input=text)
    for line, original in zip(scored.split(b"\n"), lines):
        score, _, rest = line.partition(b"\t")
        assert rest == original
        assert score == b"-" and not fold(original) or 0 <= float(score[:6]) <= 1 and set(score[6:]) <= set(b"oOcCaeErRplhs")
