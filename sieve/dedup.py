"""drop repeated lines: the first stays, in its place"""

import os
from itertools import compress

from sieve import kernel, secret
from sieve.cli import Failure, number, show
from sieve.repeats import Repeats
from sieve.wire import FormatError, split

_METHODS = {False: "line", True: "words"}  # how lines are compared, as a file of lines seen has it


def arguments(parser):
    parser.add_argument("--scope", choices=("stream", "document"), default="stream",
                        help="where a line must come twice to be repeated (default: %(default)s)")
    parser.add_argument("--fold", action="store_true",
                        help="compare lines by their words, without case, accents and punctuation")
    parser.add_argument("--min-length", type=number(0), default=0, metavar="N",
                        help="let lines of fewer than N characters pass")
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--count", action="store_true", help="begin each line with the number of times it came")
    group.add_argument("--repeated", action="store_true", help="print the lines that would be dropped")
    parser.add_argument("--seen", type=os.fsencode, metavar="FILE",
                        help="drop also what earlier runs with FILE met, and add to it; it is made if missing")
    secret.argument(parser)


def run(args, documents, out):
    if args.seen is not None and args.scope == "document":
        raise Failure("--seen reaches beyond documents and --scope document does not")
    key = secret.use(args.key_file, (args.seen,))
    if kernel.compiled and not (args.fold or args.min_length > 1 or args.count or args.seen is not None):
        return _pick_compiled(args, documents, out, kernel.compiled.Repeats())
    repeats = Repeats(_words if args.fold else None, args.min_length, key)
    if args.seen is not None:
        _load(repeats, args.seen, _METHODS[args.fold])
    groups = ([document] for document in documents) if args.scope == "document" else [documents]
    for group in groups:
        if args.scope == "document":
            repeats.hashes.clear()
        if args.count:
            _count(group, out, repeats)
        else:
            _pick(group, out, repeats, _repeated if args.repeated else _new)
    if args.seen is not None and not args.repeated:
        from sieve import seen

        args.flush()  # what could not be written was not seen
        seen.save(repeats, args.seen, _METHODS[args.fold])


def _pick_compiled(args, documents, out, repeats):
    for document in documents:
        if args.scope == "document":
            repeats.clear()
        out.begin(document.name)
        for block in document:
            out.text(repeats.pick(block, args.repeated))


def _load(repeats, path, method):
    from sieve import seen

    try:
        seen.load(repeats, path, method)
    except FileNotFoundError:  # the first run
        pass
    except FormatError as error:
        raise Failure(f"{show(path)}: {error}") from error


def _pick(documents, out, repeats, pick):
    for document in documents:
        out.begin(document.name)
        for block in document:
            out.text(pick(block, repeats))


def _new(block, repeats):
    """The lines of `block` that are new."""
    lines = block.split(b"\n")  # the last is empty or has no LF
    new = repeats.new(lines)
    if new is None:
        return block
    kept = list(compress(lines, new))
    if not new[-1]:
        kept.append(b"")
    return b"\n".join(kept)


def _repeated(block, repeats):
    """The lines of `block` that are not new."""
    lines = block.split(b"\n")
    new = repeats.new(lines)
    if new is None:
        return b""
    dropped = [line for line, is_new in zip(lines, new) if not is_new]
    if new[-1]:
        dropped.append(b"")
    return b"\n".join(dropped)


def _count(documents, out, repeats):
    """Writes the new lines when it is known how often they come, which is before them as `uniq -c`
    has it: 1 for what is not compared."""
    counts, texts = {}, []
    for document in documents:
        kept = []  # of pairs: a line with its LF, its hash or None
        texts.append((document.name, kept))
        for block in document:
            lines = split(block)
            for line, value in zip(lines, repeats.hashes_of([line.rstrip(b"\n") for line in lines])):
                if value in counts:
                    counts[value] += 1
                elif value not in repeats.hashes:
                    kept.append((line, value))
                    if value is not None:
                        counts[value] = 1
    repeats.hashes |= counts.keys()
    for name, kept in texts:
        out.begin(name)
        out.text(b"".join([b"%7d %s" % (counts.get(value, 1), line) for line, value in kept]))


def _words(line):
    """What `line` is compared by under --fold; one without words stands for itself."""
    from sieve.key import key

    return key(line) or line
