"""dedup: each line once, in its place, and nothing else touched."""

import os
import shutil
import subprocess

import pytest
from conftest import peak_memory, run, shell
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sieve import dedup, wire
from sieve.repeats import Repeats

AWK = [name for name in ("gawk", "mawk") if shutil.which(name)]
CODE = b"if x {\n  y\n}\nif z {\n  w\n}\n\nla la\nverse\n\nla la\n"


def expected(text):
    """By the definition, a line at a time."""
    kept, seen = [], set()
    for line in wire.split(text):
        content = line.rstrip(b"\n")
        if not content.strip() or content not in seen:
            kept.append(line)
        seen.add(content)
    return b"".join(kept)


# --- which lines stay ---


@pytest.mark.parametrize("text, result", [
    pytest.param(b"b\na\nb\nc\na\n", b"b\na\nc\n", id="the first stays in its place"),
    pytest.param(b"alpha\0beta\ngamma\nalpha\0beta\n", b"alpha\0beta\ngamma\n", id="NUL is no end of input"),
    pytest.param(b"caf\xe9 ol\xe9\nok\ncaf\xe9 ol\xe9\n", b"caf\xe9 ol\xe9\nok\n", id="invalid UTF-8 passes"),
    pytest.param("one\u2028two\x0cthree\x85four\nfive\n".encode(), "one\u2028two\x0cthree\x85four\nfive\n".encode(), id="only LF ends a line"),
    pytest.param("café\ncafe\u0301\n".encode(), "café\ncafe\u0301\n".encode(), id="bytes are compared"),
    pytest.param(b"a\na\r\nA\na \n", b"a\na\r\nA\na \n", id="what differs at all is different"),
    pytest.param(CODE, b"if x {\n  y\n}\nif z {\n  w\n\nla la\nverse\n\n", id="blank lines are not repeated"),
    pytest.param(b"a\n\t \r\nb\n\t \r\n\x0b\n\x0b\n", b"a\n\t \r\nb\n\t \r\n\x0b\n\x0b\n", id="nor lines of white space"),
    pytest.param(b"FB\nEa\nFB\n", b"FB\nEa\n", id="equal under a short hash is not equal"),
    pytest.param(b"a\nba\n", b"a\nba\n", id="what cat joined is one line"),
    pytest.param(b"a\nb\nb", b"a\nb\n", id="a dropped last line leaves its newline behind"),
    pytest.param(b"a\nb", b"a\nb", id="a missing newline stays missing"),
    pytest.param(b"\na\n\na", b"\na\n\n", id="a blank line before a dropped last one"),
    pytest.param(b"", b"", id="nothing"),
])
def test_lines_that_stay(text, result):
    assert run("dedup", input=text) == result
    assert run("dedup", input=result) == result


@pytest.mark.parametrize("awk", AWK)
def test_the_same_as_awk_where_that_is_defined(awk, tmp_path):
    file = tmp_path / "text"
    file.write_bytes(b"".join(b"line %d\n" % (i * i % 997) for i in range(30_000)) + "é\nü\né\n".encode())
    shell(f"dedup {file} > {tmp_path}/ours; {awk} '!seen[$0]++' {file} | cmp - {tmp_path}/ours")


@settings(max_examples=300)
@given(st.lists(st.binary(max_size=2) | st.sampled_from([b"\n", b"\n", b"a\n", b"\n\n", b" \n"]), max_size=30).map(b"".join),
       st.lists(st.integers(0, 5), max_size=6))
@example(b"\na\n\na", [3])
def test_blocks_make_no_difference(text, sizes):
    lines, blocks = wire.split(text), []
    for size in sizes:
        blocks.append(b"".join(lines[:size]))
        lines = lines[size:]
    blocks.append(b"".join(lines))
    repeats, others = Repeats(), Repeats()
    kept = b"".join([dedup._new(block, repeats) for block in blocks])
    dropped = b"".join([dedup._repeated(block, others) for block in blocks])
    assert kept == expected(text)
    assert sorted(wire.split(kept) + wire.split(dropped)) == sorted(wire.split(text))


