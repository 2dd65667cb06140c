"""Pages from HTML, labelled by where the main content is.

Labels are derived and not guessed. A page is dumped by w3m twice, once as it is and once with a
marker paragraph at each border of the main content. A line of the second dump is content if the
last marker before it opened some; the first dump takes its labels from the second, from which
it differs by no more than the markers and what their presence moves.

Needs w3m, lxml and cssselect.
"""

import difflib
import os
import re
import subprocess
import tempfile

from lxml import etree, html

from benchmarks.quality.score import BLANK_LINE, CONTENT_LINE, TEMPLATE_LINE, split_lines, squeeze
from benchmarks.quality.sites import spread

CONTENT = 300  # characters of main content in a page worth scoring
OPEN, CLOSE = "@@OPEN@@", "@@CLOSE@@"  # in no page, and short enough never to be wrapped


def pages(recipe, root):
    """Yields (name, {kind of file: text}, labels, number of lines not aligned) of the pages under `root`."""
    for path in choose(recipe, root):
        name = path.relative_to(root).with_suffix("").as_posix().replace("/", "__")
        source = in_utf8(path.read_bytes())
        if recipe.repair:
            source = serialize(parse(source))
        text = dump(source)
        labels, unaligned = label(text, dump(marked(source, recipe)))
        yield (name, {"html": source.decode("utf-8", "surrogateescape"), "pages": text,
                      "gold": dump(main_content(source, recipe))}, labels, unaligned)


def choose(recipe, root):
    """Paths of the pages of a site: those with content, each but once, and not too many."""
    chosen, seen = [], set()
    for path in sorted(root.glob(recipe.glob)):
        name = path.relative_to(root).as_posix()
        if not path.is_file() or recipe.skip and re.search(recipe.skip, name):
            continue
        source = path.read_bytes()
        if source in seen:
            continue
        seen.add(source)
        try:
            page = parse(in_utf8(source))
        except etree.ParserError:  # an empty page
            continue
        mains = main_elements(page, recipe)
        for element in mains:
            remove(element, (*recipe.drop, "script", "style"))
        if sum(len(squeeze(element.text_content())) for element in mains) >= CONTENT:
            chosen.append(path)
    return spread(chosen)


def in_utf8(source):
    """The bytes of a page in UTF-8, whatever encoding it declares."""
    declared = re.search(rb"charset=[\"']?([\w-]+)", source[:4096], re.I)
    encoding = declared.group(1).decode().lower() if declared else "utf-8"
    if encoding in ("utf-8", "utf8"):
        return source
    source = source.decode(encoding, "replace").encode()
    return re.sub(rb"(charset=[\"']?)[\w-]+", rb"\1utf-8", source, count=1, flags=re.I)


def dump(source):
    """What w3m shows of a page (bytes in UTF-8)."""
    # A home of its own keeps a user's settings of w3m away.
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "HOME": tempfile.gettempdir()}
    done = subprocess.run(
        ["w3m", "-dump", "-cols", "80", "-T", "text/html", "-I", "UTF-8", "-O", "UTF-8"], input=source,
        stdout=subprocess.PIPE, timeout=120, env=environment)
    return done.stdout.decode("utf-8", "replace")


def parse(source):
    return html.document_fromstring(source, parser=html.HTMLParser(encoding="utf-8"))


def select(element, selectors):
    """The elements at or under `element` that match a selector, without those inside another."""
    found = {match for selector in selectors for match in element.cssselect(selector)}
    return [match for match in element.iter()
            if match in found and not found.intersection(match.iterancestors())]


def main_elements(page, recipe):
    return select(page, recipe.main)


def remove(element, selectors):
    for match in select(element, selectors):
        if match is not element and match.getparent() is not None:
            match.drop_tree()


def marked(source, recipe):
    """The page with a marker paragraph at each border of its main content."""
    page = parse(source)
    for element in main_elements(page, recipe):
        for match in select(element, recipe.drop):
            if match is not element:
                match.addprevious(marker(CLOSE))
                opening, match.tail = marker(OPEN, match.tail), None
                match.addnext(opening)
        opening, element.text = marker(OPEN, element.text), None
        element.insert(0, opening)
        element.append(marker(CLOSE))
    return serialize(page)


def serialize(page):
    return html.tostring(page, encoding="utf-8", doctype="<!DOCTYPE html>")


def marker(text, tail=None):
    paragraph = html.Element("p")
    paragraph.text, paragraph.tail = text, tail
    return paragraph


def main_content(source, recipe):
    """A page of the main content alone."""
    body = []
    for element in main_elements(parse(source), recipe):
        remove(element, recipe.drop + recipe.unmark)
        if element.tag == "body":
            element.tag = "div"
        element.tail = None
        body.append(html.tostring(element, encoding="utf-8"))
    return b'<!DOCTYPE html><html><head><meta charset="utf-8"></head><body>%s</body></html>' % b"".join(body)


def label(text, with_markers):
    """Labels for the lines of a dump by the same page's dump with markers, and how many
    lines are not in both: each of those takes the label of what stands at its place."""
    told, now = [], TEMPLATE_LINE
    for line in map(squeeze, split_lines(with_markers)):
        opened, closed = line.rfind(OPEN), line.rfind(CLOSE)
        line = squeeze(line.replace(OPEN, "").replace(CLOSE, ""))
        if line:
            told.append((line, now))
        if max(opened, closed) >= 0:
            now = CONTENT_LINE if opened > closed else TEMPLATE_LINE
    lines = split_lines(text)
    numbers = [number for number, line in enumerate(lines) if squeeze(line)]
    labels, unaligned, last = [BLANK_LINE] * len(lines), 0, TEMPLATE_LINE
    matcher = difflib.SequenceMatcher(
        None, [squeeze(lines[number]) for number in numbers], [line for line, _ in told], autojunk=False)
    for operation, start, end, told_start, told_end in matcher.get_opcodes():
        for place in range(start, end):
            beside = told_start + place - start
            if operation == "equal" or told_end > told_start:
                last = told[min(beside, told_end - 1)][1]
            unaligned += operation != "equal"
            labels[numbers[place]] = last
    return labels, unaligned
