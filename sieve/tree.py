"""Writing files under a directory, by names that nobody has vouched for."""

import os

from sieve import atomic
from sieve.cli import show

DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


class Tree:
    """The directory at `path`, made if need be. Nothing is written outside of it: no name
    leads out, and no link in it is followed. With `once`, no name is written twice."""

    def __init__(self, path, overwrite=False, once=False):
        os.makedirs(path, exist_ok=True)
        self._top = os.open(path, DIRECTORY)
        self._overwrite = overwrite
        self._written = set() if once and overwrite else None  # else the file system remembers
        atomic.clean_up_on_signals()

    def write(self, name, blocks):
        """Writes a file, whole or not at all; raises ValueError, with the reason, for a name
        that cannot be one or is taken."""
        path = _path(name)
        if self._written is not None and path in self._written:
            raise ValueError("left out: the stream has a document of this name before")
        *above, last = path.split(b"/")
        directory = self._open(above)
        try:
            atomic.write(blocks, last, directory, self._overwrite)
        except FileExistsError:
            raise ValueError("left out: it exists (see --overwrite)") from None
        finally:
            os.close(directory)
        if self._written is not None:
            self._written.add(path)

    def remove(self, name):
        """Removes a file, if it is there, and the directories that are empty then."""
        *above, last = _path(name).split(b"/")
        try:
            directory = self._open(above, make=False)
            try:
                os.unlink(last, dir_fd=directory)
            finally:
                os.close(directory)
            while above:
                *above, last = above
                directory = self._open(above, make=False)
                try:
                    os.rmdir(last, dir_fd=directory)
                finally:
                    os.close(directory)
        except OSError:  # it is not there, or the directory is not empty
            pass

    def _open(self, components, make=True):
        """A descriptor of the directory that `components` lead to, made if need be; no link
        is followed, since it might lead out."""
        directory = os.dup(self._top)
        for component in components:
            try:
                try:
                    if make:
                        os.mkdir(component, dir_fd=directory)
                except FileExistsError:
                    pass
                below = os.open(component, DIRECTORY | os.O_NOFOLLOW, dir_fd=directory)
            except NotADirectoryError:
                raise ValueError(f"left out: {show(component)} is a file or a link, and not a directory") from None
            finally:
                os.close(directory)
            directory = below
        return directory


def _path(name):
    """`name` as a path relative to the directory, without what says nothing in a path."""
    components = [component for component in name.split(b"/") if component not in (b"", b".")]
    if not components or b".." in components or b"\0" in name:
        raise ValueError("left out: it cannot be a file's name under the directory")
    return b"/".join(components)
