"""wash the template off a collection of plain text, from sample to result"""

import signal

from sieve import cli


def main(argv, console):
    """Runs the subcommand that `argv` begins with."""
    # A child that ends early is told of by its status, and a stop must leave nothing behind.
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _stop)
    parser, command, argv = cli.subcommand("sieve", __doc__, (clean, check, explain, restore, verify, keygen, collect), argv)
    return command(parser, argv, console)


def _stop(number, frame):
    raise SystemExit(128 + number)


def clean(parser, argv, console):
    """learn the template of directories of dumps and write their files without it"""
    from sieve import clean

    return clean.main(parser, argv, console)


def check(parser, argv, console):
    """say whether a template can be learned from directories, or a model fits them"""
    from sieve import check

    return check.main(parser, argv, console)


def explain(parser, argv, console):
    """tell why each line of a document went or stayed"""
    from sieve import explain

    return explain.main(parser, argv, console)


def restore(parser, argv, console):
    """give the originals back"""
    from sieve import restore

    return restore.main(parser, argv, console)


def verify(parser, argv, console):
    """prove that an output can be made again and that nothing is missing"""
    from sieve import verify

    return verify.main(parser, argv, console)


def keygen(parser, argv, console):
    """write a new key, for --key-file"""
    from sieve import secret

    return secret.keygen(parser, argv)


def collect(parser, argv, console):
    """write a tagged stream into an output directory (used by clean)"""
    from sieve import collect

    return collect.main(parser, argv, console)
