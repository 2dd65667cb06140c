"""The profile `article`: the method of the article that began this, to the integer.

n = 4, no folding, a line counted once a document, n-grams in at least 0.8 of the documents;
a line's score is the share of its n-grams that are in the model. The hash is a multiplicative
one over a character's place in printable ASCII, all other characters being one: it has only
2.9 million values for 4-grams, so unlike n-grams collide.
"""

import re
from collections import Counter

from sieve.memo import LineMemo
from sieve.model import NGRAM
from sieve.wire import SCALE

N = 4
_SEED, _FACTOR, _MODULUS = 5381, 31, 1 << 32
_OTHER = 31  # what a character outside of printable ASCII counts as; the space is 32
_NOT_PRINTABLE = re.compile("[^ -~]")
_ORDINALS = bytes(c if 32 <= c <= 126 else _OTHER for c in range(256))


def fields():
    return {"profile": "article", "n": N, "hash": "multiplicative-31", "fold": "none"}


def hashes(line):
    """Yields the hashes of a line's n-grams in order, given the line (bytes) without its LF."""
    if not line.isascii():
        # one character, one ordinal, whatever its length in UTF-8; an undecodable byte is one
        line = _NOT_PRINTABLE.sub("\x1f", line.decode("utf-8", "surrogateescape")).encode("ascii")
    ordinals = line.translate(_ORDINALS)
    a, b, c, d = (_FACTOR ** power for power in (3, 2, 1, 0))
    start = _SEED * _FACTOR ** N
    return ((start + a * w + b * x + c * y + d * z) % _MODULUS
            for w, x, y, z in zip(ordinals, ordinals[1:], ordinals[2:], ordinals[3:]))


class DocumentFrequency:
    """Counts in how many documents each n-gram occurs; whole lines are not counted."""

    def __init__(self):
        self.documents = 0
        self.ngrams = Counter()

    def add(self, document):
        self.documents += 1
        found = set()
        for line in {line.removesuffix(b"\n") for line in document.lines()}:
            found.update(hashes(line))
        self.ngrams.update(found)

    def entries(self):
        return sorted((value, number, NGRAM) for value, number in self.ngrams.items())


class Scorer:
    """Scores as the article does. `facts[line]` is a line's score as written."""

    contextual = False

    def __init__(self, weights):
        self._weights = weights
        self.facts = LineMemo(self._score)

    def _score(self, line):
        """Four decimals, or 17 digits where four would turn a score beside 0.5 into it."""
        found = [h in self._weights for h in hashes(line.removesuffix(b"\n"))]
        value = sum(found) / len(found) if found else 0.0
        written = b"%.4f" % value
        return b"%.17g" % value if written == b"0.5000" and value != 0.5 else written


def needed(documents, min_df):
    """How many documents an n-gram must be in; the product is a float's, as AWK's is."""
    return documents * (min_df / SCALE)
