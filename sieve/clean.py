"""`sieve clean`: sample, model, check, then the filters as processes over all documents.

What an earlier run into the same OUT has done is not done again: a document whose text and
result have the digests that were recorded is left alone, and what has vanished from the
source goes from OUT.
"""

import json
import os
import tempfile

from sieve import __version__, atomic, check, cli, corpus, hashing, out, wire
from sieve.cli import Failure, show
from sieve.inputs import InputError, open_blocks
from sieve.learn import Tagged
from sieve.pipeline import machine_id, machine_source
from sieve.tree import Tree
from sieve.wash import came_from, wash

# Settings with which a run can use the model of an earlier one, and with which its results, too.
LEARNED = ("seed", "sample", "key")
WASHED = ("version", "machine_id", "removed", "names", "model_digest")


def arguments(parser):
    parser.add_argument("directories", nargs="+", metavar="DIR", type=os.fsencode, help="what to wash")
    parser.add_argument("-o", "--output", required=True, metavar="OUT", type=os.fsencode,
                        help="the directory to write: the clean files, and in .sieve/ how they came about")
    check.sample_arguments(parser)
    parser.add_argument("--refit", action="store_true", help="learn anew, and do not use the model of the run before")
    parser.add_argument("--index", metavar="FILE", type=os.fsencode, help="write the documents' names to FILE, beside what they are called")
    parser.add_argument("--keep-removed", action="store_true", help="under a key: keep what is removed all the same")
    parser.add_argument("--discard", action="store_true", help="do not keep what is removed: nothing can be restored")
    parser.add_argument("--overwrite", action="store_true", help="write into an OUT that holds other things")
    parser.add_argument("--force", action="store_true", help="go on when the check fails")
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress and no summary")
    check.arguments(parser)
    parser.set_defaults(json=False, calibrate=False)


def main(parser, argv, console):
    """Runs `sieve clean`; the status is 1 if the check fails."""
    arguments(parser)
    args = parser.parse_args(argv)
    naming = check.prepare(args)
    if args.key_file is not None and not args.keep_removed:
        args.discard = True
    target = args.output
    origins = [os.path.realpath(top) for top in args.directories]
    origins = [out.written(naming(origin) if naming else origin) for origin in origins]
    _check_places(args.directories, target)
    lock = out.lock(target)
    out.refuse_foreign(target, origins, args.overwrite)
    sources = corpus.sources(args.directories, target, console, naming)
    texts = [source for source in sources if source.text]
    if not texts:
        raise Failure("no text to wash in " + ", ".join(map(show, args.directories)))
    settings = {
        "version": __version__, "sources": origins, "machine_id": machine_id(args.machine),
        "removed": "discarded" if args.discard else "kept",
        "key": hashing.fingerprint, "names": args.names or (args.key_file and "hmac"),
        "seed": None if args.model else args.seed, "sample": None if args.model else args.sample}
    before, records = out.state(target, origins)
    path = args.model
    if path is None and not args.refit and all(before.get(name) == settings[name] for name in LEARNED):
        path = out.recorded_model(target, before)
    if path is not None:
        settings["model_digest"] = out.digest(open_blocks(path))
        if all(before.get(name) == settings[name] for name in WASHED):
            todo = [source for source in sources if not _is_done(source, records.get(source.name), target)]
        else:
            todo = sources
    else:
        todo = sources
    new = [source for source in todo if source.text]
    with tempfile.TemporaryDirectory(prefix="sieve-") as place:
        place = os.fsencode(place)
        tagged = Tagged()
        if path is None or len(new) >= check.FEWEST:
            path, figures = check.look(new, args, path, place, tagged, console)
            if not args.force and check.faults(figures, args):
                check.report(figures, args, console.note)
                return cli.NO
            if not args.quiet:
                print(("PASS: " if not check.faults(figures, args) else "FAIL, forced: ") + check.summary(figures))
        out.refuse_foreign(target, origins, args.overwrite)  # what another run may have made meanwhile
        tree = Tree(target, overwrite=True)
        lock = lock or out.lock(target)
        settings["model_digest"] = out.digest(open_blocks(path))
        run = out.Run(target, tree, records, console)
        run.begin(settings, open_blocks(path), machine_source(args.machine),
                  {source.name for source in sources}, {source.name for source in todo})
        for source in todo:
            record = None if source.text else _copy(source, args, tree, console)
            if record:
                run.keep(record)
        wash(new, tagged, args, os.path.join(target, out.MODEL), run.keep, console)
        run.end()
    if args.index is not None:
        lines = (b"%s\t%s\n" % (wire.escape_name(source.name), wire.escape_name(source.plain)) for source in sources)
        atomic.write(lines, os.path.abspath(args.index), overwrite=True, mode=0o600)
    missing = len(texts) - sum(source.name in run.records for source in texts)
    if missing:
        console.warn(f"{missing} of {len(texts)} documents could not be washed")
    if not args.quiet:
        _summarise(run.records.values(), len(todo), args)


def _check_places(directories, target):
    for top in directories:
        if not os.path.isdir(top):
            raise Failure(f"{show(top)}: not a directory")
        if os.path.join(os.path.realpath(top), b"").startswith(os.path.join(os.path.realpath(target), b"")):
            raise Failure(f"{show(target)}: the output cannot be what is washed, nor hold it")


def _is_done(source, record, target):
    """Whether the `record` (a dict, or None) of a document is still true of its text and of its result."""
    try:
        return (record is not None and out.digest(source.blocks()) == record["digest_in"]
                and out.digest(out.blocks(os.path.join(target, source.name))) == record["digest_out"])
    except (OSError, InputError):
        return False


def _copy(source, args, tree, console):
    """Copies a file that is not text; returns its record, or None if it cannot be read."""
    console.note(show(source.path), "not text: copied as it is")
    text_hash = out.text_hash()
    try:
        tree.write(source.name, out.hashed(source.blocks(), text_hash))
    except (OSError, ValueError) as error:
        console.warn(show(source.path), cli.reason(error))
        return None
    digest = text_hash.hexdigest()
    return {"name": out.written(source.name), "digest_in": digest, "digest_out": digest, **came_from(source, args)}


def _summarise(records, changed, args):
    texts = [record for record in records if "lines" in record]
    regions = {}
    for record in texts:
        for region, number in record["dropped"].items():
            regions[region] = regions.get(region, 0) + number
    where = ", ".join(f"{region} {number:,}" for region, number in sorted(regions.items()))
    print(f"{len(texts):,} documents, {sum(record['lines'] for record in texts):,} lines: "
          f"{sum(record['kept'] for record in texts):,} kept, {sum(regions.values()):,} dropped"
          + (f" ({where})" if where else "") + f"; {changed:,} new or changed")
    print(f"kept in {show(args.output)}" + (
        "" if args.discard else f", dropped in {show(args.output)}/{out.written(out.REMOVED[:-1])}"))
