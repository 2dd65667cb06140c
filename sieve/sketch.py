"""MinHash: sketches of sets, from which their likeness can be told.

The likeness of two sets is their Jaccard index, the share of their union that both have. Under
a random permutation it is the chance that their least elements are the same one (A. Broder, "On
the resemblance and containment of documents", 1997). A sketch holds the least of each of 128
permutations of 32-bit numbers

    h(x) = (a * x + b) mod 2^32, a odd

a linear family (Broder, Charikar, Frieze, Mitzenmacher, "Min-wise independent permutations",
2000) over a power of two (Dietzfelbinger and others, "A reliable randomized algorithm for the
closest-pair problem", 1997). Its a and b come from SplitMix64 (Steele, Lea, Flood, "Fast
splittable pseudorandom number generators", 2014), started at the seed: of the number for each
permutation the low half, its last bit set, is a, and the high half b.

Of each least number the sketch keeps the low byte alone (Li and König, "b-bit minwise
hashing", 2010). Unlike ones agree in it once in 256, and the estimate is corrected for that.
Past some ten million elements the least numbers get so small that their low bytes agree
more often.
"""

from sieve.wire import SCALE

PERMUTATIONS = 128  # a standard error of at most 0.045, and of 0.036 at the likeness 0.80

_LOW = (1 << 32) - 1  # the low half of a lane of 64 bits, in which a * x + b has room
_SIZE = PERMUTATIONS * 8
_GUARDS = int.from_bytes(bytes((0, 0, 0, 0, 1, 0, 0, 0)) * PERMUTATIONS, "little")  # bit 32 of every lane
_LOWS = _GUARDS - (_GUARDS >> 32)  # the low half of every lane


def permutations(seed):
    """The numbers a and b of each permutation, in lanes of 64 bits of two integers."""
    factors, terms = [], []
    for _ in range(PERMUTATIONS):
        seed = (seed + 0x9E3779B97F4A7C15) % 2**64
        mixed = (seed ^ seed >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB % 2**64
        mixed ^= mixed >> 31
        factors.append(mixed & _LOW | 1)
        terms.append(mixed >> 32)
    return tuple(
        int.from_bytes(b"".join(number.to_bytes(8, "little") for number in numbers), "little")
        for numbers in (factors, terms))


def lanes(numbers):
    """The lanes of one of those integers as bytes."""
    return numbers.to_bytes(_SIZE, "little")


def sketch(hashes, permutations):
    """The sketch (128 bytes) of a set, given 64-bit hashes of its elements, of which the
    low halves count."""
    factors, terms = permutations
    least = _LOWS
    room = _GUARDS - least
    for x in hashes:
        new = factors * (x & _LOW) + terms & _LOWS  # all permutations at once
        keep = new + room & _GUARDS  # a guard bit in each lane in which `new` is no less
        if keep != _GUARDS:
            keep -= keep >> 32  # which, less its own last place, fills the lane
            least = new ^ (new ^ least) & keep
            room = _GUARDS - least
    return least.to_bytes(_SIZE, "little")[::8]


def differing(one, other):
    """In how many bytes two sketches differ."""
    both = int.from_bytes(one, "little") ^ int.from_bytes(other, "little")
    return PERMUTATIONS - both.to_bytes(PERMUTATIONS, "little").count(0)


def similarity(differing):
    """The likeness that a number of differing bytes tells, rounded down to parts of SCALE:
    (m - 1/256) / (1 - 1/256) for the share m of bytes that agree."""
    agreeing = PERMUTATIONS - differing
    return max(0, (256 * agreeing - PERMUTATIONS) * SCALE // (255 * PERMUTATIONS))


def limit(parts):
    """The most differing bytes with which two sketches are `parts` of SCALE alike."""
    return (SCALE - parts) * 255 * PERMUTATIONS // (256 * SCALE)
