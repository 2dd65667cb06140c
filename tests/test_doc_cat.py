"""doc-cat: files, directories and JSON lines become one stream."""

import gzip
import json
import os
import socket
import subprocess
import sys

import pytest
from conftest import ROOT, run, shell


def names(stream):
    return [line[1:] for line in stream.split(b"\n") if line[:1] == b"\x1c" and line[1:2] not in (b"", b"\x1c")]


# --- files and directories ---


def test_files_are_documents_named_as_they_were_given(tree):
    top = tree({"a": b"1\n", "d/b": b"2", "-n": b"3\n"})
    assert run("doc-cat", "a", "./d/b", "--", "-n", cwd=top) == b"\x1ca\n1\n\x1c./d/b\n2\n\x1c\n\x1c-n\n3\n"


def test_standard_input_is_a_document_like_any_other(tree):
    assert run("doc-cat", input=b"x\n") == b"\x1c-\nx\n"
    assert run("doc-cat", "a", "-", cwd=tree({"a": b"1\n"}), input=b"x\n") == b"\x1ca\n1\n\x1c-\nx\n"
    assert run("doc-cat", "-", "./-", cwd=tree({"-/a": b"1\n"})) == b"\x1c-\n\x1c./-/a\n1\n"
    assert run("doc-cat") == b"\x1c-\n"


def test_what_looks_like_a_stream_is_text(tree):
    assert run("doc-cat", "a", cwd=tree({"a": b"\x1cname\nx\n\x1c\n"})) == b"\x1ca\n\x1c\x1cname\nx\n\x1c\x1c\n"


def test_a_directory_is_walked_in_the_byte_order_of_the_paths(tree):
    top = tree({name: b"" for name in ["b", "a/z", "a/b/c", "a.txt", "a-", "Z", "\xe9", "a/é", ".hidden", "a/.h/x", "10", "9", "a b"]})
    (top / "empty").mkdir()
    expected = shell("find d -type f | LC_ALL=C sort", cwd=_renamed(top)).split(b"\n")[:-1]
    assert len(expected) == 13
    assert names(run("doc-cat", "d", cwd=top.parent)) == expected
    assert names(run("doc-cat", "d/", cwd=top.parent)) == expected
    assert names(run("doc-cat", ".", cwd=top.parent / "d")) == [b"." + name[1:] for name in expected]


def _renamed(top):
    top.rename(top.parent / "d")
    return top.parent


def test_links_are_followed_inside_the_tree_only_and_never_in_circles(tree):
    top = tree({"d/a": b"a\n", "d/sub/b": b"b\n", "d-secret": b"secret\n"})
    for name, target in {"file": "sub/b", "folder": "sub", "out": "../d-secret", "out2": "..", "abs": "/etc/passwd",
                         "sub/up": "..", "sub/self": ".", "lost": "nowhere", "loop": "loop"}.items():
        (top / "d" / name).symlink_to(target)
    stream = run("doc-cat", "d", cwd=top, status=2)
    assert names(stream) == [b"d/a", b"d/file", b"d/folder/b", b"d/sub/b"]
    assert b"secret" not in stream and b"root" not in stream
    told = dict(line.removeprefix("doc-cat: ").split(": ", 1) for line in run.stderr.splitlines())
    assert told["d/lost"] == "No such file or directory"
    assert told["d/loop"] == "Too many levels of symbolic links"
    for name in ("out", "out2", "abs"):
        assert told["d/" + name] == "left out: a link that leads out of the directory"
    for name in ("sub/up", "sub/self", "folder/up", "folder/self"):
        assert told["d/" + name] == "left out: a link to a directory that it is in"
    assert len(told) == 9


def test_an_operand_may_be_a_link_out(tree):
    top = tree({"d/a": b"a\n"})
    (top / "link").symlink_to("d")
    assert names(run("doc-cat", "link", cwd=top)) == [b"link/a"]


def test_what_is_no_file_in_a_directory_is_noted_and_not_waited_for(tree):
    top = tree({"a": b"a\n"})
    os.mkfifo(top / "fifo")
    server = socket.socket(socket.AF_UNIX)
    server.bind(os.path.relpath(top / "socket"))
    assert run("doc-cat", ".", cwd=top) == b"\x1c./a\na\n"
    assert run.stderr == ("doc-cat: ./fifo: left out: neither a file nor a directory\n"
                          "doc-cat: ./socket: left out: neither a file nor a directory\n")
    server.close()


