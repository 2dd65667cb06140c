"""The directory that `sieve clean` writes: the clean files, and under .sieve/ how they came about.

    NAME                   what was kept of a document
    .sieve/manifest.json   the settings of the run: where from, which model and machine, options
    .sieve/documents.jsonl a line a document: digests of what went in and came out, numbers of lines
    .sieve/removed/NAME    what was removed of it, each line as LINE<TAB>TEXT
    .sieve/model           the model; .sieve/machine.lisp the machine
"""

import hashlib
import json
import os

from sieve.cli import Failure, show
from sieve.walk import MANIFEST

OWN = os.path.dirname(MANIFEST)
REMOVED = OWN + b"/removed/"
MODEL = OWN + b"/model"
MACHINE = OWN + b"/machine.lisp"
DOCUMENTS = OWN + b"/documents.jsonl"


class Document:
    """A document as its record has it: `name` and `source` (bytes, the latter or None), the
    SHA-256 of what went `in` and came `out`, the `lines` it had, of which so many were `kept`
    and `dropped`. One that is not text was copied: its `lines` are None."""

    __slots__ = ("name", "source", "sha256_in", "sha256_out", "lines", "kept", "dropped")

    def __init__(self, record):
        self.name, self.source = raw(record["name"]), record.get("source") and raw(record["source"])
        self.sha256_in, self.sha256_out = record["sha256_in"], record["sha256_out"]
        self.lines, self.kept = record.get("lines"), record.get("kept")
        self.dropped = sum(record.get("dropped", {}).values())


def raw(name):
    """A name's bytes, as a record writes them: UTF-8, and what is not as lone surrogates."""
    return name.encode("utf-8", "surrogateescape")


def written(name):
    return name.decode("utf-8", "surrogateescape")


def manifest(top):
    """The settings of the run that wrote the output `top`."""
    try:
        with open(os.path.join(top, MANIFEST), "rb") as file:
            return json.load(file)
    except (FileNotFoundError, NotADirectoryError):
        raise Failure(f"{show(top)}: not an output of sieve") from None
    except ValueError as error:
        raise Failure(f"{show(top)}: its manifest is damaged") from error


def finished(top):
    """The same, of a run that came to its end."""
    settings = manifest(top)
    if not os.path.lexists(os.path.join(top, DOCUMENTS)):
        raise Failure(f"{show(top)}: the run that wrote it did not end: sieve clean goes on with it")
    return settings


def documents(top):
    """Yields the documents of the output `top` (`Document`)."""
    try:
        with open(os.path.join(top, DOCUMENTS), "rb") as file:
            for line in file:
                yield Document(json.loads(line))
    except (ValueError, KeyError) as error:
        raise Failure(f"{show(top)}: its record of documents is damaged") from error


def find(top, names):
    """The documents of the output `top` with these names, which may also be paths of their
    files in it; one that there is not is a Failure."""
    by_name = {document.name: document for document in documents(top)}
    found = []
    for name in names:
        within = os.path.relpath(os.path.abspath(name), os.path.abspath(top))
        document = by_name.get(name) or by_name.get(within)
        if document is None:
            raise Failure(f"{show(name)}: no document of {show(top)}")
        found.append(document)
    return found


def blocks(path):
    """A file as it is, piece by piece."""
    with open(path, "rb") as file:
        yield from iter(lambda: file.read(1 << 18), b"")


def hashed(blocks, sha256):
    """`blocks`, of which the hash `sha256` learns."""
    for block in blocks:
        sha256.update(block)
        yield block


def digest(blocks):
    """The SHA-256 of a text, in hex."""
    sha256 = hashlib.sha256()
    for _ in hashed(blocks, sha256):
        pass
    return sha256.hexdigest()


def refuse_foreign(path, sources, overwrite):
    """Refuses an OUT that holds what is not ours, or our output of other directories."""
    if overwrite or not os.path.isdir(path) or not os.listdir(path):
        return
    if not os.path.lexists(os.path.join(path, MANIFEST)):
        raise Failure(f"{show(path)}: not empty, and not an output of sieve (--overwrite writes into it all the same)")
    if manifest(path).get("sources") != sources:
        raise Failure(f"{show(path)}: the output of other directories (--overwrite writes into it all the same)")
