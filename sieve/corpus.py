"""The documents of a collection: what is read, what it becomes in OUT, and which are the sample."""

import os

from sieve import hashing, out, walk
from sieve.cli import Failure, show
from sieve.inputs import kind_of, open_blocks

SUFFIXES = (b".gz", b".bz2", b".xz", b".zst")  # what a compressed file's name loses
BINARY = 8192  # bytes looked at; a NUL among them makes a file binary, as grep and git have it


class Source:
    """A file: its `path` as given and joined, its `plain` name under OUT and the `name` that it
    is called there, which may be the hash of that, and whether it is `text`."""

    __slots__ = ("path", "plain", "name", "text")

    def __init__(self, path, plain, name, text):
        self.path, self.plain, self.name, self.text = path, plain, name, text

    def blocks(self):
        """What of it counts: its text, decompressed, or if it is none the file as it is."""
        return open_blocks(self.path) if self.text else out.blocks(self.path)


def sources(directories, target, console, naming=None):
    """The files under `directories` in byte order of their names; `target`, where it lies
    among them, is left out, and so are the outputs of other runs. `naming` hashes names."""
    found, names = [], set()
    for top, prefix in zip(directories, _prefixes(directories)):
        for path in walk.files(top, console, leave_out=target):
            name = prefix + os.path.relpath(path, top)
            found.append((path, name))
            names.add(name)
    result = []
    for path, name in found:
        kind, text = _sniff(path)
        stem, suffix = os.path.splitext(name)
        if kind and suffix in SUFFIXES and stem not in names:
            names.add(stem)
            name = stem
        result.append(Source(path, name, naming(name) if naming else name, text))
    result.sort(key=lambda source: source.name)
    return result


def _prefixes(directories):
    """Under what each directory's files come: nothing for a single one, else its base name."""
    if len(directories) == 1:
        return [b""]
    bases = [os.path.basename(os.path.abspath(top)) for top in directories]
    for base in bases:
        if bases.count(base) > 1:
            raise Failure(f"two directories are called {show(base)}: their files would meet in one place")
    return [base + b"/" for base in bases]


def _sniff(path):
    """`(compression or None, whether it is text)`; what cannot be opened is left to the
    tool that will read it."""
    try:
        with open(path, "rb") as file:
            head = file.read(BINARY)
    except OSError:
        return None, True
    kind = kind_of(head)
    return kind, bool(kind) or b"\0" not in head


def sample(documents, size, seed):
    """At most `size` of the documents: those with the smallest hash of their names, so that
    the sample hardly changes when the collection grows. In the order of the names."""
    chosen = sorted(documents, key=lambda source: (hashing.digest(source.plain, seed), source.name))[:size]
    return sorted(chosen, key=lambda source: source.name)
