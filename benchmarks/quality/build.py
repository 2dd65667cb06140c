"""Making labelled sites, most of them from the documentation packages of Debian.

A site is a directory:

    SITE/pages/NAME.txt     the page as text
    SITE/labels/NAME.txt    a character for each line of it: 1 content, 0 boilerplate, - blank
    SITE/gold/NAME.txt      the main content alone
    SITE/html/NAME.html     the page in HTML, where it was made from that
    SITE/lang, SITE/source  its language; the package and version that it was made from

Needs apt-get and dpkg-deb, and what the modules need that make the pages.
"""

import subprocess
import tempfile
from pathlib import Path

from benchmarks.quality import kinds, manpages, sites, webpages
from benchmarks.quality.score import BLANK_LINE, CONTENT_LINE

# Each a function of a recipe and a folder that yields, of each page, its name, {kind of file: text},
# the labels of its lines, and how many of these are not certain.
MAKERS = {sites.Web: webpages.pages, sites.Man: manpages.pages, kinds.Kind: kinds.pages}


def build(name, recipe, directory):
    """Makes the site `directory`/`name`, whole or not at all; returns what it holds in a line."""
    directory.mkdir(parents=True, exist_ok=True)
    pages = lines = content = unaligned = 0
    with tempfile.TemporaryDirectory(dir=directory, prefix=".build-") as scratch:
        package, site = Path(scratch, "package"), Path(scratch, "site")
        version = unpack(recipe.package, package)
        for page, files, labels, uncertain in MAKERS[type(recipe)](recipe, package / recipe.root):
            write(site, page, {**files, "labels": "".join(f"{label}\n" for label in labels)})
            pages, unaligned = pages + 1, unaligned + uncertain
            lines += len(labels) - labels.count(BLANK_LINE)
            content += labels.count(CONTENT_LINE)
        (site / "lang").write_text(recipe.language + "\n")
        (site / "source").write_text(f"{recipe.package} {version}\n")
        site.rename(directory / name)
    return (f"{name}: {pages} pages, {lines} lines, {100 * (1 - content / lines):.1f}% boilerplate, "
            f"{unaligned} lines not aligned")


def unpack(package, directory):
    """Fetches a package by apt-get, unpacks it into a new directory and returns its version."""
    directory.mkdir()
    subprocess.run(["apt-get", "download", "-q", package], cwd=directory, check=True, capture_output=True)
    archive, = directory.glob("*.deb")
    subprocess.run(["dpkg-deb", "-x", archive, directory], check=True, capture_output=True)
    field = subprocess.run(["dpkg-deb", "-f", archive, "Version"], check=True, capture_output=True, text=True)
    return field.stdout.strip()


def write(site, page, files):
    for kind, text in files.items():
        (site / kind).mkdir(parents=True, exist_ok=True)
        path = site / kind / (page + (".html" if kind == "html" else ".txt"))
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
