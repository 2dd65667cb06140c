"""Makes labelled sites and compares methods on them.

    python -m benchmarks.quality build [DIR] [SITE]...
    python -m benchmarks.quality run [DIR] [--sites SITE,...] [--methods METHOD,...] [--json FILE]

SITE may be a group: open, others or kinds. `build` makes the open ones unless told, `run`
takes all that are in DIR, .sites unless told. With --json, figures that FILE has are kept and
shown unless measured anew.
"""

import argparse
import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from benchmarks.quality import score, sites
from benchmarks.quality.methods import METHODS, Unavailable, sieve_version


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("build", help="make sites")
    making.add_argument("directory", nargs="?", default=".sites", type=Path, metavar="DIR")
    making.add_argument("sites", nargs="*", default=["open"], metavar="SITE")
    running = commands.add_parser("run", help="score methods")
    running.add_argument("directory", nargs="?", default=".sites", type=Path, metavar="DIR")
    running.add_argument("--sites", type=names, metavar="SITE,...")
    running.add_argument("--methods", type=names, default=list(METHODS), metavar="METHOD,...",
                         help="of " + ", ".join(METHODS))
    running.add_argument("--json", type=Path, metavar="FILE", help="keep all figures here")
    arguments = parser.parse_args()
    {"build": build, "run": run}[arguments.command](parser, arguments)


def names(text):
    return text.split(",")


def expand(parser, some_sites):
    """Sites for a list of sites and groups."""
    expanded = [name for site in some_sites for name in sites.GROUPS.get(site, [site])]
    unknown = [name for name in expanded if name not in sites.RECIPES]
    if unknown:
        parser.error(f"no such site: {', '.join(unknown)}")
    return expanded


def build(parser, arguments):
    from benchmarks.quality.build import build as make  # needs lxml

    for name in expand(parser, arguments.sites):
        if (arguments.directory / name).exists():
            print(f"{name}: is there already")
            continue
        try:
            print(make(name, sites.RECIPES[name], arguments.directory), flush=True)
        except subprocess.CalledProcessError as error:
            parser.exit(1, f"{name}: {error}: {error.stderr.decode(errors='replace').strip()}\n")


def run(parser, arguments):
    wanted = expand(parser, arguments.sites or sites.GROUPS)
    chosen = [name for name in wanted if (arguments.directory / name).is_dir()]
    missing = [name for name in wanted if name not in chosen]
    if missing and (arguments.sites or not chosen):
        parser.error(f"not in {arguments.directory}: {', '.join(missing)}; build it first")
    unknown = [name for name in arguments.methods if name not in METHODS]
    if unknown:
        parser.error(f"no such method: {', '.join(unknown)}")
    results = json.loads(arguments.json.read_text()) if arguments.json and arguments.json.exists() else {}
    for name in chosen:
        site = arguments.directory / name
        pages = score.load(site)
        for method in arguments.methods:
            if sys.stderr.isatty():
                print(f"\r\x1b[K{name}: {method}", end="", file=sys.stderr)
            try:
                figures = score.score(pages, METHODS[method].run(site))
            except Unavailable as reason:
                print(f"{name}: {method}: left out: {reason}", file=sys.stderr)
                continue
            if not METHODS[method].lines:
                figures = {"word": figures["word"]}
            result = results.setdefault(method, {"sites": {}})
            result["version"] = method_version(method)
            result["sites"][name] = figures
        if arguments.json:
            arguments.json.write_text(json.dumps(results, indent=1) + "\n")
    print(table(results, chosen))


def method_version(method):
    if method == "sieve":
        return sieve_version()
    return version(METHODS[method].package) if METHODS[method].package else ""


# --- the table ---

# title, measure, figure
TABLES = (
    ("line F1", "line", "F1"),
    ("drop F1, micro", "drop", "micro F1"),
    ("content lines kept", "line", "micro recall"),
    ("word F1", "word", "F1"),
)
SUMMARIES = {"mean": score.mean, "worst": min}  # of a group's sites that a method has


def table(results, chosen):
    """Markdown, a table for each measure: a row a site and group of sites, a column a method."""
    return "\n\n".join(map("\n".join, (measure_table(results, chosen, *measure) for measure in TABLES)))


def measure_table(results, chosen, title, measure, figure):
    values = {method: {name: figures[measure][figure] for name, figures in found["sites"].items()
                       if name in chosen and measure in figures} for method, found in results.items()}
    methods = [method for method in METHODS if values.get(method)]
    yield row(title, (f"{METHODS[method].title} {results[method]['version']}".strip() for method in methods))
    yield row("---", ("---:" for _ in methods))
    for group, members in sites.GROUPS.items():
        members = [name for name in members if name in chosen]
        for name in members:
            yield row(name, (cell(values[method].get(name)) for method in methods))
        for summary, reduce in SUMMARIES.items():
            columns = [[values[method][name] for name in members if name in values[method]] for method in methods]
            if members:
                yield row(f"**{group}, {summary}**", (cell(reduce(known) if known else None) for known in columns))


def row(head, cells):
    return f"| {' | '.join([head, *cells])} |"


def cell(value):
    return "" if value is None else f"{value:.3f}"


if __name__ == "__main__":
    main()
