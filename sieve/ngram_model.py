"""learn what a collection repeats, as a model to score lines by

A template is what appears in most documents of a sample, whatever it counts inside one.
`count` says in how many documents each n-gram and each line occurs, `merge` adds counts up,
`cut` keeps what is in enough documents, `build` is count and cut in one, `refine` learns
again from what `regions --tag` printed for the sample, `check` tells whether a model fits
documents, and `info` describes a file.
"""

import argparse
import contextlib
import heapq
import itertools
import os
import struct
import tempfile
from collections import Counter

from sieve import article, cli, hashing, kernel, model, ngrams, secret, wire
from sieve.cli import Failure, reason, show
from sieve.contexts import SHARED, WithContexts, shared_contexts
from sieve.inputs import InputError, open_blocks
from sieve.wire import SCALE

MIN_DF = "0.8"  # of the documents, as in the article; what benchmarks/README.md found best, too
FAN_IN = 16  # files merged at once; with two levels open that stays below 64 descriptors
PROFILES = ("sieve", "article")


def main(argv, console):
    """Runs the subcommand that `argv` begins with."""
    parser, command, argv = cli.subcommand("ngram-model", __doc__, (count, merge, cut, build, refine, check, info), argv)
    output = cli.Output()
    try:
        return command(parser, argv, console, output)
    finally:
        output.flush()


# --- the subcommands ---


def count(parser, argv, console, output):
    """write in how many of the documents each n-gram and each line occurs"""
    _counting_arguments(parser)
    _write(*_count(_parse(parser, argv), console), output)


def merge(parser, argv, console, output):
    """add counts up, to the same bytes as counting all the documents at once"""
    args = _parse(parser, argv)
    _write(*_merge(list(cli.file_names(args))), output)


def cut(parser, argv, console, output):
    """turn counts into a model of what is in enough documents"""
    _cutting_arguments(parser)
    args = _parse(parser, argv)
    _write(*_cut(*_merge(list(cli.file_names(args))), args.min_df), output)


def build(parser, argv, console, output):
    """learn a model from documents: count and cut in one"""
    _counting_arguments(parser)
    _cutting_arguments(parser)
    args = _parse(parser, argv)
    _write(*_cut(*_count(args, console), args.min_df), output)


def refine(parser, argv, console, output):
    """learn a better model from where `regions --tag` found each line of the sample"""
    parser.add_argument("-m", "--model", required=True, metavar="MODEL", type=os.fsencode,
                        help="the model that the sample was scored by")
    secret.argument(parser)
    args = _parse(parser, argv)
    secret.use(args.key_file, (args.model,))
    from sieve.refine import RegionFrequency, tagged_lines

    with _naming(args.model):
        before, _ = model.read(open_blocks(args.model))
        hashing.refuse_other_key(before)
    if before.kind != model.MODEL or before["profile"] != "sieve":
        raise Failure(f"{show(args.model)}: not a model that can be refined (counts, or the profile article)")
    counted = RegionFrequency(before.n)
    for document in cli.documents(args, console):
        with _naming(document.name or console.file):
            counted.add(tagged_lines(document))
    if not counted.documents:
        raise Failure("no documents to learn from")
    fields = {**before.fields, "documents": counted.documents}
    fields.pop("entries")
    _write(model.Header(model.MODEL, **fields), sorted(counted.weights().items()), output)


def check(parser, argv, console, output):
    """tell whether a model fits documents; the status is 1 if it does not"""
    from sieve import check, figures, line_score

    parser.add_argument("-m", "--model", required=True, metavar="MODEL", type=os.fsencode, help="the model to judge")
    secret.argument(parser)
    check.arguments(parser)
    check.report_arguments(parser)
    args = _parse(parser, argv)
    secret.use(args.key_file, (args.model,))
    header, known = figures.load(args.model)
    scorer = line_score.load(args.model)
    halves = [_counter(header["profile"], header.n)[0] for _ in range(2)]
    found = figures.Figures(0, model=True)
    for document in cli.documents(args, console):
        lines = list(document.lines())
        halves[found.documents % 2].add(wire.Document(None, lines))
        found.documents += 1
        found.add(figures.section(document.name or b"", args.section), (
            pair for texts, scores in line_score.scored(scorer, wire.Document(None, lines)) for pair in zip(scores, texts)))
    found.compare([(model.Header(model.COUNTS, documents=half.documents), half.entries()) for half in halves], known)
    return cli.OK if check.report(found, args, lambda line: output.write(os.fsencode(line) + b"\n")) else cli.NO


def info(parser, argv, console, output):
    """print a file's header and how many entries of each sort it has"""
    args = _parse(parser, argv)
    for path in cli.file_names(args):
        with _naming(path):
            header, entries = model.read(open_blocks(path))
            output.write(b"".join(header.lines()))
            for sort, number in _sorts(header, entries):
                output.write(b"%s\t%d\n" % (sort, number))


