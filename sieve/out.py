"""The directory that `sieve clean` writes: the clean files, and under .sieve/ how they came about.

    NAME                   what was kept of a document
    .sieve/manifest.json   the settings of the run: where from, which model and machine, options
    .sieve/documents.jsonl a line a document: digests of what went in and came out, numbers of lines
    .sieve/removed/NAME    what was removed of it, each line as LINE<TAB>TEXT
    .sieve/model           the model; .sieve/machine.lisp the machine
    .sieve/journal         while a run goes on: the lines that documents.jsonl will have
"""

import fcntl
import hashlib
import json
import os
import re

from sieve import secret
from sieve.cli import Failure, show
from sieve.walk import MANIFEST

OWN = os.path.dirname(MANIFEST)
REMOVED = OWN + b"/removed/"
MODEL = OWN + b"/model"
MACHINE = OWN + b"/machine.lisp"
DOCUMENTS = OWN + b"/documents.jsonl"
JOURNAL = OWN + b"/journal"
_text_hash = hashlib.sha256
_PART = re.compile(rb"\.[0-9a-f]{16}\.part")  # what `atomic` calls a file that is being written


class Document:
    """A document as its record has it: `name` and `source` (bytes, the latter or None), the
    digests of what went `in` and came `out`, the `lines` it had, of which so many were `kept`
    and `dropped`. One that is not text was copied: its `lines` are None."""

    __slots__ = ("name", "source", "digest_in", "digest_out", "lines", "kept", "dropped")

    def __init__(self, record):
        self.name, self.source = raw(record["name"]), record.get("source") and raw(record["source"])
        self.digest_in, self.digest_out = record["digest_in"], record["digest_out"]
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
    if os.path.lexists(os.path.join(top, JOURNAL)) or not os.path.lexists(os.path.join(top, DOCUMENTS)):
        raise Failure(f"{show(top)}: the run that wrote it did not end: sieve clean goes on with it")
    return settings


def open_output(top, key_file):
    """The same, to be read under the key of that run."""
    settings = finished(top)
    key = secret.use(key_file, (top,))
    if key:
        use_key(key)
    if settings.get("key") != (key and key.fingerprint):
        raise Failure(f"{show(top)}: made " + ("without a key" if not settings.get("key") else
                      "under another key" if key else "under a key, which --key-file gives"))
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


def text_hash():
    """A hash for a text: SHA-256, or what `use_key` has set."""
    return _text_hash()


def use_key(key):
    """Lets digests of texts be keyed, since an unkeyed one tells who guesses a text that it is right."""
    global _text_hash
    _text_hash = key.hash("text", 32)


def hashed(blocks, into):
    """`blocks`, of which the hash `into` learns."""
    for block in blocks:
        into.update(block)
        yield block


def digest(blocks):
    """The digest of a text, in hex."""
    into = text_hash()
    for _ in hashed(blocks, into):
        pass
    return into.hexdigest()


# --- what a run finds, and leaves ---


def lock(top):
    """A descriptor that only one run at a time can have of the directory `top`; None if there is none yet."""
    try:
        directory = os.open(top, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(directory, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Failure(f"{show(top)}: another run is writing into it") from None
    return directory


def refuse_foreign(path, sources, overwrite):
    """Refuses an OUT that holds what is not ours, or our output of other directories."""
    if overwrite or not os.path.isdir(path) or not os.listdir(path):
        return
    if not os.path.lexists(os.path.join(path, MANIFEST)):
        raise Failure(f"{show(path)}: not empty, and not an output of sieve (--overwrite writes into it all the same)")
    if manifest(path).get("sources") != sources:
        raise Failure(f"{show(path)}: the output of other directories (--overwrite writes into it all the same)")


def state(top, sources):
    """`(settings, records)` that an earlier run over `sources` left in `top`, ended or not: the
    records, dicts, by names. Both are empty if there is none, or one that is to be overwritten."""
    try:
        settings = manifest(top)
    except Failure:
        return {}, {}
    if settings.get("sources") != sources:
        return {}, {}
    records = {}
    for part in (DOCUMENTS, JOURNAL):
        try:
            with open(os.path.join(top, part), "rb") as file:
                for line in file:
                    if line.endswith(b"\n"):  # else it was cut off by a stop
                        record = json.loads(line)
                        records[raw(record["name"])] = record
        except FileNotFoundError:
            pass
        except (ValueError, KeyError) as error:
            raise Failure(f"{show(top)}: its record of documents is damaged (see --overwrite)") from error
    return settings, records


def recorded_model(top, settings):
    """The path of the model that the run with these settings left in `top`, if it still is there."""
    path = os.path.join(top, MODEL)
    return path if os.path.lexists(path) and digest(blocks(path)) == settings.get("model_digest") else None


class Run:
    """The records of the output `top` while a run goes on, so that after a stop at any time the
    next one knows what is done. `records` are those that are there, `tree` writes to it."""

    def __init__(self, top, tree, records, console):
        self.records = records
        self._top, self._tree, self._console = top, tree, console
        self._journal = None

    def begin(self, settings, model, machine, names, stale):
        """Begins a run that will have the documents `names`, of which it makes those that are
        `stale` again. Their records are void before anything else is touched."""
        if os.path.lexists(os.path.join(self._top, JOURNAL)):
            self._clear()
        for name in stale & self.records.keys():
            self.records[name]["digest_in"] = None
        self._write_records()
        self._tree.write(MODEL, model)
        self._tree.write(MACHINE, [machine])
        self._tree.write(MANIFEST, [_json(settings)])
        self._tree.write(JOURNAL, [])
        self._journal = open(os.path.join(self._top, JOURNAL), "ab", buffering=0)
        self._drop(self.records.keys() - names)

    def keep(self, record):
        """Records a document whose files are there."""
        self.records[raw(record["name"])] = record
        self._journal.write(_json(record))

    def end(self):
        self._drop([name for name, record in self.records.items() if record["digest_in"] is None])
        self._write_records()
        self._journal.close()
        self._tree.remove(JOURNAL)

    def _write_records(self):
        self._tree.write(DOCUMENTS, (_json(self.records[name]) for name in sorted(self.records)))

    def _drop(self, names):
        """Removes what the output has of documents, unless someone has changed it since."""
        for name in sorted(names):
            record = self.records.pop(name)
            try:
                if digest(blocks(os.path.join(self._top, name))) == record["digest_out"]:
                    self._tree.remove(name)
                else:
                    self._console.note(show(name), "left as it is: gone from the source, but changed since it was written")
            except OSError:  # it is not there
                pass
            self._tree.remove(REMOVED + name)

    def _clear(self):
        """Removes the files that a run was writing when it was stopped."""
        for above, _, files in os.walk(self._top):
            for name in filter(_PART.fullmatch, files):
                os.unlink(os.path.join(above, name))


def _json(value):
    return json.dumps(value, sort_keys=True).encode() + b"\n"
