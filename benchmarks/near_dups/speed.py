"""Milliseconds to sketch a text of 2,700 words: `python -m benchmarks.near_dups.speed DIRECTORY`.

The text is made of those in DIRECTORY/*/gold. The others are given shingles, which their callers
cut; `from text` does that in Python first.
"""

import sys
from pathlib import Path
from time import process_time
from timeit import repeat

from benchmarks.near_dups.edits import WORD, shingles
from benchmarks.near_dups.quality import PERMUTATIONS

WORDS, ROUNDS, TIMES = 2700, 40, 3


def text(directory):
    words = []
    for path in sorted(Path(directory).glob("*/gold/*.txt")):
        words += WORD.findall(path.read_text(errors="replace"))
        if len(words) >= WORDS:
            return " ".join(words[:WORDS])
    raise SystemExit(f"{directory}: not enough text in */gold/*.txt")


def near_dups(document):
    from sieve import minhash, sketch

    permutations, document = sketch.permutations(minhash.SEED), document.encode()
    hashes = minhash.read([document], minhash.SHINGLE)[1]
    yield "near-dups, from hashes", lambda: sketch.sketch(hashes, permutations)
    yield "near-dups, from text", lambda: sketch.sketch(minhash.read([document], minhash.SHINGLE)[1], permutations)


def datasketch(document):
    from datasketch import MinHash

    def work(found):
        MinHash(PERMUTATIONS).update_batch(found)

    found = [" ".join(shingle).encode() for shingle in shingles(document)]
    yield "datasketch, from shingles", lambda: work(found)
    yield "datasketch, from text", lambda: work([" ".join(shingle).encode() for shingle in shingles(document)])


def rensa(document):
    from rensa import RMinHash

    def work(found):
        sketch = RMinHash(PERMUTATIONS, 42)
        sketch.update(found)
        sketch.digest()

    found = [" ".join(shingle) for shingle in shingles(document)]
    yield "rensa, from shingles", lambda: work(found)
    yield "rensa, from text", lambda: work([" ".join(shingle) for shingle in shingles(document)])


def main(directory):
    document = text(directory)
    print("| | ms |\n|---|---|")
    for method in (near_dups, datasketch, rensa):
        try:
            for name, work in method(document):
                print(f"| {name} | {min(repeat(work, timer=process_time, number=TIMES, repeat=ROUNDS)) / TIMES * 1000:.3f} |", flush=True)
        except ImportError as error:
            print(f"{method.__name__} left out: {error}", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1])
