"""The lines that earlier runs met, as a file of hashes:

    #sieve-seen 1
    #hash xxh3-128
    #compare line             or `words`: what of a line is hashed
    #seed 9223372036854775807
    #entries 2
    16 bytes an entry, big-endian and in rising order; then XXH3-128 of the whole file so far

It holds no text, but with the seed one can look up whether a line was met. Under a key the hash is
`blake2b-128 key FINGERPRINT`, and who lacks the key cannot.
"""

import os

import xxhash

from sieve import atomic
from sieve.wire import FormatError

SIZE = 16  # bytes of a hash
PIECE = 1 << 16  # hashes read or written at once
_VERSION = {"sieve-seen": "1"}
_LINE = 100  # bytes that a line of the header has at most


def save(repeats, path, method):
    """Writes what `repeats` has met to the file `path` (bytes), which is whole at any time."""
    atomic.clean_up_on_signals()
    # for its owner alone, since it has the seed
    atomic.write(_written(repeats, method), os.path.realpath(path), overwrite=True, mode=0o600, sync=True)


def _written(repeats, method):
    hashes = sorted(repeats.hashes)
    fields = {**_VERSION, "hash": repeats.method, "compare": method, "seed": repeats.seed, "entries": len(hashes)}
    header = "".join(f"#{name} {value}\n" for name, value in fields.items()).encode()
    check = xxhash.xxh3_128(header)
    yield header
    for start in range(0, len(hashes), PIECE):
        piece = b"".join([value.to_bytes(SIZE, "big") for value in hashes[start:start + PIECE]])
        check.update(piece)
        yield piece
    yield check.digest()


def load(repeats, path, method):
    """Lets `repeats` have met what `save` wrote to `path`; raises FormatError if that is damaged or
    was made in another way."""
    with open(path, "rb") as file:
        header, fields = b"", {}
        while "entries" not in fields:
            line = file.readline(_LINE)
            if not (line.startswith(b"#") and line.endswith(b"\n")):
                raise FormatError(None, "not a file of lines seen, or a damaged one")
            header += line
            name, _, value = line[1:-1].decode("ascii", "replace").partition(" ")
            fields[name] = value
        for name, value in {**_VERSION, "hash": repeats.method, "compare": method}.items():
            if fields.get(name) != value:
                raise FormatError(None, f"made with {name} {fields.get(name, 'unknown')} and not {value}")
        if not (fields.get("seed", "").isdigit() and fields["entries"].isdigit()):
            raise FormatError(None, "damaged header")
        size = SIZE * int(fields["entries"])
        if os.fstat(file.fileno()).st_size != len(header) + size + SIZE:
            raise FormatError(None, "truncated or damaged")
        check = xxhash.xxh3_128(header)
        for start in range(0, size, SIZE * PIECE):
            piece = file.read(min(SIZE * PIECE, size - start))
            check.update(piece)
            repeats.hashes.update([int.from_bytes(piece[i:i + SIZE], "big") for i in range(0, len(piece), SIZE)])
        if file.read() != check.digest() or len(repeats.hashes) * SIZE != size:
            raise FormatError(None, "damaged: its checksum does not fit")
    repeats.seed = int(fields["seed"])
