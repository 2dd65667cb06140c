"""Opening input: every compression, whole or damaged, from a file, a pipe and a FIFO."""

import bz2
import gzip
import lzma
import os
import random
import struct
import subprocess
import sys
import threading
import zlib

import pytest
from conftest import run

from sieve import inputs

try:
    from compression import zstd
except ImportError:
    from backports import zstd

_random = random.Random(7)
TEXT = b"".join(b"%d %s\n" % (i, _random.randbytes(9).hex().encode()) for i in range(9000)) + b"no newline"

ISAL_LAG = 2  # it looks three letters up at once; where data is cut, one or two may have been there already

COMPRESS = {"gzip": lambda text: gzip.compress(text, mtime=0), "bzip2": bz2.compress, "xz": lzma.compress, "zstd": zstd.compress}
KINDS = [*COMPRESS, "gzip by zlib"]


@pytest.fixture(params=KINDS)
def kind(request, monkeypatch):
    """A kind of compression; gzip twice, the second time as where isal is not installed."""
    if request.param == "gzip by zlib":
        monkeypatch.setitem(sys.modules, "isal", None)
        return "gzip"
    return request.param


@pytest.fixture
def read(tmp_path):
    """Reads `data` as a file: (text, what went wrong or None)."""

    def read(data):
        path = tmp_path / "data"
        path.write_bytes(data)
        return drain(inputs.open_blocks(os.fsencode(path)))

    return read


def drain(blocks):
    text = []
    try:
        for block in blocks:
            assert block
            assert not text or text[-1].endswith(b"\n")  # blocks are of whole lines
            text.append(block)
    except inputs.InputError as error:
        return b"".join(text), str(error)
    return b"".join(text), None


# --- whole ---


@pytest.mark.parametrize("text", [b"", b"a", b"a\nb", b"\n", TEXT], ids=len)
def test_compressed_text_is_read(kind, read, text):
    assert read(COMPRESS[kind](text)) == (text, None)


@pytest.mark.parametrize("text", [b"", b"\x1f", b"B", b"BZ", b"BZh", b"BZhang, 9th\n", b"BZh91AY", b"\xfd7zXZ", b"(\xb5/", b"\x1f\x8a\n", TEXT])
def test_what_only_begins_like_compressed_data_is_text(read, text):
    assert read(text) == (text, None)


def test_members_follow_each_other_and_a_line_may_span_them(kind, read):
    pack = COMPRESS[kind]
    assert read(pack(b"a\n") + pack(b"") + pack(b"b") + pack(b"c") + pack(b"")) == (b"a\nbc", None)


