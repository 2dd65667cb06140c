"""Files that appear whole or not at all, whatever stops the program."""

import os
import signal

_part = None  # (directory, name) of the file that is being written


def write(blocks, name, directory=None, overwrite=False, mode=0o666, sync=False):
    """Writes `blocks` to the file `name` (bytes), in the open `directory` if one is given, with
    `mode` less the umask. With `sync` it is on the disk before it takes the name.

    The text goes to a temporary file beside it, which takes the name when it is done. If
    the name is taken and not to be overwritten, raises FileExistsError.
    """
    global _part
    part = os.path.join(os.path.dirname(name), b".%s.part" % os.urandom(8).hex().encode())
    _part = directory, part
    try:
        fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode, dir_fd=directory)
        try:
            for block in blocks:
                data = memoryview(block)
                while data:
                    data = data[os.write(fd, data):]
            if sync:
                os.fsync(fd)
        finally:
            os.close(fd)
        if overwrite:
            os.rename(part, name, src_dir_fd=directory, dst_dir_fd=directory)
        else:  # a rename would take the place of what is there
            os.link(part, name, src_dir_fd=directory, dst_dir_fd=directory, follow_symlinks=False)
    finally:
        _discard()


def clean_up_on_signals():
    """From now on a signal that ends the program removes the temporary file first."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGPIPE, signal.SIGTERM):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _stop)


def _stop(number, frame):
    _discard()
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def _discard():
    global _part
    if _part:
        directory, part = _part
        try:
            os.unlink(part, dir_fd=directory)
        except FileNotFoundError:  # not begun, or done and renamed
            pass
        _part = None
