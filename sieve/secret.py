"""The key under which hashes and names do not tell what they are of.

A key is 32 random bytes, in a file as 64 hexadecimal digits that only its owner can read. The
hashes of each kind of thing (n-grams, lines, texts...) have a key of their own, derived from it
by keyed BLAKE2b; names are hashed by HMAC-SHA256 with the key itself.
"""

import os
import re
import stat

from sieve import cli
from sieve.cli import Failure, show

SIZE = 32  # bytes of a key: as hard to guess as any
_WRITTEN = re.compile(rb"[0-9a-f]{64}\n?")
_HASHED = re.compile(rb"[0-9a-f]{64}")  # a name that is hashed already


def argument(parser):
    """Adds --key-file."""
    parser.add_argument("--key-file", metavar="FILE", type=os.fsencode,
                        help="hash under the key in FILE, which sieve keygen makes")


def names_argument(parser):
    """Adds --names."""
    parser.add_argument("--names", choices=("hmac", "sha256"),
                        help="call documents by the HMAC-SHA256 of their names (default with --key-file) or the plain SHA-256")


class Key:
    """The key in the file at `path`; anything but a key that only its owner can read is a Failure."""

    def __init__(self, path):
        with open(path, "rb") as file:
            if stat.S_IMODE(os.fstat(file.fileno()).st_mode) & 0o077:
                raise Failure(f"{show(path)}: a key that others can read or write is none (chmod 600)")
            digits = file.read(2 * SIZE + 2)
        if not _WRITTEN.fullmatch(digits):
            raise Failure(f"{show(path)}: not a key (sieve keygen makes one)")
        self._key = bytes.fromhex(digits.decode())
        self._derived = {}
        self.fingerprint = self.hash("fingerprint", 8)(b"").hexdigest()

    def hash(self, purpose, size):
        """A constructor of hashes of `size` bytes for this purpose, as those of hashlib."""
        from hashlib import blake2b

        key = blake2b(purpose.encode(), key=self._key, digest_size=SIZE).digest()
        return lambda data=b"": blake2b(data, key=key, digest_size=size)

    def integer(self, data, kind):
        """A 64-bit integer for `data` (bytes) as something of this kind."""
        make = self._derived.get(kind)
        if make is None:
            make = self._derived[kind] = self.hash(f"kind {kind}", 8)
        return int.from_bytes(make(data).digest(), "big")

    def name(self, name):
        """What a document is called instead of its `name`."""
        import hmac

        return hmac.new(self._key, name, "sha256").hexdigest().encode()


def use(path, visible=()):
    """Lets this process work under the key in the file at `path`, whose messages then tell no
    name but those that are `visible`; returns the key, or None if `path` is None."""
    if path is None:
        return None
    from sieve import hashing, kernel

    key = Key(path)
    cli.hide = lambda name: name if name in visible or _HASHED.fullmatch(name) else key.name(name)
    hashing.digest, hashing.name, hashing.fingerprint = key.integer, "blake2b-64", key.fingerprint
    kernel.compiled = None  # it knows XXH64 only
    return key


def options(args):
    """The options by which a tool that this one starts works under the same key."""
    return [] if args.key_file is None else ["--key-file", args.key_file]


def naming(key, method):
    """What turns a document's name into what it is called, given the key, or None, and what
    --names says; None if names stay."""
    if method == "sha256":
        from hashlib import sha256

        return lambda name: sha256(name).hexdigest().encode()
    if method == "hmac" and key is None:
        raise Failure("--names hmac needs --key-file")
    return key and key.name


def keygen(parser, argv):
    """Runs `sieve keygen`: writes a new key to standard output."""
    parser.parse_args(argv)
    print(os.urandom(SIZE).hex())
