"""How fast the tools are beside others: `python -m benchmarks.speed [SITES] [-o FILE]`, some five minutes.

SITES (.sites unless told) is what `python -m benchmarks.quality build` makes. The text is 100 MB of its
pages, again and again with other numbers in them. Each of ours and its peer run in turn, so that a
machine that is busy or warm slows both; a figure is the median of the runs, a ratio that of the ratios of
neighbours. Time and memory are what the system says of a finished process and its children. With
SIEVE_KERNEL=python in the environment, ours are those without the compiled kernel.
"""

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from sieve import kernel, minhash, sketch

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "tests" / "data"
MEGABYTES = 100
RUNS = 5
FEW = 3  # runs of what takes seconds
SMALL = 5  # MB for what would take minutes
SAMPLE = 300  # pages that models are learned from
UNIQUE = 60  # bytes of a line in the text of mostly unique lines, before its number


# --- measuring ---


def run(script):
    """Runs a bash script; `(wall seconds, seconds of the processor, MiB at most in one process)`."""
    start = time.perf_counter()
    process = subprocess.Popen(["bash", "-c", script], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"failed: {script}")
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def apart(work, *arguments):
    """Does it in a process of its own: the system counts what this one has in memory as its children's."""
    child = os.fork()
    if not child:
        try:
            work(*arguments)
            os._exit(0)
        finally:
            os._exit(1)
    if os.waitpid(child, 0)[1]:
        sys.exit(1)


def pair(ours, theirs, runs=RUNS):
    """Runs two scripts in turn, after once each; the figures of each run of both."""
    run(ours), run(theirs)
    return [(run(ours), run(theirs)) for _ in range(runs)]


class Table:
    def __init__(self, *columns):
        self.lines = ["| " + " | ".join(columns) + " |", "|---" * len(columns) + "|"]

    def row(self, *cells):
        self.lines.append("| " + " | ".join(map(str, cells)) + " |")
        print(self.lines[-1], file=sys.stderr, flush=True)

    def compare(self, what, peer, target, figures, ours=1, theirs=1):
        """A row of `figures` from `pair`; `ours` and `theirs` are the sizes of what they worked on."""
        walls = [(a[0] / ours, b[0] / theirs) for a, b in figures]
        seconds = [median(a[part] for a, _ in figures) for part in (0, 1)] + [median(b[part] for _, b in figures) for part in (0, 1)]
        processor = median(b[1] / theirs / (a[1] / ours) for a, b in figures)
        self.row(what, *(f"{figure:.2f}" for figure in seconds[:2]), peer, *(f"{figure:.2f}" for figure in seconds[2:]),
                 f"{median(b / a for a, b in walls):.2f}", f"{processor:.2f}", target)


# --- the texts ---


def make_texts(sites):
    """Writes all.txt and all.txt.gz, small.txt and unique.txt, and lists of a site's and of all pages."""
    chance = random.Random(1)
    pages = sorted(sites.glob("*/pages/*.txt"))
    if not pages:
        sys.exit(f"{sites}: no SITE/pages/*.txt; python -m benchmarks.quality build {sites} makes them")
    texts = [page.read_bytes() for page in pages]
    number = re.compile(rb"[0-9]+")
    size, turn = 0, 0
    with open("all.txt", "wb") as out:
        while size < MEGABYTES * 10**6:
            text = texts[turn % len(texts)]
            if turn >= len(texts):
                text = number.sub(lambda match: b"%0*d" % (len(match[0]), chance.randrange(10 ** min(len(match[0]), 9))), text)
            size += out.write(text)
            turn += 1
    all_text = Path("all.txt").read_bytes()
    Path("small.txt").write_bytes(all_text[:SMALL * 10**6])
    for megabytes in (1, 10):
        Path(f"{megabytes}.txt").write_bytes(all_text[:megabytes * 10**6])
    os.link("all.txt", "100.txt")
    with open("unique.txt", "wb") as out:
        for line in all_text.split(b"\n"):
            if len(line) > 20:
                out.write(b"%s %d\n" % (line[:UNIQUE], chance.randrange(10**7)))
    largest = max(sites.iterdir(), key=lambda site: len(list(site.glob("pages/*.txt"))))
    some = sorted(largest.glob("pages/*.txt"))
    Path("site").write_bytes(b"".join(os.fsencode(page) + b"\0" for page in some[:SAMPLE]))
    chosen = sorted(chance.sample(pages, min(SAMPLE, len(pages))))
    Path("pages").write_bytes(b"".join(os.fsencode(page) + b"\0" for page in chosen))
    run("gzip -6 < all.txt > all.txt.gz")
    run("ngram-model build --files0-from=site > model; ngram-model build --profile article --files0-from=site > article")


# --- what is measured ---


def compare(table):
    score, article = "line-score -m model all.txt.gz", f"mawk -v model=article -f {DATA}/article-score.awk small.txt"
    table.compare("`line-score` on gzip", "`gzip -dc`", "1", pair(score, "gzip -dc all.txt.gz"))
    table.compare("`line-score`, a MB", "the article's filter in mawk", "100", pair(score, article, FEW), MEGABYTES, SMALL)
    table.compare("`ngram-model build`", "the article's in mawk", "25", pair(
        "ngram-model build --files0-from=pages", f"xargs -0 mawk -f {DATA}/article-model.awk < pages", FEW))
    table.compare("`doc-cat \\| line-score \\| regions` on gzip", "`gzip -dc`", "0.5", pair(
        "doc-cat all.txt.gz | line-score -m model | regions", "gzip -dc all.txt.gz", FEW))
    table.compare("`dedup`, mostly unique lines", "`LC_ALL=C sort -u`", "1", pair("dedup unique.txt", "LC_ALL=C sort -u unique.txt"))
    table.compare("`dedup`, mostly unique lines", "perl", "1", pair(
        "dedup unique.txt", "perl -ne 'print unless $s{$_}++' unique.txt"))
    table.compare("`norm`, all default steps", "`LC_ALL=C sed -E`, four of them", "1", pair(
        "norm all.txt", r"LC_ALL=C sed -E 's/<[^>]*>//g; s/[ \t]+/ /g; s/^ //; s/ $//' all.txt", FEW))


