r"""Markup in text: what is a tag and what is only a `<`, and what a reference stands for.

Markup, and where it ends:

    <name ...>      at a `>` outside quoted attribute values, before any other `<`
    </name>
    <!name ...>     at the next `>`; <![if ...]> and <?name ...> too
    <!-- ... -->    and <?php ... ?>: at its end, whatever is in it
    <![CDATA[...]]> the text inside stays, to the letter
    <script ...>    and <style ...>: after the end tag, with all up to it

All else is text, and so is markup that does not end: no `<` swallows what follows it. Whether
`<name>` is a tag is told by the name. HTML's elements are tags; any other name needs a sign that
it is meant as one, for `<file>`, `Vec<T>` and `<me@example.org>` are text.
"""

import re

from sieve.memo import Memo

LIMIT = 1 << 20  # bytes: inline images and scripts take hundreds of KB; what is longer is text, as if it had no end
NEAR = 1000  # bytes of the same line in which the end tag of a name not in HTML is looked for
NAMES = 1000  # names not in HTML that are remembered in a document; real vocabularies have fewer

# https://html.spec.whatwg.org/multipage/indices.html#elements-3, its obsolete features, and what of SVG and
# MathML stands without attributes.
_ELEMENTS = frozenset(b"""
a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big blink blockquote body
br button canvas caption center cite code col colgroup data datalist dd del details dfn dialog div dl dt em
embed fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i
iframe img input ins isindex kbd keygen label legend li link main map mark marquee menu menuitem meta
meter nav nobr noembed noframes noscript object ol optgroup option output p param picture pre progress
q rb rbc rp rt rtc ruby s samp script search section select slot small source spacer span strike strong style
sub summary sup svg table tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr xmp
defs desc g math mfrac mi mn mo mrow ms msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover
""".split())

# Those that set what is in them apart from what is beside them: lines, cells, choices.
_BREAKS = frozenset(b"""
address article aside blockquote body br button caption center dd details dialog div dl dt fieldset figcaption
figure footer form frame h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li main menu nav ol optgroup
option p pre script search section select summary table tbody td textarea tfoot th thead title tr ul xmp
""".split())

_PLAIN = _ELEMENTS - {b"script", b"style"}  # in small letters and without attributes these are certain

_NAME = rb"[A-Za-z][A-Za-z0-9:._-]*"
# A quote counts only after `=`, as in HTML: one that is left out elsewhere swallows nothing.
_ATTRIBUTES = rb"""(?:[\s/][^<>=]*(?:=(?:\s*"[^"]*"|\s*'[^']*'|(?!\s*["']))[^<>=]*)*)?"""
# Not <<HTML, which begins a here-document, and not C's headers, which have elements' names: <map>.
_MARKUP = re.compile(rb"<(?<!<<)(?<!#include <)(?<!#include<)(?:(/?)(%s)(%s)>|[A-Za-z/!?])" % (_NAME, _ATTRIBUTES))
_UNFINISHED = re.compile(rb"""<(/?)(%s)(%s(?:=\s*(?:"[^"]*|'[^']*)?)?)\Z""" % (_NAME, _ATTRIBUTES))
_DECLARATION = re.compile(rb"<(?:!\[?|\?)[A-Za-z][^<>]*(>|\Z)")
# What may follow the name: any; one of a single letter, which may be a variable; one that HTML has not.
_PLAUSIBLE = re.compile(rb"\s|/?\Z")
_CAREFUL = re.compile(rb"\s+[\w:@.-]+\s*(?:=|/?\Z)|\s*/?\Z")
_CERTAIN = re.compile(rb"""[ \t]+[A-Za-z_:@][\w:.@-]*[ \t]*=[ \t]*["']|[ \t]*/\Z""")

_CDATA = b"<![CDATA["
_COMMENT_END, _CDATA_END, _PHP_END = map(re.compile, (rb"-->", rb"\]\]>", rb"\?>"))
_ELEMENT_ENDS = {name: re.compile(rb"(?i)</%s(?=[\s/>])[^<>]*>" % name) for name in (b"script", b"style")}

