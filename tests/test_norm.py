"""norm: steps in the order that is right, and nothing else touched."""

import subprocess
import sys
import unicodedata

import pytest
from conftest import ENVIRONMENT, ROOT, peak_memory, run
from hypothesis import given, settings
from hypothesis import strategies as st

from sieve import wire
from sieve.norm import Check
from sieve.steps import ORDER, make

ARTICLE = ("  <h2>Q3 &amp;amp; Q4 report</h2>\r\n<p>Revenue rose 12%.\u200b</p>\r\n<p>Revenue  rose   12%.</p>\r\n\n\n"
           "<p>Costs fell\r\n  slightly.</p>\ufeff  ").encode()
CLEAN = b"Q3 &amp; Q4 report\nRevenue rose 12%.\n\nCosts fell\nslightly."
STABLE = [name for name in ORDER if name not in ("tags", "entities")]


def clean(text, names, sizes=None, **options):
    """`text` through the steps called `names`, in one block or in blocks of so many lines as `sizes` says."""
    steps = make(names, **options)
    lines = wire.split(text)
    blocks = []
    for size in sizes or [len(lines)]:
        blocks.append(b"".join(lines[:size]))
        lines = lines[size:]
    blocks.append(b"".join(lines))
    done = []
    for block, last in [*((block, False) for block in blocks), (b"", True)]:
        for step in steps.values():
            block = step(block, last)
        done.append(block)
    return b"".join(done)


# --- the article's example, to the character ---


def test_lengths_of_the_article():
    assert run("norm", "--dedup", "--lengths", input=ARTICLE) == CLEAN
    assert run.stderr == ("eol\t122\ntags\t92\nentities\t88\ninvisible\t86\ntrim\t80\ncollapse\t77\nsqueeze\t76\n"
                          "dedup\t58\n")


def test_lengths_are_told_of_each_document_with_its_name():
    run("norm", "--only", "trim", "--lengths", input="\x1cone\\t1\né \n\x1ctwo\n".encode() + b" \xff\xfe")
    assert run.stderr == "trim\t2\tone\\t1\ntrim\t2\ttwo\n"


def test_dedup_in_second_place_removes_no_line():
    without_tags = run("norm", "--only", "eol,tags", input=ARTICLE)
    assert run("norm", "--only", "dedup", input=without_tags) == without_tags


def test_steps_run_in_their_order_whatever_order_they_are_named_in():
    names = "dedup,squeeze,collapse,trim,invisible,entities,tags,eol"
    assert run("norm", "--only", names, input=ARTICLE) == CLEAN


def test_dedup_is_for_each_document():
    assert run("norm", "--dedup", input=b"\x1ca\nx\nx\n\x1cb\nx\n") == b"\x1ca\nx\n\x1cb\nx\n"


# The three pairs of steps that give another result the other way round: (input, first, then, right, wrong)
PAIRS = [
    ("<p>Terms &amp;amp; conditions: write &lt;b&gt; to show a bold tag.</p>\n", "tags", "entities",
     "Terms &amp; conditions: write <b> to show a bold tag.\n", "Terms &amp; conditions: write  to show a bold tag.\n"),
    ("Paragraph one text.\n \n\n \nParagraph two text.\n", "trim", "squeeze",
     "Paragraph one text.\n\nParagraph two text.\n", "Paragraph one text.\n\n\n\nParagraph two text.\n"),
    ("alpha \nbeta\nalpha\nbeta\t\ngamma\n", "trim", "dedup",
     "alpha\nbeta\ngamma\n", "alpha\nbeta\nalpha\nbeta\ngamma\n"),
]


@pytest.mark.parametrize("text, first, then, right, wrong", PAIRS, ids=[f"{pair[1]}-{pair[2]}" for pair in PAIRS])
def test_pairs_of_steps_that_do_not_commute(text, first, then, right, wrong):
    text = text.encode()
    assert run("norm", "--only", f"{then},{first}", input=text) == right.encode()
    assert run("norm", "--only", first, input=run("norm", "--only", then, input=text)) == wrong.encode()


def test_a_line_of_one_space_separates_paragraphs_after_trim():
    text = run("norm", input=b"Paragraph one text.\n \nParagraph two text.\n")
    assert len(text.split(b"\n\n")) == 2


