"""score each line by how much of it is template

The score is the mean over the folded line's characters of the weight of the best n-gram over
each, or the weight of the whole line if that is more, from 0.0000 to 1.0000; `-` for a blank
line. Marks may follow it, each a fact that a machine can use.
"""

import os
import re
from collections import Counter

from xxhash import xxh64_intdigest

from sieve import article, kernel, model, wire
from sieve.cli import Failure, reason, show
from sieve.fold import WHITE_SPACE, fold, ngrams
from sieve.inputs import InputError, ahead, open_blocks
from sieve.memo import NGRAMS, LineMemo
from sieve.ngrams import hash_line
from sieve.wire import SCALE, format_score

WINDOW = 10_000  # lines in which echoes are looked for; few pages have more
WINDOW_BYTES = 1 << 22  # the same for bytes, so that long lines do not fill the memory
RARE = SCALE // 2  # a line in the model with less weight than this is one that a few others have
ECHO_LENGTH = 3  # characters; shorter keys repeat everywhere

# What is neither letter nor digit in the blocks where punctuation, arrows, box drawing and
# bullets live. By code points and not by category, so that every Unicode version agrees.
_SYMBOLS = re.compile("[\\x00-/:-@\\[-`{-\xbf\xd7\xf7\u2000-\u206f\u2190-\u2bff\u3000-\u3004\u3008-\u3020\ufe30-\ufe4f]+")
_ASCII_SYMBOLS = bytes(c for c in range(128) if not chr(c).isalnum())


def arguments(parser):
    parser.add_argument("-m", "--model", required=True, metavar="MODEL", type=os.fsencode,
                        help="the model to score by, as ngram-model writes it")
    parser.add_argument("--explain", action="store_true",
                        help="between score and text, print the characters that the model covers, as ranges")


def run(args, documents, out):
    scorer = load(args.model, None if args.explain else kernel.compiled)
    if args.explain and not scorer.echoes:
        raise Failure(f"{show(args.model)}: --explain needs a model of the profile sieve")
    for document in documents:
        out.begin(document.name)
        if args.explain:
            for line in document.lines():
                out.text(b"%s\t%s\t%s" % (scorer.lines[line][0], ranges(scorer, line), line))
        else:
            for block in scorer.scored(document) if scorer.by_blocks else by_lines(scorer, document):
                out.text(block)


def load(path, kernel=None):
    """The scorer for the model file at `path`, compiled if a `kernel` is given; a bad model is a Failure."""
    try:
        head, body = model.split(b"".join(open_blocks(path)))
        header, entries = model.read(filter(None, (head, body)))
        if kernel and header.kind == model.MODEL and header.fields.get("profile") == "sieve":
            try:
                return CompiledScorer(kernel.Scorer(header.n, body, header.entries), kernel.Windows())
            except ValueError:  # it only takes what it knows; plain Python tells what is wrong
                pass
        if header.kind != model.MODEL:
            raise Failure(f"{show(path)}: counts, not a model: ngram-model cut makes one of them")
        weights = dict(entries)
    except (OSError, InputError, wire.FormatError) as error:
        raise Failure(f"{show(path)}: {reason(error)}") from error
    profile = header.fields.get("profile")
    if profile == "article":
        return article.Scorer(weights)
    if profile == "sieve":
        return Scorer(weights, header.n)
    raise Failure(f"{show(path)}: a model of an unknown profile")


def by_lines(scorer, document):
    """The blocks of a document scored by plain Python."""
    if document.live or not scorer.echoes:
        for block in document:
            yield b"".join([scorer.lines[line][0] + b"\t" + line for line in wire.split(block)])
    else:
        for lines in _windows(document):
            yield b"".join(with_echoes(scorer, lines))


def _windows(document):
    """The lines of a document in lists of at most WINDOW lines or about WINDOW_BYTES,
    the same wherever its blocks end."""
    lines, size = [], 0
    for line in document.lines():
        lines.append(line)
        size += len(line)
        if len(lines) == WINDOW or size >= WINDOW_BYTES:
            yield lines
            lines, size = [], 0
    yield lines


def with_echoes(scorer, lines):
    """The scored lines, with mark `e` on those whose letters another of `lines` has."""
    scored = [scorer.lines[line] for line in lines]
    counts = Counter([key for _, key in scored])
    return [
        b"%s%s\t%s" % (score, b"e" if len(key) >= ECHO_LENGTH and counts[key] > 1 else b"", line)
        for (score, key), line in zip(scored, lines)]


