"""Making labelled sites from the documentation packages of Debian.

A site is a directory:

    SITE/html/NAME.html    the page as packaged, in UTF-8 (not for manual pages)
    SITE/pages/NAME.txt    the whole page as `w3m -dump -cols 80` shows it
    SITE/labels/NAME.txt   a character a line of pages/NAME.txt: 1 content, 0 boilerplate, - blank
    SITE/gold/NAME.txt     the main content alone, dumped by itself
    SITE/lang, SITE/source the language; package and version that it was made from

Labels are derived and not guessed. The page is dumped twice, once as it is and once with a
marker paragraph at each border of the main content; a line of the second dump is content if
the last marker before it opened some, and the first dump takes its labels from the second,
from which it differs by no more than the markers and what their presence moves.

Needs w3m, man-db, apt-get and dpkg-deb, and for Python lxml and cssselect.
"""

import difflib
import gzip
import os
import re
import subprocess
import tempfile
from pathlib import Path

from lxml import etree, html

from benchmarks.quality import kinds
from benchmarks.quality.score import BLANK_LINE, CONTENT_LINE, TEMPLATE_LINE, split_lines, squeeze

PAGES = 150  # a site: enough for a sample of 100, and a site builds in a minute
CONTENT = 300  # characters of main content in a page worth scoring
MAN_SOURCE = 1500  # bytes of source in a manual page worth scoring; less is a .so or a stub
MAN_LINES = 10  # lines that are not blank in a manual page worth scoring
OPEN, CLOSE = "@@OPEN@@", "@@CLOSE@@"  # in no page, and short enough never to be wrapped


def build(name, recipe, directory):
    """Makes the site `directory`/`name` (Path, str) as `recipe` says; returns what it holds in a line."""
    site = directory / name
    with tempfile.TemporaryDirectory() as scratch:
        version = unpack(recipe.package, scratch)
        if isinstance(recipe, kinds.Kind):
            make = kinds.pages
        else:
            make = man_pages if recipe.translators else html_pages
        pages = lines = content = lost = 0
        for page, files, labels, unaligned in make(recipe, Path(scratch, recipe.root)):
            pages, lost = pages + 1, lost + unaligned
            lines += len(labels) - labels.count(BLANK_LINE)
            content += labels.count(CONTENT_LINE)
            write(site, page, {**files, "labels": "\n".join(labels) + "\n"})
    (site / "lang").write_text(recipe.language + "\n")
    (site / "source").write_text(f"{recipe.package} {version}\n")
    return (f"{name}: {pages} pages, {lines} lines, {100 * (1 - content / lines):.1f}% boilerplate, "
            f"{lost} lines not aligned")


def unpack(package, directory):
    """Fetches a package by apt-get, unpacks it into `directory` and returns its version."""
    subprocess.run(["apt-get", "download", "-q", package], cwd=directory, check=True, capture_output=True)
    archive, = (entry.path for entry in os.scandir(directory) if entry.name.endswith(".deb"))
    subprocess.run(["dpkg-deb", "-x", archive, directory], check=True)
    field = subprocess.run(["dpkg-deb", "-f", archive, "Version"], check=True, capture_output=True, text=True)
    return field.stdout.strip()


def write(site, page, files):
    for kind, text in files.items():
        (site / kind).mkdir(parents=True, exist_ok=True)
        with open(site / kind / f"{page}{'.html' if kind == 'html' else '.txt'}", "w", encoding="utf-8",
                  errors="surrogateescape", newline="") as file:
            file.write(text)


def spread(items):
    """At most PAGES of `items`, evenly."""
    if len(items) <= PAGES:
        return items
    return [items[i * len(items) // PAGES] for i in range(PAGES)]


# --- pages in HTML ---


def html_pages(recipe, root):
    """Yields (name, {kind: text}, labels, number of lines not aligned) of each page under `root`."""
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
    done = subprocess.run(
        ["w3m", "-dump", "-cols", "80", "-T", "text/html", "-I", "UTF-8", "-O", "UTF-8"], input=source,
        stdout=subprocess.PIPE, timeout=120, env={**os.environ, "LC_ALL": "C.UTF-8", "HOME": tempfile.gettempdir()})
    return done.stdout.decode("utf-8", "replace")


def parse(source):
    return html.document_fromstring(source, parser=html.HTMLParser(encoding="utf-8"))


def select(element, selectors):
    """The elements at or under `element` that match a selector, without those inside another."""
    found = {match for selector in selectors for match in element.cssselect(selector)}
    return [match for match in element.iter() if match in found and not found.intersection(match.iterancestors())]


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


# --- manual pages ---


def man_pages(recipe, root):
    """Yields as `html_pages` does, without HTML. Boilerplate is the first and the last line
    and the section on the translators, whose heading `recipe.translators` begins."""
    sources = [path for path in sorted(root.glob(recipe.glob)) if path.is_file() and not path.is_symlink()
               and len(gzip.open(path).read()) > MAN_SOURCE]
    for path in spread(sources):
        text = man(path)
        lines = split_lines(text)
        shown = [number for number, line in enumerate(lines) if line.strip()]
        if len(shown) < MAN_LINES:
            continue
        labels = [CONTENT_LINE if line.strip() else BLANK_LINE for line in lines]
        labels[shown[0]] = labels[shown[-1]] = TEMPLATE_LINE
        heading = next((number for number in shown if lines[number].startswith(recipe.translators)), len(lines))
        for number in range(heading, len(lines)):
            if number > heading and lines[number][:1].strip():  # the next section's heading
                break
            if labels[number] == CONTENT_LINE:
                labels[number] = TEMPLATE_LINE
        gold = "".join(f"{line}\n" for line, kind in zip(lines, labels) if kind != TEMPLATE_LINE)
        yield path.stem, {"pages": text, "gold": gold}, labels, 0


def man(path):
    """A manual page as text, 80 columns wide."""
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "80", "MAN_KEEP_FORMATTING": "", "GROFF_NO_SGR": "1"}
    done = subprocess.run(["man", "-P", "cat", "-l", path], capture_output=True, env=environment)
    return re.sub(".\x08|\x1b\\[[0-9;]*m", "", done.stdout.decode("utf-8", "replace"))
