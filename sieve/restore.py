"""`sieve restore`: the originals again, from what was kept and what was removed of them."""

import os
from itertools import islice

from sieve import cli, out, secret, wire
from sieve.cli import Failure, reason, show
from sieve.doc_split import NO_ROOM
from sieve.inputs import InputError, open_blocks
from sieve.tree import Tree

PIECE = 1 << 16  # bytes that are gathered before a write


def main(parser, argv, console):
    """Runs `sieve restore`."""
    parser.add_argument("output", metavar="OUT", type=os.fsencode, help="what sieve clean wrote")
    parser.add_argument("-d", "--directory", metavar="DIR", type=os.fsencode,
                        help="write each document as a file under DIR (default: a stream to standard output)")
    parser.add_argument("--overwrite", action="store_true", help="with -d: replace files that exist")
    parser.add_argument("--source", action="store_true",
                        help="take what was discarded from where it came from, if that is unchanged")
    secret.argument(parser)
    cli.file_arguments(parser, named=False)
    args = parser.parse_intermixed_args(argv)
    discarded = out.open_output(args.output, args.key_file)["removed"] == "discarded"
    if args.files0_from is None and not args.files:
        chosen = out.documents(args.output)
    else:
        chosen = out.find(args.output, list(cli.file_names(args)))
    written, writer = cli.Output(), None
    if args.directory is None:
        writer = wire.Writer(written.write)
    else:
        tree = Tree(args.directory, args.overwrite)
    for document in chosen:
        try:
            blocks = _checked(document, original(args.output, document, discarded, args.source))
            if writer is None:
                tree.write(document.name, blocks)
                continue
            writer.begin(document.name)
            for block in blocks:
                writer.text(block)
        except OSError as error:
            if error.errno in NO_ROOM:
                raise Failure(f"{show(document.name)}: {reason(error)}") from error
            console.warn(show(document.name), reason(error))
        except (ValueError, InputError) as error:
            console.warn(show(document.name), str(error))
    written.flush()


def original(top, document, discarded, source=False):
    """The text that `document` of the output `top` had, in blocks of whole lines. With
    `source`, one whose removed lines were `discarded` is read from where it came from.

    Raises OSError, InputError, or ValueError with the reason, if it cannot be had.
    """
    if not (discarded and document.dropped):
        yield from _gathered(_merged(top, document))
    elif source and document.source is not None:
        yield from open_blocks(document.source)
    else:
        raise ValueError("what was removed of it was not kept")


def _merged(top, document):
    """The lines kept and removed in the order of the original, in pieces of one or several."""
    with open(os.path.join(top, document.name), "rb") as kept:
        if document.dropped:
            with open(os.path.join(top, out.REMOVED + document.name), "rb") as removed:
                done = 0
                for row in removed:
                    number, _, text = row.partition(b"\t")
                    between = int(number) - done - 1 if number.isdigit() else -1
                    if between < 0:
                        raise ValueError("what was removed of it is damaged")
                    yield from islice(kept, between)
                    yield text
                    done = int(number)
        yield from kept


def _gathered(pieces):
    held, size = [], 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= PIECE:
            yield b"".join(held)
            held, size = [], 0
    if held:
        yield b"".join(held)


def _checked(document, blocks):
    """`blocks`; raises ValueError after the last if they are not what `document` was."""
    digest = out.text_hash()
    yield from out.hashed(blocks, digest)
    if digest.hexdigest() != document.digest_in:
        raise ValueError("not the original: what was kept or removed of it has been changed")
