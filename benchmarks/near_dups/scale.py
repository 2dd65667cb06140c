"""Writes N signature lines as `minhash` would: `scale.py N KIND`.

KIND mixed: 70 % unlike all others, 25 % near copies of another (0 to 40 bytes differ), 5 %
exact copies. identical: one signature for all. band: one band's value shared by all, the
rest unlike. close: copies of one signature with one byte changed, all different.
"""

import random
import sys

from sieve import signatures
from sieve.near_dups import ROWS
from sieve.sketch import PERMUTATIONS


def main(n, kind):
    draw = random.Random(n)
    base = draw.randbytes(PERMUTATIONS)
    digest, sketch = draw.randbytes(16), base
    write = sys.stdout.buffer.write
    write(signatures.header(3, 1))
    for i in range(n):
        chance = draw.random()
        if kind != "mixed" or chance > 0.05:
            digest = draw.randbytes(16)
        if kind == "identical":
            sketch = base
        elif kind == "band":
            sketch = base[:ROWS] + draw.randbytes(PERMUTATIONS - ROWS)
        elif kind == "close":
            sketch = _changed(base, 2, draw)
        elif chance > 0.30:
            sketch = draw.randbytes(PERMUTATIONS)
        elif chance > 0.05:
            sketch = _changed(sketch, draw.randrange(41), draw)
        write(signatures.line(b"dumps/site%d/page%07d.txt" % (i % 100, i * 7919 % n), digest, 300, sketch))


def _changed(sketch, times, draw):
    sketch = bytearray(sketch)
    for at in draw.sample(range(PERMUTATIONS), times):
        sketch[at] = draw.randrange(256)
    return bytes(sketch)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