def test_the_seed_makes_no_difference():
    text = b"".join(b"%d\n" % (i % 1000) for i in range(5000))
    assert len({run("dedup", input=text) for _ in range(3)}) == 1


# --- documents ---


def test_a_missing_newline_does_not_join_two_files(tmp_path):
    (tmp_path / "a").write_bytes(b"a\nb")
    (tmp_path / "b").write_bytes(b"a\n")
    assert run("dedup", "-h", "a", "b", cwd=tmp_path) == b"a\nb\n"
    shell("dedup a b | doc-split -d out", cwd=tmp_path)
    assert [(tmp_path / "out" / name).read_bytes() for name in "ab"] == [b"a\nb", b""]


def test_a_line_without_newline_equals_one_with(tmp_path):
    assert run("dedup", input=b"\x1cp\na\nb\n\x1c\n\x1cq\nb\nc\n\x1cr\nc\n\x1c\n") == b"\x1cp\na\nb\n\x1c\n\x1cq\nc\n\x1cr\n"


def test_concatenated_gzip_members():
    members = bytes.fromhex("1f8b08000000000002034be40200 07a1eadd02000000 1f8b08000000000002034b0200 f9efbe7101000000")
    assert run("dedup", input=members) == b"a\nb"


def test_scope():
    text = b"\x1cp\na\na\n\x1cq\na\nb\n"
    assert run("dedup", input=text) == b"\x1cp\na\n\x1cq\nb\n"
    assert run("dedup", "--scope", "document", input=text) == b"\x1cp\na\n\x1cq\na\nb\n"


# --- options ---


def test_repeated_is_what_goes():
    assert run("dedup", "--repeated", input=CODE) == b"}\nla la\n"
    assert run("dedup", "--repeated", input=b"a\nb\na") == b"a"
    assert run("dedup", "--repeated", "--scope", "document", input=b"\x1cp\na\n\x1cq\na\nb\nb\n") == b"\x1cp\n\x1cq\nb\n"


def test_short_lines_pass_under_a_floor():
    assert run("dedup", "--min-length", "2", input=CODE) == b"if x {\n  y\n}\nif z {\n  w\n}\n\nla la\nverse\n\n"
    assert run("dedup", "--min-length", "2", input="é\né\néé\néé\n".encode()) == "é\né\néé\n".encode()


def test_count():
    text = b"b\na\n\nb\nb\n\na"
    assert run("dedup", "--count", input=text) == b"      3 b\n      2 a\n      1 \n      1 \n"
    assert run("dedup", "--count", input=b"a\nb") == b"      1 a\n      1 b"
    framed = b"\x1cp\na\nb\n\x1cq\na\nc\nc\n"
    assert run("dedup", "--count", input=framed) == b"\x1cp\n      2 a\n      1 b\n\x1cq\n      2 c\n"
    assert run("dedup", "--count", "--scope", "document", input=framed) == (
        b"\x1cp\n      1 a\n      1 b\n\x1cq\n      1 a\n      2 c\n")
    assert run("dedup", "--count", "--min-length", "2", input=b"}\n}\n}}\n}}\n") == b"      1 }\n      1 }\n      2 }}\n"


@given(st.lists(st.sampled_from([b"a", b"b", b"", b"c", b" "]), max_size=20))
@settings(max_examples=20)
def test_counts_add_up_to_all_lines(lines):
    text = b"".join(line + b"\n" for line in lines)
    counted = wire.split(run("dedup", "--count", input=text))
    assert sum(int(line[:7]) for line in counted) == len(lines)
    assert b"".join(line[8:] for line in counted) == run("dedup", input=text)


def test_fold_compares_words():
    text = "Y yo qué sé, tío\n«y yo que se, tio»\nY yo\n***\n---\n***\n".encode()
    assert run("dedup", "--fold", input=text) == "Y yo qué sé, tío\nY yo\n***\n---\n".encode()
    assert run("dedup", input=text) == text.replace(b"---\n***\n", b"---\n")


# --- what earlier runs saw ---


