"""`sieve check`: whether what can be learned from a collection, or a model, fits it.

The limits lie between what thirty sites have, and what collections have that should fail
(benchmarks/check.md).
"""

import json
import os
import re
import tempfile

from sieve import cli, corpus, model, out, secret
from sieve.cli import Failure, number, show
from sieve.figures import Figures, load, section
from sieve.inputs import open_blocks
from sieve.learn import Tagged, count_halves, learn

SAMPLE = 500  # documents; more hardly changes a model (benchmarks/README.md)
COVERAGE_MIN = 0.002  # the sites' least mean is 0.009
COVERAGE_MAX = 0.95  # the sites' greatest is 0.81, the article's 0.93; near copies of a text have 1.00
BARE_MAX = 0.2  # the sites' greatest is 0.13; sites half of which changed their templates have 0.23 and more
STABILITY_MIN = 0.6  # the sites' least is 0.81; that of another site's model on a site is 0.12 at most
SPREAD_MAX = 0.3  # the sites' greatest is 0.22, the article's 0.19
FEWEST = 5  # documents; what fewer share may be chance as well as template
SEVERAL = "parts of them share lines: several templates, or one that has changed; wash the parts apart"
PART = 0.01  # of all lines: shared by such parts, at a site with several templates; 0.005 at most without


def main(parser, argv, console):
    """Runs `sieve check`; the status is 1 if the verdict is FAIL."""
    parser.add_argument("directories", nargs="+", metavar="DIR", type=os.fsencode, help="what would be washed")
    sample_arguments(parser)
    arguments(parser)
    report_arguments(parser)
    parser.set_defaults(force=False)
    args = parser.parse_args(argv)
    naming = prepare(args)
    for top in args.directories:
        if not os.path.isdir(top):
            raise Failure(f"{show(top)}: not a directory")
    texts = [source for source in corpus.sources(args.directories, None, console, naming) if source.text]
    with tempfile.TemporaryDirectory(prefix="sieve-") as place:
        _, figures = look(texts, args, args.model, os.fsencode(place), Tagged(), console)
    return cli.OK if report(figures, args, print) else cli.NO


def sample_arguments(parser):
    """What `sieve clean` has, too."""
    parser.add_argument("--model", metavar="FILE", type=os.fsencode, help="use this model and learn none")
    parser.add_argument("--machine", metavar="MACHINE", default="regions",
                        help="a machine's name or file, as for regions (default %(default)s)")
    parser.add_argument("--sample", type=cli.number(2), default=SAMPLE, metavar="N",
                        help="documents to learn from (default %(default)s, or all if there are fewer)")
    parser.add_argument("--seed", type=cli.number(0, (1 << 64) - 1), default=0, metavar="N",
                        help="which documents are the sample (default %(default)s)")
    parser.add_argument("-j", "--jobs", type=cli.number(1), default=len(os.sched_getaffinity(0)), metavar="N",
                        help="pipes that run side by side (default: a processor each)")
    secret.argument(parser)
    secret.names_argument(parser)


def prepare(args):
    """Lets the process work under the key that `args` name; returns what hashes names, or None."""
    visible = {*args.directories, getattr(args, "output", b""), args.model}
    key = secret.use(args.key_file, visible)
    if key:
        out.use_key(key)
    naming = secret.naming(key, args.names)
    if naming:
        tops = [os.path.join(top, b"") for top in args.directories]
        cli.hide = lambda path: path if path in visible else naming(
            next((path[len(top):] for top in tops if path.startswith(top)), path))
    return naming


def arguments(parser):
    """Adds the limits, and how sections are told."""
    group = parser.add_argument_group("what a model must reach")
    for name, default, what in (
            ("coverage-min", COVERAGE_MIN, "the least mean coverage"),
            ("coverage-max", COVERAGE_MAX, "the greatest mean coverage"),
            ("bare-max", BARE_MAX, "the greatest share of documents that lack what others have of the template"),
            ("stability-min", STABILITY_MIN, "the least stability"),
            ("spread-max", SPREAD_MAX, "the greatest spread between sections")):
        group.add_argument(f"--{name}", type=number(0, 1, float), default=default, metavar="SHARE",
                           help=f"{what} (default %(default)s)")
    group.add_argument("--section", type=_regex, metavar="REGEX",
                       help="a document's section is what REGEX finds in its name, or the first group (default: its directory)")


