"""clean text in steps, in the order that is right"""

import os

from sieve.cli import NO, show
from sieve.steps import OPTIONAL, ORDER, make
from sieve.wire import escape_name


def arguments(parser):
    parser.add_argument("--only", type=_names, metavar="STEP,...", help=f"do these steps of {', '.join(ORDER)}")
    parser.add_argument("--without", type=_names, metavar="STEP,...", default=(), help="leave these out")
    parser.add_argument("--unwrap", action="store_true", help="join the lines of wrapped paragraphs")
    parser.add_argument("--join-hyphens", action="store_true",
                        help="unwrap, and make the words whole that a hyphen splits")
    parser.add_argument("--fold-case", action="store_true", help="make capitals small letters")
    parser.add_argument("--dedup", action="store_true", help="drop lines that the document had before")
    parser.add_argument("--keep-joiners", action="store_true",
                        help="leave U+200C and U+200D, which matter in Persian, in Indic scripts and in emoji")
    parser.add_argument("--lengths", action="store_true",
                        help="tell on standard error how many code points there are after each step")
    parser.add_argument("--check", action="store_true",
                        help="exit with 1 and name the steps that would change the result once more")
    parser.add_argument("--survey", action="store_true", help="list the characters that are in the text instead")


def run(args, documents, out):
    if args.survey:
        from sieve.survey import survey

        return survey(documents, out)

    def steps():
        return make(_chosen(args), args.join_hyphens, args.keep_joiners)

    clean = steps()
    status = None
    for document in documents:
        out.begin(document.name)
        lengths = dict.fromkeys(clean, 0)
        check = Check(steps() if args.check else {})
        for block, last in _ended(document):
            for name, step in clean.items():
                block = step(block, last)
                if args.lengths:
                    lengths[name] += len(block.decode("utf-8", "surrogateescape"))
            out.text(block)
            check.take(block, last)
        if args.lengths:
            _tell(args.console, lengths, document.name)
        if check.changed():
            status = NO
            args.console.note(*[show(document.name)] if document.name else [], "not stable: " + ", ".join(check.changed()))
    return status


def _names(text):
    """The steps that a list with commas names; raises ArgumentTypeError for any other."""
    from argparse import ArgumentTypeError

    names = text.split(",")
    for name in names:
        if name not in ORDER:
            from difflib import get_close_matches

            near = get_close_matches(name, ORDER, 1)
            raise ArgumentTypeError(
                f"no step is called {name!r}" + (f"; did you mean {near[0]}?" if near else f": {', '.join(ORDER)}"))
    return names


def _chosen(args):
    """The names of the steps that the options ask for."""
    names = {name for name in ORDER if name not in OPTIONAL} if args.only is None else set(args.only)
    for name, asked in (("unwrap", args.unwrap or args.join_hyphens), ("fold-case", args.fold_case), ("dedup", args.dedup)):
        if asked:
            names.add(name)
    return names - set(args.without)


def _ended(blocks):
    """`blocks` with whether they are the last, which is empty."""
    for block in blocks:
        yield block, False
    yield b"", True


def _tell(console, lengths, name):
    suffix = "" if name is None else "\t" + os.fsdecode(escape_name(name))
    for step, length in lengths.items():
        console.write(f"{step}\t{length}{suffix}")


class Check:
    """Finds the steps that change what all have done, each tried alone: if none does, a second pass
    changes nothing. Holds only what the steps hold."""

    def __init__(self, steps):
        self._steps = steps
        self._owed = dict.fromkeys(steps, b"")  # what each has taken and must still give back

    def take(self, block, last):
        for name, owed in list(self._owed.items()):
            owed += block
            given = self._steps[name](block, last)
            if owed == given or owed.startswith(given) and not last:
                self._owed[name] = owed[len(given):]
            else:
                del self._owed[name]

    def changed(self):
        """The names of those steps, in order."""
        return [name for name in self._steps if name not in self._owed]
