"""The lines that `minhash` writes and `near-dups` reads.

A header line, which lines from one stream or several must share, then for each document
NAME<TAB>XXH128<TAB>SHINGLES<TAB>SIGNATURE: its name as after the mark of a frame, XXH128 of its
bytes in hex, how many different shingles it has, and its sketch in hex, or `-` if these are
too few.
"""

import re
from array import array
from binascii import unhexlify

from sieve import cli, wire
from sieve.cli import Failure, show
from sieve.sketch import PERMUTATIONS, differing

HEADER = b"#sieve-minhash "
_OURS = re.compile(rb"%s1 permutations=%d shingle=([1-9][0-9]{0,2}) seed=[0-9]+(?: key=[0-9a-f]{16})?" % (HEADER, PERMUTATIONS))
COPY = -1  # the distance of documents that have the same bytes, nearer than those with the same sketch


def header(shingle, seed, key=None):
    """The header line for shingles of so many words and permutations drawn from `seed`, and with
    the fingerprint of the `key` under which they are hashed."""
    keyed = f" key={key}".encode() if key else b""
    return b"%s1 permutations=%d shingle=%d seed=%d%s\n" % (HEADER, PERMUTATIONS, shingle, seed, keyed)


def line(name, digest, shingles, sketch):
    """The line of a document, given its digest and sketch (or None) as bytes."""
    sketch = sketch.hex().encode() if sketch else b"-"
    return b"%s\t%s\t%d\t%s\n" % (wire.escape_name(name), digest.hex().encode(), shingles, sketch)


def parse(line):
    """`(name, digest, sketch)` of a document's line without its LF; sketch is None if the
    document has none. Raises ValueError if the line is no such line."""
    name, digest, shingles, sketch = line.split(b"\t")
    digest = unhexlify(digest)
    sketch = None if sketch == b"-" else unhexlify(sketch)
    lengths = len(digest), PERMUTATIONS if sketch is None else len(sketch)
    if not name or not shingles.isdigit() or lengths != (16, PERMUTATIONS):
        raise ValueError("not a signature")
    return wire.unescape_name(name) if b"\\" in name else name, digest, sketch


class Documents:
    """Documents by their numbers, which are their places in the order of names.

    `names[i]` and `digests[i]`; `copies` lists the documents (each list in order) that have the
    same bytes, where that is more than one; `sketches` are the different ones, `sketch_of[i]`
    the place in it of a document's own, or -1, and `holders[k]` the documents of `sketches[k]`.
    """

    def __init__(self, names, digests, sketches):
        order = sorted(range(len(names)), key=names.__getitem__)
        self.names = [names[k] for k in order]
        self.digests = [digests[k] for k in order]
        first, copies = {}, {}
        for i, digest in enumerate(self.digests):
            if first.setdefault(digest, i) != i:
                copies.setdefault(digest, [first[digest]]).append(i)
        self.copies = list(copies.values())
        places, self.sketch_of, self.holders = {}, array("q"), []
        for i, k in enumerate(order):
            place = -1
            if sketches[k]:
                place = places.setdefault(sketches[k], len(places))
                if place == len(self.holders):
                    self.holders.append([])
                self.holders[place].append(i)
            self.sketch_of.append(place)
        self.sketches = list(places)

    def written(self, i):
        """A document's name as it is written in a line."""
        return wire.escape_name(self.names[i])

    def distance(self, i, j):
        """In how many bytes the sketches of two documents differ, or COPY."""
        if self.digests[i] == self.digests[j]:
            return COPY
        return differing(self.sketches[self.sketch_of[i]], self.sketches[self.sketch_of[j]])


def read(args, console, only=None):
    """`(documents, words in a shingle)` from the lines in all FILEs, of the names in `only` if
    that is given. What is no such line is skipped and counted on stderr."""
    header, malformed = None, 0
    names, digests, sketches = [], [], []
    for path in cli.file_names(args):
        number = 0
        for block in cli.open_guarded(console, path) or ():
            for line in block.removesuffix(b"\n").split(b"\n"):
                number += 1
                try:
                    name, digest, sketch = parse(line)
                except ValueError:
                    if not line.startswith(HEADER):
                        malformed += 1
                    elif header is None and _OURS.fullmatch(line):
                        header = line
                    elif line != header:
                        how = "those before" if header else "this version makes them"
                        raise Failure(f"{show(path)}: line {number}: signatures not made as {how}") from None
                    continue
                if only is None or name in only:
                    names.append(name)
                    digests.append(digest)
                    sketches.append(sketch)
    if malformed:
        console.note(f"lines that are no signatures, skipped: {malformed}")
    if None in sketches:
        console.note(f"documents too short for a signature, told by their bytes alone: {sketches.count(None)}")
    documents = Documents(names, digests, sketches)
    for name, following in zip(documents.names, documents.names[1:]):
        if name == following:
            raise Failure(f"two documents are called {show(name)}")
    return documents, int(_OURS.fullmatch(header)[1]) if header else None
