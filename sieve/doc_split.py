"""write the documents of a stream as files, or as JSON lines"""

import errno
import os

from sieve.cli import Failure, guard, reason, show

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)  # what will stop the next document, too


def arguments(parser):
    """Adds the options."""
    target = parser.add_mutually_exclusive_group(required=True)
    target.add_argument("-d", "--directory", metavar="DIR", type=os.fsencode,
                        help="write each document as a file under DIR, by its name")
    target.add_argument("--jsonl", metavar="FIELD", help="write each as a JSON object on a line, with the text in FIELD")
    parser.add_argument("--overwrite", action="store_true", help="with -d: replace files that exist")
    parser.add_argument("--name", dest="name_field", metavar="FIELD",
                        help="with --jsonl: the field for the name (default name; with --from, the name is FILE:LINE)")
    parser.add_argument("--from", dest="original", metavar="FILE", type=os.fsencode,
                        help="with --jsonl: the lines of FILE again, with the documents' texts in FIELD")


def run(args, documents, out):
    """Writes the documents; one that cannot be written is warned of, and the next is tried."""
    if args.overwrite and args.directory is None:
        raise Failure("--overwrite goes with -d")
    if args.jsonl is None and (args.name_field or args.original):
        raise Failure("--name and --from go with --jsonl")
    if args.directory is not None:
        from sieve.tree import Tree

        target = Tree(args.directory, args.overwrite, once=True)
    elif args.original is not None:
        target = _Originals(args, out)
    else:
        target = _Objects(args.jsonl, args.name_field or "name", out)
    for document in documents:
        if document.name is None:
            if any(document):
                raise Failure("the input has no names (make it with doc-cat, or give --with-name)")
            continue  # a stream of no documents
        try:
            target.write(document.name, _whole(document, args.console))
        except ValueError as refusal:
            args.console.warn(show(document.name), str(refusal))
        except OSError as error:
            if error.errno in NO_ROOM:
                raise Failure(f"{show(document.name)}: {reason(error)}") from error
            args.console.warn(show(document.name), reason(error))
    if args.original is not None:
        target.note_left_out()


def _whole(document, console):
    """The blocks of `document`; raises ValueError at the end if its input was damaged, lest
    a part be taken for the whole."""
    yield from document
    if console.damaged == console.file:
        raise ValueError("left out: its input is damaged")


class _Objects:
    """JSON lines made anew."""

    def __init__(self, field, name_field, out):
        from sieve.jsonl import quote

        if field == name_field:
            raise Failure(f"text and name cannot both be in the field {field!r}")
        self._keys = [quote(os.fsencode(key)) for key in (name_field, field)]
        self._quote, self._out = quote, out

    def write(self, name, blocks):
        values = name, b"".join(blocks)
        pairs = [b"%s: %s" % (key, self._quote(value)) for key, value in zip(self._keys, values)]
        self._out.begin(None)
        self._out.text(b"{%s}\n" % b", ".join(pairs))


class _Originals:
    """The lines of a file of JSON lines, of which each document replaces the text."""

    def __init__(self, args, out):
        from sieve import jsonl
        from sieve.inputs import open_blocks

        self._console, self._path, self._out = args.console, args.original, out
        blocks = guard(args.console, args.original, open_blocks(args.original))
        self._records = jsonl.records(args.console, args.original, blocks, args.jsonl, args.name_field)
        self._passed = {}  # the records that the stream has passed over, by name

    def write(self, name, blocks):
        record = self._find(name)
        line = record.with_text(b"".join(blocks))
        self._out.begin(None)
        self._out.text(line)

    def _find(self, name):
        if name in self._passed:
            record, *others = self._passed.pop(name)
            if others:
                self._passed[name] = others
            return record
        for record in self._records:
            if record.name == name:
                return record
            self._passed.setdefault(record.name, []).append(record)
        raise ValueError(f"left out: {show(self._path)} has no such line")

    def note_left_out(self):
        """Tells how many lines no document came for; to be called at the end."""
        left = sum(map(len, self._passed.values())) + sum(1 for _ in self._records)
        if left:
            self._console.note(show(self._path), f"{left} lines have no document in the stream, and are left out")
