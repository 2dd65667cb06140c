"""What every tool does alike: arguments, opening its input, errors, signals, statuses.

A filter is a module with a docstring (the first line is its summary), `arguments(parser)`
that adds its options, and `run(args, documents, out)` that reads `documents`, writes to
`out` (a `wire.Writer`) and returns an exit status or None. `filter_main` does the rest.
"""

import argparse
import os
import signal
import sys

from sieve import __version__, wire
from sieve.inputs import InputError, is_file, open_blocks

OK, NO, TROUBLE = 0, 1, 2  # done; the answer is no; usage, bad input or I/O error
NAME_LIMIT = 1 << 16  # bytes in a name of a list; no system takes as many, and a list by lines is soon longer
FLUSH = 1 << 16  # bytes of output gathered before a write; a pipe holds as much


class Failure(Exception):
    """What a user can cause and must hear of, in one line without a document's text."""


hide = None  # what makes of a name what messages may tell of it, where there is a key (`sieve.secret`)


def show(name):
    """A file's name for a message: on one line whatever is in it."""
    if name == b"-":
        return "<stdin>"
    name = os.fsdecode(hide(os.fsencode(name)) if hide else name)
    return name if name.isprintable() and name else repr(name)


def reason(error):
    """An exception in a few words."""
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)


class Console:
    """A running tool's name, its messages, and whether any of them makes it fail."""

    def __init__(self, tool):
        self.tool = tool
        self.status = OK
        self.file, self.damaged = b"-", None  # what `documents` reads, and what could not be read to its end

    def note(self, *parts):
        """One line on stderr: `tool: part: part`."""
        self.write(": ".join((self.tool, *parts)))

    def write(self, line):
        """A line on stderr as it is, for a report that was asked for."""
        try:  # not through sys.stderr, whose flush at the end would fail again and change the status
            os.write(2, f"{line}\n".encode("utf-8", "backslashreplace"))
        except OSError:  # closed or full: no one to tell
            pass

    def warn(self, *parts):
        """A note of trouble after which work goes on, to end with status 2."""
        self.note(*parts)
        self.status = TROUBLE


# --- arguments ---


class Parser(argparse.ArgumentParser):
    """argparse with this suite's manners: `-h` is free, one-line errors, no abbreviations."""

    def __init__(self, tool, summary, usage="[OPTION]... [FILE]..."):
        super().__init__(
            prog=tool, usage=f"%(prog)s {usage}", description=summary, add_help=False, allow_abbrev=False,
            formatter_class=_help_formatter)
        self.add_argument("--help", action="help", help="show this and exit")
        self.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")

    def parse_intermixed_args(self, args, namespace=None):
        # argparse's own loses `--` between its two passes, and takes a FILE called `-h` for the option.
        at = args.index("--") if "--" in args else len(args)
        namespace = super().parse_intermixed_args(args[:at], namespace)
        namespace.files += map(os.fsencode, args[at + 1:])
        return namespace

    def error(self, message):
        raise Failure(f"{message.replace(chr(10), ' ')} (see {self.prog} --help)")

    def _print_message(self, message, file=None):
        output = Output()  # argparse's own loses the error of a full disk
        output.write(os.fsencode(message))
        output.flush()


class _Version(argparse.Action):
    def __call__(self, parser, namespace, values, option=None):
        from sieve import kernel

        parser._print_message(f"{parser.prog} (sieve) {__version__}, {kernel.NAME}\n")
        parser.exit()


def _help_formatter(prog):
    # Given a width, argparse need not import shutil, a fifth of a filter's start.
    columns = os.environ.get("COLUMNS", "")
    return argparse.HelpFormatter(prog, width=max(40, int(columns) - 2 if columns.isdigit() else 78))


def file_arguments(parser, named=True):
    """FILE operands and where else names come from; `named` adds the choice of frames."""
    parser.add_argument("files", nargs="*", metavar="FILE", type=os.fsencode,
                        help="what to read; - or none is standard input")
    parser.add_argument("--files0-from", metavar="FILE", type=os.fsencode,
                        help="read the names, each ended by NUL, from FILE (- is standard input)")
    parser.set_defaults(name=None)
    if named:
        group = parser.add_mutually_exclusive_group()
        group.add_argument("-h", "--no-name", dest="name", action="store_false", default=None,
                           help="leave out the lines that begin a document")
        group.add_argument("-H", "--with-name", dest="name", action="store_true",
                           help="write a line that begins the document, for a single FILE too")


def number(low, high=None, kind=int):
    """An argument type: a number from `low` to `high`."""

    def parse(text):
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value is None or not low <= value or high is not None and not value <= high:
            limits = f"from {low} to {high}" if high is not None else f"of {low} or more"
            raise argparse.ArgumentTypeError(f"{text!r} is not a number {limits}")
        return value

    return parse


def subcommand(tool, summary, commands, argv):
    """`(parser, command, the rest of argv)` for a tool with subcommands: functions with a
    one-line docstring, of which the first word of `argv` names one."""
    by_name = {command.__name__.replace("_", "-"): command for command in commands}
    name = next(iter(argv), None)
    if name in by_name:
        command = by_name[name]
        return Parser(f"{tool} {name}", command.__doc__.partition("\n")[0]), command, argv[1:]
    parser = Parser(tool, summary.partition("\n")[0], "COMMAND [OPTION]... [FILE]...")
    group = parser.add_argument_group("commands", f"each has its own help: {tool} COMMAND --help")
    for command in by_name.items():
        group.add_argument(command[0], nargs="?", help=command[1].__doc__.partition("\n")[0])
    if name is None or not name.startswith("-"):
        import difflib

        near = difflib.get_close_matches(name or "", by_name, 1)
        raise Failure(f"{name!r} is not a command" + (f"; did you mean {near[0]}?" if near else f" (see {tool} --help)")
                      if name else f"which command? {', '.join(by_name)} (see {tool} --help)")
    parser.parse_args(argv)
    raise Failure(f"which command? {', '.join(by_name)} (see {tool} --help)")


