"""`sieve clean`: sample, model, then the filters as processes over all documents."""

import hashlib
import heapq
import json
import os
import selectors
import sys
import tempfile
import time

from sieve import __version__, cli, corpus, out
from sieve.cli import Failure, show
from sieve.inputs import open_blocks
from sieve.pipeline import Pipeline, machine_id, machine_source
from sieve.tree import Tree

SAMPLE = 500  # documents; more hardly changes a model (benchmarks/README.md)
FEWEST = 5  # documents; what fewer share may be chance as well as template
ROUNDS = 2  # of refining; a third changes almost nothing (benchmarks/README.md)
PROGRESS = 0.1  # seconds between updates of the progress line
BAR = 30  # characters of its bar


def arguments(parser):
    parser.add_argument("directories", nargs="+", metavar="DIR", type=os.fsencode, help="what to wash")
    parser.add_argument("-o", "--output", required=True, metavar="OUT", type=os.fsencode,
                        help="the directory to write: the clean files, and in .sieve/ how they came about")
    parser.add_argument("--model", metavar="FILE", type=os.fsencode, help="use this model and learn none")
    parser.add_argument("--machine", metavar="MACHINE", default="regions",
                        help="a machine's name or file, as for regions (default %(default)s)")
    parser.add_argument("--sample", type=cli.number(2), default=SAMPLE, metavar="N",
                        help="documents to learn from (default %(default)s, or all if there are fewer)")
    parser.add_argument("--seed", type=cli.number(0, (1 << 64) - 1), default=0, metavar="N",
                        help="which documents are the sample (default %(default)s)")
    parser.add_argument("-j", "--jobs", type=cli.number(1), metavar="N",
                        help="pipes that run side by side (default: a processor each)")
    parser.add_argument("--discard", action="store_true", help="do not keep what is removed: nothing can be restored")
    parser.add_argument("--overwrite", action="store_true", help="write into an OUT that holds other things")
    parser.add_argument("--force", action="store_true", help="go on when there is too little to learn from")
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress and no summary")
    parser.set_defaults(files=None)


def main(parser, argv, console):
    """Runs `sieve clean`."""
    arguments(parser)
    args = parser.parse_args(argv)
    target = args.output
    origins = [os.fsdecode(os.path.realpath(top)) for top in args.directories]
    _check_places(args.directories, target)
    out.refuse_foreign(target, origins, args.overwrite)
    sources = corpus.sources(args.directories, target, console)
    texts = [source for source in sources if source.text]
    if not texts:
        raise Failure("no text to wash in " + ", ".join(map(show, args.directories)))
    manifest = {"version": __version__, "sources": origins, "machine": args.machine, "machine_id": machine_id(args.machine),
                "removed": "discarded" if args.discard else "kept"}
    if args.model is None:
        chosen = corpus.sample(texts, args.sample, args.seed)
        if not args.force:
            _check_sample(chosen)
        manifest.update(seed=args.seed, sample=len(chosen))
    tree = Tree(target, overwrite=True)
    tree.write(out.MANIFEST, [_json(manifest)])  # from here on the directory is known for ours
    if args.model is None:
        learn(chosen, args.machine, target, tree)
    else:
        tree.write(out.MODEL, open_blocks(args.model))
    tree.write(out.MACHINE, [machine_source(args.machine)])
    manifest["model_sha256"] = out.digest(out.blocks(os.path.join(target, out.MODEL)))
    tree.write(out.MANIFEST, [_json(manifest)])
    copied = [_copy(source, tree, console) for source in sources if not source.text]
    totals = wash(texts, args, tree, console, copied)
    if totals.documents < len(texts):
        console.warn(f"{len(texts) - totals.documents} of {len(texts)} documents could not be washed")
    if not args.quiet:
        _summarise(totals, args)


def _check_places(directories, target):
    for top in directories:
        if not os.path.isdir(top):
            raise Failure(f"{show(top)}: not a directory")
        if os.path.join(os.path.realpath(top), b"").startswith(os.path.join(os.path.realpath(target), b"")):
            raise Failure(f"{show(target)}: the output cannot be what is washed, nor hold it")


def _check_sample(chosen):
    """Refuses to learn where nothing can be learned. What is in every copy of one text is
    all of it, and what a few texts share may be chance."""
    if len(chosen) < FEWEST:
        raise Failure(f"{len(chosen)} documents are too few to tell a template from chance: "
                      f"{FEWEST} are needed, or a model from elsewhere (--model), or --force")
    if len({out.digest(out.blocks(source.path)) for source in chosen}) == 1:
        raise Failure("all documents are the same: what they repeat is not a template (--force washes them all the same)")


