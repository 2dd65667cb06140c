"""The files under a directory, as every tool that takes directories walks them."""

import os
import stat

from sieve.cli import reason, show

MANIFEST = b".sieve/manifest.json"  # what marks a directory as an output of `sieve clean`


def files(top, console, leave_out=None):
    """The paths of the regular files under the directory `top`, each joined to it, in the
    byte order of the paths.

    A link is followed if it stays under `top` and does not lead back to where it is in; an
    output of `sieve clean` below `top` is left out, and so are devices, sockets and FIFOs:
    each is noted. What cannot be read is warned of. The directory `leave_out` is skipped.
    """
    skipped = leave_out and os.path.realpath(leave_out)
    root = os.path.join(os.path.realpath(top), b"")
    pending = [(top, ())]  # a path, and the directories that it is in
    while pending:
        path, above = pending.pop()
        try:
            if os.path.islink(path) and not os.path.join(os.path.realpath(path), b"").startswith(root):
                console.note(show(path), "left out: a link that leads out of the directory")
                continue
            status = os.stat(path)
            if stat.S_ISREG(status.st_mode):
                yield path
            elif not stat.S_ISDIR(status.st_mode):
                console.note(show(path), "left out: neither a file nor a directory")
            elif skipped and os.path.realpath(path) == skipped:
                continue
            elif (status.st_dev, status.st_ino) in above:
                console.note(show(path), "left out: a link to a directory that it is in")
            elif above and os.path.lexists(os.path.join(path, MANIFEST)):
                console.note(show(path), "left out: an output of sieve")
            else:
                here = (*above, (status.st_dev, status.st_ino))
                pending += [(entry, here) for entry in _entries(path)]
        except OSError as error:
            console.warn(show(path), reason(error))


def _entries(path):
    """The paths of what is in a directory, last one first; `/` counts in the order, so
    that `a.txt` comes before `a/b`."""
    names = set(os.listdir(path))
    if os.path.lexists(os.path.join(path, MANIFEST)):
        names.discard(os.path.dirname(MANIFEST))
    entries = [os.path.join(path, name) for name in names]
    return sorted(entries, key=lambda entry: entry + b"/" * os.path.isdir(entry), reverse=True)
