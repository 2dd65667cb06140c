"""doc-split: a stream becomes files under one directory, or JSON lines."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time

import pytest
from conftest import ENVIRONMENT, ROOT, run, shell


def stream(**documents):
    return b"".join(b"\x1c%s\n%s" % (name.encode(), text) for name, text in documents.items())


def found(top):
    """All files under `top`, hidden ones too, as {path: content}."""
    return {str(path.relative_to(top)): path.read_bytes() for path in top.rglob("*") if path.is_file()}


# --- files ---


def test_each_document_is_a_file_under_the_directory(tmp_path):
    run("doc-split", "-d", "new/out", input=b"\x1ca\n1\n\x1c\n\x1cd/e/b\n2\n\x1cempty\n\x1c/abs/./c\n3\n\x1c-\n\x1c\x1c4\n", cwd=tmp_path)
    assert found(tmp_path) == {f"new/out/{name}": text for name, text in {
        "a": b"1", "d/e/b": b"2\n", "empty": b"", "abs/c": b"3\n", "-": b"\x1c4\n"}.items()}


def test_any_number_of_documents_takes_few_descriptors(tmp_path):
    (tmp_path / "stream").write_bytes(b"".join(b"\x1cd%d/a\n1\n" % i for i in range(100)))
    shell("ulimit -n 32; doc-split -d out < stream", cwd=tmp_path)
    assert len(found(tmp_path / "out")) == 100


def test_files_have_the_permissions_that_new_files_have(tmp_path):
    shell("umask 027; printf '\\034d/a\\n' | doc-split -d out; stat -c %a out out/d out/d/a > modes", cwd=tmp_path)
    assert (tmp_path / "modes").read_text() == "750\n750\n640\n"


@pytest.mark.parametrize("name", [b"../out", b"..", b"a/../../out", b"a/..", b"/../out", b"nul\0", b"/", b".", b"./", b"//"])
def test_a_name_that_is_none_under_the_directory_is_refused_and_the_rest_is_done(tmp_path, name):
    run("doc-split", "-d", "d/e", input=b"\x1ca\n1\n\x1c" + name + b"\nout\n\x1cb\n2\n", cwd=tmp_path, status=2)
    assert found(tmp_path) == {"d/e/a": b"1\n", "d/e/b": b"2\n"}
    assert run.stderr.endswith(": left out: it cannot be a file's name under the directory\n") and run.stderr.count("\n") == 1


def test_a_name_too_long_for_the_file_system_is_told_in_a_line_and_the_rest_is_done(tmp_path):
    for name in ("n" * 256, "n" * 300 + "/a", "a/" * 5 + "n" * 4096):
        run("doc-split", "-d", "out", "--overwrite", input=b"\x1c%s\nx\n\x1cb\n2\n" % name.encode(), cwd=tmp_path, status=2)
        assert found(tmp_path) == {"out/b": b"2\n"}
        assert run.stderr == f"doc-split: {name}: File name too long\n"
    deep = "a-name-of-twenty-eight-bytes/" * 150 + "f"  # longer than a path may be, but each name is fine
    run("doc-split", "-d", "deep", input=b"\x1c%s\nx\n" % deep.encode(), cwd=tmp_path)
    subprocess.run(["rm", "-r", tmp_path / "deep"], check=True)  # as pytest cannot


def test_nothing_is_written_through_a_link_that_is_there(tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "secret").write_bytes(b"secret\n")
    (tmp_path / "d").mkdir()
    (tmp_path / "d/out").symlink_to("../outside")
    (tmp_path / "d/file").symlink_to("../secret")
    run("doc-split", "-d", "d", input=stream(**{"out/a": b"1\n", "out": b"2\n", "file": b"3\n"}), cwd=tmp_path, status=2)
    assert run.stderr.splitlines() == ["doc-split: out/a: left out: out is a file or a link, and not a directory",
                                       "doc-split: out: left out: it exists (see --overwrite)", "doc-split: file: left out: it exists (see --overwrite)"]
    run("doc-split", "-d", "d", "--overwrite", input=stream(**{"out/a": b"1\n", "file": b"3\n"}), cwd=tmp_path, status=2)
    assert (tmp_path / "d/file").read_bytes() == b"3\n" and not (tmp_path / "d/file").is_symlink()
    assert (tmp_path / "secret").read_bytes() == b"secret\n" and not os.listdir(tmp_path / "outside")


def test_the_directory_itself_may_be_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    run("doc-split", "-d", "link", input=stream(a=b"1\n"), cwd=tmp_path)
    assert found(tmp_path / "real") == {"a": b"1\n"}


def test_a_file_that_exists_stays_unless_it_is_to_be_overwritten(tree):
    top = tree({"a": b"old\n", "b": b"old\n"})
    run("doc-split", "-d", ".", input=stream(a=b"new\n", c=b"new\n"), cwd=top, status=2)
    assert run.stderr == "doc-split: a: left out: it exists (see --overwrite)\n"
    assert found(top) == {"a": b"old\n", "b": b"old\n", "c": b"new\n"}
    run("doc-split", "-d", ".", "--overwrite", input=stream(a=b"new\n", b=b""), cwd=top)
    assert found(top) == {"a": b"new\n", "b": b"", "c": b"new\n"}


@pytest.mark.parametrize("overwrite", [[], ["--overwrite"]])
def test_the_second_document_of_a_name_is_refused(tmp_path, overwrite):
    run("doc-split", "-d", "out", *overwrite, input=b"\x1c./a\n1\n\x1ca\n2\n\x1c/a\n3\n\x1cb\n4\n", cwd=tmp_path, status=2)
    assert found(tmp_path / "out") == {"a": b"1\n", "b": b"4\n"}
    assert run.stderr.count("\n") == 2


@pytest.mark.parametrize("overwrite", [[], ["--overwrite"]])
def test_a_file_and_a_directory_of_one_name_do_not_go_together(tmp_path, overwrite):
    run("doc-split", "-d", "out", *overwrite, input=b"\x1ca\n1\n\x1ca/b\n2\n\x1cc/d\n3\n\x1cc\n4\n", cwd=tmp_path, status=2)
    assert found(tmp_path / "out") == {"a": b"1\n", "c/d": b"3\n"}
    assert run.stderr.startswith("doc-split: a/b: left out: a is a file or a link, and not a directory\ndoc-split: c: ")


def test_a_directory_that_cannot_be_made_is_an_error(tree):
    top = tree({"file": b""})
    for target, fault in {"file": "File exists", "file/d": "Not a directory", "": "No such file or directory"}.items():
        run("doc-split", "-d", target, input=stream(a=b"1\n"), cwd=top, status=2)
        assert run.stderr.count("\n") == 1 and fault in run.stderr
    run("doc-split", "-d", "/proc", input=stream(a=b"1\n", b=b"2\n"), status=2)
    assert run.stderr.count("\n") == 2


def test_a_file_that_cannot_be_written_whole_is_not_written(tmp_path):
    (tmp_path / "stream").write_bytes(stream(a=b"1\n", b=b"x\n" * 500_000, c=b"3\n"))
    shell("ulimit -f 300; trap '' XFSZ; doc-split -d out < stream", cwd=tmp_path, status=2)
    assert shell.stderr == "doc-split: b: File too large\n"
    assert found(tmp_path / "out") == {"a": b"1\n", "c": b"3\n"}


def test_a_full_disk_ends_it_with_a_line_and_leaves_nothing_half(tmp_path):
    mount = "mkdir out; mount -t tmpfs -o size=64k none out"
    if subprocess.run(["unshare", "-rm", "sh", "-c", mount], cwd=tmp_path, capture_output=True).returncode:
        pytest.skip("no small file system can be mounted here")
    (tmp_path / "stream").write_bytes(stream(a=b"1\n", b=b"x\n" * 500_000, c=b"3\n"))
    script = "mount -t tmpfs -o size=64k none out; doc-split -d out < stream; status=$?; ls -A out; exit $status"
    assert shell(f"unshare -rm sh -c '{script}'", cwd=tmp_path, status=2) == b"a\n"
    assert shell.stderr == "doc-split: b: No space left on device\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_leaves_neither_half_a_file_nor_a_temporary_one(tmp_path, number):
    tool = subprocess.Popen([sys.executable, ROOT / "bin/doc-split", "-d", tmp_path / "out"], stdin=subprocess.PIPE, stderr=subprocess.PIPE,
                            env=ENVIRONMENT, preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
    tool.stdin.write(stream(a=b"1\n", b=b"half\n" * 100_000))
    tool.stdin.flush()
    until = time.monotonic() + 10
    while len(found(tmp_path)) < 2:
        assert time.monotonic() < until
        time.sleep(0.01)
    hidden, = set(found(tmp_path)) - {"out/a"}
    assert hidden.startswith("out/.")
    tool.send_signal(number)
    assert tool.communicate()[1] == b"" and tool.returncode == -number
    assert found(tmp_path) == {"out/a": b"1\n"}


def test_a_document_whose_input_is_damaged_is_left_out(tmp_path):
    whole = stream(a=b"1\n", b=b"".join(b"%d\n" % i for i in range(200_000)))
    (tmp_path / "cut.gz").write_bytes(gzip.compress(whole)[:-9])
    run("doc-split", "-d", "out", "cut.gz", cwd=tmp_path, status=2)
    assert run.stderr == "doc-split: cut.gz: gzip data ends too early\ndoc-split: b: left out: its input is damaged\n"
    assert found(tmp_path / "out") == {"a": b"1\n"}
    (tmp_path / "bad.gz").write_bytes(gzip.compress(b"x\n")[:11])
    (tmp_path / "good").write_bytes(b"good\n")
    for arguments in (["bad.gz", "good"], ["good", "bad.gz"]):
        run("doc-split", "-d", "out", "--overwrite", *arguments, cwd=tmp_path, status=2)
        assert found(tmp_path / "out") == {"a": b"1\n", "good": b"good\n"}
    out = run("doc-split", "--jsonl", "text", "bad.gz", "none", "good", cwd=tmp_path, status=2)
    assert out == b'{"name": "good", "text": "good\\n"}\n'


def test_several_files_go_by_their_paths_and_text_without_a_name_is_refused(tree):
    top = tree({"a": b"1\n", "d/b": b"2"})
    run("doc-split", "-d", "out", "a", "d/b", cwd=top)
    assert found(top / "out") == {"a": b"1\n", "d/b": b"2"}
    run("doc-split", "-d", "one", "-H", "a", cwd=top)
    assert found(top / "one") == {"a": b"1\n"}
    for arguments in (["a"], ["-h", "a", "d/b"], []):
        run("doc-split", "-d", "none", *arguments, cwd=top, input=b"text\n", status=2)
        assert run.stderr == "doc-split: the input has no names (make it with doc-cat, or give --with-name)\n"
        assert found(top / "none") == {}


@pytest.mark.parametrize("arguments, fault", [
    ([], "one of the arguments -d/--directory --jsonl is required (see doc-split --help)"),
    (["-d", "out", "--jsonl", "text"], "argument --jsonl: not allowed with argument -d/--directory (see doc-split --help)"),
    (["--jsonl", "text", "--overwrite"], "--overwrite goes with -d"), (["-d", "out", "--from", "x"], "--name and --from go with --jsonl"),
    (["-d", "out", "--name", "x"], "--name and --from go with --jsonl"),
    (["--jsonl", "text", "--name", "text"], "text and name cannot both be in the field 'text'"),
    (["--jsonl", "text", "--from", "/none"], "/none: No such file or directory"),
])
def test_arguments_that_do_not_go_together(tmp_path, arguments, fault):
    run("doc-split", *arguments, input=stream(a=b"1\n"), cwd=tmp_path, status=2)
    assert run.stderr == f"doc-split: {fault}\n"


def test_a_stream_of_no_documents_is_no_error(tmp_path):
    run("doc-split", "-d", "out", cwd=tmp_path)
    assert (tmp_path / "out").is_dir() and run("doc-split", "--jsonl", "text") == b""


# --- JSON lines ---


def test_each_document_is_an_object_with_its_name_and_text():
    text = 'é "q" \\ \u2028\r\x00\x7f\t'.encode() + b"\xff"
    lines = run("doc-split", "--jsonl", "body", "--name", "id", input=b"\x1c\\n\xfe\\\\\n%s\n\x1c\n\x1cempty\n" % text)
    objects = [json.loads(line) for line in lines.split(b"\n")[:-1]]
    assert [list(item) for item in objects] == [["id", "body"]] * 2
    assert [tuple(value.encode("utf-8", "surrogateescape") for value in item.values()) for item in objects] == [(b"\n\xfe\\", text), (b"empty", b"")]
    assert lines.isascii() is False and "é".encode() in lines and b"\xff" not in lines
    again = run("doc-cat", "--jsonl", "body", "--name", "id", input=lines)
    assert run("doc-split", "--jsonl", "body", "--name", "id", input=again) == lines


ORIGINAL = b"""\
{"id": "1", "text": "one\\n", "n": 1.50, "big": 123456789012345678901234567890, "x": {"text": "no"}}
{ "text" : "two" ,\t"id":"2", "n": 1e3 }\r

