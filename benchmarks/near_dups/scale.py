"""Writes N signature lines as `minhash` would: `python -m benchmarks.near_dups.scale N KIND`.

mixed      70 % unlike all others, 25 % near copies of another (0 to 40 bytes differ), 5 % exact copies
identical  one signature for all
close      one signature with two bytes of it changed
band       the first band in common, and nothing else
pairs      NUMBER.a and NUMBER.b agree in each byte with the probability 0.80
"""

import random
import sys

from sieve import minhash, signatures
from sieve.near_dups import ROWS
from sieve.sketch import PERMUTATIONS


def main(n, kind):
    draw = random.Random(n)
    base = draw.randbytes(PERMUTATIONS)
    digest, sketch = draw.randbytes(16), base
    write = sys.stdout.buffer.write
    write(signatures.header(minhash.SHINGLE, minhash.SEED))
    for i in range(n):
        chance = draw.random()
        name = b"dumps/%02d/%07d" % (i % 100, i * 7919 % n)
        if kind != "mixed" or chance > 0.05:
            digest = draw.randbytes(16)
        if kind == "close":
            sketch = _changed(base, 2, draw)
        elif kind == "band":
            sketch = base[:ROWS] + draw.randbytes(PERMUTATIONS - ROWS)
        elif kind == "pairs":
            name = b"%07d.%c" % (i // 2, b"ab"[i % 2])
            sketch = _changed(sketch, sum(draw.random() < 0.2 for _ in sketch), draw) if i % 2 else draw.randbytes(PERMUTATIONS)
        elif kind == "mixed" and chance > 0.30:
            sketch = draw.randbytes(PERMUTATIONS)
        elif kind == "mixed" and chance > 0.05:
            sketch = _changed(sketch, draw.randrange(41), draw)
        write(signatures.line(name, digest, 300, sketch))


def _changed(sketch, count, draw):
    sketch = bytearray(sketch)
    for at in draw.sample(range(PERMUTATIONS), count):
        sketch[at] ^= draw.randrange(1, 256)
    return bytes(sketch)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
