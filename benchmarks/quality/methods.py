"""The methods that are compared, each a function from a site to what it keeps of its pages.

A method returns {name: text}; a name that is missing counts as an empty text. Those that keep
lines read SITE/pages; the extractors read SITE/html, which manual pages and made-up kinds lack.
A method that cannot run here, or not on this site, raises `Unavailable`.
"""

import os
import random
import subprocess
import sys
import tempfile
from collections import Counter, namedtuple
from functools import lru_cache
from pathlib import Path

from benchmarks.quality.score import read, split_lines, squeeze

SIEVE = Path(__file__).resolve().parents[2] / "bin" / "sieve"


class Unavailable(Exception):
    """Why a method has no result, in a few words."""


def load_pages(site):
    return {path.stem: read(path) for path in sorted((site / "pages").iterdir())}


def keep_lines(pages, keeps):
    return {name: "".join(f"{line}\n" for line in split_lines(text) if keeps(line))
            for name, text in pages.items()}


def everything(site):
    return load_pages(site)


# --- the article's filter: letter n-grams found in most files of a sample ---

N = 4  # characters of an n-gram
SAMPLE = 100  # files; the article's second choice, which kept more content than its first, 20
FILES = 0.8  # share of the sample's files that have an n-gram of the template
TEMPLATE = 0.5  # share of a line's n-grams at which the line goes
OTHER = 31  # the code, in the hash, of a character that is not printable ASCII


class Hashes(dict):
    """{n-gram: its hash}, the article's: times 31 plus the next code, in 32 bits."""

    def __missing__(self, gram):
        value = 5381
        for character in gram:
            value = (31 * value + (ord(character) if " " <= character <= "~" else OTHER)) % 2**32
        self[gram] = value
        return value


def article(site):
    """The filter without the blank lines that its `cat -s` squeezes, which do not count."""
    pages = load_pages(site)
    names = list(pages)
    sample = random.Random(0).sample(names, min(SAMPLE, len(names)))
    return keep_lines(pages, article_filter([pages[name] for name in sample]))


def article_filter(sample):
    """A function that tells whether the article keeps a line, by a list of texts."""
    hashes = Hashes()

    def grams(line):
        return [hashes[line[start:start + N]] for start in range(len(line) - N + 1)]

    files = Counter()
    for text in sample:
        files.update({gram for line in split_lines(text) for gram in grams(line)})
    template = {gram for gram, count in files.items() if count >= FILES * len(sample)}

    @lru_cache(maxsize=None)
    def keeps(line):
        found = grams(line)
        return not found or sum(map(template.__contains__, found)) / len(found) < TEMPLATE

    return keeps


# --- whole lines found in many files ---

LINE_FILES = 0.5  # share of the files at which a line goes


def frequency(site):
    """Drops a line, squeezed, that at least half of the site's pages have."""
    pages = load_pages(site)
    files = Counter(line for text in pages.values() for line in set(map(squeeze, split_lines(text))))
    files[""] = 0
    return keep_lines(pages, lambda line: files[squeeze(line)] < LINE_FILES * len(pages))


# --- this project ---


def sieve(site):
    """`sieve clean` with its defaults. Where it declines, nothing is kept and a note is made."""
    if not SIEVE.exists():
        raise Unavailable("there is no bin/sieve")
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch, "out")
        done = subprocess.run([SIEVE, "clean", site / "pages", "-o", out], capture_output=True, text=True)
        if done.returncode:
            print(f"{site.name}: sieve clean ends with {done.returncode}: {done.stderr.strip()}", file=sys.stderr)
        return {path.stem: read(path) for path in out.glob("*.txt")}


def sieve_version():
    done = subprocess.run([SIEVE, "--version"], capture_output=True, text=True)
    return done.stdout.split()[2].rstrip(",")


# --- extractors that read the HTML ---


def trafilatura(html, language):
    from trafilatura import extract

    return extract(html)


def trafilatura_recall(html, language):
    from trafilatura import extract

    return extract(html, favor_recall=True)


def resiliparse(html, language):
    from resiliparse.extract.html2text import extract_plain_text

    return extract_plain_text(html, main_content=True)


def readability(html, language):
    from lxml.html import fromstring
    from readability import Document

    return " ".join(fromstring(Document(html).summary()).itertext())


def boilerpy3(html, language):
    from boilerpy3.extractors import ArticleExtractor

    return ArticleExtractor(raise_on_failure=False).get_content(html)


def justext(html, language):
    from justext import get_stoplist, get_stoplists
    from justext import justext as classify

    if language in get_stoplists():
        paragraphs = classify(html, get_stoplist(language))
    else:  # the way that its documentation gives for other languages
        paragraphs = classify(html, frozenset(), stopwords_low=0, stopwords_high=0)
    return "\n".join(paragraph.text for paragraph in paragraphs if not paragraph.is_boilerplate)


def extractor(extract):
    """The method that runs an extractor on each page in HTML."""

    def method(site):
        if not (site / "html").is_dir():
            raise Unavailable("no HTML")
        language = read(site / "lang").strip()
        outputs = {}
        for path in sorted((site / "html").iterdir()):
            try:
                outputs[path.stem] = extract(read(path), language) or ""
            except ImportError as error:
                raise Unavailable(f"{error.name} is not installed") from error
        return outputs

    return method


# title: in the table; run: the method; package: whose version goes with it;
# lines: whether it keeps lines as they are, so that more than words can be scored
Method = namedtuple("Method", "title run package lines")
METHODS = {
    "keep": Method("keep everything", everything, None, True),
    "article": Method("the article's filter", article, None, True),
    "frequency": Method("line frequency 0.5", frequency, None, True),
    "sieve": Method("sieve clean", sieve, None, True),
    "trafilatura": Method("trafilatura", extractor(trafilatura), "trafilatura", False),
    "trafilatura-recall": Method("trafilatura, recall", extractor(trafilatura_recall), "trafilatura", False),
    "resiliparse": Method("resiliparse", extractor(resiliparse), "resiliparse", False),
    "readability": Method("readability", extractor(readability), "readability-lxml", False),
    "boilerpy3": Method("boilerpy3", extractor(boilerpy3), "boilerpy3", False),
    "justext": Method("jusText", extractor(justext), "jusText", False),
}
