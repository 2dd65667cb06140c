"""Whether estimates are those that theory promises, beside others:

    python -m benchmarks.near_dups.honesty DIRECTORY

600 pairs of overlapping stretches of real documents, from 0.05 to 1.0 alike by their exact
Jaccard index, for each of five draws of permutations. Spread is the root of the mean square
error, each in units of the standard error of 128 independent permutations.
"""

import random
import sys
from pathlib import Path

from benchmarks.near_dups.edits import WORD, likeness, shingles
from benchmarks.near_dups.quality import PERMUTATIONS, SEEDS

PAIRS = 600


def pairs(directory, seed):
    """`(one, other, Jaccard index)`, of two lists of words, in order of likeness."""
    draw = random.Random(seed)
    texts = [WORD.findall(path.read_text(errors="replace").lower()) for path in sorted(Path(directory).glob("*/gold/*.txt"))]
    texts = [words for words in texts if len(words) >= 700]
    for i in range(PAIRS):
        wanted = 0.05 + 0.95 * i / (PAIRS - 1)
        words, size = draw.choice(texts), draw.randrange(100, 350)
        shift = round(size * (1 - wanted) / (1 + wanted))
        start = draw.randrange(len(words) - 2 * size + 1)
        one, other = " ".join(words[start:start + size]), " ".join(words[start + shift:start + shift + size])
        yield one, other, likeness(shingles(one), shingles(other))


def near_dups(seed):
    from sieve import minhash, sketch

    permutations = sketch.permutations(seed)

    def estimate(one, other):
        sketches = [sketch.sketch(minhash.read([text.encode()], 3)[1], permutations) for text in (one, other)]
        agreeing = 1 - sketch.differing(*sketches) / PERMUTATIONS
        return (agreeing - 1 / 256) / (1 - 1 / 256)

    return estimate


def datasketch(seed):
    from datasketch import MinHash

    def estimate(one, other):
        sketches = [MinHash(PERMUTATIONS, seed) for _ in range(2)]
        for sketch, text in zip(sketches, (one, other)):
            sketch.update_batch([" ".join(shingle).encode() for shingle in shingles(text)])
        return sketches[0].jaccard(sketches[1])

    return estimate


def rensa(seed):
    from rensa import RMinHash

    def estimate(one, other):
        sketches = [RMinHash(PERMUTATIONS, seed) for _ in range(2)]
        for sketch, text in zip(sketches, (one, other)):
            sketch.update([" ".join(shingle) for shingle in shingles(text)])
        return sketches[0].jaccard(sketches[1])

    return estimate


def main(directory):
    print("| | mean error | spread |\n|---|---|---|")
    for method in (near_dups, datasketch, rensa):
        errors, squares = [], []
        for seed in SEEDS:
            try:
                estimate = method(seed)
            except ImportError as error:
                print(f"{method.__name__} left out: {error}", file=sys.stderr)
                break
            for one, other, exact in pairs(directory, seed):
                error = estimate(one, other) - exact
                errors.append(error)
                if exact < 1:
                    squares.append(error**2 / (exact * (1 - exact) / PERMUTATIONS))
        if errors:
            print(f"| {method.__name__} | {sum(errors) / len(errors):+.4f} | {(sum(squares) / len(squares))**0.5:.3f} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
