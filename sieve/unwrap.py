"""Unwrapping: the lines of a wrapped paragraph become one line again.

A *unit* is what may be a paragraph: lines up to a blank one, to a line that begins an item of a
list, or to one that stands alone (indented, quoted, a table's row, a rule, a marked heading). It is
joined as a whole or left as it is, by what its lines will look like when all steps are done. So
what was left is left again and what was joined is one line: a second pass changes nothing.
"""

import re

from sieve.wire import split

WIDEST = 120  # columns; text is wrapped at 65 to 100, and longer lines are paragraphs already
WIDE = 60  # columns; lines that all are shorter may be verse or a list, and must read as one sentence
LONG_WORD = 40  # columns of a word that count; code may have none but such
FULL = 0.75  # of the longest line: how far a line and the next word go at least; `fmt` stops short by up to a quarter
CLEAR = 0.9  # the same for short lines, and where the next has a capital and no sentence ended, as after a title
SYMBOLS = 0.08  # of all characters; prose about programs has less in 199 paragraphs of 200, code has more
MOST = 500  # lines; a longer unit is a log or a list

_ITEM = re.compile(  # bullets: - * + U+00B7 2013 2014 2022 2023 25A0-25FF (shapes) 2605 2606 (stars) 27A4
    rb"(?:[-*+]|\xc2\xb7|\xe2(?:\x80[\x93\x94\xa2\xa3]|\x96[\xa0-\xbf]|\x97.|\x98[\x85\x86]|\x9e\xa4)"
    rb"|\(?[0-9]{1,3}[.)]|\(?[A-Za-z]\)|\(?[ivxIVX]{2,5}\)|\[[0-9]{1,3}\])[ \t]")
_ALONE = re.compile(  # E2 94 and E2 95 begin box drawing; white space in the middle makes a table's column
    rb"[ \t\f>|]|\+[-=+]|#{1,6} |//|/\*|[$%] |\xe2[\x94\x95]|[^0-9A-Za-z\x80-\xff]*\Z|.*[0-9A-Za-z\x80-\xff](?: {3}|\t)[ \t]*\S")

_SYMBOL = re.compile(r"[#$%&*+/;<=>@[\\\]^_`{|}~]")
_STATEMENT_END = re.compile(r"(?:\S;|[{}\\])\Z")  # French has a space there
_SENTENCE_END = re.compile(r"""[.!?…。！？]["'”’»)\]]*\Z""")
_SPLIT_WORD = re.compile(r"[^\W\d_][-\u2010]\Z")
# These are compiled when they are first needed, since it takes as long as all else.
_CJK = "[\u2e80-\ua4cf\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\U00020000-\U0003fffd]"  # no spaces between
_TWO_COLUMNS = _CJK[:-1] + "\u1100-\u115f\uac00-\ud7a3\uffe0-\uffe6\U0001f300-\U0001faff]"
_FIRST_WIDE = "\u1100"

_SPACE = b" \t\r\n"


class Unwrap:
    """The step. `look` makes of a block what later steps will make of it, and `cased` tells
    whether capitals will then still be told. With `join_hyphens` a word that a hyphen splits
    becomes whole. A joined line goes on only if `accept` says so.
    """

    def __init__(self, look=lambda block: block, cased=True, join_hyphens=False, accept=lambda line: True):
        self._look, self._cased, self._join_hyphens, self._accept = look, cased, join_hyphens, accept
        self._unit = []  # of pairs: a line with its LF, what it will look like without
        self._run = False  # the lines now coming are too many or too long for a unit

    def __call__(self, block, last=False):
        lines = self.feed(split(block))
        if last:
            lines += self.finish()
        return b"".join(lines)

    def feed(self, lines):
        """The lines that are settled now that `lines` have come."""
        done = []
        for line, view in zip(lines, split(self._look(b"".join(lines)))):
            view = view.rstrip(_SPACE)
            if view and not _ALONE.match(view):
                if _ITEM.match(view):
                    done += self.finish()
                if self._run:
                    done.append(line)
                    continue
                self._unit.append((line, view))
                self._run = len(self._unit) > MOST or len(view) > WIDEST * 4  # bytes of a character
                if self._run:
                    done += [line for line, view in self._unit]
                    self._unit = []
            else:
                done += self.finish()
                done.append(line)
        return done

    def finish(self):
        """The lines of the unit, which ends here."""
        lines = [line for line, view in self._unit]
        views = [view.decode("utf-8", "surrogateescape") for line, view in self._unit]
        self._unit, self._run = [], False
        if not self._is_paragraph(views):
            return lines
        joined = self._join(lines, views)
        return [joined] if self._accept(joined) else []

    def _is_paragraph(self, lines):
        """Whether these lines (text) are one paragraph, wrapped."""
        text = "".join(lines)
        return (len(lines) > 1
                and (self._is_wrapped(lines, _columns) or not text.isascii() and self._is_wrapped(lines, _bytes))
                and len(_SYMBOL.findall(text)) <= SYMBOLS * len(text)
                and 2 * sum(" " in line or max(line) >= _FIRST_WIDE for line in lines) >= len(lines)  # not addresses or base64
                and len({line.partition(" ")[0] for line in lines}) > 1  # nor records, which begin alike
                and not all(line[0].isdigit() for line in lines)
                and not all(map(_STATEMENT_END.search, lines[:-1])))

    def _is_wrapped(self, lines, measure):
        """Whether, by `measure`, each line but the last goes as far as it could."""
        widths, words = zip(*map(measure, lines))
        longest = max(widths)
        reached = [width + 1 + min(word, LONG_WORD) for width, word in zip(widths, words[1:])]
        if longest > WIDEST or min(reached) < FULL * longest:
            return False
        narrow = max(longest, min(reached)) < WIDE
        if narrow and not (self._cased and self._is_finished(lines)):
            return False
        for line, following, reach in zip(lines, lines[1:], reached):
            ended = _SENTENCE_END.search(line)
            if narrow and (ended or " " not in line or not following[0].islower()):
                return False
            if reach < CLEAR * longest and (narrow or self._cased and following[0].isupper() and not ended):
                return False
        return True

    def _is_finished(self, lines):
        return _SENTENCE_END.search(lines[-1]) or self._join_hyphens and _SPLIT_WORD.search(lines[-2])

    def _join(self, lines, views):
        joined = lines[0]
        for line, before, view in zip(lines[1:], views, views[1:]):
            joined = joined.rstrip(_SPACE)
            if self._join_hyphens and _SPLIT_WORD.search(before) and view[0].islower():
                joined = joined[:-1] if joined.endswith(b"-") else joined[:-3]
            elif not (_is_cjk(before[-1]) and _is_cjk(view[0])):
                joined += b" "
            joined += line
        return joined


def _is_cjk(character):
    return character >= _FIRST_WIDE and re.match(_CJK, character)


def _columns(line):
    """The columns that `line` takes, nearly, and those of its first word."""
    word = line.partition(" ")[0]
    if max(line) < _FIRST_WIDE:
        return len(line), len(word)
    first = re.search(_CJK, word)
    if first:  # of a word that has one, it is the first place to wrap at
        word = word[:max(1, first.start())]
    return tuple(len(text) + len(re.findall(_TWO_COLUMNS, text)) for text in (line, word))


def _bytes(line):
    """The same in bytes, by which GNU `fold` and `fmt` go."""
    return tuple(len(text.encode("utf-8", "surrogateescape")) for text in (line, line.partition(" ")[0]))
