"""Quotations in a paragraph: which mark opens one, which closes it, and what stands between.

Marks are paired by kind, and one kind does not disturb another. What could open as well as close
is told by its neighbours: a mark with a space before it and none after it opens, one with a space
after it and none before it closes.
"""

import re

# What closes the quotation that each mark opens.
CLOSERS = {'"': '"', "“": "”", "”": "”", "„": "“”", "‘": "’", "‚": "‘’", "«": "»", "»": "«»", "‹": "›", "›": "‹›",
           "「": "」", "『": "』", "｢": "｣"}
_MARKS = "".join(sorted({*CLOSERS, *"".join(CLOSERS.values())}))
MARK = re.compile(f"[{_MARKS}]")
_CLOSES_FIRST = "”»›」』｣"  # these open only if there is nothing for them to close
_APOSTROPHES = "‘’"  # these do only what their neighbours tell

_BEFORE = f"([{{<¿¡—–-/=*_{_MARKS}"  # what stands before a mark that opens, but for white space
_AFTER = f")]}}>.,;:!?…—–-/=*_。，、：；！？{_MARKS}"
_OPENS, _CLOSES, _EITHER = range(3)

DIALOGUE = re.compile(r"^[ \t]*(?:[—–―][ \t]*|-[ \t]+)(\S.*)", re.MULTILINE)
_ASIDE = re.compile(r"\s[—–―](?=\S).*|\s-\s.*")  # —Come in —said the keeper—. Sit down.
_LINE_END = re.compile(r"[ \t\r]*\n[ \t]*|\t")


def quotations(paragraph, longest, dialogue=False):
    """`(phrases, unmatched)`: the quotations in `paragraph` (text) that are in no other, a line
    each, and the number of marks that open one that does not close within `longest` characters.
    With `dialogue` lines that begin with a dash are quotations too."""
    spans, unmatched = _pairs(paragraph)
    if dialogue:
        for match in DIALOGUE.finditer(paragraph):
            spans.append((match.start(1), match.start(1) + len(_ASIDE.sub("", match[1]))))
    phrases, end = [], 0
    for begin, until in sorted(spans):
        if begin < end:
            continue
        phrase = _LINE_END.sub(" ", paragraph[begin:until].strip())
        if len(phrase) > longest:
            unmatched += 1
        else:
            phrases.append(phrase)
            end = until
    return phrases, unmatched


def _pairs(text):
    """`(spans, unmatched)`: where the text between two marks that are a pair begins and ends, and
    the number of marks that open and have no other."""
    spans, begun, unmatched = [], {}, 0
    for match in MARK.finditer(text):
        mark, at = match[0], match.start()
        role = _role(text, at)
        opener = max((other for other in begun if mark in CLOSERS[other]), key=begun.get, default=None)
        sure = mark in _APOSTROPHES
        if opener and (mark in _CLOSES_FIRST and not sure or role == _CLOSES or role == _EITHER and not sure):
            begin = begun.pop(opener)
            if text[begin:at].strip():
                spans.append((begin, at))
                continue
        if mark in CLOSERS and (role == _OPENS or role == _EITHER and mark not in _CLOSES_FIRST and not sure):
            unmatched += mark in begun
            begun[mark] = at + 1
    return spans, unmatched + len(begun)


def _role(text, at):
    """What the neighbours of the mark at `at` tell of it."""
    before, after = text[at - 1:at] if at else " ", text[at + 1:at + 2] or " "
    begins = before.isspace() or before in _BEFORE
    ends = after.isspace() or after in _AFTER
    return _EITHER if begins == ends else _OPENS if begins else _CLOSES
