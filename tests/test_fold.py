"""Folding and its pinned Unicode tables."""

import sys
import unicodedata

import pytest
from hypothesis import given, strategies as st

from sieve.fold import PIECE, WHITE_SPACE, fold, ngrams


@pytest.mark.parametrize("line, folded", [
    ("Page 12 of 300\n", " page 00 of 000 "),
    ("\t Two   words \r\n", " two words "),
    ("ÉCOLE Straße", " école straße "),
    ("ΟΔΟΣ", " οδοσ "),  # no final sigma: a code point at a time
    ("İstanbul", " istanbul "),  # one code point, not i and a dot
    ("٣ ३ 𝟗", " 0 0 0 "),
    ("a\x1cb\x1fc", " a\x1cb\x1fc "),  # white space for Python, not for Unicode
    ("a\u00a0\u2003b\x85c\u2028d", " a b c d "),
    ("² ½ Ⅷ", " ² ½ ⅷ "),  # digits, but not decimal ones
    (" \t\u3000\n", ""),
    ("", ""),
])
def test_fold(line, folded):
    assert fold(line.encode()) == folded.encode()


def test_undecodable_bytes_stay():
    assert fold(b"CAF\xc9 \xed\xa0\x80 \xc0\xaf OK") == b" caf\xc9 \xed\xa0\x80 \xc0\xaf ok "


def test_tables_are_those_of_unicode():
    """As this Python's, for what its version of Unicode and ours have in common."""
    for code in range(sys.maxunicode + 1):
        char = chr(code)
        if 0xD800 <= code < 0xE000 or unicodedata.category(char) == "Cn":
            continue
        if code in WHITE_SPACE:
            expected = " "
        elif unicodedata.decimal(char, None) is not None:
            expected = "0"
        else:
            expected = char.lower() if len(char.lower()) == 1 else "i" if char == "İ" else char
        folded = fold(f"x{char}x".encode()).decode()
        assert folded == f" x{expected}x ", hex(code)


@given(st.binary())
def test_folding_twice_changes_nothing(line):
    assert fold(fold(line)) == fold(line)


@given(st.text(st.characters(exclude_categories=["Cs"])), st.integers(1, 9))
def test_ngrams_are_by_code_point(text, n):
    grams = [gram.decode() for piece in ngrams(text.encode(), n) for gram in piece]
    assert grams == [text[i:i + n] for i in range(len(text) - n + 1)]


@pytest.mark.parametrize("line", ["a b\tc ", "é b\u2003\tc "])
def test_a_huge_line_folds_as_a_short_one(line):
    assert fold((line * PIECE).encode()) == b" " + b" ".join([fold(line.encode())[1:-1]] * PIECE) + b" "


def test_ngrams_across_pieces():
    text = bytes(97 + i % 26 for i in range(2 * PIECE + 5))
    grams = [gram for piece in ngrams(text, 3) for gram in piece]
    assert grams == [text[i:i + 3] for i in range(len(text) - 2)]
