"""The line format: what is written comes back to the byte, whatever it is and however it is cut."""

import os
import string
import subprocess
import sys
import tempfile

import pytest
from conftest import ENVIRONMENT, ROOT
from hypothesis import example, given, settings, strategies as st

from sieve import wire

# What could be taken for something that it is not.
AWKWARD = [b"\x1c", b"\x1c\x1c", b"\x1cname", b"\n", b"\n\n", b"\r\n", b"\r", b"\x00", b"\xff", b"\xc3", b"a", b"word ",
           "é\u2028\x85".encode(), b"\x0c\x0b\x1d\x1e", b"\\", b"\t", b"\\n", b"\\x1c", b"\xef\xbb\xbf"]
texts = st.lists(st.sampled_from(AWKWARD), max_size=12).map(b"".join) | st.binary(max_size=40)
names = st.lists(st.sampled_from([*AWKWARD, b"x1c", b"t", b" ", b"-", b"/", b".."]), min_size=1, max_size=6).map(b"".join)
sizes = st.integers(1, 9)


def written(documents, lines_a_block=1):
    """The stream of [(name, text)], each text in blocks of so many lines."""
    stream = []
    out = wire.Writer(stream.append)
    for name, text in documents:
        out.begin(name)
        for block in blocks(text, lines_a_block):
            out.text(block)
    return b"".join(stream)


def blocks(data, lines_a_block):
    lines = wire.split(data)
    return [b"".join(lines[i:i + lines_a_block]) for i in range(0, len(lines), lines_a_block)]


def read(stream, lines_a_block=1, name=None):
    return [(document.name, b"".join(document)) for document in wire.documents(blocks(stream, lines_a_block), name)]


@settings(deadline=None)
@given(st.lists(st.tuples(names, texts), min_size=1, max_size=5), sizes, sizes)
@example([(b"a", b"\x1c"), (b"b", b""), (b"c", b"\n"), (b"d", b"x\n\x1c\n"), (b"\x1c", b"\x1c\x1c\n")], 1, 1)
def test_documents_come_back_whatever_is_in_them_and_however_the_stream_is_cut(documents, out, back):
    assert read(written(documents, out), back) == documents


@settings(deadline=None)
@given(names, texts, sizes)
def test_any_stream_means_the_same_however_it_is_cut(name, rest, size):
    stream = b"\x1c" + wire.escape_name(name) + b"\n" + rest
    assert read(stream, size) == read(stream, 1000)


@given(texts, sizes)
def test_no_byte_is_special_in_text_that_does_not_begin_with_a_name(text, size):
    text = b"\n" + text
    assert read(text, size, b"whole") == [(b"whole", text)]
    assert written([(None, text)], size) == text


@pytest.mark.parametrize("text", [b"\x1c", b"\x1c\n", b"\x1c\nname\n", b"\x1c\x1cname\n", b" \x1cname\n", b""])
def test_a_stream_is_framed_only_by_a_name_in_its_first_line(text):
    assert read(text) == [(None, text)]


def test_a_name_alone_is_an_empty_document():
    assert read(b"\x1ca") == read(b"\x1ca\n") == [(b"a", b"")]
    assert read(b"\x1ca\n\x1cb\n\x1cc\n") == [(b"a", b""), (b"b", b""), (b"c", b"")]


@pytest.mark.parametrize("stream, text", [
    (b"x\n\x1c\n", b"x"), (b"x\n\x1c", b"x"), (b"\n\x1c\n", b""), (b"x\n\n\x1c\n", b"x\n"),
    (b"\x1c\n", b""),  # of no line: a filter dropped it, and the note goes with it
    (b"x\n\x1c\n\x1c\n", b"x"), (b"x\n\x1c\ny\n", b"x\ny\n"),  # followed by text it means nothing
    (b"\x1c\x1c\n\x1c\n", b"\x1c"), (b"\x1c\x1c\x1c\n", b"\x1c\x1c\n"), (b"\x1c\x1c", b"\x1c"),
])
def test_notes_of_a_missing_newline_and_escaped_lines(stream, text):
    for size in (1, 2, 100):
        assert read(b"\x1cd\n" + stream, size) == [(b"d", text)]


def test_a_newline_that_a_nameless_document_lacks_is_supplied_before_the_next():
    assert written([(None, b"a"), (None, b""), (None, b"b\n"), (None, b"c")]) == b"a\nb\nc"


def test_what_a_reader_leaves_of_a_document_is_passed_over():
    stream = written([(b"a", b"1\n2\n3\n"), (b"b", b"4\n")])
    documents = wire.documents(blocks(stream, 1))
    assert next(next(iter(documents)).lines()) == b"1\n"
    assert [(document.name, *document) for document in documents] == [(b"b", b"4\n")]


def test_a_reader_that_gives_up_inside_a_document_gets_the_next_one():
    def delegating(document):
        yield from document

    found = []
    for document in wire.documents(blocks(written([(b"a", b"1\n2\n3\n"), (b"b", b"4\n")]), 1)):
        reader = delegating(document)
        found.append((document.name, next(reader)))
        reader.close()
    assert found == [(b"a", b"1\n"), (b"b", b"4\n")]


