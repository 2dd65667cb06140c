"""The figures by which a model is judged, which need neither labels nor reading.

Coverage is the share of a document's lines with evidence whose score reaches the threshold.
It differs widely from site to site, but on a site that a model fits most documents have the
same lines of it: *bare* ones, that have few of these or none at all, tell of another site, a
template that has changed, or none. Stability is the Jaccard index of the first-round models of two halves of the
sample; for a model from elsewhere, the share of what it takes for template that half of
these documents have. Spread is the standard deviation of the mean coverage of sections.
"""

import heapq
import itertools
import os
from collections import Counter

from sieve import hashing, model
from sieve.cli import Failure, reason, show
from sieve.inputs import InputError, open_blocks
from sieve.wire import SCALE, FormatError, parse_score

THRESHOLD = SCALE // 2  # of a score: more template than not
SECTION = 3  # documents; the mean of fewer is chance
MIN_DF = SCALE * 4 // 5  # as `ngram-model cut` has it by default
PART_DF = SCALE // 5  # of the documents: a part of them that may have a template of its own
CORE_DF = SCALE * 2 // 5  # of the documents: what so many have of the template, each one should; half of a site is more
CORE = 0.25  # of that: a document with less is bare
COMMON = 8  # lines of the template in most documents are enough for one; half a site changed leaves 4, several manuals 17
BINS = 10  # of the histogram


def section(name, regex):
    """The section of the document `name`: its directory, or what `regex` finds."""
    if regex is None:
        return os.path.dirname(name)
    found = regex.search(name)
    return (found.group(1 if regex.groups else 0) or b"") if found else b""


class Figures:
    """The figures of `documents` documents. `shares` are their coverages, by section; `model`
    tells whether stability is that of a model from elsewhere."""

    def __init__(self, documents, model=False):
        self.documents, self.model = documents, model
        self.shares = {}
        self._lines, self._covered = {}, []  # numbers of lines; those that the model covers, a set for each document
        self.stability = self.common = self.parts = 0.0

    def add(self, name, lines):
        """Adds a document of the section `name`, given its lines as `(written score, text)`. One
        without evidence does not count."""
        evidence = covered = 0
        texts = set()
        for score, text in lines:
            parts = parse_score(score)[1]
            evidence += parts is not None
            if parts is not None and parts >= THRESHOLD:
                covered += 1
                texts.add(self._lines.setdefault(text.strip(), len(self._lines)))
        if evidence:
            self.shares.setdefault(name, []).append(covered / evidence)
            self._covered.append(texts)

    @property
    def coverages(self):
        return sorted(itertools.chain.from_iterable(self.shares.values()))

    @property
    def coverage(self):
        return _mean(self.coverages)

    def _shared(self, df):
        """The lines of the template that so many documents have, in parts of SCALE."""
        having = Counter(itertools.chain.from_iterable(self._covered))
        return {line for line, number in having.items() if number * SCALE >= df * len(self._covered)}

    @property
    def bare(self):
        """The share of documents without a line of the template, or with few of the core and little
        else but what all have: at a site of several parts each may have lines of its own, too. If
        most documents have little of the core, there is none, and all are bare."""
        core, common = self._shared(CORE_DF), self._shared(MIN_DF)
        if len(common) < min(CORE * len(core), COMMON):
            return 1.0
        return _mean([not texts or len(texts & core) < CORE * len(core) and len(texts - core) <= len(texts & common)
                      for texts in self._covered])

    @property
    def sections(self):
        """The mean coverage of each section that is large enough."""
        return {name: _mean(shares) for name, shares in sorted(self.shares.items()) if len(shares) >= SECTION}

    @property
    def spread(self):
        means = self.sections.values()
        return _mean([(mean - _mean(means)) ** 2 for mean in means]) ** 0.5

    def histogram(self):
        bins = [0] * BINS
        for share in self.coverages:
            bins[min(int(share * BINS), BINS - 1)] += 1
        return bins

    def compare(self, halves, known=()):
        """Learns the stability from the counts of two halves, each as `model.read` gives it, or
        with a model's `known` hashes how many of those half of the documents have; and which shares
        of all lines are `common` to most documents, and to `parts` of them only."""
        sizes = [header.documents for header, _ in halves]
        needed = [-(-MIN_DF * size // SCALE) for size in sizes]
        both = either = fitting = common = part = lines = 0
        for (value, kind), group in itertools.groupby(heapq.merge(*map(_rows, range(2), halves)), lambda row: row[:2]):
            numbers = [0, 0]
            for _, _, half, number in group:
                numbers[half] = number
            total = sum(numbers)
            inside = [number >= least > 0 for number, least in zip(numbers, needed)]
            if kind in (model.NGRAM, model.LINE):
                both += all(inside)
                either += any(inside)
            fitting += value in known and 2 * total >= sum(sizes)
            if kind == model.LINE:
                lines += total
                if SCALE * total >= MIN_DF * sum(sizes):
                    common += total
                elif SCALE * total >= PART_DF * sum(sizes):
                    part += total
        of = len(known) if self.model else either
        self.stability = (fitting if self.model else both) / of if of else 0.0
        self.common, self.parts = (common / lines, part / lines) if lines else (0.0, 0.0)


def _rows(half, counts):
    return ((value, kind, half, number) for value, number, kind in counts[1])


def _mean(values):
    return sum(values) / len(values) if values else 0.0


def load(path):
    """`(header, hashes)` of the model at `path`: of what it takes for template."""
    try:
        header, entries = model.read(open_blocks(path))
        if header.kind != model.MODEL:
            raise Failure(f"{show(path)}: counts, not a model: ngram-model cut makes one of them")
        if header.fields.get("profile") not in ("sieve", "article"):
            raise Failure(f"{show(path)}: a model of an unknown profile")
        hashing.refuse_other_key(header)
        return header, {value for value, weight in entries if weight >= THRESHOLD}
    except (OSError, InputError, FormatError) as error:
        raise Failure(f"{show(path)}: {reason(error)}") from error
