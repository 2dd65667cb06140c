"""`sieve explain`: why each line of a document went or stayed."""

import os

from sieve import cli, model, out, secret, wire
from sieve.cli import Failure, show
from sieve.inputs import open_blocks
from sieve.pipeline import Pipeline

COLUMNS = b"#line\tverdict\tscore\tbefore\tafter\twhy\tcovered\ttext\n"


def main(parser, argv, console):
    """Runs `sieve explain`."""
    parser.add_argument("output", metavar="OUT", type=os.fsencode, help="what sieve clean wrote")
    parser.add_argument("file", metavar="FILE", type=os.fsencode, help="a document's name or its file in OUT")
    parser.add_argument("line", metavar="LINE", nargs="?", type=cli.number(1), help="one line's number (default: all)")
    secret.argument(parser)
    args = parser.parse_args(argv)
    top = os.path.abspath(args.output)
    settings = out.open_output(args.output, args.key_file)
    document, = out.find(args.output, [args.file])
    if document.lines is None:
        raise Failure(f"{show(document.name)}: not text: it was copied as it is")
    if args.line is not None and args.line > document.lines:
        raise Failure(f"{show(document.name)}: it has {document.lines} lines")
    output = cli.Output()
    output.write(b"#document %s\n#model %s\n#machine %s\n" % (
        wire.escape_name(document.name), settings["model_digest"].encode(), settings["machine_id"].encode()))
    output.write(COLUMNS)
    for row in _rows(top, document, secret.options(args)):
        if args.line is None or row.startswith(b"%d\t" % args.line):
            output.write(row)
    output.flush()


def _rows(top, document, keyed):
    """Yields a row for each line: what `regions --trace` tells of it, and what `line-score
    --explain` does, of the original once more. Under a key there is no text in it."""
    restored = ["sieve", "restore", top, "--source", *keyed, "--", document.name]
    path = os.path.join(top, out.MODEL)
    header, _ = model.read(open_blocks(path))
    ranged = header["profile"] == "sieve"  # the article's has no ranges
    traced = Pipeline([restored, ["line-score", "-m", path, *keyed], ["regions", "-m", os.path.join(top, out.MACHINE), "--trace"]])
    scored = Pipeline([restored, ["line-score", "-m", path, *keyed, *(["--explain"] if ranged else [])]], quiet=True)
    for trace, line in zip(_unframed(traced), _unframed(scored)):
        _, number, score, before, after, why, verdict = trace[:-1].split(b"\t")
        _, *covered, text = line.removesuffix(b"\n").split(b"\t", 1 + ranged)
        yield b"\t".join([number, verdict, score, before, after, why, *(covered or [b"-"]), b"-" if keyed else text]) + b"\n"
    if max(traced.wait(), scored.wait()):
        raise Failure(f"{show(document.name)}: its original cannot be had")


def _unframed(pipeline):
    """The lines that a pipe of one document prints, without those of the frame; no other
    begins like them, since it begins with a name's or a score's column."""
    return (line for line in pipeline.stdout if not line.startswith(wire.MARK))