# --- input ---


def file_names(args):
    """The names given as operands or in the list that --files0-from names."""
    if args.files0_from is None:
        return args.files or [b"-"]
    if args.files:
        raise Failure("--files0-from and FILE operands exclude each other")
    return _list0(args.files0_from)


def _list0(path):
    with open(0 if path == b"-" else path, "rb", closefd=path != b"-") as names:
        for name in split0(names):
            if path == name == b"-":
                raise Failure("standard input holds the list of names and cannot be named in it")
            if name:
                yield name


def split0(file):
    """The pieces of a binary file that end with NUL, and what is left at its end."""
    held = b""
    for chunk in iter(lambda: file.read1(1 << 16), b""):
        *whole, held = (held + chunk).split(b"\0")
        if len(held) > NAME_LIMIT:
            raise Failure(f"a name of more than {NAME_LIMIT} bytes in a list; does NUL end each?")
        yield from whole
    if held:
        yield held


def guard(console, name, blocks):
    """`blocks` of the file `name` up to where it cannot be read further, which is told."""
    try:
        yield from blocks
    except (OSError, InputError) as error:
        console.damaged = name
        console.warn(show(name), reason(error))


def open_guarded(console, path, before_read=None):
    """The blocks of a file, or None and a warning if it cannot be read at all."""
    try:
        return guard(console, path, open_blocks(path, before_read))
    except (OSError, InputError) as error:
        console.warn(show(path), reason(error))
        return None


def documents(args, console, before_read=None):
    """The documents that the command line names, one after another (`wire.Document`).

    Several FILEs, or a list of them, are named by their paths where they have no frames;
    a single one is not, unless --with-name asks for it.
    """
    refuse_terminal(args)
    named = args.name
    if named is None:
        named = len(args.files) > 1 or args.files0_from is not None
    for path in file_names(args):
        blocks = open_guarded(console, path, before_read)
        if blocks is None:
            continue
        console.file = path
        for document in wire.documents(blocks, path if named else None, live=path == b"-", ready=is_file(path)):
            if args.name is False:
                document.name = None
            yield document


# --- output ---


class Output:
    """Standard output: gathers small writes and tells every failure as an OSError."""

    def __init__(self, fd=1):
        self._fd = fd
        self._held, self._size = [], 0

    def write(self, block):
        self._held.append(block)
        self._size += len(block)
        if self._size >= FLUSH:
            self.flush()

    def flush(self):
        """Writes what is held. Called before a read that may wait, so that a pipe flows."""
        if not self._size:
            return
        data = memoryview(self._held[0] if len(self._held) == 1 else b"".join(self._held))
        self._held, self._size = [], 0
        try:
            while data:
                data = data[os.write(self._fd, data):]
        except OSError as error:
            raise Failure(f"<stdout>: {reason(error)}") from error


# --- running ---


def run(tool, main, argv=None):
    """Runs `main(argv, console)` as the program `tool` and exits with its status.

    `main` returns a status or None; trouble that `console` was warned of makes it 2.
    """
    _reserve_standard_descriptors()
    console = Console(tool)
    try:
        status = main(sys.argv[1:] if argv is None else argv, console)
        _finish_printing(console)
    except Failure as error:
        console.note(str(error))
        status = TROUBLE
    except BrokenPipeError:  # where SIGPIPE is not the default, as in the driver
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGPIPE)
    except OSError as error:
        where = [show(error.filename)] if error.filename is not None else []
        console.note(*where, reason(error))
        status = TROUBLE
    except MemoryError:
        console.note("out of memory")
        status = TROUBLE
    except SystemExit as end:  # --help and --version
        status = end.code
    sys.exit(max(status or OK, console.status))


def _finish_printing(console):
    """Writes what `print` holds; told here, since the interpreter would complain at length."""
    try:
        if sys.stdout:
            sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        console.note("<stdout>", reason(error))
        os._exit(TROUBLE)


def filter_main(tool, module, argv=None):
    """Runs a filter module as the program `tool`."""

    def main(argv, console):
        parser = Parser(tool, module.__doc__.partition("\n")[0])
        module.arguments(parser)
        file_arguments(parser)
        args = parser.parse_intermixed_args(argv)
        args.console = console
        output = Output()
        args.flush = output.flush
        try:
            status = module.run(args, documents(args, console, output.flush), wire.Writer(output.write))
        except wire.FormatError as error:
            raise Failure(f"{show(console.file)}: {error}") from error
        finally:
            output.flush()
        return status

    run(tool, main, argv)


def refuse_terminal(args):
    """Someone who runs a filter bare at a terminal wants help, not a wait."""
    if not args.files and args.files0_from is None and os.isatty(0):
        raise Failure("reads standard input; give it a FILE or a pipe (see --help)")


def _reserve_standard_descriptors():
    """Keeps 0, 1 and 2 from being given to files that are opened later, where the caller
    closed them: reading or writing them must fail, and not reach some other file."""
    for fd, flags in ((0, os.O_WRONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(fd)
        except OSError:
            os.open(os.devnull, flags)
