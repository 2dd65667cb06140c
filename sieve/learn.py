"""Learning a model from a sample, with the tools as processes."""

import os
import tempfile

from sieve import secret, wire
from sieve.cli import TROUBLE, Failure
from sieve.inputs import open_blocks
from sieve.pipeline import Pipeline

ROUNDS = 2  # of refining; a third changes almost nothing (benchmarks/README.md)


def count_halves(paths, place, options):
    """Counts each half of the documents `paths`, side by side, with `options` for `ngram-model
    count`; returns the paths of the counts, files in the directory `place`."""
    counts = [os.path.join(place, name) for name in (b"counts-1", b"counts-2")]
    pipelines = []
    for i, path in enumerate(counts):
        with open(path, "wb") as file:
            pipelines.append(Pipeline([["ngram-model", "count", *options, "--files0-from=-"]], paths[i::2], to=file, quiet=True))
    for pipeline in pipelines:
        pipeline.wait()
    return counts


def learn(paths, counts, args, place):
    """Learns a model from the documents `paths`: first by the document frequency that is in
    `counts`, then again from where the machine found each line. Returns the model's path."""
    path, better = os.path.join(place, b"model"), os.path.join(place, b"better")
    _write(path, Pipeline([["ngram-model", "cut", *counts]]))
    for _ in range(ROUNDS):
        refine = ["ngram-model", "refine", "-m", path, *secret.options(args)]
        _write(better, Pipeline([*tagging(args, path), refine], paths, quiet=True))
        os.replace(better, path)
    return path


def _write(path, pipeline):
    """Writes what a pipe prints to a file. What it could not read is told of by the one that scores."""
    with open(path, "wb") as file:
        for block in iter(lambda: pipeline.stdout.read(1 << 18), b""):
            file.write(block)
    pipeline.wait()
    if not os.path.getsize(path):
        raise Failure("no model could be learned: the sample cannot be read")


class Tagged:
    """Documents (`corpus.Source`) that were scored, and their lines decided, before the others:
    their `names`, and the temporary `files` that have them, a tagged stream each."""

    def __init__(self):
        self.names, self.files = set(), []

    def documents(self, sources, args, model, console):
        """Tags documents in as many pipes as there are jobs and yields them (`wire.Document`).
        Under a key nothing is kept of them, and what cannot be read is told of later."""
        if args.key_file is not None:
            pipe = Pipeline(tagging(args, model), *fed(sources), quiet=True)
            yield from wire.documents(pipe.blocks())
            pipe.wait()
            return
        self.names = {source.name for source in sources}
        shares = [sources[job::args.jobs] for job in range(min(args.jobs, len(sources)))]
        self.files = [tempfile.TemporaryFile() for _ in shares]
        pipes = [Pipeline(tagging(args, model), *fed(share), to=file) for share, file in zip(shares, self.files)]
        if max([pipe.wait() for pipe in pipes], default=0):
            console.status = TROUBLE  # the tool that met it has told what it is
        for file in self.files:
            yield from wire.documents(open_blocks(b"/dev/fd/%d" % file.fileno()))


def fed(sources):
    """What a pipe that begins with doc-cat is fed: paths, and names."""
    return [source.path for source in sources], [source.plain for source in sources]


def tagging(args, model):
    """The commands that make a tagged stream of files."""
    keyed = secret.options(args)
    names = [] if args.names is None else ["--names", args.names]
    return [["doc-cat", "--files0-from=-", *names, *keyed], ["line-score", "-m", model, *keyed],
            ["regions", "-m", args.machine, "--tag"]]
