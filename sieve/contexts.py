"""Where a line stands in its document: beside which lines, and how far from top and bottom.

A line of a template stands beside the same line, or at the same place, in most documents; a
heading that every page has somewhere in its text does not. A context is a hash of two
numbers, seeded with its kind: of the lines beside each other (PAIR), of a line and its
place (PLACE), and of the first or last n characters of a line and its place (END). Lines
are those that are not blank; the document's edge stands beside the first and the last.
"""

import heapq
import struct
from collections import Counter

from sieve import hashing
from sieve.fold import fold
from sieve.memo import LineMemo
from sieve.model import END, PAIR, PLACE
from sieve.ngrams import hash_line, hash_ngram
from sieve.wire import SCALE, Document

EDGE = 0  # stands for the document's beginning and end among the hashes of lines
NEAR = 8  # lines from top or bottom within which the ends of lines have places
FAR = 32  # lines within which whole lines have: headers and footers are seldom longer
SHARED = 2  # documents that must have a line or context for a model to know it
# The share of the documents (of SCALE) that must have a context for a model to know it: a pair
# that a few have may be of a section's menu, a place tells little unless most have it.
_SHARES = {PAIR: 0, PLACE: 7_000, END: 5_000}
_BUCKETS = (0, 1, 2, 3, *(4,) * 4, *(5,) * 8, *(6,) * 16)  # of distances: the farther the wider
FIRST, LAST = 0, 1
_pack = struct.Struct("<QQ").pack


class Line:
    """A line that is not blank: the hashes of its whole and of its first and last n characters."""

    __slots__ = ("whole", "first", "last")

    def __init__(self, folded, n):
        text = folded if folded.isascii() else folded.decode("utf-8", "surrogateescape")
        self.whole = hash_line(folded)
        self.first, self.last = (
            hash_ngram(end if text is folded else end.encode("utf-8", "surrogateescape"))
            for end in (text[:n], text[-n:]))


def pair(before, after):
    """The context of two lines, by the hashes of their wholes or EDGE."""
    return hashing.digest(_pack(before, after), PAIR)


def places(value, kind, top, bottom, which=0):
    """The contexts of a hash at its distances from top and bottom (lines, or None where
    unknown); none where it is far from both."""
    limit = FAR if kind == PLACE else NEAR
    return [hashing.digest(_pack(value, _BUCKETS[distance] << 2 | side << 1 | which), kind)
            for side, distance in enumerate((top, bottom)) if distance is not None and distance < limit]


def ends(line, top, bottom):
    """The contexts of a line's first, and of its last characters."""
    return places(line.first, END, top, bottom, FIRST), places(line.last, END, top, bottom, LAST)


class ContextFrequency:
    """Counts in how many documents each context occurs; about 110 bytes each."""

    def __init__(self, n):
        self._counts = {PAIR: Counter(), PLACE: Counter(), END: Counter()}
        self._lines = LineMemo(lambda line: _line(line, n))

    def add(self, lines):
        """Counts a document, given its lines in order (bytes, blank ones too)."""
        known = list(filter(None, map(self._lines.__getitem__, lines)))
        wholes = [EDGE, *(line.whole for line in known), EDGE]
        found = {kind: set() for kind in self._counts}
        if known:
            found[PAIR].update(map(pair, wholes, wholes[1:]))
        for top, line in enumerate(known):
            bottom = len(known) - 1 - top
            if min(top, bottom) < FAR:
                found[PLACE].update(places(line.whole, PLACE, top, bottom))
                for contexts in ends(line, top, bottom):
                    found[END].update(contexts)
        for kind, contexts in found.items():
            self._counts[kind].update(contexts)

    def entries(self):
        """What was counted, as `(hash, documents, kind)` in order."""
        return sorted((value, number, kind) for kind, counts in self._counts.items() for value, number in counts.items())


class WithContexts:
    """Counts documents by `counter` (of `sieve.ngrams`) and their contexts as well."""

    def __init__(self, counter, n):
        self._counter, self._contexts = counter, ContextFrequency(n)

    @property
    def documents(self):
        return self._counter.documents

    def add(self, document):
        blocks = list(document)
        self._counter.add(Document(None, blocks))
        self._contexts.add(Document(None, blocks).lines())

    def entries(self):
        """What was counted, as `(hash, documents, kind)` in order."""
        return heapq.merge(self._counter.entries(), self._contexts.entries())


def shared_contexts(entries, documents):
    """Yields `(hash, share of the documents in parts of SCALE)` of the contexts among
    `entries` that a model of so many documents has."""
    for value, number, kind in entries:
        if kind in _SHARES and number >= SHARED and number * SCALE >= _SHARES[kind] * documents:
            yield value, number * SCALE // documents


def _line(line, n):
    folded = fold(line)
    return Line(folded, n) if folded else None