def test_an_output_of_sieve_is_left_out_below_a_directory_and_read_if_it_is_named(tree):
    top = tree({"a": b"a\n", "clean/a": b"a\n", "clean/.sieve/manifest.json": b"{}", "clean/.sieve/model": b"", "x/.sieve/other": b"x\n"})
    assert names(run("doc-cat", ".", cwd=top)) == [b"./a", b"./x/.sieve/other"]
    assert run.stderr == "doc-cat: ./clean: left out: an output of sieve\n"
    assert names(run("doc-cat", "clean", cwd=top)) == [b"clean/a"]


def test_compressed_files_keep_their_names(tree):
    assert run("doc-cat", "a.gz", cwd=tree({"a.gz": gzip.compress(b"a\n")})) == b"\x1ca.gz\na\n"


def test_names_can_come_from_a_list(tree):
    top = tree({"a b": b"1\n", "d/new\nline": b"2\n", "-n": b"3\n"})
    assert names(shell("find . -type f -print0 | LC_ALL=C sort -z | doc-cat --files0-from=-", cwd=top)) == [b"./-n", b"./a b", b"./d/new\\nline"]
    (top / "list").write_bytes(b"a b\0\0d\0-n")  # a directory in it, an empty name, and no NUL at its end
    assert names(run("doc-cat", "--files0-from=list", cwd=top)) == [b"a b", b"d/new\\nline", b"-n"]
    assert names(run("doc-cat", "--files0-from", "list", "a b", cwd=top, status=2)) == []
    run("doc-cat", "--files0-from=-", cwd=top, input=b"a b\0-\0", status=2)
    assert run.stderr == "doc-cat: standard input holds the list of names and cannot be named in it\n"
    run("doc-cat", "--files0-from=nowhere", cwd=top, status=2)
    assert run.stderr == "doc-cat: nowhere: No such file or directory\n"


def test_what_cannot_be_read_is_told_and_the_rest_is_done(tree):
    top = tree({"a": b"1\n", "b": b"2\n"})
    assert run("doc-cat", "a", "none", "b", cwd=top, status=2) == b"\x1ca\n1\n\x1cb\n2\n"
    assert run.stderr == "doc-cat: none: No such file or directory\n"
    assert run("doc-cat", "a", "new\nline", "b", cwd=top, status=2) == b"\x1ca\n1\n\x1cb\n2\n"
    assert run.stderr == "doc-cat: 'new\\nline': No such file or directory\n"


def test_a_tree_deeper_than_the_interpreter_recurses_is_walked(tmp_path):
    depth = 1100
    dig = f"import os\nfor _ in range({depth}): os.mkdir('d'); os.chdir('d')\nopen('f', 'w').close()"
    subprocess.run([sys.executable, "-c", dig], cwd=tmp_path, check=True)
    assert names(run("doc-cat", "d", cwd=tmp_path)) == [b"d/" * depth + b"f"]
    subprocess.run(["rm", "-r", tmp_path / "d"], check=True)  # as pytest cannot


# --- JSON lines ---


def cat(lines, *args, status=0):
    return run("doc-cat", "--jsonl", "text", *args, input=lines, status=status)


def test_a_line_is_a_document_named_by_its_place_or_by_a_field(tree):
    lines = b'{"text": "a\\nb\\n", "id": "x"}\n\n{"id": 7.50, "text": "c"}'
    assert cat(lines) == b"\x1c-:1\na\nb\n\x1c-:3\nc\n\x1c\n"
    assert cat(lines, "--name", "id") == b"\x1cx\na\nb\n\x1c7.50\nc\n\x1c\n"
    top = tree({"d/a.jsonl": lines, "d/b.jsonl": gzip.compress(lines)})
    assert names(run("doc-cat", "--jsonl", "text", "d", cwd=top)) == [b"d/a.jsonl:1", b"d/a.jsonl:3", b"d/b.jsonl:1", b"d/b.jsonl:3"]


