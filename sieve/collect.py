"""The last process of `sieve clean`: a tagged stream becomes files.

Each document becomes OUT/NAME with what is kept and OUT/.sieve/removed/NAME with what is
not, as `LINE<TAB>TEXT`; a line of JSON on stdout tells that both are there. One document's
two files are in memory, and beyond SPOOL bytes each on disk, until it is whole.
"""

import json
import os
import tempfile
from collections import Counter

from sieve import cli, secret, wire
from sieve.cli import Failure, reason, show
from sieve.doc_split import NO_ROOM
from sieve.inputs import open_blocks
from sieve.out import REMOVED, text_hash, use_key, written
from sieve.tree import Tree
from sieve.wire import FormatError

SPOOL = 1 << 20  # bytes of a document's kept or removed text that stay in memory; under a key all do


def main(parser, argv, console):
    """Runs `sieve collect`, which writes a tagged stream into OUT by the documents' names; a
    record of each document goes to stdout when its files are there."""
    parser.add_argument("-o", "--output", required=True, metavar="OUT", type=os.fsencode, help="the directory to write")
    parser.add_argument("--discard", action="store_true", help="do not keep what is removed")
    secret.argument(parser)
    args = parser.parse_args(argv)
    key = secret.use(args.key_file, (args.output,))
    if key:
        use_key(key)
    output = cli.Output()

    def report(record):
        output.write(json.dumps(record, sort_keys=True).encode() + b"\n")
        output.flush()

    documents = wire.documents(open_blocks(b"-"))
    collect(documents, Tree(args.output, overwrite=True), not args.discard, 0 if key else SPOOL, console, report)


def collect(documents, out, keep_removed, spool, console, report):
    """Writes the `documents` of a tagged stream into `out` (a `Tree`); `report(record)` is
    called for each. More than `spool` bytes of one go through a temporary file, unless that is 0."""
    for document in documents:
        name = document.name
        with tempfile.SpooledTemporaryFile(spool) as kept, tempfile.SpooledTemporaryFile(spool) as removed:
            record = _divide(document, kept, removed)
            has_removed = keep_removed and removed.tell()
            try:
                # what was removed first, so that nothing kept is ever there without it
                if has_removed:
                    out.write(REMOVED + name, _content(removed))
                out.write(name, _content(kept))
                if not has_removed:
                    out.remove(REMOVED + name)  # an earlier run's
            except OSError as error:
                if error.errno in NO_ROOM:
                    raise Failure(f"{show(name)}: {reason(error)}") from error
                console.warn(show(name), reason(error))
            except ValueError as error:
                console.warn(show(name), str(error))
            else:
                report({"name": written(name), **record})


def _divide(document, kept, removed):
    """Divides a tagged document's lines between two files; returns its record."""
    whole, result = text_hash(), text_hash()
    regions = Counter()
    number = 0
    for number, tagged in enumerate(document.lines(), 1):
        columns = tagged.split(b"\t", 3)
        if len(columns) < 4:
            raise FormatError(number, "not a tagged line")
        verdict, region, _, text = columns
        whole.update(text)
        if verdict == b"keep":
            kept.write(text)
            result.update(text)
        else:
            removed.write(b"%d\t%s" % (number, text))
        regions[verdict, region] += 1
    return {
        "digest_in": whole.hexdigest(), "digest_out": result.hexdigest(), "lines": number,
        "kept": sum(n for (verdict, _), n in regions.items() if verdict == b"keep"),
        "dropped": {region.decode(): n for (verdict, region), n in sorted(regions.items()) if verdict != b"keep"}}


def _content(file):
    file.seek(0)
    return iter(lambda: file.read(1 << 16), b"")
