"""regions: what it prints of a scored stream, and what it does with streams that are none."""

import gzip
import os
import re
import select
import subprocess
import sys
from io import BytesIO

import pytest
from conftest import ENVIRONMENT, ROOT, run
from hypothesis import given, settings
from hypothesis import strategies as st
from statemachine import load

PAGE = b"""1.0000\tLogo
1.0000o\tHome | About
-\t
0.0000\tOf whales
0.0312\tThey are big.
-\t
0.1000\tThey swim.
-\t
0.9871c\tContact
1.0000\tImprint
"""
KEPT = b"Of whales\nThey are big.\n\nThey swim.\n"
DROPPED = b"Logo\nHome | About\nContact\nImprint\n"
SHIPPED = ["article", "regions", "threshold"]


def text_of(scored):
    return b"".join(line.partition(b"\t")[2] for line in BytesIO(scored))


def test_the_body_of_a_page_is_printed():
    assert run("regions", input=PAGE) == b"\n" + KEPT + b"\n"  # blank lines beside what is kept stay
    assert run("regions", "-s", "--drop", input=PAGE) == DROPPED


def test_where_there_is_no_template_every_line_stays():
    letter = b"0.0000h\tDear all\n-\t\n0.0000\tThe ship is late again.\n-\t\n0.0000h\tYours\n"
    assert run("regions", input=letter) == text_of(letter)
    assert run("regions", input=b"0.0000h\ta\n" * 2) == b"a\n" * 2


def test_tagged_lines_have_verdict_region_score_and_text():
    assert run("regions", "--tag", input=PAGE).split(b"\n")[1:5] == [
        b"drop\theader\t1.0000o\tHome | About", b"keep\tbody\t-\t", b"keep\tbody\t0.0000\tOf whales",
        b"keep\tbody\t0.0312\tThey are big."]
    assert untag(run("regions", "--tag", input=PAGE)) == text_of(PAGE)


def test_a_trace_has_the_reasons_and_no_text():
    trace = run("regions", "--trace", input=b"\x1cp\\ta\n" + PAGE)
    assert trace.split(b"\n")[:6] == [
        b"\x1cp\\ta",
        b"p\\ta\t1\t1.0000\ttop\theader\tto header 0, band 2 costs 0\tdrop",
        b"p\\ta\t2\t1.0000o\theader\theader\tband 2 costs 0\tdrop",
        b"p\\ta\t3\t-\theader\tbody\tto body -20, blank\tkeep",
        b"p\\ta\t4\t0.0000\tbody\tbody\tband 0 costs 0\tkeep",
        b"p\\ta\t5\t0.0312\tbody\tbody\tband 0 costs 0\tkeep"]
    assert b"\tbody\tfooter\tto footer -20, band 2 costs 0\tdrop\n" in trace  # by its mark c
    for word in re.findall(rb"[A-Za-z]{4,}", text_of(PAGE)):
        assert word not in trace
    after_o = run("regions", "--trace", input=b"1\ta\n1o\tb\n0\tc\n0\td\n0\te\n")
    assert b"\tto body -20, band 0 costs 0\t" in after_o


def test_a_trace_tells_what_became_of_held_lines(tree):
    top = tree({
        "m.lisp": b"(machine m (state a ((> score 0.5) hold a) ((= score 0) drop a discard) (else keep a release)))",
        "end.lisp": b"(machine m (state a (else hold a) (end discard)))",
        "marks.lisp": b"(weighted-machine m (bands 0.5) (state a drop (costs 1 2) (mark e 3) (mark r 5)))"})
    trace = run("regions", "--trace", "-m", "m.lisp", cwd=top, input=b"1\ta\n.5\tb\n1\tc\n0\td\n1\te\n")
    assert [line.split(b"\t")[5:] for line in trace.split(b"\n")[:-1]] == [
        [b"((> score 0.5) hold a), then (else keep a release)", b"keep"], [b"(else keep a release)", b"keep"],
        [b"((> score 0.5) hold a), then ((= score 0) drop a discard)", b"drop"],
        [b"((= score 0) drop a discard)", b"drop"],
        [b"((> score 0.5) hold a), then (end release)", b"keep"]]
    assert b"(else hold a), then the window\tkeep\n" in run(
        "regions", "--trace", "-m", "end.lisp", "--window", "2", cwd=top, input=b"1\ta\n1\tb\n1\tc\n")
    assert run("regions", "--trace", "-m", "marks.lisp", cwd=top, input=b"1.0err\tx\n") == (
        b"-\t1\t1.0err\ta\ta\tband 1 costs 2, mark e costs 3, mark r costs 5\tdrop\n")


