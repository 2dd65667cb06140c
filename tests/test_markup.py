"""norm's tags and entities: no markup stays, and no text goes."""

import html
import html.entities
import time

import pytest
from conftest import run
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sieve.markup import LIMIT, NEAR, Tags
from sieve.steps import entities


def strip(text):
    return Tags()(text, True)


def decode(text):
    return entities(text.encode()).decode()


# --- tags ---


@pytest.mark.parametrize("text", [
    "x<y", "a < b", "a<b && c>d", "<3", "->", "<-", "<>", "</>", "<!>", "<?>", "< b>", "1<2>0", "cat <<EOF >out", "cat <<HTML >out",
    "sort </etc/passwd >out",
    "Vec<T>", "Vec<A>", "List<Object>", "Map<K, V>", "Option<Box<dyn Trait>>", "<A extends B>", "<? super E>", "for (i=0;i<s;i++) p->q",
    "#include <stdio.h>", "#include <map>", "#include<set>", "<me@example.org>", "<https://example.org/>", "<https://example.org/a?b=c>",
    "mv <file> <dir>", "<user-name>", "<Directory>", "</Directory>", "<host:port>", "if i <p or q> r", "<code/file>", "<dir/name>",
    "a <b", "<p", "<p class='x>", "<!-- a", "<![CDATA[ a", "<?php a", "<!doctype", "<a href=\"x>y", "<foo x=\"1\" ", "&lt;b&gt;",
])
def test_a_sign_that_begins_no_markup_swallows_nothing(text):
    for line in (text, text + "\n", f"before {text} after\n", text + "\nnext line\n"):
        assert strip(line.encode()).decode() == line


@pytest.mark.parametrize("text, expected", [
    ("<p>a</p>", "a"), ("<P CLASS=x>a</P >", "a"), ("a<BR>b<br/>c<br />d", "a b c d"), ("<b>a</b>", "a"),
    ("<a\nhref='x>y'\n title=\"<i>\"\n>a</a\n>", "a"), ("<td width=10\">a</td>", "a"), ("<a title= \"x>\">b</a>", "b"),
    ("<img src=x><input disabled checked><hr>", ""), ("<i hidden>a</i>", "a"), ("<svg><path d='M0 0'/></svg>a", "a"),
    ("<foo>a</foo> <foo> </foo>", "a  "), ("<o:p></o:p>a", "a"), ("<x-y a='b'>c</x-y>", "c"), ("<foo/>a<foo />b", "ab"),
    ("<!-- a -- > <b>\n-->c<!---->d<!-->e", "cde"), ("<!DOCTYPE html>a<!doctype x 'y'>b", "ab"), ("<![if IE]>a<![endif]>", "a"),
    ("<?xml version='1.0'?>a<?php echo 'x>y'; ?>b<?= $x>1 ?>c<?xml:namespace a />d", "abcd"),
    ("<script>if (a<b) '<p>'</script>c", "c"), ("<SCRIPT src='x'>\n</b>\n</Script\n>c<style>p > q {}</style >d", "cd"),
    ("<script src='x'/>a", "a"), ("<script>never ends <b>a</b>", "never ends a"), ("<script>a</scripts>b", "a</scripts>b"),
    ("x <y and <b>z</b>", "x <y and z"), ("<p unfinished <b>a</b>", "<p unfinished a"), ("<!-- open <b>a</b>", "<!-- open a"),
    ("if a < b and c > d then <b>stop</b>; x<5", "if a < b and c > d then stop; x<5"), ("bold<B>a</B>", "bold<B>a"),
    ("bold<BR>a", "bold a"), ("<h1><a name=x></a>T</h1>", "T"),
])
def test_markup_goes(text, expected):
    assert strip(text.encode()).decode() == expected


