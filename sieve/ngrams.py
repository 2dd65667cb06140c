"""What a document is counted by, and what a line is looked up by: hashes of n-grams and lines.

This is the plain reference: everything is remembered per distinct n-gram, in bounded memory.
"""

from collections import Counter

from xxhash import xxh64_intdigest

from sieve.fold import UNICODE, fold, ngrams
from sieve.memo import Memo
from sieve.model import LINE, NGRAM

N = 7  # characters; 4 and 5 find everyday words in every document (benchmarks/README.md)


def fields(n):
    """The header fields that say how this module cuts and hashes lines."""
    return {"profile": "sieve", "n": n, "hash": "xxh64", "fold": f"unicode-{UNICODE}"}


def hash_ngram(gram):
    return xxh64_intdigest(gram, NGRAM)


def hash_line(folded):
    return xxh64_intdigest(folded, LINE)


class DocumentFrequency:
    """Counts in how many documents each n-gram and each whole line occurs.

    `ngrams` and `lines` map hashes to numbers of documents; about 110 bytes a hash.
    """

    def __init__(self, n):
        self.n = n
        self.documents = 0
        self.ngrams, self.lines = Counter(), Counter()
        self._hashes = Memo(hash_ngram)

    def add(self, lines):
        """Counts a document, given its lines (bytes, in any order, repeated or not)."""
        self.documents += 1
        distinct = set(map(fold, set(lines)))
        distinct.discard(b"")
        grams = set()
        for folded in distinct:
            for piece in ngrams(folded, self.n):
                grams.update(piece)
        self.ngrams.update({self._hashes[gram] for gram in grams})
        self.lines.update({hash_line(folded) for folded in distinct})
