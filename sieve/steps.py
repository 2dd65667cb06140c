"""The steps of `norm`, in the only order that is right.

Each goes from a block of whole lines to one; `last` is set at a document's end, where a step
gives what it holds and forgets the document. After `invisible` the only white space inside a
line is the space and the tab: form feed, U+2028 and their like are text.
"""

import re
from functools import lru_cache, partial
from itertools import repeat

from sieve.wire import split

ORDER = ("eol", "tags", "entities", "invisible", "trim", "unwrap", "collapse", "squeeze", "fold-case", "dedup")
OPTIONAL = ("unwrap", "fold-case", "dedup")  # each is a decision that is the user's


def make(names, join_hyphens=False, keep_joiners=False):
    """The steps called `names`, in order, by name; what they remember is their own."""
    steps = {"eol": eol, "entities": entities, "trim": trim, "collapse": collapse, "fold-case": fold_case}
    steps["invisible"] = partial(invisible, deleted=_DELETED if keep_joiners else _DELETED + _JOINERS)
    steps["squeeze"] = Squeeze()
    if "tags" in names:
        from sieve.markup import Tags

        steps["tags"] = Tags(literal=_escape if "entities" in names else bytes)
    unwrap = None
    if "unwrap" in names:
        from sieve.unwrap import Unwrap

        later = [steps[name] for name in ("collapse", "fold-case") if name in names]
        unwrap = partial(Unwrap, partial(_apply, later), "fold-case" not in names, join_hyphens)
        steps["unwrap"] = unwrap()
    if "dedup" in names:
        steps["dedup"] = Dedup(unwrap)
    return {name: steps[name] for name in ORDER if name in names}


def _apply(steps, block, last=False):
    for step in steps:
        block = step(block)
    return block


def eol(block, last=False):
    """CRLF and CR become LF: no later step knows another line's end."""
    return block.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in block else block


def entities(block, last=False):
    """References become characters, once: what they become is text and never markup."""
    if b"&" not in block:
        return block
    from sieve.markup import REFERENCE, referents

    return re.sub(REFERENCE, lambda match: referents[match[0]], block)


def _escape(text):
    """`text` such that `entities` gives it back."""
    return text.replace(b"&", b"&amp;")


def _whole(characters, size):
    """A pattern for `characters` of `size` bytes unless they follow bytes that begin a character:
    these and what comes next could become one that is to be deleted in its turn."""
    begun = (rb"[\xc2-\xf4]", rb"[\xe0-\xf4][\x80-\xbf]", rb"[\xf0-\xf4][\x80-\xbf][\x80-\xbf]")
    return b"(?s:%s%s)" % (characters, b"".join(b"(?<!%s%s)" % (beginning, b"." * size) for beginning in begun))


# A pattern for each first byte, since `re` looks for one byte ten times as fast as for any of two.
_DELETED = (_whole(rb"\xc2\xad", 2), _whole(rb"\xe2\x80\x8b", 3), _whole(rb"\xef\xbb\xbf", 3))  # U+00AD 200B FEFF
_JOINERS = (_whole(rb"\xe2\x80[\x8c\x8d]", 3),)  # U+200C 200D
# CR, U+0085 and category Zs: U+00A0, 1680, 2000-200A, 202F, 205F, 3000
_SPACES = (rb"\r", rb"\xc2[\x85\xa0]", rb"\xe1\x9a\x80", rb"\xe2(?:\x80[\x80-\x8a\xaf]|\x81\x9f)", rb"\xe3\x80\x80")


def invisible(block, last=False, deleted=_DELETED + _JOINERS):
    """What takes no room is deleted, and any kind of space becomes the plain one: two lines
    that look the same are the same."""
    if block.isascii() and b"\r" not in block:
        return block
    for characters in deleted:
        block = re.sub(characters, b"", block)
    for characters in _SPACES:
        block = re.sub(characters, b" ", block)
    return block


def trim(block, last=False):
    """No white space at either end of a line: a line with only a space separates paragraphs."""
    return b"\n".join(map(bytes.strip, block.split(b"\n"), repeat(b" \t")))


def collapse(block, last=False):
    """Runs of white space inside a line become one space; a line's end is not white space here."""
    return re.sub(rb"  +", b" ", block.replace(b"\t", b" "))


class Squeeze:
    """Runs of blank lines become one: more of them mean no more than one."""

    def __init__(self):
        self._blank = False  # the last line so far is blank

    def __call__(self, block, last=False):
        if self._blank:
            block = block.lstrip(b"\n")
        elif block.startswith(b"\n"):
            block = b"\n" + block.lstrip(b"\n")
        while b"\n\n\n" in block:
            block = block.replace(b"\n\n\n", b"\n\n")
        if block:
            self._blank = block == b"\n" or block.endswith(b"\n\n")
        if last:
            self._blank = False
        return block


def fold_case(block, last=False):
    """Capitals become small letters, so that `Total` and `total` are one line to `dedup`."""
    if block.isascii():
        return block.lower()
    text = block.decode("utf-8", "surrogateescape").translate(_small_letters())
    return text.encode("utf-8", "surrogateescape")


@lru_cache(maxsize=None)
def _small_letters():
    from sieve.fold import lowering

    return lowering()


class Dedup:
    """A line that the document had already is dropped, and a blank line that comes to stand by
    another for it. `unwrap` makes a step that joins what only a dropped line held apart."""

    def __init__(self, unwrap=None):
        self._unwrap = unwrap and unwrap(accept=self._accept)
        self._reset()

    def _reset(self):
        from sieve.repeats import Repeats

        self._repeats = Repeats()
        self._holes, self._holes_after = _Holes(), _Holes()

    def __call__(self, block, last=False):
        lines = split(block)
        if self._unwrap:
            block = b"".join(self._joined(lines, last))
        else:
            new = self._repeats.new([line.rstrip(b"\n") for line in lines]) or repeat(True)
            block = b"".join([line for line, is_new in zip(lines, new) if self._holes.keep(line, is_new)])
        if last:
            self._reset()
        return block

    def _joined(self, lines, last):
        for line in lines:
            if self._holes.keep(line, self._is_new(line)):
                yield from filter(self._holes_after.keep, self._unwrap.feed([line]))
        if last:
            yield from filter(self._holes_after.keep, self._unwrap.finish())

    def _is_new(self, line):
        return self._repeats.new([line.rstrip(b"\n")]) in (None, [True])

    def _accept(self, joined):
        return self._is_new(joined) or self._holes_after.keep(joined, False)


class _Holes:
    """Tells the blank lines that only lines which were dropped set apart from the blank one before."""

    def __init__(self):
        self._blank = self._dropped = False

    def keep(self, line, is_new=True):
        """Whether `line`, the next one, stays."""
        blank = not line.strip()
        if not is_new or blank and self._blank and self._dropped:
            self._dropped = True
            return False
        self._blank, self._dropped = blank, False
        return True