@pytest.mark.parametrize("text, expected", [
    ("<td>1</td><td>2</td>", "1 2"), ("a<br>b", "a b"), ("<li>a<li>b", "a b"), ("a</p>\n<p>b", "a\nb"), ("a <p>b", "a b"),
    ("a<b>b</b>c", "abc"), ("a</p><b><p>c", "a c"), ("a\u200b</p>\ufeff<p>\u00adb", "a\u200b\ufeff \u00adb"),
    ("a</p>\ufeff ", "a\ufeff "), ("<p>a<p>", "a"), ("a<p\n>b", "a b"), ("a<br><!-- -->b", "a b"),
])
def test_words_that_only_tags_hold_apart_are_not_glued(text, expected):
    assert strip(text.encode()).decode() == expected


def test_text_of_cdata_stays_to_the_letter():
    text = b"<item><![CDATA[<p>AT&amp;T & x</p>\n]]></item>\n"
    assert run("norm", "--without", "squeeze", input=text) == b"<item><p>AT&amp;T & x</p>\n</item>\n"
    assert run("norm", "--only", "tags", input=b"<![CDATA[a & b]]>") == b"a & b"


def test_a_name_that_showed_itself_as_a_tag_is_one_from_then_on_in_its_document():
    text = b"<para>\n<para id='1'>a\n</para>\n<para>b\n"
    assert strip(text) == b"<para>\na\n\nb\n"
    tags = Tags()
    tags(text, True)
    assert tags(b"<para>c\n", True) == b"<para>c\n"


def test_an_end_tag_is_looked_for_near_and_on_the_line():
    assert strip(b"<foo>%s</foo>" % (b"x" * NEAR)) == b"<foo>%s</foo>" % (b"x" * NEAR)
    assert strip(b"<foo>%s</foo>" % (b"x" * (NEAR - 6))) == b"x" * (NEAR - 6)
    assert strip(b"<foo>\n</foo>") == b"<foo>\n</foo>"


@pytest.mark.parametrize("begin, end", [
    (b"<!--", b"-->"), (b"<a b='", b"'>"), (b"<td ", b">"), (b"<script>", b"</script>"), (b"<?php ", b"?>"), (b"<!DOCTYPE ", b">")])