@pytest.mark.parametrize("text, expected", [
    (b"if a < b and c > d then <b>stop</b>; x<5 &lt;i&gt;\n", b"if a < b and c > d then stop; x<5 <i>\n"),
    (b"&amp;lt;b&amp;gt; x?a=1&copy=2 &copy;\n", b"&lt;b&gt; x?a=1&copy=2 \xc2\xa9\n"),
], ids=["a sign that is no tag", "a reference decoded twice"])
def test_faults_of_other_tools(text, expected):
    assert run("norm", input=text) == expected


# --- options ---


def test_an_unknown_step_is_told_with_the_one_meant():
    run("norm", "--only", "trim,colapse", status=2)
    assert "no step is called 'colapse'; did you mean collapse?" in run.stderr
    run("norm", "--without", "xyzzy", status=2)
    assert "no step is called 'xyzzy': eol, tags, entities" in run.stderr


def test_steps_can_be_left_out():
    assert run("norm", "--without", "tags,trim", input=b" <b>&lt;</b> \r\n") == b" <b><</b> \n"
    assert run("norm", "--only", "trim", "--dedup", input=b"a\n a\n&lt;\n") == b"a\n&lt;\n"
    assert run("norm", "--dedup", "--without", "dedup", input=b"a\na\n") == b"a\na\n"


def test_case_is_folded_only_on_request_and_before_dedup():
    text = "Total\ntotal\nÉtÉ\nété\n".encode()
    assert run("norm", "--dedup", input=text) == text
    assert run("norm", "--dedup", "--fold-case", input=text) == "total\nété\n".encode()


def test_indentation_of_code_is_lost_unless_told_otherwise():
    code = b"def f():\n    return 1\n\tx  = 2\n"
    assert run("norm", input=code) == b"def f():\nreturn 1\nx = 2\n"
    assert run("norm", "--without", "trim,collapse", input=code) == code


# --- check ---


def test_check_names_tags_and_entities():
    text = b"<p>Terms &amp;amp; conditions: write &lt;b&gt; to show a bold tag.</p>"
    assert run("norm", "--check", input=text, status=1) == b"Terms &amp; conditions: write <b> to show a bold tag."
    assert run.stderr == "norm: not stable: tags, entities\n"
    assert run("norm", "--check", input=b"a&lt;b&gt;", status=1) == b"a<b>"
    assert run("norm", "--check", input=b"<p>quiet</p>\n") == b"quiet\n"
    assert run.stderr == ""


def test_check_names_the_documents():
    run("norm", "--check", input=b"\x1ca\nx\n\x1cb\n&amp;lt;\n\x1cc\n&lt;a&gt; &lt;!--\n", status=1)
    assert run.stderr == "norm: b: not stable: entities\nnorm: c: not stable: tags\n"


def test_check_finds_a_line_end_that_a_reference_makes():
    run("norm", "--check", "--without", "invisible", input=b"a&#13;b\n", status=1)
    assert run.stderr == "norm: not stable: eol\n"


@given(st.lists(st.sampled_from(["<b>", "&lt;", "&amp;", "a", "\n", "<!--", "-->", " ", "\n\n"]), max_size=12))
def test_check_tells_what_a_second_pass_finds(pieces):
    names = set(ORDER) - {"unwrap"}
    once = clean("".join(pieces).encode(), names)
    check = Check(make(names))
    for line in wire.split(once):
        check.take(line, False)
    check.take(b"", True)
    assert bool(check.changed()) == (clean(once, names) != once)


# --- idempotence, and blocks ---

LINES = ["Costs fell", "slightly.", "This line of text goes on for about seventy columns, and the next one",
         "goes on from there in the same way, so that they may be one paragraph", "which ends here.", "* * *", "- item",
         "    code", "> quote", "| a | b |", "the inter-", "national", "Total", "total", "straße", "ΟΔΟΣ", "İ", "a   b",
         "中文字", "A Title"]
PIECES = [*"ab \t\r\n\n-.<&", "\r\n", "\n\n\n", "\u00a0", "\u200b", "\u200d", "\ufeff", "\u00ad", "\u0085", "\u3000", "\u2028",
          "\x0c", "\x00", "\x1c", "é"]