def untag(tagged, verdict=b""):
    """The text of the tagged lines that have that verdict."""
    return b"".join(line.split(b"\t", 3)[3] for line in BytesIO(tagged) if line.startswith(verdict))


# --- nothing is lost ---

SCORES = st.sampled_from(["-", "0", "1", "0.5", "0.0312o", "0.3000er", "1.0000", "0.9871c", ".7"])
TEXTS = st.lists(st.sampled_from([b"", b" ", b"a", b"b\tc", b"\x1c", b"\x1c\x1cd", b"\r", b"\x00", b"\xff", b"\xc2\x85",
                                  b"\xe2\x80\xa8"]), max_size=3).map(b"".join)
STREAMS = st.tuples(st.lists(st.tuples(SCORES, TEXTS), max_size=12), st.booleans()).map(
    lambda made: b"\n".join(b"%s\t%s" % (score.encode(), text) for score, text in made[0])
    + (b"\n" if made[1] and made[0] else b""))


@settings(max_examples=15)
@given(STREAMS, st.sampled_from(SHIPPED))
def test_kept_and_dropped_lines_are_exactly_the_input(scored, machine):
    tagged = run("regions", "-m", machine, "--tag", input=scored)
    assert untag(tagged) == text_of(scored)
    assert run("regions", "-m", machine, input=scored) == untag(tagged, b"keep")
    assert run("regions", "-m", machine, "--drop", input=scored) == untag(tagged, b"drop")


def test_nothing_to_wash_leaves_every_byte():
    body = b"-\t\n-\t\xff\r\n" + b"".join(b"0.0%d\tline %d\x00\n" % (i, i) for i in range(100)) + b"-\t\n-\t\n0.0000\tlast"
    assert run("regions", input=body) == text_of(body)
    assert run("regions", "--drop", input=body) == b""


def test_a_missing_newline_goes_with_its_line():
    end = PAGE.rstrip(b"\n")
    assert run("regions", input=end) == b"\n" + KEPT + b"\n"
    assert run("regions", "-s", "--drop", input=end) == DROPPED.rstrip(b"\n")
    assert run("regions", input=b"0.0\ta\n0.0\tb") == b"a\nb"
    assert run("regions", input=b"\x1cone\n0.0\ta\n\x1c\n\x1ctwo\n0.0\tb\n1\tc\n1\td\n1\te\n\x1c\n") == (
        b"\x1cone\na\n\x1c\n\x1ctwo\nb\n")
    assert run("regions", "--tag", input=b"\x1cone\n0.0\ta\n\x1c\n") == b"\x1cone\nkeep\tbody\t0.0\ta\n\x1c\n"
    assert run("regions", "--trace", "-m", "threshold", input=b"0.0\ta") == (
        b"-\t1\t0.0\tany\tany\t((< score 0.5) keep any)\tkeep\n")


def test_every_document_begins_anew():
    parts = run("regions", "-m", "article", input=b"\x1ca\n" + PAGE + b"\x1cb\n" + PAGE)
    alone = run("regions", "-m", "article", input=PAGE)
    assert parts == b"\x1ca\n" + alone + b"\x1cb\n" + alone


def test_text_that_begins_like_a_boundary_is_escaped_but_not_when_tagged():
    framed = b"\x1cdoc\n0.0\t\x1cx\n0.0\t\x1c\n"
    assert run("regions", input=framed) == b"\x1cdoc\n\x1c\x1cx\n\x1c\x1c\n"
    assert run("regions", "--tag", input=framed) == b"\x1cdoc\nkeep\tbody\t0.0\t\x1cx\nkeep\tbody\t0.0\t\x1c\n"