def test_markup_is_markup_up_to_the_limit_however_it_comes(begin, end):
    for extra, expected in ((0, b"\n"), (1, None)):
        line = b"x" * 63 + b"\n"
        room = LIMIT - len(begin) - len(end) + extra
        content = (line * (room // 64 + 1))[:room]
        text = begin + content + end + b"\n"
        expected = expected or (content + end.replace(b"</script>", b"") + b"\n" if begin == b"<script>" else text)
        assert strip(text) == expected
        tags = Tags()
        cuts = [*range(0, len(text), 65_536), len(text)]
        cuts = [text.rfind(b"\n", 0, cut) + 1 for cut in cuts[:-1]] + cuts[-1:]  # blocks end where lines do
        pieces = [tags(text[begin:end]) for begin, end in zip(cuts, cuts[1:])]
        assert b"".join(pieces) + tags(b"", True) == expected


@pytest.mark.parametrize("begin", [b"<!--", b"<a b='", b"<td ", b"<script>", b"<?php ", b"<![CDATA[", b"<!DOCTYPE ", b"<?xml "])
def test_what_waits_for_its_end_is_bounded(begin):
    tags, line = Tags(), b"x" * 99 + b"\n"
    given = tags(begin + line) + b"".join([tags(line * 1000) for _ in range(LIMIT // len(line * 1000) + 1)])
    assert len(given) > LIMIT  # before the document's end is known


def test_the_longest_cdata_is_kept_whole():
    text = b"<![CDATA[%s]]>" % (b"x" * LIMIT)
    assert strip(text) == text


@settings(max_examples=300)
@given(st.lists(st.sampled_from(["<p>", "</p>", "<b class='x'>", "</b>", "<!-- c -->", "<br/>", "word", " ", "\n", "<td>"]), max_size=12))
def test_what_is_left_is_what_a_parser_of_html_calls_text(pieces):
    from html.parser import HTMLParser

    class Text(HTMLParser):
        def __init__(self):
            super().__init__()
            self.text = ""

        def handle_data(self, data):
            self.text += data

    page = "".join(pieces)
    parser = Text()
    parser.feed(page)
    parser.close()
    assert strip(page.encode()).decode().replace(" ", "") == parser.text.replace(" ", "")


@settings(max_examples=300)
@given(st.text(alphabet="<>/!?-[]=\"' \nabBpT&;#1"))
@example("1<p>1")
def test_only_markup_goes(text):
    """Every character that is left stood in the text, in that order, but for the spaces between."""
    rest = iter(text)
    assert all(character in rest for character in strip(text.encode()).decode().replace(" ", ""))


@pytest.mark.parametrize("piece", [b"<!--", b"<a b='", b"<a b=\"", b"<script>", b"<?php ", b"<![CDATA[", b"<a ", b"<foo>", b"<p>\xe2\x80\x8b",
                                   b"<!a", b"<", b"<a =", b"</b", b"<a b=''", b"<foo a='"])
def test_no_text_takes_long(piece):
    """Ten times the text takes about ten times as long, not a hundred."""

    def seconds(size):
        text = piece * (size // len(piece)) + b"\n"
        start = time.process_time()
        strip(text)
        return time.process_time() - start

    assert seconds(1_000_000) < 40 * seconds(100_000) + 0.2


# --- references ---


@pytest.mark.parametrize("text, expected", [
    ("&amp;lt;b&amp;gt; x?a=1&copy=2 &copy;", "&lt;b&gt; x?a=1&copy=2 ©"),
    ("&#38;lt;", "&lt;"),
    ("&copy 2024 &copy, &copyx &copy2 &copy= &copy", "© 2024 ©, &copyx &copy2 &copy= ©"),
    ("&notit; &not; &not &notin;", "&notit; ¬ ¬ ∉"),
    ("&hellip;&hellip &Eacute &AMP &AMP;", "…&hellip É & &"),  # only the old names may lack the semicolon
    ("&nosuch; & &; &# &#; &#x; &#xg; &-x;", "&nosuch; & &; &# &#; &#x; &#xg; &-x;"),
    ("&#65;&#65 &#x41;&#X41 &#065;&#65a", "AA AA AAa"),
    ("&#0;&#xD800;&#x110000;&#99999999999999999999;&#x" + "F" * 5000 + ";", "\ufffd" * 5),
    ("&#" + "0" * 5000 + "65;&#" + "9" * 5000 + ";", "A\ufffd"),
    ("&#128;&#x99;&#129;&#159;&#xFFFF;&#xFDD0;", "€™\x81Ÿ\uffff\ufdd0"),
    ("&lt;b&gt;&NotEqualTilde;&nbsp;", "<b>≂̸\u00a0"),
    ("&amp\n;&\namp;", "&\n;&\namp;"),
])
def test_references(text, expected):
    assert decode(text) == expected


@settings(max_examples=500)
@given(st.integers(0, 0x110100), st.sampled_from(["&#%d;", "&#x%x;", "&#X%X;"]))
def test_numbers_mean_what_html_says(code, form):
    expected = html.unescape(form % code)
    if not expected:  # html.unescape leaves out what HTML calls an error and keeps
        expected = chr(code)
    assert decode(form % code) == expected


def test_every_name_of_html():
    for name, character in html.entities.html5.items():
        assert decode(f"&{name}") == character
        assert decode(f"&{name}=") == (character + "=" if name.endswith(";") else f"&{name}=")


def test_nothing_that_a_reference_gives_is_markup():
    text = b"&lt;script&gt;a&lt;/script&gt; &#60;!-- b --> &amp;amp;\n"
    assert run("norm", input=text) == b"<script>a</script> <!-- b --> &amp;\n"
