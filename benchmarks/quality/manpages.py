"""Manual pages, labelled by what their format says of each line.

Boilerplate is the first line and the last, and the section on the translators. Needs man-db.
"""

import gzip
import os
import re
import subprocess

from benchmarks.quality.score import BLANK_LINE, CONTENT_LINE, TEMPLATE_LINE, split_lines
from benchmarks.quality.sites import spread

SOURCE = 1500  # bytes of source in a page worth scoring; less is a reference to another, or a stub
LINES = 10  # lines that are not blank in a page worth scoring


def pages(recipe, root):
    """Yields (name, {kind of file: text}, labels, 0) of the pages under `root`."""
    sources = [path for path in sorted(root.glob("man*/*.gz")) if path.is_file() and not path.is_symlink()
               and len(gzip.open(path).read()) > SOURCE]
    for path in spread(sources):
        text = show(path)
        lines = split_lines(text)
        shown = [number for number, line in enumerate(lines) if line.strip()]
        if len(shown) < LINES:
            continue
        labels = [CONTENT_LINE if line.strip() else BLANK_LINE for line in lines]
        labels[shown[0]] = labels[shown[-1]] = TEMPLATE_LINE
        inside = False
        for number in shown:
            if not lines[number][0].isspace():  # a section's heading
                inside = lines[number].startswith(recipe.translators)
            if inside:
                labels[number] = TEMPLATE_LINE
        gold = "".join(f"{line}\n" for line, kind in zip(lines, labels) if kind != TEMPLATE_LINE)
        yield path.stem, {"pages": text, "gold": gold}, labels, 0


def show(path):
    """A manual page as text, 80 columns wide."""
    done = subprocess.run(
        ["man", "-P", "cat", "-l", path], capture_output=True,
        env={**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "80", "MAN_KEEP_FORMATTING": "", "GROFF_NO_SGR": "1"})
    return re.sub(".\x08|\x1b\\[[0-9;]*m", "", done.stdout.decode("utf-8", "replace"))
