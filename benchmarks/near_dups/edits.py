"""A labelled set of near copies: real documents, and edits of known kinds and sizes of them.

`documents(directory)` takes the texts of all `directory`/*/gold/*.txt, as `python -m
benchmarks.quality build` makes them. Everything drawn is drawn from one seed.
"""

import random
import re
from pathlib import Path

BASES = 300  # documents of 150 to 3,000 words that are edited
TARGETS = 0.97, 0.93, 0.88, 0.84, 0.82, 0.78, 0.75, 0.70, 0.60, 0.45  # what an edit brings the likeness down to
LISTS = 20  # pairs of lists of the same names, with the words around them in two languages


WORD = re.compile(r"[^\W_]+")


def shingles(text):
    """The set of the 3-word shingles of a text, each a tuple."""
    words = WORD.findall(text.lower())
    return set(zip(words, words[1:], words[2:]))


def likeness(one, other):
    """The Jaccard index of two sets."""
    return len(one & other) / len(one | other)


def documents(directory, seed=0):
    """`{name: text}`; an edit is named BASE.KIND."""
    draw = random.Random(seed)
    texts = {f"{path.parts[-3]}/{path.stem}": path.read_text(errors="replace") for path in Path(directory).glob("*/gold/*.txt")}
    usable = [name for name in sorted(texts) if 150 <= len(texts[name].split()) <= 3000]
    if len(usable) < BASES:
        raise SystemExit(f"{directory}: {len(usable)} texts of 150 to 3,000 words in */gold/*.txt; {BASES} are wanted")
    made = {}
    for number, name in enumerate(sorted(draw.sample(usable, BASES))):
        text, donor = texts[name], texts[draw.choice(usable)]
        made[name] = text
        made[f"{name}.reordered"] = _reordered(text, draw)
        for kind, edit in (("renamed", _renamed), ("added", _added), ("removed", _removed)):
            made[f"{name}.{kind}"] = edit(text, donor, TARGETS[number % len(TARGETS)], draw)
    names = sorted(set(re.findall(r"\b[A-Z][a-z]{3,}\b", " ".join(texts[name] for name in usable))))
    french, german = (texts[name].split() for name in (usable[1], usable[-1]))
    for number in range(LISTS):
        listed = " ".join(draw.sample(names, 220))
        for language, words in (("one", french), ("other", german)):
            made[f"list{number:02d}.{language}"] = " ".join(words[:6]) + " " + listed
    return made


def _reordered(text, draw):
    """Four sections in another order; hardly any shingle goes."""
    lines = text.split("\n")
    size = len(lines) // 4 + 1
    sections = ["\n".join(lines[start:start + size]) for start in range(0, len(lines), size)]
    draw.shuffle(sections)
    return "\n".join(sections)


def _renamed(text, _, target, draw):
    """One word after another given another name wherever it stands."""
    original, words = shingles(text), sorted(set(re.findall(r"[^\W\d_]{5,}", text)))
    draw.shuffle(words)
    while words and likeness(original, shingles(text)) > target:
        word = words.pop()
        text = re.sub(rf"\b{word}\b", f"{word[::-1]}ov", text)
    return text


def _added(text, donor, target, draw):
    """Lines of another document put in at one place."""
    original, lines, new = shingles(text), text.split("\n"), [line for line in donor.split("\n") if line.strip()]
    at = draw.randrange(len(lines))
    for count in range(len(new)):
        edited = "\n".join(lines[:at] + new[:count] + lines[at:])
        if likeness(original, shingles(edited)) <= target:
            break
    return edited


def _removed(text, _, target, draw):
    """Lines taken out from one place on."""
    original, lines = shingles(text), text.split("\n")
    at = draw.randrange(len(lines))
    lines = lines[at:] + lines[:at]
    while likeness(original, shingles("\n".join(lines))) > target:
        lines.pop()
    return "\n".join(lines)
