"""JSON lines as documents: an object a line, whose text is in one of its fields.

Bytes that are not UTF-8 are, in a string, the lone surrogates U+DC80 to U+DCFF that Python
makes of them, and come back as the same bytes; any other lone surrogate is an error.
"""

import json
import re
from json.decoder import scanstring

from sieve import wire
from sieve.cli import show


class _Number(str):
    """A number as it was written, however many digits it has."""


_space = re.compile(r"[ \t\r\n]*").match
_scan = json.JSONDecoder(parse_int=_Number, parse_float=_Number).scan_once


def records(console, path, blocks, field, name_field=None):
    """The lines of the file `path`, whose content is `blocks`, as `Record`s. A line that
    is none is warned of with its number; blank ones are passed over."""
    number = 0
    for block in blocks:
        for line in wire.split(block):
            number += 1
            if not line.strip():
                continue
            try:
                record = Record(line, field, name_field, b"%s:%d" % (path, number))
            except ValueError as fault:
                console.warn(show(path), f"line {number}", str(fault))
            else:
                yield record


class Record:
    """A line and the document in it: its `name`, which is the field `name_field` if one is
    named, and its `text`. Raises ValueError if the line has not what is asked for."""

    def __init__(self, line, field, name_field, name):
        self._line = line.decode("utf-8", "surrogateescape")
        members = _members(self._line)
        self.text = _string(members, field, str)
        self._start, self._end = members[field][1:]
        self.name = name if name_field is None else _string(members, name_field, str, _Number)
        if not self.name:
            raise ValueError(f"the field {name_field!r} is empty, and so no name")

    def with_text(self, text):
        """The line with `text` (bytes) in its field, and all else to the byte."""
        if text == self.text:
            return self._line.encode("utf-8", "surrogateescape")
        before, after = self._line[:self._start], self._line[self._end:]
        return before.encode("utf-8", "surrogateescape") + quote(text, self._line.isascii()) \
            + after.encode("utf-8", "surrogateescape")


def quote(text, ascii=False):
    """`text` (bytes) as a JSON string (bytes), of ASCII alone if that is asked for."""
    written = json.dumps(text.decode("utf-8", "surrogateescape"), ensure_ascii=ascii)
    return written.encode("utf-8", "backslashreplace")  # a lone surrogate as \udcXX


def _string(members, field, *kinds):
    if field not in members:
        raise ValueError(f"no field {field!r}")
    value = members[field][0]
    if type(value) not in kinds:
        raise ValueError(f"the field {field!r} is not a string")
    try:
        return value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise ValueError(f"the field {field!r} has half of a surrogate pair") from None


def _members(text):
    """The fields of the JSON object `text`: `{key: (value, start, end)}`, the value's place
    with it. Of several with one key the last counts, as everywhere."""
    at = _space(text, text.startswith("\ufeff")).end()
    if text[at:at + 1] != "{":
        raise ValueError("not a JSON object")
    members = {}
    try:
        at = _space(text, at + 1).end()
        while text[at] != "}" or members:  # an empty object ends here, any other below
            at = _after('"', text, at)
            key, at = scanstring(text, at)
            start = _space(text, _after(":", text, _space(text, at).end())).end()
            value, end = _scan(text, start)
            members[key] = value, start, end
            at = _space(text, end).end()
            if text[at] == "}":
                break
            at = _space(text, _after(",", text, at)).end()
        if _space(text, at + 1).end() != len(text):
            raise ValueError
    except (ValueError, IndexError, StopIteration):
        raise ValueError("not JSON") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    return members


def _after(expected, text, at):
    if text[at] != expected:
        raise ValueError
    return at + 1
