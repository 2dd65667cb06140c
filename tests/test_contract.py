"""What every tool does alike, held against each of them."""

import fcntl
import json
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time

import pytest
from conftest import ENVIRONMENT, ROOT, run, shell

from sieve import wire

LINES = [b"\xef\xbb\xbfa byte order mark", b"two\r", b"a\rb", b"nul\0nul", b"\xff\xfe invalid \xc3", "line\u2028separator\u2029\x85".encode(),
         b"form\x0cfeed\x0bvertical tab", b"\x1d\x1e\x1f separators", b"\x1cno name, since not the first line", b"\x1c", b"\x1c\x1cx",
         b"  spaces  ", b"\ttab\t", b"\\n \\x1c \\", b"caf\xe9", "İstanbul ﬁ e\u0301".encode(), b"long " * 20_000, b"<b>&amp;</b>", b'"quoted words here"']
AWKWARD = b"\n".join(LINES) + b"\n"
PLAIN = b"".join(b"line %d of some length, that repeats a little %d\n" % (i, i % 7) for i in range(4000))


class Tool:
    """A way to call a tool. `wrap` makes input that it takes of a text; `back`, where the
    tool can keep all of a text, makes the text of its output. `flows`: it answers each line."""

    def __init__(self, name, *args, wrap=bytes, back=None, flows=False):
        self.name, self.args, self.wrap, self.back, self.flows = name, args, wrap, back, flows

    def __str__(self):
        return " ".join([self.name, *self.args])


def framed(text):
    out = []
    writer = wire.Writer(out.append)
    writer.begin(b"name")
    writer.text(text)
    return b"".join(out)


def scored(text):
    return b"".join(b"0.0000\t" + line for line in wire.split(text))


