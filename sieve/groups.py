"""Groups of documents whose sketches are nearly alike, without a look at every pair.

Sketches are cut into bands of rows (bytes), and those that agree in a whole band are
candidates: a pair that agrees in a share s of its bytes is missed with the probability
(1 - s^rows)^bands (Leskovec, Rajaraman, Ullman, "Mining of massive datasets", 3.4).

Documents are numbers in the order of their names, and so, by their first document, are
different sketches: whatever is done in order or joined to the first does not depend on the
order of the input.
"""

from array import array
from itertools import combinations, product

from sieve.sketch import differing

CROWD = 1000  # more sketches than this in a bucket say that its band is common, not that they are alike


def missed(share, bands, rows):
    """The probability that a pair which agrees in `share` of its bytes is no candidate."""
    return (1 - share ** rows) ** bands


def buckets(sketches, chosen, bands, rows, settled=lambda bucket: False):
    """Lists of those of the `chosen` whose sketches are to be compared with each other. A pair
    that agrees in one band only is in none of them if a crowd agrees in that, and no more of
    a crowd are made once it is `settled`."""
    for band in range(bands):
        for bucket in _agreeing(sketches, chosen, band * rows, rows):
            if len(bucket) <= CROWD:
                yield bucket
            else:  # what agrees in an earlier band, too, was in that one's buckets
                for other in range(band + 1, bands):
                    if settled(bucket):
                        break
                    yield from _agreeing(sketches, bucket, other * rows, rows)


def _agreeing(sketches, chosen, start, rows):
    """The chosen, in lists of two or more, whose sketches have the same `rows` bytes at `start`."""
    keys = [sketches[i][start:start + rows] for i in chosen]
    last = dict(zip(keys, chosen))
    lists = {}
    if len(last) < len(keys):
        for i, key in zip(chosen, keys):
            if last[key] != i or key in lists:
                lists.setdefault(key, []).append(i)
    return lists.values()


def near_pairs(sketches, chosen, bands, rows, limit):
    """The candidates that differ in at most `limit` bytes, each as (bytes, i, j), i < j."""
    pairs = set()
    for bucket in buckets(sketches, chosen, bands, rows):
        for i, j in combinations(bucket, 2):
            distance = differing(sketches[i], sketches[j])
            if distance <= limit:
                pairs.add((distance, i, j))
    return pairs


def chained(sketches, limit):
    """Whether two of the sketches of a group differ in more than `limit` bytes."""
    center, *others = sketches
    spokes = sorted(((differing(center, other), other) for other in others), reverse=True)
    if spokes and spokes[0][0] > limit:
        return True
    for i, (distance, sketch) in enumerate(spokes[:CROWD]):
        for further, other in spokes[i + 1:]:
            if distance + further <= limit:  # no two are further apart than by way of the center
                break
            if differing(sketch, other) > limit:
                return True
    return False


class Groups:
    """Disjoint groups of the documents 0 to n - 1, at first each alone. `apart[i]` are those
    that never come into one group with i."""

    def __init__(self, n, apart={}):
        self._parent = array("q", range(n))
        self._apart = {i: set(others) for i, others in apart.items()}  # of a whole group, by its first

    def first(self, i):
        """The first document of the group of i."""
        parent = self._parent
        while parent[i] != i:
            parent[i] = i = parent[parent[i]]
        return i

    def join(self, i, j):
        """Makes one group of those of i and j if it may be; tells whether it is one now."""
        i, j = sorted((self.first(i), self.first(j)))
        if i == j:
            return True
        if self._apart:
            fewer, more = sorted((self._apart.get(i, set()), self._apart.get(j, set())), key=len)
            if any(self.first(other) in (i, j) for other in fewer):
                return False
            more |= fewer
            self._apart[i] = more
        self._parent[j] = i
        return True

    def lists(self):
        """The groups of two or more, each as a list in order, by their first."""
        lists = {}
        for i in range(len(self._parent)):
            first = self.first(i)
            if first != i:
                lists.setdefault(first, [first]).append(i)
        return [lists[first] for first in sorted(lists)]

    def gather(self, documents):
        """Joins `documents`, all alike, in their order, as far as they may be; returns the
        first of them in each group that this leaves."""
        heads = []
        while documents:
            heads.append(documents[0])
            documents = [i for i in documents[1:] if not self.join(heads[-1], i)]
        return heads

    def join_near(self, bucket, sketches, holders, limit):
        """Joins those of a bucket that differ in at most `limit` bytes, comparing none that
        are in one group already."""
        while len(bucket) > 1:
            first = self.first(holders[bucket[0]][0])
            inside, outside = [], []
            for i in bucket:
                (inside if self.first(holders[i][0]) == first else outside).append(i)
            while inside and outside:
                i = inside.pop()
                near = {j for j in outside if differing(sketches[i], sketches[j]) <= limit}
                for j in near:
                    self.join(holders[i][0], holders[j][0])
                inside += near
                outside = [j for j in outside if j not in near]
            bucket = outside


def group(n, copies, sketches, holders, bands, rows, limit, apart):
    """`Groups` of n documents: chains of copies, and of sketches that differ in at most
    `limit` bytes.

    `copies` lists the documents (each list in order) that have the same bytes, `holders[i]`
    those that have `sketches[i]`. Pairs are joined by falling likeness, copies first and then
    by name, and one is refused if it would bring together what is to stay apart.
    """
    groups = Groups(n)
    for documents in (*copies, *holders):
        groups.gather(documents)

    def settled(bucket):
        first = groups.first(holders[bucket[0]][0])
        return all(groups.first(holders[i][0]) == first for i in bucket)

    for bucket in buckets(sketches, range(len(sketches)), bands, rows, settled):
        groups.join_near(bucket, sketches, holders, limit)
    # The order of joining matters only in the groups that would hold a pair that is to stay apart.
    torn = {groups.first(i) for i, others in apart.items()
            if any(groups.first(i) == groups.first(j) for j in others)}
    if not torn:
        return groups
    joined, groups = groups, Groups(n, apart)
    for i in range(n):
        if joined.first(i) not in torn:
            groups.join(joined.first(i), i)
    for documents in copies:
        if joined.first(documents[0]) in torn:
            groups.gather(documents)
    heads = {k: groups.gather(documents)
             for k, documents in enumerate(holders) if joined.first(documents[0]) in torn}
    pairs = [(distance, *sorted(pair)) for distance, k, l in near_pairs(sketches, heads, bands, rows, limit)
             for pair in product(heads[k], heads[l])]
    for _, i, j in sorted(pairs):
        groups.join(i, j)
    return groups