def _sorts(header, entries):
    """The entries counted: of a model by tenths of weight, of counts by kind."""
    if header.kind == model.COUNTS:
        kinds = Counter(kind for _, _, kind in entries)
        names = {model.NGRAM: b"n-grams", model.LINE: b"lines", model.PAIR: b"pairs", model.PLACE: b"places", model.END: b"ends"}
        return [(name, kinds[kind]) for kind, name in names.items()]
    tenths = [0] * 11
    for _, weight in entries:
        tenths[weight * 10 // SCALE] += 1
    return [(b"weight %d.%d" % divmod(tenth, 10), number) for tenth, number in enumerate(tenths) if number]


# --- arguments and errors ---


def _counting_arguments(parser):
    parser.add_argument("-n", type=cli.number(1, 64), metavar="N",
                        help=f"characters in an n-gram (default {ngrams.N}; article: {article.N})")
    parser.add_argument("--profile", choices=("sieve", "article"), default="sieve",
                        help="how lines are cut and hashed; `article` is the article's method to the integer")
    secret.argument(parser)


def _cutting_arguments(parser):
    parser.add_argument("--min-df", type=_share, metavar="SHARE", default=MIN_DF,
                        help="the share of the documents that must have an n-gram or line (default %(default)s)")


def _share(text):
    """A share from 0 to 1, exactly, in parts of SCALE."""
    try:
        return wire.parse_score(text.encode())[1]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 1") from None


def _parse(parser, argv):
    cli.file_arguments(parser, named=False)
    args = parser.parse_intermixed_args(argv)
    cli.refuse_terminal(args)
    return args


@contextlib.contextmanager
def _naming(path):
    """Makes what is wrong with the file at `path` a failure that names it."""
    try:
        yield
    except (OSError, InputError, wire.FormatError) as error:
        raise Failure(f"{show(path)}: {reason(error)}") from error


# --- counting, merging, cutting: each gives (header, entries) ---


def _counter(profile, n):
    """What counts documents by a profile, and the header fields that say so."""
    if profile == "sieve":
        n = n or ngrams.N
        if kernel.compiled:
            return ngrams.CompiledFrequency(kernel.compiled.Counter(n)), ngrams.fields(n)
        return WithContexts(ngrams.DocumentFrequency(n), n), ngrams.fields(n)
    if n in (None, article.N):
        return article.DocumentFrequency(), article.fields()
    raise Failure(f"the profile article has n = {article.N}")


def _count(args, console):
    if secret.use(args.key_file) and args.profile == "article":
        raise Failure("the profile article has a hash of its own, and knows no key")
    counted, fields = _counter(args.profile, args.n)
    for document in cli.documents(args, console):
        counted.add(document)
    return model.Header(model.COUNTS, **fields, documents=counted.documents), counted.entries()


def _merge(paths):
    """Counts of any number of files, a group at a time, each group's sum in a temporary file."""
    if len(paths) > FAN_IN:
        size = -(-len(paths) // FAN_IN)
        sources = [_spooled(*_merge(paths[i:i + size])) for i in range(0, len(paths), size)]
    else:
        sources = []
        for path in paths:
            with _naming(path):
                header, entries = model.read(open_blocks(path))
                if header.kind != model.COUNTS:
                    raise Failure(f"{show(path)}: a model, not counts")
                sources.append((header, _checked(path, entries)))
    header = sources[0][0]
    for path, (other, _) in zip(paths, sources):
        if other.method() != header.method():
            raise Failure(f"{show(path)}: counted by another method than {show(paths[0])} (n, hash, fold, profile or key)")
    fields = {**header.fields, "documents": sum(source.documents for source, _ in sources)}
    return model.Header(model.COUNTS, **fields), _sum(entries for _, entries in sources)


def _checked(path, entries):
    with _naming(path):
        yield from entries


def _sum(sources):
    for (value, kind), group in itertools.groupby(heapq.merge(*sources), lambda entry: (entry[0], entry[2])):
        yield value, sum(number for _, number, _ in group), kind


def _cut(header, entries, min_df):
    """A model of the n-grams and lines in at least `min_df` (parts of SCALE) of the documents,
    with weight 0 of the lines that a few documents share, and of the contexts of lines."""
    documents = header.documents
    if not documents:
        raise Failure("no documents to learn from")
    fields = {**header.fields, "min-df": "%g" % (min_df / SCALE)}
    if header["profile"] == "article":
        needed = article.needed(documents, min_df)
    else:
        needed = max(1, -(-min_df * documents // SCALE))

    if isinstance(entries, ngrams.CompiledEntries):
        entries = entries.frequent(needed, min(needed, SHARED), SHARED)

    def kept():
        for value, number, kind in entries:
            if kind not in (model.NGRAM, model.LINE):
                yield from shared_contexts([(value, number, kind)], documents)
            elif number >= needed:
                yield value, SCALE
            elif kind == model.LINE and number >= SHARED:
                yield value, 0

    return model.Header(model.MODEL, **fields), kept()


# --- writing ---

_ENTRY = struct.Struct("<QQB")


def _spooled(header, entries):
    """`entries`, moved to a temporary file and counted into the header."""
    spool = tempfile.TemporaryFile()
    count = 0
    width = 3 if header.kind == model.COUNTS else 2
    for entry in entries:
        spool.write(_ENTRY.pack(*entry, *(0,) * (3 - width)))
        count += 1
    spool.seek(0)
    header.fields["entries"] = str(count)
    chunks = iter(lambda: spool.read(_ENTRY.size << 12), b"")
    return header, (entry[:width] for chunk in chunks for entry in _ENTRY.iter_unpack(chunk))


def _write(header, entries, output):
    if isinstance(entries, ngrams.CompiledEntries):
        model.write_header(header, entries.sort(), output.write)
        for block in entries.blocks():
            output.write(block)
        return
    header, entries = _spooled(header, entries)
    model.write(header, header.entries, entries, output.write)
