"""tell which documents are nearly alike, from the lines of minhash

Prints GROUP<TAB>SIMILARITY<TAB>NAME. The first name of a group is the one to keep, and
similarity is that to it: `exact` for the same bytes, else an estimate of the share of their
shingles that two documents have in common. Groups and names come in the order of names.
"""

import gc
import os
from functools import lru_cache
from itertools import combinations, product

from sieve import cli, signatures, wire
from sieve.cli import Failure, number, show
from sieve.groups import chained, group, missed, near_pairs
from sieve.inputs import InputError, open_blocks
from sieve.signatures import COPY
from sieve.sketch import PERMUTATIONS, limit, similarity

# What the article found with exact counts beside: true near copies are 0.72 to 0.85 alike, and
# at 0.90 none of them is found.
THRESHOLD = 0.80
BANDS, ROWS = 21, 6  # miss 0.2 % of the pairs that are 0.80 alike; 16 of 8 miss 5 %
REREAD = 64  # documents of which --verify keeps the shingles, about 100 bytes each


def main(argv, console):
    parser = cli.Parser("near-dups", __doc__.partition("\n")[0])
    arguments(parser)
    cli.file_arguments(parser, named=False)
    args = parser.parse_intermixed_args(argv)
    if args.bands * args.rows > PERMUTATIONS:
        raise Failure(f"{args.bands} bands of {args.rows} bytes are more than a signature has, {PERMUTATIONS}")
    if args.null and not args.drop:
        raise Failure("--null goes with --drop")
    if args.limit is None:
        args.least = round(args.threshold * wire.SCALE)
        args.limit = limit(args.least)
    else:
        args.least = similarity(args.limit)
    if not args.explain_bands:
        cli.refuse_terminal(args)
    gc.disable()  # which would look through millions of objects again and again; none is in a cycle
    output = cli.Output()
    for line in explain_bands(args) if args.explain_bands else report(args, console):
        output.write(line)
    output.flush()


def arguments(parser):
    alike = parser.add_mutually_exclusive_group()
    alike.add_argument("--threshold", metavar="S", type=number(0, 1, float), default=THRESHOLD,
                       help="the similarity of near copies, to four decimals (default: %(default)s)")
    alike.add_argument("--limit", metavar="N", type=number(0, PERMUTATIONS),
                       help="the same as a number of bytes in which their signatures may differ")
    parser.add_argument("--bands", metavar="B", type=number(1, PERMUTATIONS), default=BANDS,
                        help="compare only signatures that agree in one of B bands (default: %(default)s)")
    parser.add_argument("--rows", metavar="R", type=number(1, PERMUTATIONS), default=ROWS,
                        help="the bytes in a band (default: %(default)s)")
    parser.add_argument("--only", metavar="FILE", type=os.fsencode,
                        help="look at no documents but those that FILE names, one a line")
    parser.add_argument("--alternates", metavar="FILE", type=os.fsencode,
                        help="never group two documents that FILE names on one line, a TAB between them")
    answer = parser.add_mutually_exclusive_group()
    answer.add_argument("--drop", action="store_true",
                        help="print only the names that are not the first of a group")
    answer.add_argument("--pairs", action="store_true", help="print the pairs of near copies")
    answer.add_argument("--pairwise", action="store_true", help="print all pairs in each group")
    answer.add_argument("--verify", action="store_true",
                        help="print those pairs with the exact likeness of the documents, read again")
    answer.add_argument("--explain-bands", action="store_true", help="print what the bands miss, and exit")
    parser.add_argument("-z", "--null", action="store_true", help="with --drop, end each name with NUL")


