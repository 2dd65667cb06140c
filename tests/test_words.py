"""Words, and their pinned Unicode tables."""

import re
import sys
import unicodedata

import pytest

from sieve import words as module
from sieve.fold import lowering
from sieve.words import words


@pytest.mark.parametrize("text, expected", [
    ("Don't STOP, 3.14 snake_case", "don t stop 3 14 snake case"),
    ("naïve ÉCOLE Straße ΟΔΟΣ İstanbul", "naïve école straße οδοσ istanbul"),
    ("cafe\u0301", "cafe\u0301"),  # a mark stays in its word
    ("कुल किल कल", "कुल किल कल"),  # vowels that are marks, too
    ("日本語abcテスト한국어 말", "日 本 語 abc テ ス ト 한국어 말"),
    ("か\u3099がで", "か\u3099 が で"),
    ("ที่นี่ ລາວ", "ที่ นี่ ລ າ ວ"),
    ("می\u200cخواهم co\u00adoperate zero\u200bwidth", "میخواهم cooperate zerowidth"),
    ("𝐀𝐁c 𠀀𠀁", "𝐀𝐁c 𠀀 𠀁"),
    ("❤\ufe0f 👩\u200d💻 — … «»", ""),
    ("m² ① ½ ０１", "m² ① ½ ０１"),
    ("a\x1cb\x00c\u2028d\x85e\x0cf", "a b c d e f"),
    ("", ""),
])
def test_words(text, expected):
    assert words(text.encode()) == expected.encode().split()


def test_undecodable_bytes_are_letters():
    assert words(b"caf\xe9 ol\xe9! \xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0") == [
        b"caf\xe9", b"ol\xe9", b"\xcf\xf0\xe8\xe2\xe5\xf2", b"\xec\xe8\xf0"]


def test_text_in_ascii_is_cut_as_any_other():
    """ASCII takes a way of its own: the same words come of it beside a letter that is not."""
    text = bytes(range(128)) * 2
    assert words(text + " é".encode()) == words(text) + ["é".encode()]


def assigned():
    """The characters beyond ASCII that this Python's version of Unicode and ours have in common."""
    known = unicodedata if unicodedata.unidata_version < "15.2" else unicodedata.ucd_3_2_0
    for code in [*range(0x80, 0xD800), *range(0xE000, sys.maxunicode + 1)]:
        char = chr(code)
        if known.category(char) != "Cn" and char not in module._INVISIBLE:
            yield char


def test_words_are_made_of_letters_marks_and_digits():
    variation = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
    expected = [char for char in assigned() if unicodedata.category(char)[0] in "LMN" and not variation.match(char)]
    lower = lowering()
    assert words(" ".join(assigned()).encode()) == [chr(lower.get(ord(char), ord(char))).encode() for char in expected]


@pytest.mark.parametrize("script, alone", [
    ("CJK UNIFIED", True), ("HIRAGANA LETTER", True), ("KATAKANA LETTER", True), ("BOPOMOFO LETTER", True),
    ("YI SYLLABLE", True), ("THAI CHARACTER", True), ("LAO LETTER", True), ("KHMER LETTER", True),
    ("MYANMAR LETTER", True), ("TAI THAM LETTER", True), ("AHOM LETTER", True),
    ("LATIN SMALL", False), ("CYRILLIC SMALL", False), ("ARABIC LETTER", False), ("HANGUL SYLLABLE", False),
    ("DEVANAGARI LETTER", False), ("TIBETAN LETTER", False), ("ETHIOPIC SYLLABLE", False)])
def test_scripts_without_spaces_are_cut_by_character(script, alone):
    chars = [char for char in assigned()
             if unicodedata.name(char, "").startswith(script) and unicodedata.category(char)[0] == "L"]
    pairs = [char * 2 for char in chars]
    assert len(chars) > 20
    assert words(" ".join(pairs).encode()) == [word.encode() for word in ("".join(pairs) if alone else pairs)]