def signatures(text):
    """A line of minhash for each line, up to some, of which every two are copies."""
    numbers = range(min(text.count(b"\n"), 400))
    return b"".join(b"name %d\t%032x\t60\t%s\n" % (i, i // 2, b"%02x" % (i // 2) * 128) for i in numbers)


def unframed(stream):
    return b"".join(b"".join(document) for document in wire.documents([stream]))


def second_column(lines):
    return b"".join(line.partition(b"\t")[2] for line in wire.split(lines))


def text_of_object(line):
    return json.loads(line)["text"].encode("utf-8", "surrogateescape")


TOOLS = [
    Tool("doc-cat", back=unframed, flows=True),
    Tool("doc-split", "--jsonl", "text", wrap=framed, back=text_of_object),
    Tool("norm"),
    Tool("norm", "--only", "squeeze", back=bytes, flows=True),
    Tool("dedup", back=bytes, flows=True),
    Tool("phrases"),
    Tool("line-score", "-m", "MODEL", back=second_column, flows=True),
    Tool("regions", wrap=scored, back=bytes),
    Tool("regions", "-m", "threshold", wrap=scored, back=bytes, flows=True),
    Tool("minhash"),
    Tool("near-dups", wrap=signatures),
    Tool("ngram-model", "count"),
    Tool("ngram-model", "build"),
]

every_tool = pytest.mark.parametrize("tool", TOOLS, ids=str)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "model"
    path.write_bytes(run("ngram-model", "build", *sorted((ROOT / "examples/dumps/stories").iterdir())))
    return str(path)


@pytest.fixture
def command(tool, model):
    """The tool's command line as a list."""
    return [tool.name, *(model if arg == "MODEL" else arg for arg in tool.args)]


@pytest.fixture
def script(command):
    """The tool's command line for a shell."""
    return " ".join(command)


def complains(tool, *parts):
    """The line that the tool says such a thing in."""
    return f"{tool.name}: {': '.join(parts)}\n"


# --- the command line ---


@every_tool
def test_help_and_version_are_given(tool, command):
    tool_and_command = command[:2] if tool.name == "ngram-model" else command[:1]
    help = run(*tool_and_command, "--help").decode()
    assert help.startswith(f"usage: {' '.join(tool_and_command)} ") and "--version" in help
    assert run(*tool_and_command, "--version").decode().startswith(tool.name)
    shell(f"{' '.join(tool_and_command)} --help > /dev/full", status=2)
    assert shell.stderr == f"{' '.join(tool_and_command)}: <stdout>: No space left on device\n" or shell.stderr == complains(
        tool, "<stdout>", "No space left on device")


@every_tool
def test_an_unknown_option_is_told_in_a_line(tool, command):
    for option in ("--unknown", "--hel", "-Q", "--unknown=new\nline"):  # --hel: no abbreviations
        assert run(*command, option, status=2) == b""
        assert run.stderr.startswith(tool.name) and run.stderr.count("\n") == 1


@every_tool
def test_a_terminal_for_input_is_told_how_it_is_used(tool, command):
    terminal, stdin = pty.openpty()
    done = subprocess.run([sys.executable, ROOT / "bin" / tool.name, *command[1:]], stdin=stdin, capture_output=True, env=ENVIRONMENT, timeout=20)
    os.close(terminal)
    os.close(stdin)
    assert done.returncode == 2
    assert done.stderr.startswith(tool.name.encode()) and done.stderr.count(b"\n") == 1


# --- text ---


@every_tool
def test_only_lf_ends_a_line_and_every_byte_survives(tool, command):
    for text in (AWKWARD, AWKWARD[:-1], b"\r\n", b"\r", b"\0", b"\xef\xbb\xbf", b"a\r\nb\r\n", b"x", b"\xff\n"):
        out = run(*command, input=tool.wrap(text))
        if tool.back:
            assert tool.back(out) == text
        elif text != AWKWARD:  # these have told all that they can; processes are dear
            break


@every_tool
def test_empty_input_is_no_error(tool, command):
    run(*command, input=b"")
    assert run.stderr == ""


@every_tool
def test_the_same_bytes_come_out_everywhere(tool, command):
    text = tool.wrap(AWKWARD + PLAIN)
    expected = run(*command, input=text)
    assert run(*command, input=text, env={"LC_ALL": "C", "PYTHONHASHSEED": "0"}) == expected
    assert run(*command, input=text, env={"LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "1"}) == expected
    assert run(*command, input=text, env={"LC_ALL": "tr_TR.UTF-8", "PYTHONUTF8": "0"}, cwd="/proc") == expected  # where nobody may write


# --- files ---


@every_tool
def test_what_cannot_be_read_is_told_and_the_rest_is_done(tool, command, tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(tool.wrap(PLAIN[:200]).replace(b"name", name.encode()))
    (tmp_path / "d").mkdir()
    expected = run(*command, "a", "b", cwd=tmp_path)
    for path, fault in {"missing": "No such file or directory", "d": "Is a directory", "/proc/self/mem": "Input/output error",
                        "new\nline": "No such file or directory"}.items():
        if path == "d" and tool.name == "doc-cat":  # it takes directories
            continue
        assert run(*command, "a", path, "b", cwd=tmp_path, status=2) == expected
        assert run.stderr == complains(tool, repr(path) if "\n" in path else path, fault)


@every_tool
def test_files_may_have_any_name_and_come_from_a_list(tool, command, tmp_path):
    names = [b"a b", b"-h", b"--help", b"new\nline", b"it's", b"\xff"]
    for i, name in enumerate(names):
        (tmp_path / os.fsdecode(name)).write_bytes(tool.wrap(PLAIN[:200]).replace(b"name", b"name%d" % i))
    assert run(*command, "--files0-from=-", input=b"\0".join(names), cwd=tmp_path) == run(*command, "--", *names, cwd=tmp_path)
    run(*command, "--files0-from=missing", cwd=tmp_path, status=2)
    assert run.stderr == complains(tool, "missing", "No such file or directory")


def test_a_list_that_is_none_is_told_of_without_printing_it(tmp_path):
    (tmp_path / "list").write_bytes(b"a\n" * 100_000)
    run("dedup", "--files0-from=list", cwd=tmp_path, status=2)
    assert run.stderr == "dedup: a name of more than 65536 bytes in a list; does NUL end each?\n"


# --- pipes and signals ---


@every_tool
def test_a_full_disk_and_closed_descriptors_are_told_in_a_line(tool, script, tmp_path):
    (tmp_path / "text").write_bytes(tool.wrap(PLAIN + b'"three quoted words"\n' * 2))
    for redirected, fault in {"< text > /dev/full": ("<stdout>", "No space left on device"), "< text >&-": ("<stdout>", "Bad file descriptor"),
                              "<&- ": ("<stdin>", "Bad file descriptor")}.items():
        shell(f"{script} {redirected}", cwd=tmp_path, status=2)
        assert shell.stderr.startswith(complains(tool, *fault))
        assert shell.stderr.count("\n") <= 1 + (tool.name == "ngram-model")  # which adds that it has nothing to learn from
    shell(f"{script} < text > /dev/null 2>&-; {script} missing > /dev/null 2>&- || test $? = 2; {script} missing >/dev/null 2> /dev/full || test $? = 2",
          cwd=tmp_path)


def test_a_closed_descriptor_is_not_given_to_a_file(tmp_path):
    (tmp_path / "list").write_bytes(b"-\0")
    assert shell("dedup --files0-from=list <&-", cwd=tmp_path, status=2) == b""  # and not what is in the list
    assert shell.stderr == "dedup: <stdin>: Bad file descriptor\n"


@every_tool
def test_a_reader_that_goes_away_ends_it_silently(tool, script, tmp_path):
    (tmp_path / "text").write_bytes(tool.wrap(PLAIN * 20))
    shell(f"set +o pipefail; {script} < text | head -c 1 > /dev/null; status=${{PIPESTATUS[0]}}; [[ $status == 141 || $status == 0 ]]", cwd=tmp_path)
    assert shell.stderr == ""


@every_tool
def test_a_signal_ends_it_silently(tool, command):
    for number in (signal.SIGINT, signal.SIGTERM):
        with reading(command, tool.wrap(PLAIN[:1000])) as process:
            process.send_signal(number)
            assert process.wait(10) == -number
            assert process.stderr.read() == b""


@pytest.mark.parametrize("name", sorted(path.name for path in (ROOT / "bin").iterdir()))
def test_ctrl_c_is_silent_while_a_tool_is_still_starting(tmp_path, name):
    (tmp_path / "argparse.py").write_text("import os, time\nos.write(1, b'starting')\ntime.sleep(30)\n")
    process = subprocess.Popen([sys.executable, ROOT / "bin" / name], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env={**ENVIRONMENT, "PYTHONPATH": str(tmp_path)}, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
    assert process.stdout.read(8) == b"starting"
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=10)[1] == b"" and process.returncode == -signal.SIGINT


@pytest.mark.parametrize("tool", [tool for tool in TOOLS if tool.flows], ids=str)
def test_what_can_be_said_is_said_when_the_input_pauses(tool, command):
    with reading(command, tool.wrap(b"a line\nanother\n")) as process:
        assert select.select([process.stdout], [], [], 10)[0]
        assert b"a line" in os.read(process.stdout.fileno(), 1000)


class reading:
    """A process of `command` that has read `text` and waits for more."""

    def __init__(self, command, text):
        self._process = subprocess.Popen([sys.executable, ROOT / "bin" / command[0], *command[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         stderr=subprocess.PIPE, env=ENVIRONMENT, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
        self._process.stdin.write(text)
        self._process.stdin.flush()

    def __enter__(self):
        until = time.monotonic() + 20
        while any(fcntl.ioctl(self._process.stdin, termios.FIONREAD, bytes(4))):
            assert time.monotonic() < until
            time.sleep(0.005)
        return self._process

    def __exit__(self, *_):
        self._process.kill()
        self._process.communicate()


# --- the driver and the whole chain ---


def test_the_driver_keeps_the_same_manners():
    assert run("sieve", "--help").startswith(b"usage: sieve ")
    assert run("sieve", "--version").startswith(b"sieve ")
    for args in ([], ["--unknown"], ["unknown"], ["clean", "--unknown"], ["clean"]):
        assert run("sieve", *args, status=2) == b""
        assert run.stderr.startswith("sieve") and run.stderr.count("\n") == 1


def test_every_tool_is_held_to_this_contract():
    assert {path.name for path in (ROOT / "bin").iterdir()} == {tool.name for tool in TOOLS} | {"sieve"}