def echo_key(folded):
    """What is left of a folded line without its symbols: a heading and its entry in a
    table of contents have the same."""
    if folded.isascii():
        return folded.translate(None, _ASCII_SYMBOLS)
    return _SYMBOLS.sub("", folded.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


class CompiledScorer:
    """Scores as `Scorer` does, by the compiled kernel."""

    echoes = by_blocks = True

    def __init__(self, scorer, windows):
        self._scorer, self._windows = scorer, windows

    def scored(self, document):
        """The blocks of a document scored."""
        scored = ((block, self._scorer.score(block)) for block in document)
        if document.ready:
            scored = ahead(scored)
        write = self._windows.without if document.live else self._windows.feed
        for block, facts in scored:
            yield write(block, facts)
        yield self._windows.end()


class Scorer:
    """Scores by a model's weights. `lines[line]` is `(score as written, echo key)`."""

    echoes = True
    by_blocks = False

    def __init__(self, weights, n):
        self._weights, self._n = weights, n
        self._ngrams = _NgramWeights(weights)
        self.lines = LineMemo(self.score)

    def score(self, line):
        folded = fold(line)
        if not folded:
            return b"-", b""
        total = length = 0
        for covered, characters in self.coverage(folded):
            total += sum(covered)
            length += characters
        whole = self._weights.get(hash_line(folded))
        parts = max((2 * total + length) // (2 * length) if length else 0, whole or 0)  # rounds half up
        key = echo_key(folded)
        marks = b"".join([
            b"o" if xxh64_intdigest(folded, model.OPEN) in self._weights else b"",
            b"c" if xxh64_intdigest(folded, model.CLOSE) in self._weights else b"",
            b"r" if whole is not None and whole < RARE else b"",
            b"s" if not key else b""])
        return format_score(parts, marks), key

    def knows(self, folded):
        """Whether the model has the whole folded line, with any weight but 0."""
        return bool(self._weights.get(hash_line(folded)))

    def coverage(self, folded):
        """The weight of the best n-gram over each character of a folded line, in pieces as
        `(weights, characters)`: no weights where all are 0, nothing if it is shorter than n."""
        reach = self._n - 1  # n-grams that begin before a character and reach it
        before = [0] * reach
        characters = 0
        for grams in ngrams(folded, self._n):
            weights = list(map(self._ngrams.__getitem__, grams))
            characters = len(weights)
            weights = before + weights
            yield _sliding_max(weights, self._n) if any(weights) else (), characters
            before = weights[characters:]
        if characters:
            yield _sliding_max(before + [0] * reach, self._n) if any(before) else (), reach


def _sliding_max(weights, n):
    """The greatest of each n weights in a row."""
    return list(map(max, *[weights[i:] for i in range(n)])) if n > 1 else weights


class _NgramWeights(dict):
    """The weight of each n-gram that was met lately; all are forgotten when it is full."""

    def __init__(self, weights):
        super().__init__()
        self._get = weights.get

    def __missing__(self, gram):
        if len(self) >= NGRAMS:
            self.clear()
        weight = self[gram] = self._get(xxh64_intdigest(gram, model.NGRAM), 0)
        return weight


# --- explaining ---


def ranges(scorer, line):
    """The characters of `line` that the model covers, as `cut -c` counts and writes them."""
    text = line.removesuffix(b"\n").decode("utf-8", "surrogateescape")
    folded = fold(line)
    if not folded:
        return b""
    places = _places(text)
    if scorer.knows(folded):
        return b"%d-%d" % (places[0] + 1, places[-1] + 1)
    covered = [bool(weight) for weights, characters in scorer.coverage(folded)
               for weight in weights or [0] * characters]
    runs, start = [], None
    for i, inside in enumerate([*covered, False]):
        if inside and start is None:
            start = i
        elif not inside and start is not None:
            runs.append(b"%d-%d" % (places[start] + 1, places[i - 1] + 1))
            start = None
    return b",".join(runs)


def _places(text):
    """For each character of the folded line, the index of the character of `text` that it
    stands for: for a space, the last of the run, and for one at an end, the letter beside it."""
    places, after_space = [], True
    for i, char in enumerate(text):
        if ord(char) in WHITE_SPACE:
            after_space = True
        else:
            places += [i - 1 if places else i, i] if after_space else [i]
            after_space = False
    return [*places, places[-1]]
