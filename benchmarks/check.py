"""The figures of `sieve check` for sites and for what is none, as a table.

    python3 benchmarks/check.py SITE... > table

Each SITE is a directory with pages/, labels/ and gold/, as benchmarks/quality makes them. After
the sites comes what should fail, made of every fifth one: its pages with the template of half of
them written backwards, learned from or by the model from before that, its content alone, near
copies of a page, a sample of 3, and the pages of the next site by its model; and content of all.
Sections are told by what comes before the first `__`, `-`, `_` or `.` in a name.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

SIEVE = Path(__file__).resolve().parent.parent / "bin" / "sieve"
SECTION = "^[^-_.]+"
COPIES = 50
CHANGED = 0.01  # of the words of a copy


def pages(site):
    return {path.name: path.read_bytes() for path in sorted((site / "pages").iterdir())}


def half_changed(site):
    """Every second page has its lines of template written backwards."""
    changed = pages(site)
    for name in sorted(changed)[::2]:
        labels = (site / "labels" / name).read_text().split("\n")
        lines = changed[name].decode("utf-8", "surrogateescape").split("\n")
        lines = [line[::-1] if label == "0" else line for line, label in zip(lines, labels)]
        changed[name] = "\n".join(lines).encode("utf-8", "surrogateescape")
    return changed


def near_copies(page, chance):
    words = page.split(b" ")
    copies = {}
    for i in range(COPIES):
        copy = list(words)
        for _ in range(int(len(copy) * CHANGED) + 1):
            copy[chance.randrange(len(copy))] = b"w%d" % chance.randrange(10 ** 6)
        copies[f"{i}.txt"] = b" ".join(copy)
    return copies


def check(files, *options):
    with tempfile.TemporaryDirectory() as top:
        for name, text in files.items():
            Path(top, name).write_bytes(text)
        done = subprocess.run([sys.executable, SIEVE, "check", top, "--json", "--section", SECTION, *options],
                              capture_output=True, check=False)
    return json.loads(done.stdout)


def row(name, found):
    coverage = found["coverage"]
    print(f"| {name} | {coverage['mean']:.3f} | {coverage['worst']:.3f} | {coverage['bare']:.2f} | {found['stability']:.3f} "
          f"| {found['spread']:.3f} ({len(found['sections'])}) | {found['common']:.3f} | {found['parts']:.3f} | {' '.join([found['verdict'], *found['failed']])} |",
          flush=True)


def main(sites):
    chance = random.Random(1)
    print("| documents | coverage | worst | bare | stability | spread (sections) | common | parts | verdict |\n|---|---|---|---|---|---|---|---|---|")
    for site in sites:
        row(site.name, check(pages(site)))
    row("two texts of the content of each", check(
        {f"{site.name}-{path.name}": path.read_bytes() for site in sites
         for path in chance.sample(sorted((site / "gold").iterdir()), 2)}))
    for i, site in list(enumerate(sites))[::5]:
        row(f"{site.name}, half of it changed", check(half_changed(site)))
        row(f"{site.name}, content alone", check({path.name: path.read_bytes() for path in (site / "gold").iterdir()}))
        row(f"near copies of a page of {site.name}", check(near_copies(max(pages(site).values(), key=len)[:40_000], chance)))
        row(f"{site.name}, a sample of 3", check(pages(site), "--sample", "3"))
        with tempfile.TemporaryDirectory() as out:
            subprocess.run([sys.executable, SIEVE, "clean", site / "pages", "-o", os.path.join(out, "out"), "--force", "-q"], check=True)
            model = "--model", os.path.join(out, "out", ".sieve", "model")
            other = sites[(i + 1) % len(sites)]
            row(f"{site.name}, half of it changed, by the model from before", check(half_changed(site), *model))
            row(f"{other.name}, by the model of {site.name}", check(pages(other), *model))


main([Path(site) for site in sys.argv[1:]])
