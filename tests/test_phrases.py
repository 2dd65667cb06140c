"""phrases: what people put in quotes, each once."""

import json

import pytest
from conftest import peak_memory, run, shell
from hypothesis import given, settings
from hypothesis import strategies as st

from sieve import phrases as tool
from sieve.key import count_words, key
from sieve.quotes import quotations


def found(text, *options):
    """The phrases in `text` with their counts."""
    lines = run("phrases", *options, input=text.encode()).decode().splitlines()
    return [(int(count), phrase) for count, _, phrase in (line.partition("\t") for line in lines)]


def quoted(text, longest=300, **options):
    return quotations(text, longest, **options)[0]


# --- what is compared ---


def test_accents_case_and_punctuation_do_not_count():
    text = '"Y yo qué sé, tío"\n\n"y yo que se, tio"'
    assert found(text) == [(2, "Y yo qué sé, tío")]
    assert found(text, "--key") == [(2, "y yo que se tio")]


@pytest.mark.parametrize("text, expected", [
    ("Año: ¡Ñandú!  Übung", "ano nandu ubung"),
    ("ΆΝΘΡΩΠΟΣ άνθρωποσ", "ανθρωποσ ανθρωποσ"), ("Ёлка йод", "елка иод"), ("שָׁלוֹם", "שלום"), ("مُحَمَّد", "محمد"),
    ("कुल", "कुल"), ("がか", "が か"), ("한글", "한글"), ("ไม่", "ไ ม่"),  # marks that are vowels or make another letter
    ("İstanbul", "istanbul"), ("ıstanbul", "ıstanbul"), ("cafe\u0301", "cafe"), ("co\u00adop\u200b", "coop"),
    ("don't “stop”…", "don t stop"), ("a_b-c/d", "a b c d"), ("...", ""), ("caf\udce9", "caf\udce9"),
])
def test_key(text, expected):
    assert key(text.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape") == expected


@given(st.text())
def test_a_key_is_its_own_key(text):
    once = key(text.encode("utf-8", "surrogatepass"))
    assert key(once) == once


def test_words_whose_vowels_are_marks_stay_apart():
    text = "“\u0915\u0941\u0932” “\u0915\u0932” “\u0915\u093f\u0932”\n"
    assert [count for count, _ in found(text, "--min-words", "1", "--min-chars", "1")] == [1, 1, 1]


def test_composed_and_decomposed_letters_are_one_and_dotless_i_is_its_own():
    text = '"café" "cafe\u0301" "İstanbul" "Istanbul" "ıstanbul"\n'
    assert found(text, "--min-words", "1", "--key") == [(2, "cafe"), (2, "istanbul"), (1, "ıstanbul")]


# --- marks ---


@pytest.mark.parametrize("text, expected", [
    ('he said "one two three" twice', ["one two three"]),
    ("“one two” and ‘three four’", ["one two", "three four"]),
    ("« un deux » «\u00a0trois\u202f» «quatre»", ["un deux", "trois", "quatre"]),
    ("»eins zwei«, »drei«", ["eins zwei", "drei"]),
    ("›eins zwei‹ und ‹un deux›", ["eins zwei", "un deux"]),
    ("„eins zwei“, ‚drei vier‘ „jeden dwa” „een twee”", ["eins zwei", "drei vier", "jeden dwa", "een twee"]),
    ("”ett två” och »yksi kaksi»", ["ett två", "yksi kaksi"]),
    ("「一二三」と『四五』と｢六｣", ["一二三", "四五", "六"]),
    ('dijo:"uno dos","tres"', ["uno dos", "tres"]),
    ('" uno dos "', ["uno dos"]),
    ('("uno dos") —"tres"—', ["uno dos", "tres"]),
    ('""uno dos""', ["uno dos"]),
    ("don't say 'this is it' to the dogs' owner", []),  # apostrophes
    ("‘I don’t know’, the dogs’ owner said. Hawai‘i ’tis", ["I don’t know"]),
    ('a 5" pipe and a 19" one, "so they say"', ["so they say"]),
    ("“outer ‘inner’ tail” “next”", ["outer ‘inner’ tail", "next"]),
    ("「外『内』外」", ["外『内』外"]),
    ('“he said "yes" to me”', ['he said "yes" to me']),
    ('„er sagte "ja" zu mir“ und "nein"', ['er sagte "ja" zu mir', "nein"]),
    ('"one\n  two\t three"', ["one two  three"]),
    ('“never closed, but "this is" and «that»', ["this is", "that"]),
    ("„never closed, and “this one is”", ["this one is"]),
    ('"" “” « »', []),
])
def test_habits_of_quoting(text, expected):
    assert quoted(text) == expected


def test_an_unmatched_mark_swallows_nothing():
    assert quotations('He said "hello and left. Then "good bye my friend" she said.', 300) == (["good bye my friend"], 1)
    assert found('a " lone mark\n\nand then "a good phrase" later') == [(1, "a good phrase")]
    assert quotations('"' + "x " * 200 + '" and "a good phrase"', 300) == (["a good phrase"], 1)
    assert quotations("“" + "x " * 200 + "« c'est ça »”", 300) == (["c'est ça"], 1)


def test_a_paragraph_ends_a_quotation_that_has_no_end():
    text = "“outer ‘inner’ tail” “next”\n\n“first part\n\n“second part”\nplain\n"
    assert found(text, "--min-words", "1") == [(1, "outer ‘inner’ tail"), (1, "next"), (1, "second part")]
    assert run.stderr == "phrases: marks that open a quotation and have no other to close it: 1\n"
    assert found('"a b\n \t\r\nc d"') == []


@settings(max_examples=300)
@given(st.text(alphabet='"“”„‘’«»「」 ab.\n'), st.integers(1, 30))
def test_no_phrase_is_longer_or_has_its_own_closing_mark_inside(text, longest):
    phrases, unmatched = quotations(text, longest)
    assert all(0 < len(phrase) <= longest and "\n" not in phrase for phrase in phrases)
    assert all(phrase.replace(" ", "") in text.replace("\n", "").replace(" ", "") for phrase in phrases)
    if set(text) <= set('" ab.\n'):
        assert not any('"' in phrase for phrase in phrases)
        assert 2 * len(phrases) + unmatched <= text.count('"')


def test_dialogue_on_request():
    text = "—Hola a todos —dijo él—. Pasad.\n- que tal estais\n-option is none\n– Oui, mes amis\nand — this — is none\n"
    assert found(text) == []
    assert found(text, "--dialogue") == [(1, "Hola a todos"), (1, "que tal estais"), (1, "Oui, mes amis")]


# --- how long, and how often ---


def test_lengths():
    words = [" ".join(["w%d" % i] * i) for i in (2, 3, 40, 41)]
    text = "\n".join(f'"{phrase}"' for phrase in words)
    assert [phrase for _, phrase in found(text)] == words[1:3]
    assert [phrase for _, phrase in found(text, "--min-words", "2", "--max-words", "41")] == words
    assert found('"a b" "a b c" "abc def"', "--min-words", "2", "--min-chars", "5") == [(1, "a b c"), (1, "abc def")]
    assert found(f'"{"a b " * 75}" "{"a b " * 75}c d"', "--max-words", "200") == [(1, ("a b " * 75).strip())]
    assert found('"a b c d"', "--max-chars", "6") == []


@pytest.mark.parametrize("text, words", [
    ("don't stop", 2), ("don’t stop", 2), ("half-past two", 2), ("one - two", 2), ("...", 0), ("3.5 km", 2), ("猫が好き", 4), ("ไม่เป็นไร", 7),
    ("한글 두 단어", 3), ("कुल मिलाकर", 2), ("U.S.A.", 1)])
def test_words_are_counted_as_people_do_and_by_character_without_spaces(text, words):
    assert count_words(text.encode()) == words


def test_the_most_frequent_come_first_and_then_the_earliest():
    assert found('"b b b" "a a a" "c c c" "a A a" "c c c"') == [(2, "a a a"), (2, "c c c"), (1, "b b b")]


def test_stats_add_up():
    messages = [{"text": text} for text in ('"one two three" "four"', 'x "One, two: three!" “five six', "nothing", "", "«a b c»")]
    posts = "".join(json.dumps(message) + "\n" for message in messages)
    assert shell(f"doc-cat --jsonl text <<'END' | phrases --stats\n{posts}END") == b"2\tone two three\n1\ta b c\n"
    *_, marks, messages, fragments, unique, duplicates, out = shell.stderr.splitlines()
    assert marks.endswith(": 1")
    assert (messages, fragments, unique, duplicates, out) == (
        "messages\t5", "fragments\t4", "unique\t2", "duplicates\t1", "out of length\t1")


def test_survey_counts_the_habits():
    text = ('"one" "two" “three” ‘four’ don’t «five» »six« „seven“ „eight” 「nine」\n- dialogue of words\n—Hola\na short line\n'
            "this line is much longer than twenty words can be, since it goes on and on and on, until it has come to its end\n")
    rows = dict(line.split("\t") for line in run("phrases", "--survey", input=text.encode()).decode().splitlines())
    assert rows == {"straight": "2", "curly": "1", "single": "1", "guillemets": "2", "low-high": "2", "corner": "1", "dialogue": "2",
                    "short lines": "3"}


def test_a_pair_is_counted_in_one_message_only():
    assert run("phrases", "--survey", input=b'\x1ca\n"\n\x1cb\n"\n').startswith(b"straight\t0\n")


# --- what it takes ---


def test_invalid_utf_8_passes():
    assert run("phrases", input=b'"caf\xe9 ol\xe9 \xff"\n') == b'1\tcaf\xe9 ol\xe9 \xff\n'


@given(st.text(alphabet='"ab \n', max_size=60), st.lists(st.integers(0, 4), max_size=5))
def test_paragraphs_do_not_depend_on_blocks(text, sizes):
    lines, blocks = text.encode().splitlines(True), []
    for size in sizes:
        blocks.append(b"".join(lines[:size]))
        lines = lines[size:]
    blocks.append(b"".join(lines))
    assert [*tool.paragraphs(blocks)] == [*tool.paragraphs([text.encode()])]


def test_a_paragraph_without_end_is_cut_at_a_line(monkeypatch):
    monkeypatch.setattr(tool, "LONGEST", 10)
    lines = [b"12345\n", b"67890\n", b"1\n", b"a line of more than ten\n", b"x"]
    whole = [b"12345\n67890\n", b"1\na line of more than ten\n", b"x"]
    assert [*tool.paragraphs(lines)] == [*tool.paragraphs([b"".join(lines)])] == whole


def test_memory_does_not_grow_with_the_stream():
    line = b'it says "this and that, and so on" in a line without end\n'
    little, much = (peak_memory("phrases", input=line * (size // len(line))) for size in (3_000_000, 15_000_000))
    assert much < little + 4_000_000