@pytest.mark.parametrize("line, text", [
    (b'{"text": "\\u00e9\\ud83d\\ude00\\"\\\\\\/"}', 'é😀"\\/'.encode()),
    ('{"text": "é\u2028"}'.encode(), "é\u2028".encode()),
    (b'{"text": "\xff"}', b"\xff"), (b'{"text": "\\udcff"}', b"\xff"),  # bytes that are no UTF-8 come through
    (b'{"text": "a\\u0000b"}', b"a\0b"),
    (b'{"text": "\\u001cname"}', b"\x1c\x1cname"),
    (b' \t{ "text"\t:\r "a" } \r\n', b"a"),
    (b'\xef\xbb\xbf{"text": "a"}', b"a"),
    (b'{"text": 1, "text": "last"}', b"last"),
    (b'{"a": {"text": "no"}, "b": [["}"]], "text": "a", "n": NaN}', b"a"),
    (b'{"n": ' + b"9" * 1_000_000 + b', "text": "a"}', b"a"),
    (b'{"text": ""}', b""),
])
def test_the_text_is_what_the_string_says(line, text):
    assert cat(line) == b"\x1c-:1\n" + text + b"\n\x1c\n" * bool(text)


@pytest.mark.parametrize("line, fault", [
    (b"secret", "not a JSON object"), (b'["secret"]', "not a JSON object"), (b'"secret"', "not a JSON object"), (b"\0", "not a JSON object"),
    (b'{"text": "secret"', "not JSON"), (b'{"text": "secret', "not JSON"), (b'{"text": "secret",}', "not JSON"), (b"{", "not JSON"),
    (b'{"text": "secret"} x', "not JSON"), (b'{"text": "sec\tret"}', "not JSON"), (b'{"text"', "not JSON"), (b'{text: "secret"}', "not JSON"),
    (b'{"text": secret}', "not JSON"), (b'{,"text": "secret"}', "not JSON"), (b'{"text": "secret" "a": 1}', "not JSON"),
    (b'{"text": [' + b"[" * 100_000 + b"]" * 100_000 + b"]}", "nested too deeply"),
    (b"{}", "no field 'text'"), (b'{"Text": "secret"}', "no field 'text'"),
    (b'{"text": null}', "the field 'text' is not a string"), (b'{"text": 12}', "the field 'text' is not a string"),
    (b'{"text": ["secret"]}', "the field 'text' is not a string"), (b'{"text": {}}', "the field 'text' is not a string"),
    (b'{"text": "secret \\ud800"}', "the field 'text' has half of a surrogate pair"),
    (b'{"text": "secret \\udc00"}', "the field 'text' has half of a surrogate pair"),
])
def test_a_broken_line_is_told_with_its_number_and_without_its_text_and_the_rest_is_done(line, fault):
    assert cat(b'{"text": "a"}\n' + line + b'\n{"text": "b"}\n', status=2) == b"\x1c-:1\na\n\x1c\n\x1c-:3\nb\n\x1c\n"
    assert run.stderr == f"doc-cat: <stdin>: line 2: {fault}\n"


@pytest.mark.parametrize("name, fault", [
    ("null", "the field 'id' is not a string"), ("true", "the field 'id' is not a string"), ('""', "the field 'id' is empty, and so no name"),
    ('"\\ud800"', "the field 'id' has half of a surrogate pair"),
])
def test_a_name_is_a_string_or_a_number(name, fault):
    assert cat(b'{"text": "a", "id": %s}\n{"text": "b", "id": -1e3}\n' % name.encode(), "--name", "id", status=2) == b"\x1c-1e3\nb\n\x1c\n"
    assert run.stderr == f"doc-cat: <stdin>: line 1: {fault}\n"


def test_name_without_jsonl_is_an_error():
    run("doc-cat", "--name", "id", status=2)
    assert run.stderr == "doc-cat: --name goes with --jsonl\n"


def test_the_posts_of_the_examples_are_documents():
    path = ROOT / "examples/posts.jsonl"
    posts = [json.loads(line) for line in path.read_text("utf-8").split("\n")[:-1]]
    stream = run("doc-cat", "--jsonl", "text", "--name", "name", path)
    assert names(stream) == [post["name"].encode() for post in posts]
    assert posts[8]["text"].encode() in stream


def test_documents_can_be_called_otherwise(tree, tmp_path):
    top = tree({"a": b"1\n", "b": b"2\n"})
    names = tmp_path / "names"
    names.write_bytes(b"x/y\nz\0other\0")
    assert run("doc-cat", "--names0-from", names, top) == b"\x1cx/y\\nz\n1\n\x1cother\n2\n"
    names.write_bytes(b"x\0")
    run("doc-cat", "--names0-from", names, top, status=2)
    assert run.stderr == f"doc-cat: {top}/b: no name for it in --names0-from\n"