def test_the_end_of_a_gzip_member_ends_no_line(read):
    data = (b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03K\xe4\x02\x00\x07\xa1\xea\xdd\x02\x00\x00\x00"
            b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03K\x02\x00\xf9\xef\xbeq\x01\x00\x00\x00")
    assert read(data) == (b"a\nb", None)


@pytest.mark.parametrize("padding", [1, 512, inputs.BLOCK + 3])
def test_nuls_after_a_member_are_padding(kind, read, padding):
    pack = COMPRESS[kind]
    assert read(pack(b"a\n") + bytes(padding)) == (b"a\n", None)
    assert read(pack(b"a\n") + bytes(padding) + pack(b"b\n")) == (b"a\nb\n", None)


def test_zstd_frames_that_are_to_be_skipped_are(read):
    skipped = struct.pack("<II", 0x184D2A5E, 5) + b"index"
    assert read(skipped + zstd.compress(b"a\n") + skipped + zstd.compress(b"b") + skipped) == (b"a\nb", None)


@pytest.mark.parametrize("flags", range(32))
def test_a_gzip_header_may_have_a_name_a_comment_extra_data_and_a_sum(monkeypatch, read, flags):
    header = b"\x1f\x8b\x08" + bytes([flags]) + b"\x00\x00\x00\x00\x02\x03"
    if flags & 4:
        header += b"\x05\x00ab\x00cd"
    if flags & 8:
        header += b"name.txt\x00"
    if flags & 16:
        header += b"\x00"  # a comment of no letters
    if flags & 2:
        header += (zlib.crc32(header) & 0xFFFF).to_bytes(2, "little")
    plain = gzip.compress(b"a\n", mtime=0)
    for cut in (0, 1):  # in one piece and with the header in two reads
        if cut:
            monkeypatch.setattr(inputs, "BLOCK", 11)
        assert read(header + plain[10:]) == (b"a\n", None)


def test_text_larger_than_a_piece_comes_in_pieces(kind, read):
    zeros = bytes(10 * inputs.PIECE)  # what compresses a thousand times must not come out at once
    assert read(COMPRESS[kind](zeros)) == (zeros, None)
    make, _ = inputs._decompressor(kind)
    assert len(make().decompress(COMPRESS[kind](zeros), inputs.PIECE)) <= inputs.PIECE


# --- damaged: all that can be read comes first ---


def test_data_cut_anywhere_gives_all_that_can_be_read_and_then_an_error(kind, read):
    data = COMPRESS[kind](TEXT)
    for cut in [*range(len(data) - 1024, len(data), 100), *range(len(data) - 12, len(data))]:
        text, error = read(data[:cut])
        assert error == f"{kind} data ends too early"
        expected = decompressed(kind, data[:cut])
        assert expected.startswith(text)
        assert len(expected) - len(text) <= (ISAL_LAG if kind == "gzip" and sys.modules.get("isal") else 0)


def decompressed(kind, data):
    """What the standard library, or its backport, makes of the data that there is."""
    if kind == "gzip":
        return zlib.decompressobj(31).decompress(data)
    tool = {"bzip2": bz2.BZ2Decompressor, "xz": lzma.LZMADecompressor, "zstd": zstd.ZstdDecompressor}[kind]()
    text = [tool.decompress(data)]
    while text[-1] and not tool.eof:
        text.append(tool.decompress(b""))
    return b"".join(text)


def test_gzip_cut_anywhere_gives_what_gzip_gives(read):
    data = gzip.compress(TEXT, mtime=0)
    for cut in (10, 11, 5000, len(data) - 9, len(data) - 8, len(data) - 1):
        theirs = subprocess.run(["gzip", "-dc"], input=data[:cut], capture_output=True)
        text, error = read(data[:cut])
        assert theirs.returncode == 1 and error == "gzip data ends too early"
        assert TEXT.startswith(text) and len(text) >= len(theirs.stdout) - ISAL_LAG


@pytest.mark.parametrize("at", [-8, -1])
def test_all_the_text_comes_before_a_wrong_sum_or_length_is_told(monkeypatch, read, at):
    data = bytearray(gzip.compress(TEXT, mtime=0))
    data[at] ^= 1
    assert read(data) == (TEXT, "damaged gzip data")
    monkeypatch.setitem(sys.modules, "isal", None)
    assert read(data) == (TEXT, "damaged gzip data")


def test_damage_in_the_middle_costs_no_more_than_a_piece_before_it(kind, read):
    data = bytearray(COMPRESS[kind](TEXT))
    middle = len(data) * 3 // 4
    data[middle:middle + 40] = bytes(40)
    text, error = read(data)
    assert error == f"damaged {kind} data"
    if kind in ("gzip", "xz"):  # the others work by blocks, which are longer than this text
        assert len(text) >= len(TEXT) // 2 - inputs.PIECE


@pytest.mark.parametrize("junk", [b"junk", b"\n", b"\0\0junk", b"\x1f", b"BZh", b"\0" * 300000 + b"x"])
def test_what_follows_a_member_and_is_none_is_an_error(kind, read, junk):
    assert read(COMPRESS[kind](b"a\n") + junk) == (b"a\n", f"what follows the {kind} data is not {kind}")


def test_a_member_of_another_kind_is_an_error(read):
    assert read(gzip.compress(b"a\n") + bz2.compress(b"b\n")) == (b"a\n", "what follows the gzip data is not gzip")


@pytest.mark.parametrize("header", [b"\x1f\x8b\x07\0", b"\x1f\x8b\x08\x20", b"\x1f\x8b\x08\xff"])
def test_a_gzip_header_that_nobody_knows_is_an_error(read, header):
    assert read(header + gzip.compress(b"a\n")[4:]) == (b"", "damaged gzip data")


def test_a_gzip_header_without_an_end_does_not_fill_memory(read):
    assert read(b"\x1f\x8b\x08\x08" + b"n" * (3 << 20)) == (b"", "damaged gzip data")


# --- lines, reads and descriptors ---


def test_input_that_comes_a_byte_at_a_time_is_read(monkeypatch, kind, read):
    monkeypatch.setattr(inputs, "BLOCK", 1)
    text = b"".join(b"%d\n" % i for i in range(100)) + b"end"
    pack = COMPRESS[kind]
    assert read(text) == (text, None)
    assert read(pack(text) + b"\0\0" + pack(text)) == (text * 2, None)
    assert read(pack(text) + pack(text)[:3])[0] == text


@pytest.mark.parametrize("data", [TEXT, gzip.compress(TEXT)], ids=["plain", "gzip"])
def test_a_line_over_the_limit_is_an_error_after_the_lines_before_it(monkeypatch, read, data):
    monkeypatch.setattr(inputs, "LINE_LIMIT", 1000)
    assert read(b"a\n" + b"b" * 1000 + b"\nc") == (b"a\n" + b"b" * 1000 + b"\nc", None)
    monkeypatch.setattr(inputs, "BLOCK", 100)
    text, error = read(b"a\n" + b"b" * 1101 + b"\nc\n")
    assert text == b"a\n" and error == "a line of more than 1000 bytes"
    assert read(data)[1] is None


@pytest.mark.parametrize("compress", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_a_line_of_50_mb_is_ordinary(tmp_path, compress):
    line = b"0123456789abcdef" * 3_200_000
    path = tmp_path / "line"
    path.write_bytes(compress(b"first\n" + line + b"\nlast"))
    assert run("doc-cat", path) == b"\x1c%s\nfirst\n%s\nlast\n\x1c\n" % (os.fsencode(path), line)


def test_files_are_closed_after_reading_and_after_giving_up(tmp_path):
    for name, data in (("a", TEXT), ("b", gzip.compress(TEXT)), ("c", gzip.compress(TEXT)[:-9])):
        (tmp_path / name).write_bytes(data)
    before = len(os.listdir("/proc/self/fd"))
    for name in "abc":
        drain(inputs.open_blocks(os.fsencode(tmp_path / name)))
        next(iter(inputs.open_blocks(os.fsencode(tmp_path / name))))
    with pytest.raises(IsADirectoryError):
        inputs.open_blocks(os.fsencode(tmp_path))
    assert len(os.listdir("/proc/self/fd")) == before


def test_only_a_read_that_may_wait_is_announced(tmp_path):
    announced = []
    (tmp_path / "file").write_bytes(TEXT)
    drain(inputs.open_blocks(os.fsencode(tmp_path / "file"), lambda: announced.append(1)))
    assert not announced
    os.mkfifo(tmp_path / "fifo")
    writer = threading.Thread(target=(tmp_path / "fifo").write_bytes, args=(TEXT,))
    writer.start()
    assert drain(inputs.open_blocks(os.fsencode(tmp_path / "fifo"), lambda: announced.append(1))) == (TEXT, None)
    writer.join()
    assert len(announced) >= 2


# --- as the tools do it ---


def test_standard_input_a_file_and_a_fifo_are_read_alike_whatever_they_are_called(tmp_path):
    for kind, compress in COMPRESS.items():
        data = compress(TEXT)
        assert run("doc-cat", input=data) == run("doc-cat", "-", input=data) == b"\x1c-\n" + TEXT + b"\n\x1c\n"
        path = tmp_path / "plain.txt"
        path.write_bytes(data)
        assert run("doc-cat", "plain.txt", cwd=tmp_path) == b"\x1cplain.txt\n" + TEXT + b"\n\x1c\n", kind
    os.mkfifo(tmp_path / "fifo")
    writer = threading.Thread(target=(tmp_path / "fifo").write_bytes, args=(data,))
    writer.start()
    assert run("doc-cat", "fifo", cwd=tmp_path) == b"\x1cfifo\n" + TEXT + b"\n\x1c\n"
    writer.join()


def test_damage_is_told_in_a_line_with_the_name_after_the_text(tmp_path):
    data = gzip.compress(b"a\n" * 99999, mtime=0)
    (tmp_path / "cut.gz").write_bytes(data[:-4])
    (tmp_path / "good").write_bytes(b"good\n")
    assert run("doc-cat", "cut.gz", "good", cwd=tmp_path, status=2) == b"\x1ccut.gz\n" + b"a\n" * 99999 + b"\x1cgood\ngood\n"
    assert run.stderr == "doc-cat: cut.gz: gzip data ends too early\n"
    assert run("doc-cat", input=data + b"junk", status=2) == b"\x1c-\n" + b"a\n" * 99999
    assert run.stderr == "doc-cat: <stdin>: what follows the gzip data is not gzip\n"


def test_zstd_without_its_package_is_an_error_that_says_what_is_missing(monkeypatch, read):
    for name in ("compression", "compression.zstd", "backports", "backports.zstd"):
        monkeypatch.setitem(sys.modules, name, None)
    assert read(zstd.compress(b"a\n")) == (b"", "zstd data, for which the package backports.zstd is missing")


def test_a_long_file_is_read_ahead_to_its_end_and_to_its_damage(tmp_path):
    text = random.Random(5).randbytes(3_000_000).replace(b"\0", b"\n")
    path = tmp_path / "long"
    path.write_bytes(gzip.compress(text, 1))
    assert b"".join(inputs.open_blocks(os.fsencode(path))) == text
    path.write_bytes(gzip.compress(text, 1)[:2_000_000])
    read = []
    with pytest.raises(inputs.InputError, match="ends too early"):
        for block in inputs.open_blocks(os.fsencode(path)):
            read.append(block)
    assert len(b"".join(read)) > 1_900_000 and text.startswith(b"".join(read))


@pytest.mark.parametrize("blocks", [1, 5, 9])
def test_who_gives_a_long_file_up_leaves_no_thread(tmp_path, blocks):
    path = tmp_path / "long"
    path.write_bytes(gzip.compress(random.Random(5).randbytes(5_000_000), 1))
    reading = inputs.open_blocks(os.fsencode(path))
    for _ in range(blocks):
        next(reading)
    reading.close()
    for thread in threading.enumerate():
        if thread is not threading.current_thread():
            thread.join(5)
    assert threading.active_count() == 1
