"""make one stream of documents out of files, directories or JSON lines

Every file is one document as it is, whatever is in it: what looks like the format's own
lines is escaped. Its name is its path as given, or joined to the directory as given.
"""

import os

from sieve import cli, wire


def main(argv, console):
    """Runs `doc-cat` with the arguments `argv`."""
    parser = cli.Parser("doc-cat", __doc__.partition("\n")[0], "[OPTION]... [FILE|DIRECTORY]...")
    parser.add_argument("--jsonl", metavar="FIELD", help="take each line for a JSON object with the text in FIELD")
    parser.add_argument("--name", metavar="FIELD",
                        help="with --jsonl: the field with the document's name (default: FILE:LINE)")
    cli.file_arguments(parser, named=False)
    args = parser.parse_intermixed_args(argv)
    if args.name is not None and args.jsonl is None:
        raise cli.Failure("--name goes with --jsonl")
    cli.refuse_terminal(args)
    output = cli.Output()
    out = wire.Writer(output.write)
    try:
        for path in _paths(args, console):
            blocks = cli.open_guarded(console, path, output.flush)
            if blocks is None:
                continue
            if args.jsonl is None:
                _write(out, path, blocks)
                continue
            from sieve import jsonl

            for record in jsonl.records(console, path, blocks, args.jsonl, args.name):
                _write(out, record.name, (record.text,))
    finally:
        output.flush()


def _paths(args, console):
    """What to read: the operands, and the files under those that are directories."""
    for path in cli.file_names(args):
        if path != b"-" and os.path.isdir(path):
            from sieve import walk

            yield from walk.files(path, console)
        else:
            yield path


def _write(out, name, blocks):
    out.begin(name)
    for block in blocks:
        out.text(block)