@given(names | st.binary(min_size=1))
def test_names_come_back_and_stay_on_their_line(name):
    escaped = wire.escape_name(name)
    assert wire.unescape_name(escaped) == name
    assert not set(b"\n\t\x1c") & set(escaped)


def test_a_name_is_never_empty():
    with pytest.raises(ValueError):
        wire.escape_name(b"")


@given(texts)
def test_only_lf_ends_a_line(text):
    lines = wire.split(text)
    assert b"".join(lines) == text
    assert len(lines) == text.count(b"\n") + (text[-1:] not in (b"", b"\n"))  # as wc and a shell's read count
    assert all(line[-1:] == b"\n" for line in lines[:-1])


# --- scores ---


@pytest.mark.parametrize("text, expected", [
    (b"0.0000", (0.0, 0, b"")), (b"1.0000", (1.0, 10000, b"")), (b"0.5", (0.5, 5000, b"")), (b"0", (0.0, 0, b"")),
    (b"1", (1.0, 10000, b"")), (b".25", (0.25, 2500, b"")), (b"0.", (0.0, 0, b"")), (b"1.", (1.0, 10000, b"")),
    (b"0.9871o", (0.9871, 9871, b"o")), (b"0.5eC", (0.5, 5000, b"eC")), (b"1s", (1.0, 10000, b"s")),
    (b"0.49999999999999999", (0.5, 4999, b"")), (b"0.99999", (0.99999, 9999, b"")),  # rounded down, never up
    (b"-", (None, None, b"")),
])
def test_scores_that_are_read(text, expected):
    assert wire.parse_score(text) == expected


@pytest.mark.parametrize("text", [
    b"", b".", b"1.0001", b"2", b"-0.1", b"-0", b"+0.5", b"1e-3", b"0,5", b"nan", b"inf", b" 0.5", b"0.5 ", b"0.5\n", b"5E-1",
    b"0x1", b"0_1", b"00.5", b"--", b"-o", b"o", "٠.٥".encode(), b"0.5\xff", b"0.5\x00",
])
def test_what_is_no_score(text):
    with pytest.raises(ValueError):
        wire.parse_score(text)


@given(st.integers(0, wire.SCALE), st.text(string.ascii_letters, max_size=4).map(str.encode))
def test_scores_come_back(parts, marks):
    text = wire.format_score(parts, marks)
    assert wire.parse_score(text) == (parts / wire.SCALE, parts, marks)
    assert len(text) == 6 + len(marks)


# --- doc-cat and doc-split ---
COMPRESSED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd")
_component = st.lists(st.sampled_from([b"a", b" ", b"\t", b"\n", b"\\", b"\\n", b"\\x1c", b"\x1c", b"-", b"\xff", b"\xc3\xa9", b".",
                                       b"*", b"'", b'"', b"\r"]), min_size=1, max_size=5).map(b"".join)
components = _component.filter(lambda name: name not in (b".", b".."))
paths = st.lists(components, min_size=1, max_size=3).map(b"/".join)


def _a_tree(files):
    """Without what cannot be in one: a file that is a directory, too, or compressed and so not taken as it is."""
    return {path: text for path, text in files.items()
            if not any(other.startswith(path + b"/") for other in files) and not text.startswith(COMPRESSED)}


@settings(deadline=None, max_examples=25)
@given(st.dictionaries(paths, texts, min_size=1, max_size=30).map(_a_tree))
@example({b"-n": b"no newline", b"empty": b"", b"nul": b"\0\n\0", b"cr": b"a\rb\r\n", b"\xff": b"\xff\n", b"new\nline": b"\x1cx\n",
          b"tab\t": b"\x1c\n\x1c", b"a\\nb": "\u2028\n".encode(), b" ": b"\n", b"\x1c": b"\x1c\x1c\n", b"d/-": b"\n\n"})
def test_doc_split_gives_back_the_tree_that_doc_cat_took(files):
    with tempfile.TemporaryDirectory() as scratch:
        source, target = os.fsencode(scratch) + b"/source", os.fsencode(scratch) + b"/target"
        os.mkdir(source)
        _write_tree(source, files)
        cat = subprocess.Popen([sys.executable, ROOT / "bin/doc-cat", "."], cwd=source, stdout=subprocess.PIPE, env=ENVIRONMENT)
        split = subprocess.run([sys.executable, ROOT / "bin/doc-split", "-d", target], stdin=cat.stdout, env=ENVIRONMENT)
        cat.stdout.close()
        assert (cat.wait(), split.returncode) == (0, 0)
        assert _read_tree(target) == files


def _write_tree(top, files):
    for path, text in files.items():
        path = os.path.join(top, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(text)


def _read_tree(top):
    found = {}
    for directory, _, names in os.walk(top):
        for name in names:
            path = os.path.join(directory, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, top)] = file.read()
    return found
