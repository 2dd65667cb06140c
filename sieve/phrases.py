"""pull quoted phrases out of text and count them"""

import re
from collections import Counter

from sieve.cli import number

LONGEST = 1 << 20  # bytes of a paragraph; a longer one is cut at a line's end, so that memory is bounded
SHORT_LINE = range(3, 21)  # words of a line that may be a phrase by itself, as the article counts them
_BLANK_LINE = re.compile(rb"(?m)^[ \t\r\f\v]*\n")


def arguments(parser):
    parser.add_argument("--min-words", type=number(1), default=3, metavar="N",
                        help="leave out phrases of fewer words (default: %(default)s)")
    parser.add_argument("--max-words", type=number(1), default=40, metavar="N",
                        help="leave out phrases of more words (default: %(default)s)")
    parser.add_argument("--min-chars", type=number(0), default=4, metavar="N",
                        help="leave out phrases of fewer characters (default: %(default)s)")
    parser.add_argument("--max-chars", type=number(0), default=300, metavar="N",
                        help="pair no marks with more characters between (default: %(default)s)")
    parser.add_argument("--dialogue", action="store_true", help="take lines that begin with a dash for quoted too")
    parser.add_argument("--key", action="store_true", help="print what phrases are compared by, not the phrases")
    parser.add_argument("--stats", action="store_true",
                        help="tell on standard error how much was found and how much left out")
    parser.add_argument("--survey", action="store_true", help="count the habits of quoting in the text instead")


def run(args, documents, out):
    out.begin(None)
    if args.survey:
        for habit, number_ in survey(documents).items():
            out.text(f"{habit}\t{number_}\n".encode())
        return
    stats = dict.fromkeys(("messages", "fragments", "unique", "duplicates", "out of length", "unmatched"), 0)
    phrases = collect(documents, args, stats)
    for key, (count, phrase) in sorted(phrases.items(), key=lambda item: -item[1][0]):  # else as they came
        out.text(b"%d\t%s\n" % (count, key if args.key else phrase))
    unmatched = stats.pop("unmatched")
    if unmatched:
        args.console.note(f"marks that open a quotation and have no other to close it: {unmatched}")
    if args.stats:
        for name, value in stats.items():
            args.console.write(f"{name}\t{value}")


def collect(documents, args, stats):
    """The phrases in `documents` by key, as [count, the first that has the key]; `stats` adds up."""
    from sieve.key import count_words, key
    from sieve.quotes import quotations

    phrases = {}
    for document in documents:
        stats["messages"] += 1
        for paragraph in paragraphs(document):
            if paragraph.isascii() and b'"' not in paragraph and not args.dialogue:
                continue
            fragments, unmatched = quotations(
                paragraph.decode("utf-8", "surrogateescape"), args.max_chars, args.dialogue)
            stats["fragments"] += len(fragments)
            stats["unmatched"] += unmatched
            for fragment in fragments:
                phrase = fragment.encode("utf-8", "surrogateescape")
                if len(fragment) < args.min_chars or not args.min_words <= count_words(phrase) <= args.max_words:
                    stats["out of length"] += 1
                    continue
                entry = phrases.setdefault(key(phrase), [0, phrase])
                entry[0] += 1
                stats["duplicates" if entry[0] > 1 else "unique"] += 1
    return phrases


def paragraphs(document):
    """The paragraphs of `document`, in bytes."""
    held, size = [], 0
    for block in document:
        for i, piece in enumerate(_BLANK_LINE.split(block)):
            if i and held:
                yield b"".join(held)
                held, size = [], 0
            while size + len(piece) >= LONGEST and (cut := piece.find(b"\n", max(0, LONGEST - size - 1)) + 1):
                yield b"".join([*held, piece[:cut]])
                held, size, piece = [], 0, piece[cut:]
            if piece:
                held.append(piece)
                size += len(piece)
    if held:
        yield b"".join(held)


def survey(documents):
    """How often each habit of quoting is met, by name: pairs of marks, and lines."""
    from sieve.quotes import DIALOGUE, MARK

    habits = Counter(dict.fromkeys(
        ("straight", "curly", "single", "guillemets", "low-high", "corner", "dialogue", "short lines"), 0))
    for document in documents:
        marks = Counter()
        for block in document:
            text = block.decode("utf-8", "surrogateescape")
            marks.update(MARK.findall(text))
            habits["dialogue"] += len(DIALOGUE.findall(text))
            habits["short lines"] += sum(len(line.split()) in SHORT_LINE for line in text.split("\n"))
        low = marks["„"] + marks["‚"]  # each takes a mark of another habit to close
        habits["straight"] += marks['"'] // 2
        habits["curly"] += max(0, marks["“"] + marks["”"] - marks["„"]) // 2
        habits["single"] += min(marks["‘"], marks["’"])  # most ’ are apostrophes
        habits["guillemets"] += sum(marks[mark] for mark in "«»‹›") // 2
        habits["low-high"] += low
        habits["corner"] += sum(marks[mark] for mark in "「」『』｢｣") // 2
    return habits
