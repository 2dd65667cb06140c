#!/usr/bin/env python3
"""How many of the line breaks that a wrapper put into paragraphs does `norm --unwrap` take out again?

    apt-get download apache2-doc gimp-help-de libgtk-3-doc openjdk-17-doc postgresql-doc-15 python3.11-doc sqlite3-doc
    PARAGRAPHS=50 benchmarks/unwrap.py *.deb

Takes so many paragraphs (<p> of over 72 columns and 12 words) from the HTML of each package, wraps each at 72 columns with
`fold -s` and with `fmt`, unwraps all of them as one document and compares. A join counts if no line break
is left there; a paragraph counts if it is as it was. Prints a row for each package and wrapper.
"""

import glob
import os
import random
import subprocess
import sys
import tempfile
from html.parser import HTMLParser

COLUMNS, WORDS, SEED = 72, 12, 1
PARAGRAPHS = int(os.environ.get("PARAGRAPHS", 50))
WRAPPERS = {"fold -s": ["fold", "-s", "-w", str(COLUMNS)], "fmt": ["fmt", "-w", str(COLUMNS)]}
NORM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bin", "norm")


class Paragraphs(HTMLParser):
    """Collects the text of <p> elements, white space squeezed, in `found`."""

    def __init__(self):
        super().__init__()
        self.found, self._text = [], None

    def handle_starttag(self, tag, attributes):
        if tag in ("p", "pre", "ul", "ol", "dl", "table", "div"):
            self._end()
        if tag == "p":
            self._text = []

    def handle_endtag(self, tag):
        if tag in ("p", "div", "body"):
            self._end()

    def handle_data(self, data):
        if self._text is not None:
            self._text.append(data)

    def _end(self):
        text = " ".join("".join(self._text or ()).split())
        # no captions and paths; and `fold` cuts East Asian characters in two
        if len(text) > COLUMNS and len(text.split()) >= WORDS and max(text) < "\u2e80":
            self.found.append(text)
        self._text = None


def paragraphs(package):
    with tempfile.TemporaryDirectory() as top:
        subprocess.run(["dpkg-deb", "-x", package, top], check=True)
        found = {}
        for path in sorted(glob.glob(f"{top}/**/*.html*", recursive=True)):
            if os.path.isfile(path) and not os.path.islink(path):
                parser = Paragraphs()
                with open(path, encoding="utf-8", errors="replace") as file:
                    parser.feed(file.read())
                found.update(dict.fromkeys(parser.found))
    return random.Random(SEED).sample(list(found), min(PARAGRAPHS, len(found)))


def main(packages):
    print("package\twrapper\tjoins\tmade\tshare\tparagraphs as they were")
    for package in packages:
        texts = paragraphs(package)
        for name, command in WRAPPERS.items():
            wrapped = [subprocess.run(command, input=text.encode(), stdout=subprocess.PIPE, check=True).stdout.strip()
                       for text in texts]
            joins = sum(text.count(b"\n") for text in wrapped)
            done = subprocess.run([sys.executable, NORM, "--only", "trim,unwrap"], input=b"\n\n".join(wrapped) + b"\n",
                                  stdout=subprocess.PIPE, check=True).stdout.decode()
            after = done.rstrip("\n").split("\n\n")
            left = sum(text.count("\n") for text in after)
            same = sum(old == new for old, new in zip(texts, after))
            print(f"{os.path.basename(package).partition('_')[0]}\t{name}\t{joins}\t{joins - left}\t"
                  f"{(joins - left) / joins:.1%}\t{same}/{len(texts)}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or sys.exit(__doc__))
