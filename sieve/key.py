"""The key by which phrases, and lines for `dedup --fold`, are compared: their words alone."""

import re
import unicodedata

from sieve.words import words

# Category Mn in the scripts whose marks are accents or points: Latin, Greek, Cyrillic (0300-036F,
# 0483-0487, 1AB0-1ACE, 1DC0-1DFF, FE20-FE2F), Hebrew (0591-05C7, FB1E), Arabic (0610-08FF). In all
# others marks are vowels or make another letter of the one before, and stay.
_ACCENTS = re.compile(
    "[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0898-\u089f\u08ca-\u08e1\u08e3-\u08ff\u1ab0-\u1abd"
    "\u1abf-\u1ace\u1dc0-\u1dff\ufb1e\ufe20-\ufe2f]+")


def key(text):
    """The words of `text` (bytes) in lower case and without accents, a space between two: b"" if
    it has none. In scripts without spaces each character is a word."""
    if text.isascii():
        return b" ".join(words(text))
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", text.decode("utf-8", "surrogateescape")))
    found = b" ".join(words(bare.encode("utf-8", "surrogateescape")))
    return unicodedata.normalize("NFC", found.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


_INSIDE = re.compile(rb"(?<=[0-9A-Za-z\x80-\xff])(?:['.-]|\xe2\x80[\x90\x91\x99])(?=[0-9A-Za-z\x80-\xff])")


def count_words(text):
    """The number of words in `text` (bytes) as people count them: `don't` and `half-past` are one."""
    return len(words(_INSIDE.sub(b"", text)))
