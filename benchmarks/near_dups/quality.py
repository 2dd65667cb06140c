"""How many near copies near-dups finds, and how many of what it finds are, beside others.

    python -m benchmarks.near_dups.quality DIRECTORY

A pair is a near copy if its exact Jaccard index of 3-word shingles is 0.80 or more. All take
the same number of permutations, 128, the same shingles and threshold, and their own bands;
text-dedup cuts its own words, as it does. Figures are means over five draws of permutations.
"""

import subprocess
import sys
import tempfile
from collections import Counter
from itertools import combinations
from pathlib import Path

from benchmarks.near_dups.edits import LISTS, documents, shingles

THRESHOLD, PERMUTATIONS = 0.80, 128
SEEDS = range(5)
BIN = Path(__file__).resolve().parents[2] / "bin"


def exact_pairs(sets, least):
    """`{(i, j): Jaccard index}` of all pairs that are at least so alike."""
    holders = {}
    for i, one in enumerate(sets):
        for shingle in one:
            holders.setdefault(shingle, []).append(i)
    common = Counter()
    for places in holders.values():
        common.update(combinations(places, 2))
    alike = {(i, j): count / (len(sets[i]) + len(sets[j]) - count) for (i, j), count in common.items()}
    return {pair: index for pair, index in alike.items() if index >= least}


def near_dups(texts, sets, seed, alternates=()):
    with tempfile.TemporaryDirectory() as directory:
        for i, text in enumerate(texts):
            Path(directory, f"{i:06d}").write_text(text)
        Path(directory, "alternates").write_text("".join(f"{i:06d}\t{j:06d}\n" for i, j in alternates))
        script = f"{sys.executable} {BIN}/minhash --seed {seed} 0* | {sys.executable} {BIN}/near-dups --pairs --alternates alternates"
        lines = subprocess.run(["bash", "-c", script], cwd=directory, check=True, capture_output=True, text=True).stdout
    pairs = {tuple(map(int, line.split("\t")[1:])) for line in lines.splitlines()}
    yield "near-dups", PERMUTATIONS, pairs


def datasketch(texts, sets, seed):
    from datasketch import MinHash, MinHashLSH

    sketches = [MinHash(PERMUTATIONS, seed) for _ in sets]
    index = MinHashLSH(THRESHOLD, PERMUTATIONS)
    for i, (sketch, one) in enumerate(zip(sketches, sets)):
        sketch.update_batch([" ".join(shingle).encode() for shingle in one])
        index.insert(i, sketch)
    pairs = {(i, j) for j, sketch in enumerate(sketches) for i in index.query(sketch) if i < j}
    size = sketches[0].hashvalues.nbytes
    yield "datasketch, MinHashLSH", size, pairs
    yield "datasketch, and jaccard >= 0.80", size, {
        (i, j) for i, j in pairs if sketches[i].jaccard(sketches[j]) >= THRESHOLD}


def rensa(texts, sets, seed):
    from rensa import RMinHash, RMinHashLSH

    bands = 16  # of 8: what its documentation uses for 128 permutations
    index, sketches = RMinHashLSH(THRESHOLD, PERMUTATIONS, bands), []
    for i, one in enumerate(sets):
        sketch = RMinHash(PERMUTATIONS, seed)
        sketch.update([" ".join(shingle) for shingle in one])
        sketches.append(sketch)
        index.insert(i, sketch)
    pairs = {(i, j) for j, sketch in enumerate(sketches) for i in index.query(sketch) if i < j}
    size = 4 * len(sketches[0].digest())
    yield "rensa, RMinHashLSH", size, pairs
    yield "rensa, and jaccard >= 0.80", size, {(i, j) for i, j in pairs if sketches[i].jaccard(sketches[j]) >= THRESHOLD}


def text_dedup(texts, sets, seed):
    import numpy as np
    from text_dedup.minhash import embed_func, optimal_param, sha1_hash

    bands, rows = optimal_param(THRESHOLD, PERMUTATIONS, 0.5, 0.5)
    prime, most = np.uint64((1 << 61) - 1), np.uint32((1 << 32) - 1)
    draw = np.random.RandomState(seed)
    how = dict(
        num_perm=PERMUTATIONS, ngram_size=3, min_length=5, hashranges=[(i * rows, i * rows + rows) for i in range(bands)],
        permutations=tuple(draw.randint(low, prime, size=(PERMUTATIONS,), dtype=np.uint64) for low in (1, 0)),
        hash_func=lambda data: sha1_hash(data, d=32), dtype=np.uint64, max_hash=most, modulo_prime=prime)
    buckets = {}
    for i, text in enumerate(texts):
        for band, value in enumerate(embed_func(text, i, **how)["__signatures__"]):
            buckets.setdefault((band, value), []).append(i)
    yield "text-dedup", 8 * bands * rows, {pair for bucket in buckets.values() for pair in combinations(bucket, 2)}


def main(directory):
    made = documents(directory)
    names, texts = list(made), list(made.values())
    sets = [shingles(text) for text in texts]
    exact = exact_pairs(sets, 0.01)
    true = {pair for pair, index in exact.items() if index >= THRESHOLD}
    clear = {pair for pair, index in exact.items() if index >= 0.85}
    print(f"{len(names)} documents, {len(true)} pairs that are 0.80 alike, {len(clear)} that are 0.85\n")
    print("| | bytes | precision | recall | F1 | recall of 0.85 | below 0.75 |\n|---|---|---|---|---|---|---|")
    for method in (near_dups, datasketch, rensa, text_dedup):
        figures = {}
        try:
            for seed in SEEDS:
                for name, size, pairs in method(texts, sets, seed):
                    precision, recall = len(pairs & true) / len(pairs), len(pairs & true) / len(true)
                    figures.setdefault((name, size), []).append((
                        precision, recall, 2 * precision * recall / (precision + recall), len(pairs & clear) / len(clear),
                        sum(exact.get(pair, 0) < 0.75 for pair in pairs) / len(pairs)))
        except ImportError as error:
            print(f"{method.__name__} left out: {error}", file=sys.stderr)
        for (name, size), rows in figures.items():
            print(f"| {name} | {size} |", *(f"{sum(column) / len(rows):.3f} |" for column in zip(*rows)), flush=True)

    (_, _, found), = near_dups(texts, sets, 0)
    print("\n| kind of edit | pairs that are 0.80 alike | found by near-dups |\n|---|---|---|")
    edited = {(i, j): names[j].rpartition(".")[2] for i, j in true if names[j].startswith(names[i] + ".")}
    for kind in sorted(set(edited.values())):
        pairs = {pair for pair in edited if edited[pair] == kind}
        print(f"| {kind} | {len(pairs)} | {len(pairs & found)} |")
    numbers = {name: i for i, name in enumerate(names)}
    lists = {(numbers[f"list{i:02d}.one"], numbers[f"list{i:02d}.other"]) for i in range(LISTS)}
    (_, _, without), = near_dups(texts, sets, 0, lists)
    print(f"\nOf {LISTS} pairs of lists of the same names in two languages, {len(lists & found)} are found, "
          f"and {len(lists & without)} if they are told by --alternates.")


if __name__ == "__main__":
    main(sys.argv[1])
