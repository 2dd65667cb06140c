"""`norm --survey`: the characters in a text, so that one can see what is there before cleaning it."""

import unicodedata
from collections import Counter

from sieve.steps import invisible
from sieve.wire import escape_name

_PLAIN = {chr(code) for code in range(0x20, 0x7F)} | {"\n"}
_CONTROLS = {
    0x00: "NULL", 0x07: "BELL", 0x08: "BACKSPACE", 0x09: "TAB", 0x0B: "VERTICAL TAB", 0x0C: "FORM FEED",
    0x0D: "CARRIAGE RETURN", 0x1B: "ESCAPE", 0x1C: "FILE SEPARATOR", 0x7F: "DELETE", 0x85: "NEXT LINE"}


def survey(documents, out):
    """Writes `U+CODE<TAB>COUNT<TAB>PLACE<TAB>FATE<TAB>NAME` for each code point but printable ASCII and
    LF, in order; PLACE is LINE:COLUMN of the first, after the document's name if it has one."""
    counts, places = Counter(), {}
    for document in documents:
        where = "" if document.name is None else escape_name(document.name).decode("utf-8", "surrogateescape") + ":"
        line = 1
        for block in document:
            text = block.decode("utf-8", "surrogateescape")
            found = Counter(text)
            counts.update(found)
            for character in found.keys() - places.keys() - _PLAIN:
                at = text.index(character)
                places[character] = f"{where}{line + text.count(chr(10), 0, at)}:{at - text.rfind(chr(10), 0, at)}"
            line += found["\n"]
    out.begin(None)
    for character, place in sorted(places.items()):
        row = (_code(character), str(counts[character]), place, _fate(character), _name(character))
        out.text("\t".join(row).encode("utf-8", "surrogateescape") + b"\n")


def _code(character):
    code = ord(character)
    return f"0x{code - 0xDC00:02X}" if 0xDC80 <= code <= 0xDCFF else f"U+{code:04X}"


def _fate(character):
    """What `norm` does to it unless told otherwise."""
    if character == "\r":
        return "line end"
    after = b" " if character == "\t" else invisible(character.encode("utf-8", "surrogateescape"))
    return {b"": "deleted", b" ": "space"}.get(after, "kept")


def _name(character):
    if 0xDC80 <= ord(character) <= 0xDCFF:
        return "a byte that is not UTF-8"
    return _CONTROLS.get(ord(character)) or unicodedata.name(character, "no name")
