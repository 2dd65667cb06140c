"""sketch documents, so that near-dups can tell which are nearly alike

A line a document: NAME<TAB>XXH128<TAB>SHINGLES<TAB>SIGNATURE, after a line that says how they
were made. The same text in the same order of words gives the same signature, wherever its
lines break and whatever its punctuation and capitals.
"""

from xxhash import xxh64_intdigest, xxh128

from sieve import cli, kernel, secret, signatures
from sieve.cli import number
from sieve.memo import LineMemo
from sieve.sketch import lanes, permutations, sketch
from sieve.words import words

SHINGLE = 3  # words
SEED = 0
PIECE = 1 << 18  # bytes cut into words at once, as many as a block has that is not one huge line
LEAST = 50  # distinct shingles below which likeness means nothing, and a document gets no signature


def arguments(parser):
    parser.add_argument("--shingle", metavar="WORDS", type=number(1, 100), default=SHINGLE,
                        help="the words in a shingle (default: %(default)s)")
    parser.add_argument("--seed", metavar="N", type=number(0, 2**64 - 1), default=SEED,
                        help="what the permutations are drawn from (default: %(default)s)")
    secret.argument(parser)


def run(args, documents, out):
    if args.name is None:
        args.name = True  # a name is what a line is for, even that of a single FILE
    key = secret.use(args.key_file)
    permuted = permutations(args.seed)
    out.begin(None)
    out.text(signatures.header(args.shingle, args.seed, key and key.fingerprint))
    for document in documents:
        if kernel.compiled:
            digest, found = read_compiled(document, shingles(kernel.compiled, args.shingle))
            least = found.sketch(*map(lanes, permuted)) if len(found) >= LEAST else None
        else:
            digest, found = read(document, args.shingle, key)
            least = sketch(found, permuted) if len(found) >= LEAST else None
        name = document.name and cli.hide(document.name) if key else document.name
        out.text(signatures.line(name or b"-", digest, len(found), least))


def read(blocks, size, key=None):
    """`(digest, shingles)` of a text: the XXH128 of its bytes, and the set of 64-bit hashes
    (XXH64 of UTF-8) of every `size` words that follow each other, with a space between. Under
    a key (`secret.Key`) both are BLAKE2b."""
    digest, found, run = key.hash("text", 16)() if key else xxh128(), set(), []
    hashed = (lambda shingle: key.integer(shingle, "shingle")) if key else xxh64_intdigest
    for block in blocks:
        digest.update(block)
        for piece in _pieces(block):
            run = run[max(0, len(run) - size + 1):] + words(piece)
            found.update(map(hashed, map(b" ".join, zip(*(run[i:] for i in range(size))))))
    return digest.digest(), found


def shingles(compiled, size, found=LineMemo(lambda run: b" ".join(words(run)))):
    """An empty set of them; words that are not all ASCII are `found` here, and remembered."""
    return compiled.Shingles(size, found.__getitem__)


def read_compiled(blocks, found):
    """The same by the compiled kernel."""
    digest = xxh128()
    for block in blocks:
        digest.update(block)
        for piece in _pieces(block):
            found.add(piece)
    return digest.digest(), found


def _pieces(block):
    """`block` cut at spaces, since the words of a huge line take ten times its memory."""
    start = 0
    while len(block) - start > PIECE:
        end = (block.rfind(b" ", start, start + PIECE) + 1) or (block.find(b" ", start) + 1) or len(block)
        yield block[start:end]
        start = end
    yield block[start:]