# What `invisible` deletes holds nothing apart.
_UNSEEN = (b"\xe2\x80\x8b", b"\xe2\x80\x8c", b"\xe2\x80\x8d", b"\xef\xbb\xbf", b"\xc2\xad")
_FIRST_SEEN = re.compile(rb"(?:%s)*(.|\Z)" % b"|".join(_UNSEEN), re.DOTALL)

_TEXT, _WAIT = -1, -2  # instead of where markup ends: it is text, or more must be read to know


class Tags:
    """Takes markup out of a document: nothing is left in its place, or a space between two
    words that only a tag held apart, as in `<td>1</td><td>2</td>`.

    A call takes a block of whole lines and gives one; what may be markup that has not ended is
    held, with the line it begins on. `literal` is how the text of CDATA is to be written.
    """

    def __init__(self, literal=bytes):
        self._literal = literal
        self._reset()

    def _reset(self):
        self._line = b""  # text of the line on which the held markup begins
        self._held = b""  # that markup
        self._seen = False  # the text so far ends with a character that is seen and no space
        self._gap = False  # and after it came a tag that holds words apart
        self._names = set()  # not in HTML, that were found to be tags

    def __call__(self, block, last=False):
        if self._held or b"<" in block:
            text = self._strip(self._held + block, last)
            end = text.rfind(b"\n") + 1 if self._held else len(text)
            whole, rest = text[:end], text[end:]
            if whole or not self._held:
                whole, self._line = self._line + whole, b""
            block, self._line = whole, self._line + rest
        if last:
            self._reset()
        return block

    def _strip(self, data, last):
        """The text in `data`; what must wait for more is held."""
        self._data, self._last, self._ends = data, last, {}
        pieces, done, position = [], 0, 0
        self._looked_at = 0
        while match := _MARKUP.search(data, position):
            start, end = match.span()
            name, attributes = match.group(2, 3)
            if name not in _PLAIN or attributes and (len(name) == 1 or attributes.startswith(b"/")) or end > start + LIMIT:
                end = self._tag_end(match) if name else self._other_end(start)
                if end == _TEXT:
                    position = start + 1
                    continue
            if start > done:
                self._add(pieces, data[done:start])
            if end == _WAIT:
                self._held = data[start:]
                break
            if name:
                if not self._gap and name.lower() in _BREAKS:
                    self._gap = self._is_seen(pieces)
            elif data.startswith(_CDATA, start):
                self._add(pieces, self._literal(data[start + len(_CDATA):end - 3]))
            done = position = end
        else:
            self._held = b""
            self._add(pieces, data[done:])
        self._is_seen(pieces)
        return b"".join(pieces)

    def _add(self, pieces, text):
        """Appends `text`, after a space if it would close a gap."""
        if self._gap and (first := _FIRST_SEEN.match(text)[1]):
            if not first.isspace():
                pieces.append(b" ")
            self._gap = False
        pieces.append(text)

    def _is_seen(self, pieces):
        """Whether the text so far, which `pieces` end, ends with a character that is seen and no space."""
        new, self._looked_at = pieces[self._looked_at:], len(pieces)
        for piece in reversed(new):
            end = len(piece)
            while piece.endswith(_UNSEEN, 0, end):
                end -= 2 if piece[end - 2] == 0xC2 else 3
            if end:
                self._seen = not piece[end - 1:end].isspace()
                break
        return self._seen

    def _tag_end(self, match):
        """Where the tag ends that `match` found, with the element's content if that is no text."""
        start, end = match.span()
        if end > start + LIMIT or not self._is_tag(match):
            return _TEXT
        name = match[2].lower()
        if name not in _ELEMENTS and len(self._names) < NAMES:
            self._names.add(name)
        if name in _ELEMENT_ENDS and not match[1] and not match[3].endswith(b"/"):
            after = self._end(_ELEMENT_ENDS[name], start, end)
            return end if after == _TEXT else after
        return end

    def _other_end(self, start):
        """Where the markup ends that may begin at `start`, if it is not a whole tag."""
        data = self._data
        if data.startswith(b"<!--", start):
            return self._end(_COMMENT_END, start, start + 2)  # <!--> is a whole one
        if data.startswith(_CDATA, start):
            return self._end(_CDATA_END, start, start)
        if data.startswith(b"<?=", start) or data[start:start + 5].lower() == b"<?php":
            return self._end(_PHP_END, start, start)
        match = _DECLARATION.match(data, start)
        if match and match[1]:
            return match.end() if match.end() - start <= LIMIT else _TEXT
        if self._last or len(data) - start >= LIMIT:
            return _TEXT
        if not match:
            match = _UNFINISHED.match(data, start)
            if not match or not self._is_tag(match):
                return _TEXT
        return _WAIT

    def _end(self, pattern, start, position):
        """Where what begins at `start` ends by `pattern`, looked for from `position` on.

        The next end of a kind is remembered, so that many beginnings of which none ends cost
        one search and not a search each.
        """
        found = self._ends.get(pattern, _TEXT)
        if found == _TEXT or found and found.start() < position:
            found = self._ends[pattern] = pattern.search(self._data, position)
        if found:
            return found.end() if found.end() - start <= LIMIT else _TEXT
        return _TEXT if self._last or len(self._data) - start >= LIMIT else _WAIT

    def _is_tag(self, match):
        """Whether `match`, of a whole tag or of what there is of one, is not text."""
        closing, name, attributes = match.groups()
        small = name.lower()
        if small in _ELEMENTS:
            if closing:
                return True
            if not name.islower() and (len(name) == 1 or not name.isupper()) and self._after_word(match.start()):
                return False  # a type's parameter: Vec<A>, List<Object>
            return bool((_CAREFUL if len(name) == 1 else _PLAUSIBLE).match(attributes))
        if small in self._names:
            return bool(_PLAUSIBLE.match(attributes))
        return not closing and bool(
            _CERTAIN.match(attributes) or not attributes and self._ends_near(name, match.end()))

    def _after_word(self, start):
        before = self._data[start - 1:start]  # nothing, and rightly so, for what was held: it may be a tag
        return before.isalnum() or before >= b"\x80"

    def _ends_near(self, name, position):
        """Whether the end tag of `name` follows soon on the line that goes on at `position`."""
        end = self._data.find(b"</%s>" % name, position, position + NEAR)
        return end >= 0 and b"\n" not in self._data[position:end]


