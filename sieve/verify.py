"""`sieve verify`: proves that an output can be made again, and that nothing of the originals is missing."""

import os

from sieve import cli, out, restore, secret, wire
from sieve.cli import show
from sieve.inputs import InputError
from sieve.pipeline import Pipeline, machine_id

DAMAGED = "what was kept and removed of it is not what it was"


def main(parser, argv, console):
    """Runs `sieve verify`; the status is 1 if anything is not as it was recorded."""
    parser.add_argument("output", metavar="OUT", type=os.fsencode, help="what sieve clean wrote")
    secret.argument(parser)
    args = parser.parse_args(argv)
    top = args.output
    settings = out.open_output(top, args.key_file)
    faults = []
    if out.digest(out.blocks(os.path.join(top, out.MODEL))) != settings["model_digest"]:
        faults.append((out.MODEL, "not the model of the run"))
    if machine_id(os.path.join(top, out.MACHINE)) != settings["machine_id"]:
        faults.append((out.MACHINE, "not the machine of the run"))
    discarded = settings["removed"] == "discarded"
    total, whole, gone = 0, {}, 0
    for document in out.documents(top):
        total += 1
        fault = _fault(top, document)
        if fault:
            faults.append((document.name, fault))
        elif not _is_whole(top, document, discarded):
            if discarded and document.dropped:
                gone += 1
            else:
                faults.append((document.name, DAMAGED))
        elif document.lines is not None:
            whole[document.name] = document.digest_out
    if not any(name in (out.MODEL, out.MACHINE) for name, _ in faults):
        faults += [(name, "another result when it is run again") for name in _changed(top, whole, secret.options(args))]
    for name, fault in faults:
        console.note(show(name), fault)
    print(f"{total:,} documents: {len(faults):,} faults, {len(whole):,} run again"
          + (f", {gone:,} could not be, since what was removed of them is gone" if gone else ""))
    return cli.NO if faults else cli.OK


def _fault(top, document):
    """What is wrong with the file that the output `top` has of a document, or None."""
    try:
        if out.digest(out.blocks(os.path.join(top, document.name))) == document.digest_out:
            return None
        return "not what was written"
    except OSError as error:
        return cli.reason(error)


def _is_whole(top, document, discarded):
    """Whether the original of a document can be had, from the output or from its source."""
    try:
        return out.digest(restore.original(top, document, discarded, source=True)) == document.digest_in
    except (OSError, ValueError, InputError):
        return False


def _changed(top, digests, keyed):
    """The names of those documents (a dict of what their results' digests were) that come out
    otherwise when the model and the machine of the run are applied to their originals again."""
    if not digests:
        return []
    top = os.path.abspath(top)
    pipeline = Pipeline([
        ["sieve", "restore", top, "--source", "--files0-from=-", *keyed],
        ["line-score", "-m", os.path.join(top, out.MODEL), *keyed],
        ["regions", "-m", os.path.join(top, out.MACHINE)]], digests)
    left = dict(digests)
    for document in wire.documents(pipeline.blocks()):
        if out.digest(document) == left[document.name]:
            del left[document.name]
    pipeline.wait()
    return left
