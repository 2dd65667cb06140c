"""Models and counts as files: a header, then integers in numeric order.

    #sieve-model 1            or #sieve-counts 1
    #profile sieve            how lines are cut and hashed: `sieve`, or `article`
    #n 7
    #hash xxh64
    #fold unicode-15.0
    #documents 100
    #min-df 0.8               models only
    #entries 2
    1234567890                a hash whose weight is 1
    2345678901<TAB>9500       or its weight in ten-thousandths

Counts have `HASH<TAB>DOCUMENTS`, and `<TAB>KIND` after it (line, pair, place or end) where the
hash is not of an n-gram. The kinds are told apart by a seed each. `sort -n -m` merges such
files, and AWK reads them.
"""

from sieve.wire import SCALE, FormatError

VERSION = "1"
HASH_LIMIT = 1 << 64
COUNTS, MODEL = "counts", "model"
NGRAM, LINE, OPEN, CLOSE, PAIR, PLACE, END = range(7)  # seeds of XXH64, a kind each
_DIGITS = 18  # of any number but a hash; more is damage, and slow to read
KINDS = {b"line": LINE, b"pair": PAIR, b"place": PLACE, b"end": END}  # as counts write them
_WRITTEN = {NGRAM: b"", **{kind: b"\t" + name for name, kind in KINDS.items()}}


class Header:
    """What a file says before its entries. `fields` are strings in order of writing."""

    def __init__(self, kind, **fields):
        self.kind = kind
        self.fields = {name.replace("_", "-"): str(value) for name, value in fields.items()}

    def __getitem__(self, name):
        return self.fields[name]

    @property
    def n(self):
        return int(self.fields["n"])

    @property
    def documents(self):
        return int(self.fields["documents"])

    @property
    def entries(self):
        return int(self.fields["entries"])

    def method(self):
        """The fields that must agree for two files to be counted or used together."""
        return {name: self.fields.get(name) for name in ("profile", "n", "hash", "fold", "key")}

    def lines(self):
        yield f"#sieve-{self.kind} {VERSION}\n".encode()
        for name, value in self.fields.items():
            yield f"#{name} {value}\n".encode()


def split(data):
    """The text of a file in two: its header, and its entries."""
    end = data.find(b"\n", data.find(b"\n#entries ") + 1) + 1
    return data[:end], data[end:]


def read(blocks):
    """`(header, entries)` of a model or counts file given its blocks; `entries` yields
    `(hash, number)` and raises FormatError at the first line that is not in order."""
    lines = _numbered(blocks)
    number, line = next(lines, (1, b""))
    word, _, version = line.rstrip(b"\n").partition(b" ")
    kind = {b"#sieve-counts": COUNTS, b"#sieve-model": MODEL}.get(word)
    if kind is None:
        raise FormatError(None if not line else number, "empty" if not line else "neither a model nor counts")
    if version != VERSION.encode():
        raise FormatError(number, "another version of the format")
    header = Header(kind)
    for number, line in lines:
        if not line.startswith(b"#"):
            raise FormatError(number, "an entry before #entries")
        name, _, value = line[1:-1].decode("ascii", "replace").partition(" ")
        header.fields[name] = value
        if name == "entries":
            break
    for name in ("n", "documents", "entries"):
        value = header.fields.get(name, "")
        if not value.isdecimal() or not value.isascii() or len(value) > _DIGITS:
            raise FormatError(None, f"no number #{name} in the header: truncated or damaged")
    if header.n < 1:
        raise FormatError(None, "#n is 0")
    return header, _entries(header, lines)


def _numbered(blocks):
    number = 0
    for block in blocks:
        for line in block.split(b"\n")[:-1] if block.endswith(b"\n") else block.split(b"\n"):
            number += 1
            yield number, line + b"\n"


def _entries(header, lines):
    last, count = -1, 0
    for number, line in lines:
        value, *rest = line[:-1].split(b"\t")
        if not value.isdigit():
            raise FormatError(number, "not an integer")
        if len(value) > len(str(HASH_LIMIT)) or int(value) >= HASH_LIMIT:
            raise FormatError(number, "not a 64-bit integer")
        value = int(value)
        if value <= last:
            raise FormatError(number, "not in order")
        if header.kind == MODEL and not rest:
            entry = value, SCALE
        elif not rest or not rest[0].isdigit() or len(rest[0]) > _DIGITS or header.kind == MODEL and (len(rest) > 1 or int(rest[0]) > SCALE):
            raise FormatError(number, "no weight" if header.kind == MODEL else "no count")
        elif header.kind == MODEL:
            entry = value, int(rest[0])
        elif len(rest) > 2 or rest[1:] and rest[1] not in KINDS:
            raise FormatError(number, "too many columns")
        else:
            entry = value, int(rest[0]), KINDS[rest[1]] if rest[1:] else NGRAM
        last = value
        count += 1
        if count > header.entries:
            break
        yield entry
    if count != header.entries:
        raise FormatError(None, f"not the {header.entries} entries that it announces: truncated or damaged")


def write_header(header, count, write_block):
    """Writes the header of a file of `count` entries."""
    header.fields.pop("entries", None)
    header.fields["entries"] = str(count)
    write_block(b"".join(header.lines()))


def write(header, count, entries, write_block):
    """Writes a file of `count` sorted entries, as `read` yields them, in blocks."""
    write_header(header, count, write_block)
    block = []
    for value, *rest in entries:
        if header.kind == COUNTS:
            block.append(b"%d\t%d%s\n" % (value, rest[0], _WRITTEN[rest[1]]))
        else:
            block.append(b"%d\n" % value if rest[0] == SCALE else b"%d\t%d\n" % (value, rest[0]))
        if len(block) == 4096:
            write_block(b"".join(block))
            block = []
    write_block(b"".join(block))
