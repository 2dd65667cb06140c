"""Learning again from where `regions` found each line of a sample.

What is common in the language, or in every page's content, is in the body as often as in
header and footer; a template is not. So each n-gram and line is weighed by its document
frequency times its purity, t / (t + b): t and b are the documents that have it in header
or footer and in the body. The lines beside which bodies open and close are learned, too.
"""

from collections import Counter

from sieve import hashing
from sieve.contexts import SHARED, ContextFrequency, shared_contexts
from sieve.fold import fold, ngrams
from sieve.memo import Memo
from sieve.model import CLOSE, OPEN
from sieve.ngrams import hash_line, hash_ngram
from sieve.wire import SCALE, FormatError

BODY = b"body"  # the region whose lines are content; every other is template
LIGHT = 500  # an n-gram with less weight is left out: it hardly moves a mean over a line
EDGE_SHARE = 1_000  # of SCALE: documents whose body must open (close) beside a line for it to be an edge


class RegionFrequency:
    """Counts in how many documents each n-gram and each line is template, and is body."""

    def __init__(self, n):
        self.n = n
        self.documents = 0
        self.ngrams, self.lines = _Counts(), _Counts()
        self.opens, self.closes = Counter(), Counter()  # lines just before and just after bodies
        self.contexts = ContextFrequency(n)
        self._hashes = Memo(hash_ngram)

    def add(self, tagged):
        """Counts a document, given its lines as `(region, line)` in order."""
        self.documents += 1
        tagged = list(tagged)
        self.contexts.add(line for _, line in tagged)
        template, body = set(), set()
        before = opens = closes = None
        for region, line in tagged:
            folded = fold(line)
            if not folded:
                continue
            if region == BODY:
                if not body:
                    opens = before
                body.add(folded)
                closes = None
            else:
                if before in body and closes is None:
                    closes = folded
                template.add(folded)
            before = folded
        self.lines.add(*(set(map(hash_line, found)) for found in (template, body)))
        self.ngrams.add(*map(self._hash_ngrams, (template, body)))
        self.opens.update([opens] if opens else [])
        self.closes.update([closes] if closes else [])

    def _hash_ngrams(self, lines):
        return {self._hashes[gram] for line in lines for grams in ngrams(line, self.n) for gram in grams}

    def weights(self):
        """The model: a dict from hashes to weights in parts of SCALE."""
        model = {value: weight for value, weight in self.ngrams.weights(self.documents) if weight >= LIGHT}
        model.update((value, weight) for value, weight in self.lines.weights(self.documents)
                     if self.lines.documents[value] >= SHARED)
        for seed, edges in ((OPEN, self.opens), (CLOSE, self.closes)):
            for line, number in edges.items():
                if number * SCALE >= EDGE_SHARE * self.documents:
                    model[hashing.digest(line, seed)] = number * SCALE // self.lines.documents[hash_line(line)]
        model.update(shared_contexts(self.contexts.entries(), self.documents))
        return model


class _Counts:
    """Documents by hash: those that have it at all, as template, and in the body."""

    def __init__(self):
        self.documents, self.template, self.body = Counter(), Counter(), Counter()

    def add(self, template, body):
        self.documents.update(template | body)
        self.template.update(template)
        self.body.update(body)

    def weights(self, documents):
        """Yields `(hash, weight)`: document frequency times purity, rounded half up."""
        for value, number in self.documents.items():
            template = self.template[value]
            above, below = SCALE * number * template, documents * (template + self.body[value])
            yield value, (2 * above + below) // (2 * below)


def tagged_lines(document):
    """Yields `(region, line)` from the lines of a document that `regions --tag` wrote."""
    for number, line in enumerate(document.lines(), 1):
        columns = line.split(b"\t", 3)
        if len(columns) < 4:
            raise FormatError(number, "not VERDICT, REGION, SCORE and TEXT, as regions --tag writes them")
        yield columns[1], columns[3]
