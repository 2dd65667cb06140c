"""Running the filters over documents and collecting what they make of them."""

import json
import os
import selectors
import sys
import time

from sieve import cli, out, secret
from sieve.learn import fed, tagging
from sieve.pipeline import Pipeline

PROGRESS = 0.1  # seconds between updates of the progress line
BAR = 30  # characters of its bar


def wash(sources, tagged, args, model, keep, console):
    """Washes the documents `sources` into `args.output` and calls `keep(record)` for each, a
    dict, when its files are there. Some of them are `tagged` already (`learn.Tagged`); the
    others go through as many pipes as there are jobs.

    Each pipe takes every so-manieth document. What is written is the same for any number.
    """
    by_name = {source.name: source for source in sources}
    progress = Progress(len(sources), args.quiet)
    last = ["sieve", "collect", "-o", args.output, *(["--discard"] if args.discard else []), *secret.options(args)]
    pipes = []
    selector = selectors.DefaultSelector()
    done = 0
    try:
        for file in tagged.files:
            file.seek(0)
            pipes.append(Pipeline([last], source=file))
        rest = [source for source in sources if source.name not in tagged.names]
        for share in (rest[job::args.jobs] for job in range(min(args.jobs, len(rest)))):
            pipes.append(Pipeline([*tagging(args, model), last], *fed(share)))
        for pipe in pipes:
            selector.register(pipe.stdout, selectors.EVENT_READ)
        while selector.get_map():
            for key, _ in selector.select():
                line = key.fileobj.readline()
                if line:
                    record = json.loads(line)
                    keep({**record, **came_from(by_name[out.raw(record["name"])], args)})
                    done += 1
                    progress.show(done)
                else:
                    selector.unregister(key.fileobj)
        if max([pipe.wait() for pipe in pipes], default=0):
            console.status = cli.TROUBLE  # the tool that met it has told what it is
    finally:
        for pipe in pipes:
            pipe.kill()
        progress.end()


def came_from(source, args):
    """Where a document came from, for its record: nothing if names are not to be told."""
    return {} if args.key_file or args.names else {"source": out.written(os.path.abspath(source.path))}


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