def learn(chosen, machine, target, tree):
    """Learns a model from the documents `chosen` and writes it: first by document frequency,
    then again from where the machine found each line."""
    path = os.path.join(target, out.MODEL)
    paths = [source.path for source in chosen]
    tree.write(out.MODEL, _output(paths, [["ngram-model", "build"]]))
    for _ in range(ROUNDS):
        tree.write(out.MODEL, _output(paths, [
            ["line-score", "-m", path], ["regions", "-m", machine, "--tag"], ["ngram-model", "refine", "-m", path]]))


def _output(paths, commands):
    """What the pipe of doc-cat over `paths` and `commands` prints. What cannot be read is
    told of when it is washed."""
    pipeline = Pipeline([["doc-cat", "--files0-from=-"], *commands], paths, quiet=True)
    written = pipeline.stdout.read()
    pipeline.wait()
    if not written:
        raise Failure("no model could be learned: the sample cannot be read")
    return [written]


class Totals:
    """Documents, and lines kept and dropped by region."""

    def __init__(self):
        self.documents = self.kept = 0
        self.dropped = {}

    def add(self, record):
        self.documents += 1
        self.kept += record["kept"]
        for region, number in record["dropped"].items():
            self.dropped[region] = self.dropped.get(region, 0) + number


def _copy(source, tree, console):
    """Copies a file that is not text; returns its record as a line."""
    console.note(show(source.path), "not text: copied as it is")
    sha256 = hashlib.sha256()
    tree.write(source.name, out.hashed(out.blocks(source.path), sha256))
    digest = sha256.hexdigest()
    return _record(source, {"name": out.written(source.name), "sha256_in": digest, "sha256_out": digest})


def _record(source, record):
    return _json({**record, "source": out.written(os.path.abspath(source.path))})


def wash(sources, args, tree, console, copied):
    """Runs the filters over `sources` in as many pipes as there are jobs; returns Totals.
    `copied` are the records of other files.

    Each pipe takes every so-manieth document, in order, so that what they report can be
    merged: the documents and their records are the same for any number of jobs.
    """
    jobs = min(args.jobs or len(os.sched_getaffinity(0)), len(sources))
    totals, progress = Totals(), Progress(len(sources), args.quiet)
    by_name = {source.name: source for source in sources}
    command = [
        ["doc-cat", "--files0-from=-"], ["line-score", "-m", os.path.join(args.output, out.MODEL)],
        ["regions", "-m", args.machine, "--tag"],
        ["sieve", "collect", "-o", args.output, *(["--discard"] if args.discard else [])]]
    pipes, records = [], []
    selector = selectors.DefaultSelector()
    try:
        for job in range(jobs):
            share = sources[job::jobs]
            pipe = Pipeline(command, [source.path for source in share], [source.name for source in share])
            pipes.append(pipe)
            records.append(tempfile.TemporaryFile())
            selector.register(pipe.stdout, selectors.EVENT_READ, records[-1])
        while selector.get_map():
            for key, _ in selector.select():
                line = key.fileobj.readline()
                if line:
                    record = json.loads(line)
                    key.data.write(_record(by_name[out.raw(record["name"])], record))
                    totals.add(record)
                    progress.show(totals.documents)
                else:
                    selector.unregister(key.fileobj)
        for pipe in pipes:
            if pipe.wait():
                console.status = cli.TROUBLE  # the tool that met it has told what it is
    finally:
        for pipe in pipes:
            pipe.kill()
        progress.end()
    for file in records:
        file.seek(0)
    tree.write(out.DOCUMENTS, heapq.merge(copied, *records, key=lambda line: out.raw(json.loads(line)["name"])))
    return totals


def _json(value):
    return json.dumps(value, sort_keys=True).encode() + b"\n"


class Progress:
    """A line on a terminal that tells how far the work is; nothing anywhere else."""

    def __init__(self, total, quiet):
        self._total = total
        self._wanted = not quiet and sys.stderr is not None and sys.stderr.isatty()
        self._start = time.monotonic()
        self._shown = 0.0

    def show(self, done):
        now = time.monotonic()
        if not self._wanted or now - self._shown < PROGRESS:
            return
        self._shown = now
        rate = done / max(now - self._start, PROGRESS)
        filled = BAR * done // self._total
        sys.stderr.write(f"\r[{'#' * filled}{'.' * (BAR - filled)}] {done}/{self._total} documents, "
                         f"{rate:.0f}/s, {(self._total - done) / rate:.0f} s left \x1b[K")
        sys.stderr.flush()

    def end(self):
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def _summarise(totals, args):
    dropped = sum(totals.dropped.values())
    where = ", ".join(f"{region} {number:,}" for region, number in sorted(totals.dropped.items()))
    print(f"{totals.documents:,} documents, {totals.kept + dropped:,} lines: {totals.kept:,} kept, {dropped:,} dropped"
          + (f" ({where})" if where else ""))
    print(f"kept in {show(args.output)}" + (
        "" if args.discard else f", dropped in {show(os.path.join(args.output, out.REMOVED[:-1]))}"))
