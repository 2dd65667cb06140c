"""make one stream of documents out of files, directories or JSON lines

Every file is one document as it is, whatever is in it: what looks like the format's own
lines is escaped. Its name is its path as given, or joined to the directory as given.
"""

import os

from sieve import cli, secret, wire
from sieve.cli import show


def main(argv, console):
    """Runs `doc-cat` with the arguments `argv`."""
    parser = cli.Parser("doc-cat", __doc__.partition("\n")[0], "[OPTION]... [FILE|DIRECTORY]...")
    parser.add_argument("--jsonl", metavar="FIELD", help="take each line for a JSON object with the text in FIELD")
    parser.add_argument("--name", metavar="FIELD",
                        help="with --jsonl: the field with the document's name (default: FILE:LINE)")
    parser.add_argument("--names0-from", metavar="FILE", type=os.fsencode,
                        help="call the documents in turn by the names in FILE, each ended by NUL")
    secret.names_argument(parser)
    secret.argument(parser)
    cli.file_arguments(parser, named=False)
    args = parser.parse_intermixed_args(argv)
    if args.name is not None and args.jsonl is None:
        raise cli.Failure("--name goes with --jsonl")
    if args.names0_from is not None and args.jsonl is not None:
        raise cli.Failure("--names0-from and --jsonl exclude each other")
    hide = secret.naming(args.key_file and secret.Key(args.key_file), args.names)
    cli.refuse_terminal(args)
    cli.hide = hide
    output = cli.Output()
    out = wire.Writer(output.write)
    try:
        for path, name in _named(_paths(args, console), args.names0_from):
            if hide:
                hidden = name = hide(name)
                cli.hide = lambda _: hidden
            blocks = cli.open_guarded(console, path, output.flush)
            if blocks is None:
                continue
            if args.jsonl is None:
                _write(out, name, blocks)
                continue
            from sieve import jsonl

            for record in jsonl.records(console, path, blocks, args.jsonl, args.name):
                _write(out, hide(record.name) if hide else record.name, (record.text,))
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


def _named(paths, names):
    """Each of `paths` with the name that its document gets: itself, or the next one in the file `names`."""
    if names is None:
        yield from ((path, path) for path in paths)
        return
    with open(names, "rb") as file:
        names = cli.split0(file)
        for path in paths:
            name = next(names, None)
            if not name:
                raise cli.Failure(f"{show(path)}: no name for it in --names0-from")
            yield path, name


def _write(out, name, blocks):
    out.begin(name)
    for block in blocks:
        out.text(block)
