"""Opening what a user names: plain or compressed, in blocks of whole lines.

Compression is told by the first bytes, never by the name, so that it works on stdin too.
One loop serves all formats by one set of rules: members may follow each other and be
padded with NULs; anything else after a member, or an end inside one, is an error that
comes after everything that could be read.
"""

import itertools
import os
import stat

BLOCK = 1 << 18  # bytes a read; 64 KiB to 1 MiB measure alike, and memory stays small
PIECE = 1 << 16  # bytes out of a decompressor at once; what one damaged piece can cost
FEW = 4  # blocks, before a thread pays and then made ahead
LINE_LIMIT = 1 << 30  # bytes in a line; more is an error and not a slow death by memory

HEADER_LIMIT = 1 << 20  # bytes in a gzip header; its name and comment have no limit of their own

_MAGIC = {
    "gzip": (b"\x1f\x8b",),
    # with a block's or the end's own mark, since a text may well begin with "BZh"
    "bzip2": tuple(b"BZh%d" % level + mark for level in range(1, 10) for mark in (b"1AY&SY", b"\x17rE8P\x90")),
    "xz": (b"\xfd7zXZ\x00",),
    # a frame, or one of the sixteen kinds that decompressors skip
    "zstd": (b"\x28\xb5\x2f\xfd", *(b"%c\x2a\x4d\x18" % kind for kind in range(0x50, 0x60))),
}
_MAGIC_LENGTH = max(len(magic) for magics in _MAGIC.values() for magic in magics)


class InputError(Exception):
    """Input that cannot be read further; the message is one line without its content."""


def open_blocks(path, before_read=None):
    """The decompressed content of the file at `path` (bytes; ``b"-"`` is stdin), as an
    iterator of blocks of whole lines.

    The first bytes are read at once, so a file that cannot be read raises OSError here.
    Later faults raise OSError or InputError from the iterator, after all that could be
    read. `before_read` is called before each read that may have to wait.
    """
    fd = 0 if path == b"-" else os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    file = stat.S_ISREG(os.fstat(fd).st_mode)
    raw = _read(fd, before_read)
    head = b""
    for chunk in raw:
        head += chunk
        if len(head) >= _MAGIC_LENGTH or not any(_may_become(head, magic) for magic in _MAGIC.values()):
            break
    kind = kind_of(head)
    if not kind:
        return _whole_lines(_chain(head, raw))
    blocks = _whole_lines(_decompress(kind, head, raw))
    return ahead(blocks) if file else blocks  # before any other read what was written must be flushed


def is_file(path):
    """Whether there is a regular file at `path` (bytes; ``b"-"`` is stdin): none that someone writes to as
    it is read."""
    return os.path.isfile(0 if path == b"-" else path)


def ahead(blocks):
    """`blocks`, which from the first few on are made by a thread of their own while those before
    are worked on: that pays for decompressors and the compiled kernel, which let others run."""
    yield from itertools.islice(blocks, FEW)
    block = next(blocks, None)
    if block is None:
        return
    yield block
    import queue
    import threading

    made, wanted = queue.Queue(2), [True]

    def make():
        some, error = [], None
        try:
            for block in blocks:
                some.append(block)
                if len(some) == FEW:
                    made.put((some, False, None))
                    some = []
                if not wanted:
                    return
        except BaseException as fault:
            error = fault
        made.put((some, True, error))

    threading.Thread(target=make, daemon=True).start()
    ended = False
    try:
        while not ended:
            some, ended, error = made.get()
            yield from some
    finally:
        wanted.clear()
        while not made.empty():  # where the thread may wait for room
            made.get()
    if error:
        raise error


def kind_of(head):
    """The compression that a file beginning with `head` has, or None."""
    return next((kind for kind, magics in _MAGIC.items() if head.startswith(magics)), None)


def _may_become(head, magics):
    """Whether more bytes after `head` could make it begin with one of `magics`."""
    return any(len(head) < len(magic) and magic.startswith(head) for magic in magics)


def _read(fd, before_read):
    try:
        waits = before_read and not stat.S_ISREG(os.fstat(fd).st_mode)
        while True:
            if waits:
                before_read()
            chunk = os.read(fd, BLOCK)
            if not chunk:
                return
            yield chunk
    finally:
        if fd:
            os.close(fd)


def _chain(head, raw):
    if head:
        yield head
    yield from raw