FRAGMENTS = [b"\xc2", b"\xad", b"\xe2", b"\x80", b"\x8b", b"\xef", b"\xbb", b"\xbf", b"\xe2\x80", b"\xf0\x9f"]
texts = st.lists(st.one_of(
    st.sampled_from([piece.encode() for piece in PIECES]), st.sampled_from(FRAGMENTS),
    st.tuples(st.sampled_from(LINES), st.sampled_from(["\n", "\n", "\n\n", " \n", "\r\n", ""])).map(
        lambda pair: "".join(pair).encode()), st.binary(max_size=3)), max_size=14).map(b"".join)
MARKUP = [b"<p>", b"</p>", b"<br>", b"<a href=", b'"', b"'", b">", b"<", b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<script>",
          b"</script>", b"<style a", b"/>", b"&", b"amp;", b"&#13;", b"&#10;", b"lt;", b"<foo>", b"</foo>", b'<foo x="', b"<?php ",
          b"?>", b"<!DOCTYPE ", b"<B", b"\n", b"\n", b"x", b" ", b"\xe2\x80\x8b"]


@settings(max_examples=400)
@given(texts, st.sets(st.sampled_from(STABLE)), st.booleans(), st.booleans())
def test_a_second_pass_of_all_but_tags_and_entities_changes_nothing(text, names, join_hyphens, keep_joiners):
    options = {"join_hyphens": join_hyphens, "keep_joiners": keep_joiners}
    for chosen in (names, set(STABLE), set(STABLE) - {"fold-case"}):
        once = clean(text, chosen, **options)
        assert clean(once, chosen, **options) == once


@settings(max_examples=300)
@given(st.lists(st.sampled_from(MARKUP), max_size=16).map(b"".join) | texts, st.sets(st.sampled_from(ORDER)) | st.just(set(ORDER)),
       st.lists(st.integers(0, 3), max_size=8))
def test_output_does_not_depend_on_where_blocks_end(text, names, sizes):
    assert clean(text, names, sizes) == clean(text, names)


def test_a_pipe_that_is_written_in_pieces_of_any_size_gives_the_same():
    text = (b"a <b\nclass='x>y'>bold</b\n> &am" b"p;lt; <!-- c\n\n<i>-->d<![CDATA[&amp;\n<x>]]>\xe2\x80\x8b\r\n\n\n"
            b"<script>\nif (a<b) '</p>'\n</script\n>e <p\nunfinished <!-- too\n")
    whole = run("norm", input=text)
    assert whole == b"a bold &lt; d&amp;\n<x>\n\ne <p\nunfinished <!-- too\n"
    for size in (1, 2, 3, 5, 7, 11, 64):
        script = f"import os\ntext = {text!r}\nfor i in range(0, len(text), {size}): os.write(1, text[i:i + {size}])"
        writer = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
        done = subprocess.run([sys.executable, ROOT / "bin/norm"], stdin=writer.stdout, capture_output=True, env=ENVIRONMENT)
        writer.stdout.close()
        assert writer.wait() == 0 and done.stdout == whole