def explain_bands(args):
    """The probability that a pair is missed: one that is just near enough, then SIMILARITY<TAB>MISSED."""

    def share_missed(parts):
        likeness = parts / wire.SCALE
        agreeing = likeness + (1 - likeness) / 256  # bytes agree by chance, too
        return b"%.6f" % missed(agreeing, args.bands, args.rows)

    yield b"# %d bands of %d miss a pair that is %s alike (limit %d) with the probability %s\n" % (
        args.bands, args.rows, wire.format_score(args.least), args.limit, share_missed(args.least))
    for parts in range(wire.SCALE // 2, wire.SCALE + 1, wire.SCALE // 20):
        yield _line(wire.format_score(parts), share_missed(parts))


def report(args, console):
    """The lines that the options ask for."""
    only = args.only and set(map(wire.unescape_name, _lines(args.only)))
    documents, shingle = signatures.read(args, console, only)
    apart = _apart(args.alternates, documents) if args.alternates else {}
    lines = _pair_lines if args.pairs or args.verify else _group_lines
    yield from lines(args, console, documents, apart, shingle)


def _line(*columns):
    return b"\t".join(columns) + b"\n"


def _alike(distance):
    return b"exact" if distance == COPY else wire.format_score(similarity(distance))


# --- pairs ---


def _pair_lines(args, console, documents, apart, shingle):
    originals = Originals(documents, shingle)
    for distance, i, j in _pairs(args, documents, apart):
        exact = (originals.likeness(i, j),) if args.verify else ()
        yield _line(_alike(distance), *exact, documents.written(i), documents.written(j))
    if originals.lost:
        console.note(f"documents not found under their names as they were: {len(originals.lost)}")


def _pairs(args, documents, apart):
    """`(distance, i, j)` of the pairs of near copies, by falling likeness, then by name."""
    pairs = [(COPY, i, j) for copies in documents.copies for i, j in combinations(copies, 2)]
    pairs += [(0, i, j) for holders in documents.holders for i, j in combinations(holders, 2)
              if documents.digests[i] != documents.digests[j]]
    near = near_pairs(documents.sketches, range(len(documents.sketches)), args.bands, args.rows, args.limit)
    pairs += [(distance, *sorted(pair)) for distance, k, l in near
              for pair in product(documents.holders[k], documents.holders[l])]
    return sorted(pair for pair in pairs if pair[2] not in apart.get(pair[1], ()))


class Originals:
    """The documents themselves, read again where their names are those of files."""

    def __init__(self, documents, shingle):
        self._documents, self._shingle = documents, shingle
        self._shingles = lru_cache(REREAD)(self._read)
        self.lost = set()

    def _read(self, i):
        """The shingles of a document, or None if it cannot be read or is not what it was."""
        from sieve import minhash

        name = self._documents.names[i]
        try:
            if os.path.isfile(name):
                digest, shingles = minhash.read(open_blocks(name), self._shingle or minhash.SHINGLE)
                if digest == self._documents.digests[i]:
                    return shingles
        except (OSError, InputError):
            pass
        self.lost.add(i)
        return None

    def likeness(self, i, j):
        """The Jaccard index of two documents as it is written, rounded down; `-` if one is lost."""
        one, other = self._shingles(i), self._shingles(j)
        if one is None or other is None:
            return b"-"
        union = len(one | other)
        return wire.format_score(len(one & other) * wire.SCALE // union if union else wire.SCALE)


# --- groups ---


def _group_lines(args, console, documents, apart, shingle):
    groups = group(len(documents.names), documents.copies, documents.sketches, documents.holders,
                   args.bands, args.rows, args.limit, apart)
    chains = 0
    for number, members in enumerate(groups.lists(), 1):
        different = sorted({documents.sketch_of[i] for i in members})
        chain = len(different) > 2 and chained([documents.sketches[k] for k in different], args.limit)
        chains += chain
        label = b"%d-chain" % number if chain else b"%d" % number
        first, *others = members
        if args.drop:
            for i in others:
                yield documents.names[i] + b"\0" if args.null else documents.written(i) + b"\n"
        elif args.pairwise:
            for i, j in combinations(members, 2):
                yield _line(label, _alike(documents.distance(i, j)), documents.written(i), documents.written(j))
        else:
            yield _line(label, wire.format_score(wire.SCALE), documents.written(first))
            for i in others:
                yield _line(label, _alike(documents.distance(first, i)), documents.written(i))
    if chains:
        console.note(f"groups held together by a chain only, which --pairwise shows: {chains}")


# --- lists of names ---


def _apart(path, documents):
    """`{document: those that are never to be in a group with it}` as the file at `path` says."""
    pairs = []
    for number, line in enumerate(_lines(path), 1):
        if not line:
            continue
        names = [wire.unescape_name(name) for name in line.split(b"\t")]
        if len(names) != 2:
            raise Failure(f"{show(path)}: line {number}: not two names with a TAB between")
        pairs.append(names)
    wanted = set().union(*pairs)
    numbers = {name: i for i, name in enumerate(documents.names) if name in wanted}
    apart = {}
    for one, other in pairs:
        if one != other and one in numbers and other in numbers:
            apart.setdefault(numbers[one], set()).add(numbers[other])
            apart.setdefault(numbers[other], set()).add(numbers[one])
    return apart


def _lines(path):
    try:
        return b"".join(open_blocks(path)).split(b"\n")
    except (OSError, InputError) as error:
        raise Failure(f"{show(path)}: {cli.reason(error)}") from error
