"""What a document is counted by, and what a line is looked up by: hashes of n-grams and lines.

This is the plain reference: everything is remembered per distinct n-gram, in bounded memory.
"""

from collections import Counter

from sieve import hashing
from sieve.fold import UNICODE, fold, ngrams
from sieve.memo import Memo
from sieve.model import KINDS, LINE, NGRAM

PIECE = 1 << 14  # entries written at a time
N = 7  # characters; 4 and 5 find everyday words in every document (benchmarks/README.md)


def fields(n):
    """The header fields that say how this module cuts and hashes lines."""
    return {"profile": "sieve", "n": n, **hashing.fields(), "fold": f"unicode-{UNICODE}"}


def hash_ngram(gram):
    return hashing.digest(gram, NGRAM)


def hash_line(folded):
    return hashing.digest(folded, LINE)


class DocumentFrequency:
    """Counts in how many documents each n-gram and each whole line occurs.

    `ngrams` and `lines` map hashes to numbers of documents; about 110 bytes a hash.
    """

    def __init__(self, n):
        self.n = n
        self.documents = 0
        self.ngrams, self.lines = Counter(), Counter()
        self._hashes = Memo(hash_ngram)

    def add(self, document):
        self.documents += 1
        distinct = set(map(fold, {line.removesuffix(b"\n") for line in document.lines()}))
        distinct.discard(b"")
        grams = set()
        for folded in distinct:
            for piece in ngrams(folded, self.n):
                grams.update(piece)
        self.ngrams.update({self._hashes[gram] for gram in grams})
        self.lines.update({hash_line(folded) for folded in distinct})

    def entries(self):
        """What was counted, as `(hash, documents, kind)` in order."""
        entries = [(value, number, NGRAM) for value, number in self.ngrams.items()]
        entries += [(value, number, LINE) for value, number in self.lines.items()]
        return sorted(entries)


class CompiledFrequency:
    """Counts n-grams, lines and their contexts by the compiled kernel; at most 64 bytes a hash."""

    def __init__(self, counter):
        self.documents = 0
        self._counter = counter

    def add(self, document):
        self.documents += 1
        for block in document:
            self._counter.add(block)
        self._counter.end()

    def entries(self):
        return CompiledEntries(self._counter)


class CompiledEntries:
    """What it counted, less what fewer documents have: as tuples, or as the text of a file."""

    def __init__(self, counter, ngrams=1, lines=1, contexts=1):
        self._counter, self._least, self._number = counter, (ngrams, lines, contexts), None

    def frequent(self, ngrams, lines, contexts):
        return CompiledEntries(self._counter, ngrams, lines, contexts)

    def sort(self):
        """Puts them in order; tells how many they are."""
        if self._number is None:
            self._number = self._counter.sort(*self._least)
        return self._number

    def blocks(self):
        for start in range(0, self.sort(), PIECE):
            yield self._counter.text(start, PIECE)

    def __iter__(self):
        for block in self.blocks():
            for line in block.split(b"\n")[:-1]:
                value, number, *kind = line.split(b"\t")
                yield int(value), int(number), KINDS[kind[0]] if kind else NGRAM