# --- references ---

REFERENCE = rb"&(?:#(?:[0-9]+|[xX][0-9A-Fa-f]+);?|[A-Za-z][A-Za-z0-9]*(?:;|(?![A-Za-z0-9=])))"
_HIGHEST = 0x10FFFF


def referent(written):
    """What a reference that `REFERENCE` matched stands for, or itself if for nothing.

    By https://html.spec.whatwg.org/multipage/parsing.html#character-reference-state with the
    names of `html.entities`; those that may lack their `;` follow the rule for attribute values,
    so that `?a=1&copy=2` stays.
    """
    if written[1:2] != b"#":
        from html.entities import html5  # here, since it takes a third of the time that Python takes to start

        return html5.get(written[1:].decode(), written.decode()).encode()
    hexadecimal = written[2:3] in b"xX"
    digits = written[2:].strip(b"xX;").lstrip(b"0")
    code = int(digits or b"0", 16 if hexadecimal else 10) if len(digits) <= len(str(_HIGHEST)) else _HIGHEST + 1
    if code == 0 or 0xD800 <= code < 0xE000 or code > _HIGHEST:
        return b"\xef\xbf\xbd"  # U+FFFD
    if 0x80 <= code < 0xA0:  # as Windows has them, but for the five that it has not
        return bytes([code]).decode("cp1252", "replace").replace("\ufffd", chr(code)).encode()
    return chr(code).encode()


referents = Memo(referent)
