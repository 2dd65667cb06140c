"""Folding: the form in which lines are compared, the same on every machine.

A code point at a time: simple lower case, decimal digits to 0, runs of white space to one
space, and a space at each end. Undecodable bytes stay as they are. The tables are those of
one version of Unicode, whatever Python runs this, so that a model means the same everywhere.
"""

import re

UNICODE = "15.0"  # UnicodeData.txt: field 13 (simple lower case) and category Nd; PropList.txt: White_Space

# Ranges of capitals as START,COUNT,STEP,DISTANCE: START in hex, DISTANCE to the small letter.
_LOWER = """
41,26,1,32 c0,23,1,32 d8,7,1,32 100,24,2,1 130,1,1,-199 132,3,2,1 139,8,2,1 14a,23,2,1 178,1,1,-121
179,3,2,1 181,1,1,210 182,2,2,1 186,1,1,206 187,1,1,1 189,2,1,205 18b,1,1,1 18e,1,1,79 18f,1,1,202
190,1,1,203 191,1,1,1 193,1,1,205 194,1,1,207 196,1,1,211 197,1,1,209 198,1,1,1 19c,1,1,211 19d,1,1,213
19f,1,1,214 1a0,3,2,1 1a6,1,1,218 1a7,1,1,1 1a9,1,1,218 1ac,1,1,1 1ae,1,1,218 1af,1,1,1 1b1,2,1,217
1b3,2,2,1 1b7,1,1,219 1b8,1,1,1 1bc,1,1,1 1c4,1,1,2 1c5,1,1,1 1c7,1,1,2 1c8,1,1,1 1ca,1,1,2 1cb,9,2,1
1de,9,2,1 1f1,1,1,2 1f2,2,2,1 1f6,1,1,-97 1f7,1,1,-56 1f8,20,2,1 220,1,1,-130 222,9,2,1 23a,1,1,10795
23b,1,1,1 23d,1,1,-163 23e,1,1,10792 241,1,1,1 243,1,1,-195 244,1,1,69 245,1,1,71 246,5,2,1 370,2,2,1
376,1,1,1 37f,1,1,116 386,1,1,38 388,3,1,37 38c,1,1,64 38e,2,1,63 391,17,1,32 3a3,9,1,32 3cf,1,1,8
3d8,12,2,1 3f4,1,1,-60 3f7,1,1,1 3f9,1,1,-7 3fa,1,1,1 3fd,3,1,-130 400,16,1,80 410,32,1,32 460,17,2,1
48a,27,2,1 4c0,1,1,15 4c1,7,2,1 4d0,48,2,1 531,38,1,48 10a0,38,1,7264 10c7,1,1,7264 10cd,1,1,7264
13a0,80,1,38864 13f0,6,1,8 1c90,43,1,-3008 1cbd,3,1,-3008 1e00,75,2,1 1e9e,1,1,-7615 1ea0,48,2,1 1f08,8,1,-8
1f18,6,1,-8 1f28,8,1,-8 1f38,8,1,-8 1f48,6,1,-8 1f59,4,2,-8 1f68,8,1,-8 1f88,8,1,-8 1f98,8,1,-8 1fa8,8,1,-8
1fb8,2,1,-8 1fba,2,1,-74 1fbc,1,1,-9 1fc8,4,1,-86 1fcc,1,1,-9 1fd8,2,1,-8 1fda,2,1,-100 1fe8,2,1,-8
1fea,2,1,-112 1fec,1,1,-7 1ff8,2,1,-128 1ffa,2,1,-126 1ffc,1,1,-9 2126,1,1,-7517 212a,1,1,-8383
212b,1,1,-8262 2132,1,1,28 2160,16,1,16 2183,1,1,1 24b6,26,1,26 2c00,48,1,48 2c60,1,1,1 2c62,1,1,-10743
2c63,1,1,-3814 2c64,1,1,-10727 2c67,3,2,1 2c6d,1,1,-10780 2c6e,1,1,-10749 2c6f,1,1,-10783 2c70,1,1,-10782
2c72,1,1,1 2c75,1,1,1 2c7e,2,1,-10815 2c80,50,2,1 2ceb,2,2,1 2cf2,1,1,1 a640,23,2,1 a680,14,2,1 a722,7,2,1
a732,31,2,1 a779,2,2,1 a77d,1,1,-35332 a77e,5,2,1 a78b,1,1,1 a78d,1,1,-42280 a790,2,2,1 a796,10,2,1
a7aa,1,1,-42308 a7ab,1,1,-42319 a7ac,1,1,-42315 a7ad,1,1,-42305 a7ae,1,1,-42308 a7b0,1,1,-42258
a7b1,1,1,-42282 a7b2,1,1,-42261 a7b3,1,1,928 a7b4,8,2,1 a7c4,1,1,-48 a7c5,1,1,-42307 a7c6,1,1,-35384
a7c7,2,2,1 a7d0,1,1,1 a7d6,2,2,1 a7f5,1,1,1 ff21,26,1,32 10400,40,1,40 104b0,36,1,40 10570,19,2,39
10571,5,2,39 1057d,7,2,39 1058d,3,2,39 10595,1,1,39 10c80,51,1,64 118a0,32,1,32 16e40,32,1,32 1e900,34,1,34
"""