def start(table):
    for command in ("doc-cat", "line-score -m model", "norm", "dedup", "regions", "minhash", "ngram-model count"):
        table.compare(f"`{command.split()[0]}` on nothing", "`python -c pass`", "0.4" if command != "regions" else "0.12",
                      pair(f"{command} < /dev/null", f"{sys.executable} -c pass"))


def memory(table):
    gigabyte = f"for i in {{1..{1000 // MEGABYTES}}}; do cat all.txt; done"
    for command in ("line-score -m model", "norm", "doc-cat"):
        table.row(f"`{command.split()[0]}` on a stream of 1 GB", f"{run(f'{gigabyte} | {command}')[2]:.0f} MiB", "40 MiB")
    lines = int(subprocess.run("LC_ALL=C sort -u unique.txt | wc -l", shell=True, capture_output=True).stdout)
    bare = run("dedup < /dev/null")[2]
    table.row(f"`dedup`, a unique line of {lines:,}", f"{(run('dedup unique.txt')[2] - bare) * 2**20 / lines:.0f} bytes", "64 bytes")


def sketches(table):
    """Milliseconds for 2,700 words."""
    words = Path("1.txt").read_text(errors="replace").split()[:2700]
    text = "\n".join(" ".join(words[i:i + 10]) for i in range(0, len(words), 10)).encode()
    permuted = sketch.permutations(0)

    def best(work):
        times = []
        for _ in range(300):
            begin = time.perf_counter()
            work()
            times.append(time.perf_counter() - begin)
        return f"{median(times) * 1000:.3f} ms"

    if kernel.compiled:
        shingles = minhash.read_compiled([text], minhash.shingles(kernel.compiled, 3))[1]
        lanes = tuple(map(sketch.lanes, permuted))
        table.row("128 permutations, the processor's vectors", best(lambda: shingles.sketch(*lanes)), "0.05 ms with AVX2")
        kernel.compiled.vectors(False)
        table.row("128 permutations, without", best(lambda: shingles.sketch(*lanes)), "0.11 ms")
        kernel.compiled.vectors(True)
        table.row("the whole sketch", best(
            lambda: minhash.read_compiled([text], minhash.shingles(kernel.compiled, 3))[1].sketch(*lanes)), "faster than rensa")
    else:
        table.row("the whole sketch", best(lambda: sketch.sketch(minhash.read([text], 3)[1], permuted)), "")
    try:
        from rensa import RMinHash
    except ImportError:
        return
    def theirs():
        made = RMinHash(128, 42)
        small = text.decode().lower().split()
        made.update([" ".join(small[i:i + 3]) for i in range(len(small) - 2)])
        made.digest()

    table.row("the whole sketch by rensa", best(theirs), "")


def growth(table):
    for command in ("line-score -m model", "ngram-model count", "dedup", "norm", "minhash"):
        cells = [min(run(f"{command} {size}.txt") for _ in range(2)) for size in (1, 10, 100)]
        table.row(f"`{command.split(' -')[0]}`", *(f"{wall:.2f} s, {peak:.0f} MiB" for wall, _, peak in cells))


# --- the report ---


def versions():
    yield f"Python {sys.version.split()[0]}, {kernel.NAME}, {os.cpu_count()} processors"
    model = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text()) if os.path.exists("/proc/cpuinfo") else None
    yield model[1] if model else os.uname().machine
    for command in ("gzip --version", "mawk -W version 2>&1", "sort --version", "sed --version", "perl -e 'print \"perl $^V\"'"):
        yield subprocess.run(["bash", "-c", command], capture_output=True, text=True).stdout.split("\n")[0]


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__.partition("\n")[0])
    parser.add_argument("sites", nargs="?", default=".sites", type=Path, metavar="SITES")
    parser.add_argument("-o", "--output", type=Path, default=Path(__file__).with_suffix(".md"), metavar="FILE")
    arguments = parser.parse_args()
    sites, output = arguments.sites.resolve(), arguments.output.resolve()
    os.environ["PATH"] = os.pathsep.join((str(ROOT / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]))
    before = os.getcwd()
    place = tempfile.mkdtemp()
    try:
        os.chdir(place)
        apart(make_texts, sites)
        columns = ("", "s", "s CPU", "beside", "s", "s CPU", "times as fast", "in CPU", "wanted")
        parts = [(f"{MEGABYTES} MB of text", Table(*columns), compare), ("Start", Table(*columns), start),
                 ("Memory", Table("", "at most", "wanted"), memory), ("Sketches of 2,700 words", Table("", "time", "wanted"), sketches),
                 ("Growth", Table("", "1 MB", "10 MB", "100 MB"), growth)]
        for _, table, measure in parts:
            measure(table)
    finally:
        os.chdir(before)
        shutil.rmtree(place)
    text = ["# Speed", "", "Made by `python -m benchmarks.speed`; what it measures and how is told there.", "", "; ".join(versions()) + "."]
    for title, table, _ in parts:
        text += ["", f"## {title}", "", *table.lines]
    output.write_text("\n".join(text) + "\n")


if __name__ == "__main__":
    main()