def test_files_are_named_like_greps(tree):
    top = tree({"a": PAGE, "b": PAGE})
    assert run("regions", "a", "b", cwd=top) == b"\x1ca\n\n" + KEPT + b"\n\x1cb\n\n" + KEPT + b"\n"
    assert run("regions", "-h", "a", "b", cwd=top) == 2 * (b"\n" + KEPT + b"\n")


# --- blocks, time and memory ---


@pytest.mark.parametrize("machine", SHIPPED)
@pytest.mark.parametrize("option", [None, "-s", "--tag", "--trace", "--drop"])
def test_the_same_bytes_however_the_input_is_cut(machine, option):
    content = (PAGE.replace(b"-\t\n", b"0.0\t\n" * 3) + b"1\tx\n" + PAGE * 2).rstrip(b"\n")
    options = ["-m", machine, "--window", "6", *filter(None, [option])]
    whole = run("regions", *options, input=content)
    script = ("import sys; sys.path[0] = sys.argv.pop(1)\n"
              "from sieve import cli, inputs\nfrom statemachine import regions\n"
              "inputs.BLOCK = int(sys.argv.pop(1))  # bytes a read\ncli.filter_main('regions', regions)")
    for size in (1, 7, 64):
        done = subprocess.run([sys.executable, "-c", script, ROOT, str(size), *options], env=ENVIRONMENT,
                              input=content, capture_output=True)
        assert done.stdout == whole and done.returncode == 0


