"""What made-up kinds are written with: labelled lines, real text dealt out, people and times."""

import re
import textwrap
from datetime import datetime, timedelta

from benchmarks.quality.score import BLANK_LINE, CONTENT_LINE, TEMPLATE_LINE, split_lines, squeeze

WIDTH = 78  # columns, about what w3m fills of its 80
PARAGRAPH = 60  # characters; shorter ones are captions and headings
GIVEN = "Ana Bruno Carla Diego Elena Farid Greta Hugo Irene Jonas Kiko Lucía Marek Nadia Otto Petra"
FAMILY = "Alonso Berg Castro Dupont Egger Ferrer Gil Hansen Ibarra Jung Kovač Lima Moreno Novak Ortiz Pons"


class Sheet:
    """A page that is being written, and the labels of its lines."""

    def __init__(self):
        self.lines, self.labels = [], []

    def write(self, label, text):
        for line in split_lines(text) or [""]:
            self.lines.append(line)
            self.labels.append(label if line.strip() else BLANK_LINE)

    def text(self, without=None):
        """All lines, or those without a label."""
        return "".join(f"{line}\n" for line, label in zip(self.lines, self.labels) if label != without)

    def content(self, *texts):
        """Writes `texts` and a blank line after each."""
        for text in texts:
            self.write(CONTENT_LINE, f"{text}\n\n")

    def template(self, *texts):
        for text in texts:
            self.write(TEMPLATE_LINE, f"{text}\n\n")


class Texts:
    """Titles and paragraphs of books in Publican's HTML, each given out once, in random order.

    A folder is by its number; a text that several have (for want of a translation) is the first's."""

    def __init__(self, folders, chance):
        seen = set()
        self._titles, self._paragraphs = [], []
        for folder in folders:
            titles, paragraphs = [], []
            for text, is_title in read_book(folder):
                if text not in seen:
                    seen.add(text)
                    (titles if is_title else paragraphs).append(text)
            for pool, kept in ((titles, self._titles), (paragraphs, self._paragraphs)):
                chance.shuffle(pool)
                kept.append(pool)

    def left(self, folder=0):
        """How many paragraphs there are still."""
        return len(self._paragraphs[folder])

    def title(self, folder=0):
        return self._titles[folder].pop()

    def plain(self, count=1, folder=0):
        """Paragraphs, each on one line."""
        return [self._paragraphs[folder].pop() for _ in range(count)]

    def filled(self, count=1, folder=0):
        return [fill(text) for text in self.plain(count, folder)]


def read_book(folder):
    """Yields (text, whether it is a title), without the titles' numbers."""
    from benchmarks.quality.webpages import parse  # needs lxml, which scoring does not

    for path in sorted(folder.glob("*.html")):
        for element in parse(path.read_bytes()).cssselect("h2.title, h3.title, h4.title, div.para"):
            text = squeeze(element.text_content())
            if element.tag != "div":
                yield re.sub(r"^(\D*\d+\.|[A-Z]\.)(\d+\.)*\s+", "", text), True
            elif len(text) >= PARAGRAPH and element.find(".//div") is None and element.find(".//pre") is None:
                yield text, False


def fill(text, indent=""):
    return textwrap.fill(text, WIDTH, initial_indent=indent, subsequent_indent=indent)


def bullets(texts):
    return "\n".join(fill(text, "    ").replace("    ", "  • ", 1) for text in texts)


def some_time(chance):
    return datetime(2015, 1, 1) + timedelta(minutes=chance.randrange(8 * 365 * 24 * 60))


def people(chance, count):
    """Names; the first ones write most, as everywhere (`writer`)."""
    return chance.sample([f"{given} {family}" for given in GIVEN.split() for family in FAMILY.split()], count)


def writer(everyone, chance):
    return everyone[int(len(everyone) * chance.random() ** 2)]


def sentence(text):
    """The first sentence of a paragraph."""
    return re.split(r"(?<=[.!?。])\s", text)[0]
