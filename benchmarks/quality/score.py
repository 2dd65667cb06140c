"""Scoring what a method kept of a site that `build` made.

Text is compared by line and by word. A line is what LF ends, with its white space squeezed;
blank lines do not count. Three figures, each over multisets, so a line that a page has twice
counts twice:

    line  kept lines against the content lines of the page
    drop  dropped lines (the page's less the kept ones) against its boilerplate lines: harder,
          since keeping everything has a high line F1 where there is little boilerplate
    word  words of the output against words of the main content dumped by itself: for any
          method, whether it keeps lines as they are or not

A text that a page has both as content and as boilerplate is credited as content first: if a
method keeps one of two, it kept the content. So nothing is lost to ties in what cannot be told
apart by its text, and a method gains nothing by where it keeps it.

For each figure, over the n pages of a site:

    precision, recall, F1   means over pages
    worst                   the mean F1 of the n // 10 (at least one) worst pages
    micro F1, micro recall  of the counts added up over all pages

`drop` is read as micro F1, as many pages have but a few lines of boilerplate. The share of
content lines kept is the micro recall of `line`. An output that is missing counts as empty.
"""

import re
from collections import Counter, namedtuple

# A word is a run of letters, digits and underscores; of scripts written without spaces
# (kana, and Chinese characters of the basic planes' blocks), a character.
WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+")
CONTENT_LINE, TEMPLATE_LINE, BLANK_LINE = "1", "0", "-"
WORST = 10  # a tenth of the pages

Page = namedtuple("Page", "content template words")  # multisets


def split_lines(text):
    """The lines of `text`, without their LF."""
    pieces = text.split("\n")
    return pieces if pieces[-1] else pieces[:-1]


def squeeze(text):
    """`text` with each run of white space as one space and none at its ends."""
    return " ".join(text.split())


def line_counts(some_lines):
    return Counter(filter(None, map(squeeze, some_lines)))


def words(text):
    return Counter(WORD.findall(text))


def read(path):
    """The text of a file; what is not UTF-8 shows as U+FFFD."""
    return path.read_bytes().decode("utf-8", "replace")


def load(site):
    """{name: Page} of a site's directory."""
    pages = {}
    for path in sorted((site / "pages").iterdir()):
        labels = split_lines(read(site / "labels" / path.name))
        labelled = list(zip(split_lines(read(path)), labels))
        content, template = (line_counts(line for line, label in labelled if label == kind)
                             for kind in (CONTENT_LINE, TEMPLATE_LINE))
        pages[path.stem] = Page(content, template, words(read(site / "gold" / path.name)))
    return pages


def score(pages, outputs):
    """{"line", "drop", "word": figures} of {name: text} for {name: Page}."""
    rows = {"line": [], "drop": [], "word": []}
    for name, page in pages.items():
        text = outputs.get(name, "")
        kept = line_counts(split_lines(text))
        rows["line"].append(overlap(kept, page.content))
        rows["drop"].append(overlap(page.content + page.template - kept, page.template))
        rows["word"].append(overlap(words(text), page.words))
    return {measure: summary(counts) for measure, counts in rows.items()}


def overlap(found, wanted):
    """(how many are in both, how many are found, how many are wanted) of two multisets."""
    return sum((found & wanted).values()), sum(found.values()), sum(wanted.values())


def rates(right, found, wanted):
    """(precision, recall, F1); nothing found of nothing wanted is perfect."""
    precision = right / found if found else float(not wanted)
    recall = right / wanted if wanted else 1.0
    return precision, recall, 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def summary(counts):
    """The figures of a measure from its (right, found, wanted) of each page."""
    precisions, recalls, f1s = zip(*(rates(*row) for row in counts))
    worst = sorted(f1s)[:max(1, len(f1s) // WORST)]
    _, micro_recall, micro_f1 = rates(*map(sum, zip(*counts)))
    return {"precision": mean(precisions), "recall": mean(recalls), "F1": mean(f1s), "worst": mean(worst),
            "micro recall": micro_recall, "micro F1": micro_f1}


def mean(values):
    return sum(values) / len(values)