def report_arguments(parser):
    """Adds how the outcome is told."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--json", action="store_true", help="print all as a JSON object")
    group.add_argument("--calibrate", action="store_true", help="print limits, as options, that fit these documents")


def _regex(text):
    try:
        return re.compile(os.fsencode(text))
    except re.error as error:
        from argparse import ArgumentTypeError

        raise ArgumentTypeError(f"{text!r} is not a regular expression: {error}") from None


def look(texts, args, path, place, tagged, console):
    """Learns a model from a sample of `texts`, unless there is one at `path`, and looks at
    what it makes of the sample; returns its path and the figures (`Figures`)."""
    chosen = corpus.sample(texts, args.sample, args.seed)
    figures = Figures(len(chosen), model=path is not None)
    if len(chosen) < FEWEST and not args.force:
        return path, figures
    paths = [source.path for source in chosen]
    known = ()
    options = secret.options(args)
    if path is not None:
        header, known = load(path)
        options += ["--profile", header["profile"], "-n", str(header.n)]
    counts = count_halves(paths, place, options)
    figures.compare([model.read(open_blocks(name)) for name in counts], known)
    if path is None:
        path = learn(paths, counts, args, place)
    sections = {source.name: section(source.plain, args.section) for source in chosen}
    for document in tagged.documents(chosen, args, path, console):
        name = sections[document.name]
        figures.add(cli.hide(name) if cli.hide else name, (line.split(b"\t", 3)[2:] for line in document.lines()))
    return path, figures


# --- the verdict ---


def faults(figures, limits):
    """What is wrong, as a list of `(figure, why and what to do)`."""
    if figures.documents < FEWEST:
        return [("sample", f"{figures.documents} documents are too few to tell a template from chance: {FEWEST} are needed")]
    found = []
    wordy = not figures.model and not figures.common and figures.parts < PART  # what is shared are words, and no lines
    if wordy or figures.bare > limits.bare_max or figures.coverage < limits.coverage_min:
        found.append(("coverage", _too_little(figures)))
    elif figures.coverage > limits.coverage_max:
        found.append(("coverage", f"{figures.coverage:.0%} of the lines would go: are these copies of one text? Drop the near "
                      "copies first (minhash and near-dups); if it is template all the same, raise --coverage-max"))
    if figures.stability < limits.stability_min:
        found.append(("stability", _unstable(figures)))
    if figures.spread > limits.spread_max:
        found.append(("spread", "the sections differ: wash them apart, or raise --spread-max if they may"))
    return found


def _unstable(figures):
    if figures.model:
        return "the model does not fit these documents: learn another from them"
    if figures.parts >= PART:
        return f"two halves of the sample give different models, and {SEVERAL}"
    return "two halves of the sample give different models: it is too small (--sample)"


def _too_little(figures):
    lacking = f"{figures.bare:.0%} of the documents lack what others have of the template"
    if figures.model:
        return f"{lacking}: the model is of another site, or theirs has changed; learn another from them"
    if figures.parts >= PART:
        return f"{lacking}, but {SEVERAL}"
    return f"{lacking if figures.common else 'no line is in most of the documents'}: nothing to wash"


def calibrated(figures):
    """Limits, as options, that these figures meet with something to spare."""
    mean = figures.coverage
    return " ".join(f"--{name} {min(max(value, 0.0), 1.0):.3f}" for name, value in (
        ("coverage-min", mean / 2), ("coverage-max", (1 + mean) / 2), ("bare-max", figures.bare + 0.05),
        ("stability-min", figures.stability * 0.9), ("spread-max", figures.spread * 1.25 + 0.05)))


def summary(figures):
    return f"coverage {figures.coverage:.3f}, stability {figures.stability:.3f}, spread {figures.spread:.3f}"


def report(figures, args, write):
    """Writes the figures and the verdict, as `args` want them, by lines (text); returns whether they are in order."""
    found = faults(figures, args)
    names = list(dict.fromkeys(name for name, _ in found))
    if args.calibrate:
        write(calibrated(figures))
        return True
    if args.json:
        write(json.dumps({
            "documents": figures.documents,
            "coverage": {"mean": figures.coverage, "worst": min(figures.coverages, default=0.0), "bare": figures.bare,
                         "histogram": figures.histogram()},
            "stability": figures.stability, "common": figures.common, "parts": figures.parts,
            "spread": figures.spread, "sections": {os.fsdecode(name): mean for name, mean in figures.sections.items()},
            "limits": {name: getattr(args, name) for name in ("coverage_min", "coverage_max", "bare_max", "stability_min", "spread_max")},
            "verdict": "FAIL" if found else "PASS", "failed": names, "reasons": [why for _, why in found]}, sort_keys=True))
        return not found
    worst = min(figures.coverages, default=0.0)
    write(f"documents  {figures.documents}")
    write(f"coverage   {figures.coverage:.3f} on the mean, {worst:.3f} at worst, {figures.bare:.0%} of the documents bare")
    write("histogram  " + " ".join(map(str, figures.histogram())))
    write(f"stability  {figures.stability:.3f}")
    write(f"spread     {figures.spread:.3f} between {len(figures.sections)} sections")
    for name, why in found:
        write(f"{name}: {why}")
    write("FAIL: " + ", ".join(names) if found else "PASS")
    return not found
