"""Remembering in bounded memory what was computed for an n-gram or a line."""

NGRAMS = 1 << 16  # entries of about 100 bytes; more hardly help, since text is mostly new n-grams
LINES = 1 << 13  # entries of about 400 bytes; the lines of a template are far fewer
LONG = 1 << 11  # bytes of a line above which it is not remembered


class Memo(dict):
    """A dict that makes what it lacks by `make(key)`, and forgets all when it is full."""

    def __init__(self, make, limit=NGRAMS):
        super().__init__()
        self._make, self._limit = make, limit

    def __missing__(self, key):
        if len(self) >= self._limit:
            self.clear()
        value = self[key] = self._make(key)
        return value


class LineMemo(dict):
    """The same for lines, of which long ones are made anew each time."""

    def __init__(self, make):
        super().__init__()
        self._make = make

    def __missing__(self, line):
        value = self._make(line)
        if len(line) <= LONG:
            if len(self) >= LINES:
                self.clear()
            self[line] = value
        return value