def test_a_log_flows():
    norm = subprocess.Popen([sys.executable, ROOT / "bin/norm"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENVIRONMENT)
    for line, answer in ((b"x<y  &lt;\n", b"x<y <\n"), (b"<p>two</p>\n", b"two\n")):
        norm.stdin.write(line)
        norm.stdin.flush()
        assert norm.stdout.readline() == answer  # while its input is open
    norm.stdin.close()
    assert norm.wait() == 0


# --- line ends and invisible characters ---


@pytest.mark.parametrize("text, expected", [
    ("a\r\nb\rc\n", "a\nb\nc\n"),
    ("one\u2028two\x0cthree\x85four\nfive\n", "one\u2028two\x0cthree four\nfive\n"),
    ("no\u00a0break x\u200by \ufeffz co\u00adop a\u200cb c\u200dd\n", "no break xy z coop ab cd\n"),
    ("".join(chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000 and unicodedata.category(chr(code)) == "Zs") + ".\n",
     ".\n"),
    ("\u202bright\u202c \u2066x\u2069 \u200f❤\ufe0f ﬁ ²\n", "\u202bright\u202c \u2066x\u2069 \u200f❤\ufe0f ﬁ ²\n"),
    ("a&#13;b&#x85;c\n", "a b…c\n"),
    ("\u200b\n\ufeff\n\n.\n", "\n.\n"),
])
def test_line_ends_and_characters_that_are_not_seen(text, expected):
    assert run("norm", input=text.encode()) == expected.encode()


def test_joiners_stay_on_request():
    text = "می\u200cخواهم 👩\u200d🚀\n".encode()
    assert run("norm", input=text) != text
    assert run("norm", "--keep-joiners", input=text) == text


def test_invalid_utf_8_passes():
    text = b"caf\xe9 \xe2\x80 \xed\xa0\x80 \xc2\n\xff\xfe\n\x85\n"
    assert run("norm", input=text) == text


def test_bytes_that_a_deleted_character_holds_apart_do_not_become_another():
    text = b"\xe2\x80\xe2\x80\x8b\x8b \xc2\xc2\xad\xad\n"
    once = run("norm", "--only", "invisible", input=text)
    assert once == run("norm", "--only", "invisible", input=once) == text


def test_survey_lists_the_characters_with_the_place_of_the_first():
    text = "\x1cpage\\t1\nplain\nx\u00a0y\u00a0\u200b\r\n\x1ctwo\né\t\x0c\n".encode() + b"\xe9\n"
    assert run("norm", "--survey", input=text).decode() == (
        "U+0009\t1\ttwo:1:2\tspace\tTAB\n"
        "U+000C\t1\ttwo:1:3\tkept\tFORM FEED\n"
        "U+000D\t1\tpage\\t1:2:6\tline end\tCARRIAGE RETURN\n"
        "U+00A0\t2\tpage\\t1:2:2\tspace\tNO-BREAK SPACE\n"
        "U+00E9\t1\ttwo:1:1\tkept\tLATIN SMALL LETTER E WITH ACUTE\n"
        "U+200B\t1\tpage\\t1:2:5\tdeleted\tZERO WIDTH SPACE\n"
        "0xE9\t1\ttwo:2:1\tkept\ta byte that is not UTF-8\n")


def test_survey_tells_what_the_steps_do():
    for row in run("norm", "--survey", input="\u00a0\u00ad\u200d\u2028\u202ax\u3000\t\r".encode()).decode().splitlines():
        code, _, _, fate, _ = row.split("\t")
        after = run("norm", input=f"x{chr(int(code[2:], 16))}y".encode()).decode()
        assert after == {"space": "x y", "deleted": "xy", "line end": "x\ny"}.get(fate, f"x{chr(int(code[2:], 16))}y")


# --- blank lines ---


@pytest.mark.parametrize("text, expected", [
    (b"a\n\nb\n\nb\n\nc\n", b"a\n\nb\n\nc\n"),  # the article's own dedup leaves two blank lines here
    (b"\n\n\na\n\n\n\nb\n\n\n", b"\na\n\nb\n\n"),
    (b"a\nb\na", b"a\nb\n"),
    (b"a\n\na", b"a\n\n"),
    (b"\n\n\n", b"\n"),
    (b"", b""),
    (b"  ", b""),
])
def test_runs_of_blank_lines_become_one(text, expected):
    assert run("norm", "--dedup", input=text) == expected
    assert run("norm", "--dedup", input=expected) == expected


def test_a_blank_line_goes_only_if_a_dropped_line_set_it_apart():
    assert run("norm", "--only", "dedup", input=b"x\n\n\ny\n\n\nx\n\n\nz\n") == b"x\n\n\ny\n\n\nz\n"


# --- dumps of unlimited size ---


@pytest.mark.parametrize("text", [b"x < y, <b>z</b> &amp; more\n", b"<!-- never ends, and holds <i>no</i> text back\n"])
def test_memory_does_not_grow_with_the_stream(text):
    little, much = (peak_memory("norm", input=text * (size // len(text))) for size in (2_000_000, 20_000_000))
    assert much < little + 4_000_000
