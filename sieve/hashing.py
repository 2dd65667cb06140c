"""How n-grams, lines and edges become 64-bit integers: by XXH64, or under a key by BLAKE2b.

The hash of a short n-gram can be looked up by hashing all that there are; a keyed one only by
who has the key. A process works under one key or none, which `sieve.secret` sets here.
"""

from xxhash import xxh64_intdigest

from sieve.wire import FormatError

digest = xxh64_intdigest  # of bytes and a kind: the seed, which tells apart what is hashed
name = "xxh64"
fingerprint = None  # of the key, as the header of a model has it


def fields():
    """The header fields that say how things are hashed."""
    return {"hash": name} if fingerprint is None else {"hash": name, "key": fingerprint}


def refuse_other_key(header):
    """Raises FormatError if a model or counts were made under another key than this process's, or none."""
    theirs = header.fields.get("key")
    if theirs != fingerprint:
        raise FormatError(None, "made under a key, which --key-file gives" if fingerprint is None else
                          "made without a key" if theirs is None else "made under another key")