def _whole_lines(chunks):
    """`chunks` joined and cut anew so that each block ends where a line ends."""
    held, size = [], 0
    try:
        for chunk in chunks:
            end = chunk.rfind(b"\n") + 1
            if end:
                held.append(chunk[:end])
                yield b"".join(held)
                held, size = [], 0
                chunk = chunk[end:]
            if chunk:
                held.append(chunk)
                size += len(chunk)
                if size > LINE_LIMIT:
                    held = []
                    raise InputError(f"a line of more than {LINE_LIMIT} bytes")
    except (OSError, InputError):
        if held:
            yield b"".join(held)
        raise
    if held:
        yield b"".join(held)


# --- compression ---


def _decompress(kind, data, raw):
    """The members of compressed `data`, and of what follows it in `raw`, one after another."""
    magic = _MAGIC[kind]
    make, error = _decompressor(kind)
    while data:
        if not data.startswith(magic):
            raise InputError(f"what follows the {kind} data is not {kind}")
        member = make()
        while not member.eof:
            try:
                text = member.decompress(data, PIECE)
            except error as fault:
                raise InputError(f"damaged {kind} data") from fault
            data = b""
            if text:
                yield text
            elif not member.eof:
                data = next(raw, b"")
                if not data:
                    raise InputError(f"{kind} data ends too early")
        data = member.unused_data.lstrip(b"\0")
        while _may_become(data, magic):
            more = next(raw, b"")
            if not more:
                break
            data = (data + more).lstrip(b"\0")


def _decompressor(kind):
    """What makes a decompressor (with `decompress(data, max_length)`, `eof` and
    `unused_data`, as the standard library's bz2 has them), and the error it raises."""
    if kind == "gzip":
        return _Gzip, _GzipError
    if kind == "bzip2":
        import bz2

        return bz2.BZ2Decompressor, OSError
    if kind == "xz":
        import lzma

        return lzma.LZMADecompressor, lzma.LZMAError
    try:
        from compression import zstd
    except ImportError:
        try:
            from backports import zstd
        except ImportError:
            raise InputError("zstd data, for which the package backports.zstd is missing") from None
    return zstd.ZstdDecompressor, zstd.ZstdError


class _GzipError(Exception):
    pass


class _Gzip:
    """A gzip member (RFC 1952) around a raw inflater, isal's where it is installed.

    The inflaters that read headers themselves check the sum in the call that yields the
    last of the text, and withhold that text if the sum is wrong; here it comes first.
    """

    def __init__(self):
        self._inflate, self._crc32, self._error = _inflater()
        self._header, self._trailer = b"", b""
        self._in_header, self._sum, self._size = True, 0, 0
        self.eof, self.unused_data = False, b""

    def decompress(self, data, max_length):
        if self._in_header:
            self._header += data
            end = _header_end(self._header)
            if end is None:
                if len(self._header) > HEADER_LIMIT:
                    raise _GzipError("endless header")
                return b""
            data, self._in_header = self._header[end:], False
        if not self._inflate.eof:
            try:
                text = self._inflate.decompress(data, max_length)
            except self._error as fault:
                raise _GzipError from fault
            self._sum = self._crc32(text, self._sum)
            self._size += len(text)
            if text or not self._inflate.eof:
                self._trailer = self._inflate.unused_data
                return text
            data = self._inflate.unused_data
        self._trailer += data
        if len(self._trailer) >= 8:
            written = self._sum.to_bytes(4, "little") + (self._size & 0xFFFFFFFF).to_bytes(4, "little")
            if self._trailer[:8] != written:
                raise _GzipError("wrong sum")
            self.eof, self.unused_data = True, self._trailer[8:]
        return b""


def _header_end(data):
    """Where the header at the start of `data` ends, or None if it goes on."""
    end = 10
    if len(data) < end:
        return None
    if data[2] != 8 or data[3] & 0xE0:
        raise _GzipError("unknown method or flags")
    if data[3] & 4:
        end += 2 + int.from_bytes(data[end:end + 2], "little")
    for flag in (8, 16):  # a name and a comment, each ended by NUL
        if data[3] & flag:
            end = data.find(b"\0", end) + 1
            if not end:
                return None
    if data[3] & 2:
        end += 2
    return end if len(data) >= end else None


def _inflater():
    try:
        from isal import igzip_lib, isal_zlib
    except ImportError:
        import zlib

        return _ZlibInflater(), zlib.crc32, zlib.error
    return igzip_lib.IgzipDecompressor(igzip_lib.DECOMP_DEFLATE), isal_zlib.crc32, igzip_lib.error


class _ZlibInflater:
    """zlib's raw inflater in the shape of bz2's."""

    def __init__(self):
        import zlib

        self._stream = zlib.decompressobj(wbits=-15)

    def decompress(self, data, max_length):
        return self._stream.decompress(self._stream.unconsumed_tail + data, max_length)

    @property
    def eof(self):
        return self._stream.eof

    @property
    def unused_data(self):
        return self._stream.unused_data
