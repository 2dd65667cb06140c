"""Running the tools as processes joined by pipes, as a shell would."""

import os
import subprocess
import sys
import threading

from sieve.cli import Failure

TOOLS = os.path.dirname(os.path.realpath(sys.argv[0]))  # the tools stand beside the one that runs


class Pipeline:
    """Commands, each a list of a tool's name and its arguments, joined by pipes.

    `names` are fed to the first one's stdin, each ended by NUL; the last one learns by
    `--targets FD` of a descriptor with the names and `targets` in turn, if any are given.
    `quiet` lets the first one keep its messages to itself.
    """

    def __init__(self, commands, names=(), targets=None, quiet=False):
        self._processes, self._feeders = [], []
        passed = ()
        if targets is not None:
            read, write = os.pipe()
            passed = (read,)
            commands = [*commands[:-1], [*commands[-1], "--targets", str(read)]]
            pairs = (piece for pair in zip(names, targets) for piece in pair)
            self._feed(open(write, "wb"), pairs)
        source = subprocess.PIPE
        for i, (tool, *arguments) in enumerate(commands):
            process = subprocess.Popen(
                [sys.executable, os.path.join(TOOLS, tool), *arguments], stdin=source, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL if quiet and not i else None,
                pass_fds=passed if i == len(commands) - 1 else ())
            if i:
                source.close()  # the child has it, and the one before must learn when it ends
            source = process.stdout
            self._processes.append(process)
        for descriptor in passed:
            os.close(descriptor)
        self.stdout = source
        self._feed(self._processes[0].stdin, names)

    def _feed(self, pipe, names):
        feeder = threading.Thread(target=_feed, args=(pipe, names), daemon=True)
        feeder.start()
        self._feeders.append(feeder)

    def wait(self):
        """Waits for all; returns the highest status, and raises Failure if one died."""
        for feeder in self._feeders:
            feeder.join()
        statuses = [process.wait() for process in self._processes]
        if min(statuses) < 0 or max(statuses) > 2:
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
