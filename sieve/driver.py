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
    parser, command, argv = cli.subcommand("sieve", __doc__, (clean, collect), argv)
    return command(parser, argv, console)


def _stop(number, frame):
    raise SystemExit(128 + number)


def clean(parser, argv, console):
    """learn the template of directories of dumps and write their files without it"""
    from sieve import clean

    return clean.main(parser, argv, console)


def collect(parser, argv, console):
    """write a tagged stream into an output directory (used by clean)"""
    from sieve import clean

    return clean.collect_main(parser, argv, console)
