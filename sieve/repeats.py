"""Telling repeated lines from new ones by a hash of 128 bits a line.

The hash is XXH3-128 under a random seed: among a billion lines the odds that any two meet are
one in 10^21, and who does not know the seed cannot write lines that do.
"""

import os
from itertools import repeat

import xxhash


class Repeats:
    """The lines met so far. Blank lines are never repeated, nor are those of fewer than
    `shortest` characters; `key` is None or makes of a line (bytes) what it is compared by.
    With a `secret` (`sieve.secret.Key`) the hash is BLAKE2b under that instead."""

    def __init__(self, key=None, shortest=0, secret=None):
        self.method = f"blake2b-128 key {secret.fingerprint}" if secret else "xxh3-128"
        self.seed = int.from_bytes(os.urandom(8), "big")
        self.hashes = set()  # as integers, for which Python takes 48 bytes and not 64
        self._key = key
        self._keyed = secret and secret.hash("line", 16)
        self._compares = bytes.strip
        if shortest > 1:
            self._compares = lambda line: line.strip() and len(line.decode("utf-8", "surrogateescape")) >= shortest

    def new(self, lines):
        """Whether each of `lines` (bytes without LF) is new, as a list, or None if all are. They are
        met by this."""
        hashes = self._hashes(filter(self._compares, lines))
        distinct = set(hashes)
        if len(distinct) == len(hashes) and self.hashes.isdisjoint(distinct):
            self.hashes |= distinct
            return None
        answers, hashes = [], iter(hashes)
        for line in lines:
            known = False
            if self._compares(line):
                value = next(hashes)
                known = value in self.hashes
                self.hashes.add(value)
            answers.append(not known)
        return answers

    def hashes_of(self, lines):
        """The hash of each of `lines` (bytes without LF) as a list, with None where it is not compared."""
        hashes = iter(self._hashes(filter(self._compares, lines)))
        return [next(hashes) if self._compares(line) else None for line in lines]

    def _hashes(self, lines):
        if self._key:
            lines = map(self._key, lines)
        if self._keyed:
            return [int.from_bytes(self._keyed(line).digest(), "big") for line in lines]
        return list(map(xxhash.xxh3_128_intdigest, lines, repeat(self.seed)))