def test_tomorrows_batch_drops_what_todays_had(tmp_path):
    assert run("dedup", "--seen", "seen", input=b"a\nb\n\nb\n", cwd=tmp_path) == b"a\nb\n\n"
    assert run("dedup", "--seen", "seen", "--repeated", input=b"a\nc\nc\n", cwd=tmp_path) == b"a\nc\n"
    assert run("dedup", "--seen", "seen", input=b"a\nc\nd\n\n", cwd=tmp_path) == b"c\nd\n\n"  # --repeated only looks
    assert run("dedup", "--seen", "seen", "--count", input=b"a\nd\ne\ne\n", cwd=tmp_path) == b"      2 e\n"
    assert run("dedup", "--seen", "seen", input=b"a\nb\nc\nd\ne", cwd=tmp_path) == b""
    assert os.listdir(tmp_path) == ["seen"]
    assert (tmp_path / "seen").stat().st_mode & 0o777 == 0o600


def test_what_was_seen_has_a_documented_form(tmp_path):
    run("dedup", "--seen", "seen", input=b"a\nb\nc\n", cwd=tmp_path)
    content = (tmp_path / "seen").read_bytes()
    header, entries = content[:content.index(b"#entries")], content.partition(b"#entries 3\n")[2]
    assert header.startswith(b"#sieve-seen 1\n#hash xxh3-128\n#compare line\n#seed ")
    assert len(entries) == 16 * 4
    assert entries[:16] < entries[16:32] < entries[32:48]
    xxhsum = shutil.which("xxhsum")
    if xxhsum:
        (tmp_path / "body").write_bytes(content[:-16])
        assert content[-16:].hex() in subprocess.run([xxhsum, "-H2", tmp_path / "body"], capture_output=True).stdout.decode()


def test_a_damaged_file_is_refused_and_left(tmp_path):
    run("dedup", "--seen", "seen", input=b"a\nb\nc\n", cwd=tmp_path)
    file = tmp_path / "seen"
    good = file.read_bytes()
    header = good.index(b"#entries")
    cases = [good[:size] for size in range(0, len(good), 7)] + [good + b"x", b"some text\n", b"", b"#" * 2000]
    cases += [good[:i] + bytes([good[i] ^ 1]) + good[i + 1:] for i in range(0, len(good), 5) if not header <= i < header + 8]
    cases += [good.replace(b"#sieve-seen 1", b"#sieve-seen 2"), good.replace(b"#entries 3", b"#entries 99999999999")]
    for bad in cases:
        file.write_bytes(bad)
        assert run("dedup", "--seen", "seen", input=b"a\nx\n", cwd=tmp_path, status=2) == b""
        assert "dedup: seen: " in run.stderr and run.stderr.count("\n") == 1
        assert file.read_bytes() == bad


def test_a_file_of_lines_seen_by_other_means_is_refused(tmp_path):
    run("dedup", "--seen", "seen", "--fold", input=b"a\n", cwd=tmp_path)
    assert run("dedup", "--seen", "seen", input=b"a\nx\n", cwd=tmp_path, status=2) == b""
    assert run.stderr == "dedup: seen: made with compare words and not line\n"
    run("dedup", "--seen", "seen", "--scope", "document", status=2, cwd=tmp_path)


def test_what_was_not_written_was_not_seen(tmp_path):
    shell("seq 10 > numbers; dedup --seen seen numbers > /dev/full", cwd=tmp_path, status=2)
    assert not (tmp_path / "seen").exists()
    shell("seq 1000000 | dedup --seen seen | head -n 1", cwd=tmp_path, status=141)
    assert not (tmp_path / "seen").exists()


def test_a_seen_file_that_cannot_be_written_is_told(tmp_path):
    assert run("dedup", "--seen", "no/such/directory/seen", input=b"a\n", cwd=tmp_path, status=2) == b"a\n"
    assert "No such file or directory" in run.stderr


# --- what it takes ---


def test_memory_for_a_line():
    """At most 130 bytes for each different line: 48 of its hash, the rest of a set that has just doubled."""
    few, many = (peak_memory("dedup", input=b"".join([b"%d\n" % i for i in range(lines)])) for lines in (1000, 400_000))
    assert 10 < (many - few) / 400_000 < 130
