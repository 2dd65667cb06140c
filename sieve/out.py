"""The directory that `sieve clean` writes: the clean files, and under .sieve/ how they came about.

    NAME                   what was kept of a document
    .sieve/manifest.json   the settings of the run: where from, which model and machine, options
    .sieve/documents.jsonl a line a document: digests of what went in and came out, numbers of lines
    .sieve/removed/NAME    what was removed of it, each line as LINE<TAB>TEXT
    .sieve/model           the model; .sieve/machine.lisp the machine
"""

import json
import os

from sieve.cli import Failure, show
from sieve.walk import MANIFEST

OWN = os.path.dirname(MANIFEST)
REMOVED = OWN + b"/removed/"
MODEL = OWN + b"/model"
MACHINE = OWN + b"/machine.lisp"
DOCUMENTS = OWN + b"/documents.jsonl"


def refuse_foreign(path, sources, overwrite):
    """Refuses an OUT that holds what is not ours, or our output of other directories."""
    try:
        with open(os.path.join(path, MANIFEST), "rb") as file:
            manifest = json.load(file)
    except FileNotFoundError:
        manifest = None
    except ValueError as error:
        raise Failure(f"{show(path)}: its manifest is damaged (--overwrite replaces it)") from error
    if overwrite or not os.path.isdir(path) or not os.listdir(path):
        return
    if manifest is None:
        raise Failure(f"{show(path)}: not empty, and not an output of sieve (--overwrite writes into it all the same)")
    if manifest.get("sources") != sources:
        raise Failure(f"{show(path)}: the output of other directories (--overwrite writes into it all the same)")
