r"""The line format in which the tools meet.

Lines of bytes ended by LF. A stream is framed if its first line is ``\x1cNAME``; then

    \x1cNAME        a document begins
    \x1c            the line before had no newline at its end
    \x1c\x1cREST    a text line that itself begins with \x1c
    anything else   text, or in a scored stream SCORE<TAB>TEXT

In any other stream no byte is special and all of it is one document. This module is the
one place that knows it, and all that `statemachine` shares with the character side.

A *block* is a bytes object of whole lines. Only the last block of a document may end
without LF: that is how a missing newline is told everywhere but in a framed stream.
"""

import re

MARK = b"\x1c"  # ASCII's file separator, rare in text and one byte long
SCALE = 10_000  # scores are integers of this many parts, written with four decimals


class FormatError(Exception):
    """Input that breaks its format; `line` is a line number counted from 1, or None."""

    def __init__(self, line, what):
        super().__init__(what if line is None else f"line {line}: {what}")


# --- names ---

# What would end the line, split a column or look like a mark; the backslash comes first,
# so that nothing is escaped twice.
_ESCAPES = ((b"\\", b"\\\\"), (b"\n", b"\\n"), (b"\t", b"\\t"), (MARK, b"\\x1c"))


def escape_name(name):
    """`name` (bytes, not empty) as it is written after the mark."""
    if not name:
        raise ValueError("a document's name is never empty")
    for raw, written in _ESCAPES:
        name = name.replace(raw, written)
    return name


def unescape_name(written):
    """The name that `escape_name` wrote; a backslash before anything else stays."""
    pieces = written.split(b"\\\\")
    for raw, escaped in _ESCAPES[1:]:
        pieces = [piece.replace(escaped, raw) for piece in pieces]
    return b"\\".join(pieces)


# --- reading ---


class Document:
    """A document: `name` is bytes, or None where the stream gives none. Iterating yields
    its text in blocks, once, and must be done before the next document is asked for.
    `live` tells that it is standard input as it comes, which wants prompt answers, and `ready`
    that it is in a file, where a read never waits for who writes."""

    def __init__(self, name, blocks, live=False, ready=False):
        self.name = name
        self.live, self.ready = live, ready
        self._blocks = iter(blocks)

    def __iter__(self):
        return self._blocks

    def lines(self):
        """The text line by line, each with its LF if it has one."""
        for block in self._blocks:
            yield from split(block)


def split(block):
    """The lines of `block` as a list, each with its LF if it has one."""
    *lines, last = block.split(b"\n")  # not splitlines: it takes CR for a line's end
    lines = [line + b"\n" for line in lines]
    return [*lines, last] if last else lines


def documents(blocks, name=None, live=False, ready=False):
    """The documents of one stream, given its blocks: those that its frames name, or all
    of it as one document called `name`; live or ready if the stream is."""
    blocks = iter(blocks)
    first = next(blocks, b"")
    if first[:1] == MARK and first[1:2] not in (b"", b"\n", MARK):
        yield from _framed(_prepend(first, blocks), ready)
    else:
        yield Document(name, _prepend(first, blocks) if first else (), live, ready)


def _prepend(first, rest):
    yield first
    yield from rest


class _Name(bytes):
    """Where a document begins, among the blocks of `_events`."""


def _framed(blocks, ready):
    """The documents of a framed stream. What a caller leaves unread is skipped."""
    events = _events(blocks)
    name = next(events)

    def block():
        nonlocal name
        event = next(events, None)
        if event is not None and not isinstance(event, _Name):
            return event
        name = event
        return None

    while name is not None:
        # not a generator, which a caller that gives up would close, and the rest be lost
        document = Document(unescape_name(name), iter(block, None), ready=ready)
        yield document
        for _ in document:
            pass


def _events(blocks):
    """A framed stream as `_Name`s and blocks of unescaped text.

    The last line waits until what follows is known, since that may be the note that it
    had no LF. A note that is followed by more text of its document means nothing.
    """
    held, cut = [], False
    for block in blocks:
        first, *pieces = (b"\n" + block).split(b"\n" + MARK)
        # each piece but the last lost the LF that `split` took; the first has one too many
        pieces = [piece + b"\n" for piece in (first, *pieces[:-1])] + pieces[-1:] if pieces else [first]
        pieces[0] = pieces[0][1:]
        for i, piece in enumerate(pieces):
            if i and piece[:1] in (b"", b"\n"):
                cut, piece = True, piece[1:]
            elif i and piece[:1] != MARK:
                yield from _finish(held, cut)
                name, _, piece = piece.partition(b"\n")
                yield _Name(name)
                held, cut = [], False
            if piece:
                held.append(piece)
                cut = False
        text = b"".join(held)
        end = text.rfind(b"\n", 0, -1) + 1
        if end:
            yield text[:end]
        held = [text[end:]] if text else []
    yield from _finish(held, cut)


def _finish(held, cut):
    text = b"".join(held)
    if cut:
        text = text.removesuffix(b"\n")
    if text:
        yield text


# --- writing ---


class Writer:
    """Writes documents as one stream through `write(block)`.

    A document with a name is framed; one without is written as it is, and a newline that
    it lacks is supplied if another document follows.
    """

    def __init__(self, write):
        self._write = write
        self._framed = False
        self._complete = True  # what was written ends with LF, or is nothing

    def begin(self, name):
        """Begins a document called `name` (bytes, or None for no frame)."""
        if not self._complete:
            self._write(b"\n")
            self._complete = True
        self._framed = name is not None
        if self._framed:
            self._write(MARK + escape_name(name) + b"\n")

    def text(self, block):
        """Writes a block of the document: whole lines, of which only the document's
        last may lack its LF."""
        if not block:
            return
        if self._framed:
            if MARK in block:
                block = (b"\n" + block).replace(b"\n" + MARK, b"\n" + MARK + MARK)[1:]
            if block[-1] != 10:
                block += b"\n" + MARK + b"\n"
        else:
            self._complete = block[-1] == 10
        self._write(block)


# --- scored lines ---

_SCORE = re.compile(rb"(?:0|1|0?\.[0-9]+|0\.[0-9]*|1\.0*)(?=[A-Za-z]*\Z)")


def parse_score(written):
    """`(score, parts, marks)` of a written score: a float from 0 to 1, the same rounded
    down to whole parts of SCALE, and the letters that follow it (bytes). For `-`, no
    evidence, score and parts are None. Raises ValueError for anything else."""
    if written == b"-":
        return None, None, b""
    match = _SCORE.match(written)
    if not match:
        raise ValueError("not a score")
    digits, marks = match.group(), written[match.end():]
    whole, _, decimals = digits.partition(b".")
    return float(digits), int(whole or 0) * SCALE + int(decimals[:4].ljust(4, b"0")), marks


def format_score(parts, marks=b""):
    """The score of `parts` of SCALE, with its marks, as it is written."""
    return b"%d.%04d%s" % (parts // SCALE, parts % SCALE, marks)