{"text": "old", "id": "3", "text": "\\u0074hree"}
{"raw": "\xff", "id": "4", "text": "f\xffur"}
{"id": "5", "text": "\\ud83d\\ude00"}"""


@pytest.mark.parametrize("names", [[], ["--name", "id"]])
def test_lines_whose_text_did_not_change_are_the_same_lines(tmp_path, names):
    (tmp_path / "o.jsonl").write_bytes(ORIGINAL)
    (tmp_path / "o.jsonl.gz").write_bytes(gzip.compress(ORIGINAL))
    for original in ("o.jsonl", "o.jsonl.gz"):
        cat = run("doc-cat", "--jsonl", "text", *names, original, cwd=tmp_path)
        assert run("doc-split", "--jsonl", "text", *names, "--from", original, input=cat, cwd=tmp_path) == ORIGINAL.replace(b"\n\n", b"\n")
        assert run.stderr == ""


def test_only_the_text_changes_and_all_else_stays_to_the_byte(tmp_path):
    (tmp_path / "o").write_bytes(ORIGINAL)
    changed = stream(**{"1": "é\n".encode(), "2": b"zwei\xfe\n\x1c\n", "3": b"drei\n\x1c\n", "4": b"", "5": b"5\n"})
    assert run("doc-split", "--jsonl", "text", "--name", "id", "--from", "o", input=changed, cwd=tmp_path) == b"""\
{"id": "1", "text": "\\u00e9\\n", "n": 1.50, "big": 123456789012345678901234567890, "x": {"text": "no"}}
{ "text" : "zwei\\udcfe" ,\t"id":"2", "n": 1e3 }\r
{"text": "old", "id": "3", "text": "drei"}
{"raw": "\xff", "id": "4", "text": ""}
{"id": "5", "text": "5\\n"}"""


def test_lines_come_in_the_order_of_the_stream_and_those_without_a_document_are_counted(tmp_path):
    lines = [b'{"id": "%d", "text": "t%d"}\n' % (i, i) for i in range(1, 7)]
    (tmp_path / "o").write_bytes(b"".join(lines))
    out = run("doc-split", "--jsonl", "text", "--name", "id", "--from", "o", input=b"\x1c3\nt3\n\x1c\n\x1c1\nt1\n\x1c\n\x1c5\nt5\n\x1c\n", cwd=tmp_path)
    assert out == lines[2] + lines[0] + lines[4]
    assert run.stderr == "doc-split: o: 3 lines have no document in the stream, and are left out\n"
    assert run("doc-split", "--jsonl", "text", "--name", "id", "--from", "o", input=b"\x1c3\nt3\n\x1c9\n\x1c4\nx\n", cwd=tmp_path, status=2) == \
        b'{"id": "3", "text": "t3\\n"}\n{"id": "4", "text": "x\\n"}\n'
    assert run.stderr == "doc-split: 9: left out: o has no such line\ndoc-split: o: 4 lines have no document in the stream, and are left out\n"


def test_lines_of_one_name_belong_to_the_documents_of_that_name_in_turn(tmp_path):
    (tmp_path / "o").write_bytes(b'{"id":"a","text":"1"}\n{"id":"a","text":"3"}\n{"id":"b","text":"2"}\n')
    args = ["--jsonl", "text", "--name", "id"]
    cat = run("doc-cat", *args, "o", cwd=tmp_path)
    assert run("doc-split", *args, "--from", "o", input=cat, cwd=tmp_path) == (tmp_path / "o").read_bytes()
    assert run("doc-split", *args, "--from", "o", input=b"\x1cb\n2\n\x1c\n\x1ca\n1\n\x1c\n\x1ca\n3\n\x1c\n", cwd=tmp_path) == \
        b'{"id":"b","text":"2"}\n{"id":"a","text":"1"}\n{"id":"a","text":"3"}\n'


def test_a_broken_line_of_the_original_is_told_and_the_rest_is_done(tmp_path):
    (tmp_path / "o").write_bytes(b'{"text": "1"}\nbroken\n{"text": "3"}\n')
    cat = run("doc-cat", "--jsonl", "text", "o", cwd=tmp_path, status=2)
    assert run("doc-split", "--jsonl", "text", "--from", "o", input=cat, cwd=tmp_path, status=2) == b'{"text": "1"}\n{"text": "3"}\n'
    assert run.stderr == "doc-split: o: line 2: not a JSON object\n"


def test_a_last_line_without_a_newline_gets_one_if_another_follows(tmp_path):
    (tmp_path / "o").write_bytes(b'{"id":"a","text":"1"}\n{"id":"b","text":"2"}')
    args = ["--jsonl", "text", "--name", "id", "--from", "o"]
    assert run("doc-split", *args, input=b"\x1cb\n2\n\x1c\n\x1ca\n1\n\x1c\n", cwd=tmp_path) == b'{"id":"b","text":"2"}\n{"id":"a","text":"1"}\n'


def test_the_posts_of_the_examples_come_back_with_what_a_filter_changed():
    shell("""
        doc-cat --jsonl text --name name examples/posts.jsonl | doc-split --jsonl text --name name --from examples/posts.jsonl |
            cmp - examples/posts.jsonl
        doc-cat --jsonl text --name name examples/posts.jsonl | sed 's/bell/BELL/' |
            doc-split --jsonl text --name name --from examples/posts.jsonl | diff - <(sed 's/bell/BELL/' examples/posts.jsonl)
        """, cwd=ROOT)
