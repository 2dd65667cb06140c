"""score each line by how much of it is template

The score is the mean over the folded line's characters of the weight of the best n-gram over
each, or the weight of the whole line if that is more, from 0.0000 to 1.0000; `-` for a blank
line. Marks may follow it, each a fact that a machine can use.
"""

import os
import re
from collections import Counter

from sieve import article, contexts, hashing, kernel, model, secret, wire
from sieve.cli import Failure, reason, show
from sieve.fold import WHITE_SPACE, fold, ngrams
from sieve.inputs import InputError, ahead, open_blocks
from sieve.memo import NGRAMS, LineMemo
from sieve.wire import SCALE, format_score

WINDOW = 10_000  # lines that are looked at together; few pages have more
WINDOW_BYTES = 1 << 22  # the same for bytes, so that long lines do not fill the memory
ECHO_LENGTH = 3  # characters; shorter keys repeat everywhere
LONG, SHORT = 60, 20  # columns: a longer line is hardly a menu's, a shorter one often is
WIDE = "\u2e80"  # characters from here on take two columns
STRONG_EDGE = 4_000  # of SCALE: documents with the line, of which the body opens (closes) there
ANCHORED = 7_000  # of SCALE: documents that have a line beside the same one
COMMON = 3  # lines of one document with the same ends; more is the form of its lines, not of a page

# What is neither letter nor digit in the blocks where punctuation, arrows, box drawing and
# bullets live. By code points and not by category, so that every Unicode version agrees.
_SYMBOLS = re.compile("[\\x00-/:-@\\[-`{-\xbf\xd7\xf7\u2000-\u206f\u2190-\u2bff\u3000-\u3004\u3008-\u3020\ufe30-\ufe4f]+")
_ASCII_SYMBOLS = bytes(c for c in range(128) if not chr(c).isalnum())


def arguments(parser):
    parser.add_argument("-m", "--model", required=True, metavar="MODEL", type=os.fsencode,
                        help="the model to score by, as ngram-model writes it")
    secret.argument(parser)
    parser.add_argument("--explain", action="store_true",
                        help="between score and text, print the characters that the model covers, as ranges")


def run(args, documents, out):
    secret.use(args.key_file, (args.model,))
    scorer = load(args.model, None if args.explain else kernel.compiled)
    if args.explain and not scorer.contextual:
        raise Failure(f"{show(args.model)}: --explain needs a model of the profile sieve")
    for document in documents:
        out.begin(document.name)
        if isinstance(scorer, CompiledScorer):
            for block in scorer.scored(document):
                out.text(block)
            continue
        for lines, scores in scored(scorer, document):
            if args.explain:
                out.text(b"".join([b"%s\t%s\t%s" % (score, ranges(scorer, line), line) for score, line in zip(scores, lines)]))
            else:
                out.text(b"".join([b"%s\t%s" % both for both in zip(scores, lines)]))


def load(path, kernel=None):
    """The scorer for the model file at `path`, compiled if a `kernel` is given; a bad model is a Failure."""
    try:
        head, body = model.split(b"".join(open_blocks(path)))
        header, entries = model.read(filter(None, (head, body)))
        hashing.refuse_other_key(header)
        if kernel and header.kind == model.MODEL and header.fields.get("profile") == "sieve":
            try:
                return CompiledScorer(kernel, header.n, body, header.entries)
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


def scored(scorer, document):
    """Yields the lines of a document in lists, each with the list of their scores as written."""
    if not scorer.contextual:
        for block in document:
            lines = wire.split(block)
            yield lines, [scorer.facts[line] for line in lines]
    elif document.live:
        marker = Marker(scorer)
        for block in document:
            lines = wire.split(block)
            yield lines, [score for line in lines for score in marker.mark([line], last=False, together=False)]
    else:
        marker = Marker(scorer)
        for lines, last in _windows(document):
            yield lines, marker.mark(lines, last)


def _windows(document):
    """The lines of a document in lists of at most WINDOW lines or about WINDOW_BYTES, the
    same wherever its blocks end, and whether each is the last."""
    lines, size = [], 0
    for line in document.lines():
        if len(lines) == WINDOW or size >= WINDOW_BYTES:
            yield lines, False
            lines, size = [], 0
        lines.append(line)
        size += len(line)
    yield lines, True