def test_a_line_is_printed_when_all_paths_agree_and_not_at_the_end():
    process = subprocess.Popen([sys.executable, ROOT / "bin/regions"], env=ENVIRONMENT,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    process.stdin.write(b"1.0\thead\n" + b"".join(b"0.0\tbody %d\n" % i for i in range(100)))
    assert select.select([process.stdout], [], [], 20)[0]  # standard input is still open
    assert os.read(process.stdout.fileno(), 1 << 16).startswith(b"body 0\nbody 1\n")
    process.stdin.close()
    assert process.stdout.read().endswith(b"body 99\n") and process.wait() == 0


def peak(pages, megabytes):
    """Peak memory in MB of `regions` on so much of `pages`, over and over."""
    process = subprocess.Popen([sys.executable, ROOT / "bin/regions"], env=ENVIRONMENT,
                               stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    for _ in range(megabytes * 1_000_000 // len(pages)):
        process.stdin.write(pages)
    process.stdin.close()
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0
    return usage.ru_maxrss / 1024


@pytest.mark.parametrize("pages", [
    b"0.9123\tMenu\n0.0112\tText of the body\n-\t\n", b"-\t\n",
    b"1.0000\tonly template, and never a body to tell it from\n",
    # scores that vary fill the table of what was computed again and again
    b"".join(b"\x1cpage\n" + b"".join(b"0.%04d\tSome text that goes on a little\n" % (i * i * j % 10_000)
                                      for i in range(40)) for j in range(1000)),
], ids=["pages", "blank lines", "template", "many scores"])
def test_memory_does_not_grow_with_the_stream(pages):
    assert peak(pages, 12) < peak(pages, 3) + 6


# --- what is no scored stream ---


@pytest.mark.parametrize("bad, what", [
    *((line, "no TAB after a score") for line in (b"no score\n", b"\n", b"0.5\n", b"-\n")),
    *((line, "no score before the TAB") for line in (
        b"text\tmore\n", b"\tx\n", b"1.0001\tx\n", b"1e-05\tx\n", b"nan\tx\n", b"0,5\tx\n", b"-0.5\tx\n", b" 0.5\tx\n",
        b"-o\tx\n")),
])
def test_a_line_without_a_score_is_an_error_after_all_before_it_is_written(bad, what):
    for machine in SHIPPED:
        whole = run("regions", "--tag", "-m", machine, input=PAGE)
        assert run("regions", "--tag", "-m", machine, input=PAGE + bad + PAGE, status=2) == whole
        assert run.stderr == f"regions: <stdin>: line 11: {what}\n"


@pytest.mark.parametrize("end", [b"-", b"0.5", b"x"])
def test_an_end_in_the_middle_of_a_score_is_an_error(end):
    assert run("regions", input=b"0.0\ta\n" + end, status=2) == b"a\n"
    assert run.stderr == "regions: <stdin>: line 2: no TAB after a score\n"


def test_the_document_of_a_bad_line_is_named(tree):
    framed = b"\x1cgood\n" + PAGE + b"\x1cba\\nd\n0.5\tx\nx\n\x1cnever\n"
    assert run("regions", "-m", "threshold", "--drop", "-s", input=framed, status=2) == (
        b"\x1cgood\n" + DROPPED + b"\x1cba\\nd\nx\n")
    assert run.stderr == "regions: <stdin>: line 2: no TAB after a score (document 'ba\\nd')\n"
    top = tree({"a": b"0.5\tx\nx\n"})
    run("regions", "a", cwd=top, status=2)
    assert run.stderr == "regions: a: line 2: no TAB after a score\n"


def test_a_stream_cut_in_the_middle_of_its_gzip_gives_all_that_came(tree):
    content = b"".join(b"0.%04d\tline %d\n" % (i * 7919 % 400, i) for i in range(20_000))
    top = tree({"cut.gz": gzip.compress(content)[:-20_000]})
    out = run("regions", "cut.gz", cwd=top, status=2)
    assert text_of(content).startswith(out) and len(out) > 50_000
    assert "gzip data ends too early" in run.stderr


# --- options ---


@pytest.mark.parametrize("content", [b"0\t\n0\t\n0\ta\n0\t\n0\t\n0\t\n0\tb\n0\t\n0\t\n0\t", b"0\t\n0\t\n", b"0\ta", b"",
                                     b"0\t\n0\t \n0\t\n"])
def test_squeezing_is_that_of_cat(content):
    plain = run("regions", "-m", "threshold", input=content)
    cat = subprocess.run(["cat", "-s"], input=plain, capture_output=True)
    assert run("regions", "-s", "-m", "threshold", input=content) == cat.stdout


def test_a_shipped_name_is_a_machine_and_a_path_is_a_file(tree):
    top = tree({"article": load.source("threshold").encode()})
    assert run("regions", "--id", "-m", "article", cwd=top) != run("regions", "--id", "-m", "./article", cwd=top)
    assert run("regions", "--id", "-m", "threshold", cwd=top) == run("regions", "--id", "-m", "./article", cwd=top)


@pytest.mark.parametrize("options, said", [
    (["--window", "1"], "argument --window"), (["--window", "x"], "argument --window"),
    (["--tag", "--drop"], "not allowed with"), (["-s", "--tag"], "-s is for text"),
    (["--graph", "FILE"], "read no FILE"), (["-m", "nothing"], "nothing: No such file"),
])
def test_wrong_usage_is_told_in_a_line(options, said):
    assert run("regions", *options, status=2) == b""
    assert said in run.stderr and run.stderr.count("\n") == 1


def test_what_reads_nothing_needs_no_input_at_a_terminal():
    script = ("import os, pty, sys\nmain, end = pty.openpty()\nos.set_inheritable(main, True)\nos.dup2(end, 0)\n"
              "os.execv(sys.executable, [sys.executable, *sys.argv[1:]])")
    for options, status in ((["--id"], 0), (["--graph"], 0), (["--check"], 0), (["--tag"], 2)):
        done = subprocess.run([sys.executable, "-c", script, ROOT / "bin/regions", *options], env=ENVIRONMENT,
                              capture_output=True)
        assert done.returncode == status, done.stderr


def test_a_printed_machine_is_the_machine(tmp_path):
    for name in "regions", "article", "threshold":
        copy = tmp_path / "copy.lisp"
        copy.write_bytes(run("regions", "--print", "-m", name))
        assert run("regions", "--id", "-m", copy) == run("regions", "--id", "-m", name)
        assert run("regions", "--print", "-m", copy) == copy.read_bytes()
