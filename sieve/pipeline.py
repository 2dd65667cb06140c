"""Running the tools as processes joined by pipes, as a shell would."""

import os
import signal
import subprocess
import sys
import threading

from sieve.cli import TROUBLE, Failure, show
from sieve.inputs import open_blocks

TOOLS = os.path.dirname(os.path.realpath(sys.argv[0]))  # the tools stand beside the one that runs


class Pipeline:
    """Commands, each a list of a tool's name and its arguments, joined by pipes.

    `paths` are fed to the first one's stdin, each ended by NUL, and so are `names` to a
    descriptor that it learns of by `--names0-from`, if any are given. `quiet` lets the first
    one keep its messages to itself. The first one can read the file `source` instead, and the
    last one write to the file `to`.
    """

    def __init__(self, commands, paths=(), names=None, quiet=False, source=None, to=None):
        self._processes, self._feeders = [], []
        passed = ()
        if names is not None:
            read, write = os.pipe()
            passed = (read,)
            commands = [[*commands[0], "--names0-from", f"/dev/fd/{read}"], *commands[1:]]
            self._feed(open(write, "wb"), names)
        feeds = source is None
        source = subprocess.PIPE if feeds else source
        for i, (tool, *arguments) in enumerate(commands):
            process = subprocess.Popen(
                [sys.executable, os.path.join(TOOLS, tool), *arguments], stdin=source,
                stdout=to if to is not None and i == len(commands) - 1 else subprocess.PIPE,
                stderr=subprocess.DEVNULL if quiet and not i else None,
                pass_fds=() if i else passed)
            if i:
                source.close()  # the child has it, and the one before must learn when it ends
            source = process.stdout
            self._processes.append(process)
        for descriptor in passed:
            os.close(descriptor)
        self.stdout = source
        if feeds:
            self._feed(self._processes[0].stdin, paths)

    def _feed(self, pipe, names):
        feeder = threading.Thread(target=_feed, args=(pipe, names), daemon=True)
        feeder.start()
        self._feeders.append(feeder)

    def blocks(self):
        """What the last one prints, in blocks of whole lines."""
        return open_blocks(b"/dev/fd/%d" % self.stdout.fileno())

    def wait(self):
        """Waits for all; returns the highest status, and raises Failure if one died untold."""
        for feeder in self._feeders:
            feeder.join()
        statuses = [process.wait() for process in self._processes]
        told = max((i for i, status in enumerate(statuses) if status == TROUBLE), default=0)
        if any(status not in range(3) and (status != -signal.SIGPIPE or i > told) for i, status in enumerate(statuses)):
            raise Failure("a part of the pipe was stopped or failed; what was written so far is whole")
        return max(statuses)

    def kill(self):
        for process in self._processes:
            if process.poll() is None:
                process.kill()
        for process in self._processes:
            process.wait()


def _feed(pipe, names):
    try:
        with pipe:
            for name in names:
                pipe.write(name + b"\0")
    except BrokenPipeError:  # the reader has ended, and its status tells why
        pass


def machine_id(machine):
    """The id that `regions` gives a machine (its name or its file), which is refused there if it is wrong."""
    return _printed(machine, "--id").decode().strip()


def machine_source(machine):
    """A machine as it is written."""
    return _printed(machine, "--print")


def _printed(machine, option):
    pipeline = Pipeline([["regions", "--machine", machine, option]])
    written = pipeline.stdout.read()
    if pipeline.wait():
        raise Failure(f"{show(os.fsencode(machine))}: not a machine")
    return written