# The zeros of the decimal digits, in hex; ten digits follow each, and fifty the mathematical ones.
_ZEROS = """
30 660 6f0 7c0 966 9e6 a66 ae6 b66 be6 c66 ce6 d66 de6 e50 ed0 f20 1040 1090 17e0 1810 1946 19d0 1a80 1a90
1b50 1bb0 1c40 1c50 a620 a8d0 a900 a9d0 a9f0 aa50 abf0 ff10 104a0 10d30 11066 110f0 11136 111d0 112f0 11450
114d0 11650 116c0 11730 118e0 11950 11c50 11d50 11da0 11f50 16a60 16ac0 16b50 1d7ce 1e140 1e2f0 1e4f0 1e950
1fbf0
"""
_MATHEMATICAL = range(0x1D7CE, 0x1D800)

WHITE_SPACE = (
    *range(0x09, 0x0E), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000)

_SPACES = re.compile(rb"[\t-\r ]+")
_ASCII = bytes(ord("0") if 48 <= c <= 57 else c + 32 if 65 <= c <= 90 else c for c in range(256))


PIECE = 1 << 14  # n-grams cut at a time, and bytes up to which splitting beats a regex


def fold(line):
    """The folded form of a line (bytes, with or without its LF), or b"" if it is blank."""
    if not line.isascii():
        line = line.decode("utf-8", "surrogateescape").translate(table()).encode("utf-8", "surrogateescape")
    else:
        line = line.translate(_ASCII)
    if len(line) <= PIECE:
        line = b" ".join(line.split())
    else:  # as many words as a huge line has would take ten times its memory
        line = _SPACES.sub(b" ", line).strip(b" ")
    return b" %s " % line if line else b""


def lowering():
    """The small letter of each capital, by code point."""
    table = {}
    for entry in _LOWER.split():
        start, count, step, distance = entry.split(",")
        for i in range(int(count)):
            capital = int(start, 16) + i * int(step)
            table[capital] = capital + int(distance)
    return table


def table(made={}):
    """The fold of each code point that is not its own, made when it is first needed."""
    if not made:
        made.update(lowering())
        for zero in _ZEROS.split():
            made.update(dict.fromkeys(range(int(zero, 16), int(zero, 16) + 10), "0"))
        made.update(dict.fromkeys(_MATHEMATICAL, "0"))
        made.update(dict.fromkeys(WHITE_SPACE, " "))
    return made


def ngrams(folded, n):
    """The n-grams of a folded line by code points, each as bytes, in lists of at most PIECE."""
    text = folded if folded.isascii() else folded.decode("utf-8", "surrogateescape")
    for start in range(0, len(text) - n + 1, PIECE):
        grams = [text[i:i + n] for i in range(start, min(start + PIECE, len(text) - n + 1))]
        yield grams if text is folded else [gram.encode("utf-8", "surrogateescape") for gram in grams]