class Marker:
    """Writes the scores of a document's lines with the marks that their contexts give."""

    def __init__(self, scorer):
        self._scorer = scorer
        self._before = contexts.EDGE  # the hash of the last line that was not blank
        self._number = 0  # of lines that were not blank

    def mark(self, lines, last, together=True):
        """The scores of the next `lines`, which end the document if `last`. What takes other
        lines than the ones before is only looked for if they are looked at `together`."""
        facts = [self._scorer.facts[line] for line in lines]
        known = [fact for fact in facts if fact]
        marks = iter(list(self._marks(known, last, together)))  # all of them: it remembers where it ended
        return [fact.score + next(marks) if fact else b"-" for fact in facts]

    def _marks(self, known, last, together):
        wholes = [self._before, *(fact.line.whole for fact in known)]
        wholes += [contexts.EDGE] * last
        echoes = _echoes(known) if together else [b""] * len(known)
        firsts = Counter(fact.line.first for fact in known)
        lasts = Counter(fact.line.last for fact in known)
        for i, fact in enumerate(known):
            top, bottom = self._number + i, len(known) - 1 - i if last else None
            marks = fact.own
            if fact.shared:
                marks += self._beside(wholes[i:i + 3], top, bottom)
            marks += echoes[i]
            if firsts[fact.line.first] <= COMMON or lasts[fact.line.last] <= COMMON:
                first, final = contexts.ends(fact.line, top, bottom)
                found = (first if firsts[fact.line.first] <= COMMON else []) + (final if lasts[fact.line.last] <= COMMON else [])
                if any(context in self._scorer.weights for context in found):
                    marks += b"p"
            yield marks
        self._number += len(known)
        self._before = wholes[-1 - last]

    def _beside(self, wholes, top, bottom):
        """Marks of a line that other documents have, the middle one of `wholes`."""
        weights = self._scorer.weights
        pairs = [weights.get(contexts.pair(*both), 0) for both in zip(wholes, wholes[1:])]
        placed = any(place in weights for place in contexts.places(wholes[1], model.PLACE, top, bottom))
        return (b"a" if placed or max(pairs) >= ANCHORED else b"") + (b"R" if max(pairs) else b"r")


def _echoes(known):
    """For each line `E` or `e` if another has its letters: `e` where a line beside it is an
    echo, too, as in a table of contents."""
    counts = Counter(fact.key for fact in known)
    echo = [len(fact.key) >= ECHO_LENGTH and counts[fact.key] > 1 for fact in known]
    return [b"" if not here else b"e" if before or after else b"E"
            for before, here, after in zip([False, *echo], echo, [*echo[1:], False])]


def echo_key(folded):
    """What is left of a folded line without its symbols: a heading and its entry in a
    table of contents have the same."""
    if folded.isascii():
        return folded.translate(None, _ASCII_SYMBOLS)
    return _SYMBOLS.sub("", folded.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


class CompiledScorer:
    """Scores as `scored` does, by the compiled kernel."""

    contextual = True

    def __init__(self, kernel, n, entries, count):
        self._scorer = kernel.Scorer(n, entries, count)
        self._windows = kernel.Windows(self._scorer)

    def scored(self, document):
        """The blocks of a document scored."""
        blocks = ((block, self._scorer.score(block)) for block in document)
        if document.ready:
            blocks = ahead(blocks)
        write = self._windows.each if document.live else self._windows.feed
        for block, facts in blocks:
            yield write(block, facts)
        yield self._windows.end()


class Facts:
    """What is known of a line by itself: its score as written, its echo key, its hashes, marks
    of its own, and whether other documents have it."""

    __slots__ = ("score", "key", "line", "own", "shared")


class Scorer:
    """Scores by a model's weights. `facts[line]` are the Facts of a line, None if it is blank."""

    contextual = True

    def __init__(self, weights, n):
        self.weights, self._n = weights, n
        self._ngrams = _NgramWeights(weights)
        self.facts = LineMemo(self._facts)

    def _facts(self, line):
        folded = fold(line)
        if not folded:
            return None
        facts = Facts()
        facts.line = contexts.Line(folded, self._n)
        whole = self.weights.get(facts.line.whole)
        facts.score = format_score(max(self._mean(folded), whole or 0))
        facts.key = echo_key(folded)
        facts.shared = whole is not None
        width = _width(folded)
        facts.own = b"".join([
            self._edge(folded, model.OPEN, b"oO"), self._edge(folded, model.CLOSE, b"cC"),
            b"l" if width > LONG else b"h" if width < SHORT else b"", b"" if facts.key else b"s"])
        return facts

    def _edge(self, folded, kind, letters):
        weight = self.weights.get(hashing.digest(folded, kind))
        return b"" if weight is None else letters[1:] if weight >= STRONG_EDGE else letters[:1]

    def _mean(self, folded):
        """The mean weight of a folded line's characters, rounded half up."""
        total = length = 0
        for covered, characters in self.coverage(folded):
            total += sum(covered)
            length += characters
        return (2 * total + length) // (2 * length) if length else 0

    def knows(self, folded):
        """Whether the model has the whole folded line, with any weight but 0."""
        return bool(self.weights.get(contexts.Line(folded, self._n).whole))

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


def _width(folded):
    """The columns that a folded line takes, the space at each end included."""
    if folded.isascii():
        return len(folded)
    text = folded.decode("utf-8", "surrogateescape")
    return len(text) + sum(char >= WIDE for char in text)


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
        weight = self[gram] = self._get(hashing.digest(gram, model.NGRAM), 0)
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
