"""The benchmark of quality: labels on made-up pages, figures by hand, the article under gawk."""

import gzip
import json
import os
import random
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT

from benchmarks.quality import kinds, score
from benchmarks.quality.methods import METHODS, Hashes, article_filter, keep_lines
from benchmarks.quality.sites import RECIPES, Man, Web

pytest.importorskip("lxml")
pytest.importorskip("cssselect")
from benchmarks.quality import manpages, webpages  # noqa: E402


def needs(program):
    return pytest.mark.skipif(not shutil.which(program), reason=f"needs {program}")


# --- labels ---

PAGE = b"""<!DOCTYPE html><html><head><meta charset="utf-8"><title>t</title></head><body>
<p>Home</p><ul><li>Menu</li></ul>
<div id="main">Bare words<h1>Title</h1><p>Home</p>
<div class="share">Share this</div>after the drop
<p>More <a class="mark">#</a>words \xc3\xa9</p></div>
<p>Footer</p></body></html>"""
RECIPE = Web("none", "", main=("#main",), drop=("div.share",), unmark=("a.mark",))


def labelled(text, labels):
    lines = map(score.squeeze, score.split_lines(text))
    return [(line, label) for line, label in zip(lines, labels) if label != "-"]


@needs("w3m")
def test_lines_inside_the_main_content_are_content_and_what_is_dropped_in_it_is_not():
    text = webpages.dump(PAGE)
    labels, unaligned = webpages.label(text, webpages.dump(webpages.marked(PAGE, RECIPE)))
    assert unaligned == 0
    assert labelled(text, labels) == [
        ("Home", "0"), ("• Menu", "0"), ("Bare words", "1"), ("Title", "1"), ("Home", "1"), ("Share this", "0"),
        ("after the drop", "1"), ("More #words é", "1"), ("Footer", "0")]
    assert len(labels) == text.count("\n")
    content = webpages.dump(webpages.main_content(PAGE, RECIPE))
    assert score.squeeze(content) == "Bare words Title Home after the drop More words é"


def test_a_marker_beside_text_changes_the_state_after_it():
    labels, unaligned = webpages.label("a\n\nb\nc\n", "a\n@@OPEN@@ b @@CLOSE@@\nc\n@@OPEN@@\n")
    assert (labels, unaligned) == (["0", "-", "0", "0"], 0)
    labels, _ = webpages.label("a\nb\nc\n", "a @@OPEN@@\nb\n@@CLOSE@@\nc\n")
    assert labels == ["0", "1", "0"]


def test_a_line_that_the_markers_moved_takes_the_label_of_its_place():
    labels, unaligned = webpages.label("menu\nsome words wrapped\nhere\nfoot\n",
                                    "menu\n@@OPEN@@\nsome words\nwrapped here\n@@CLOSE@@\nfoot\n")
    assert (labels, unaligned) == (["0", "1", "1", "0"], 2)


def test_a_form_feed_or_line_separator_ends_no_line():
    labels, _ = webpages.label("a\x0cb\u2028c\n", "@@OPEN@@\na\x0cb\u2028c\n")
    assert labels == ["1"]


def test_pages_without_content_and_copies_are_not_chosen(tmp_path):
    words = "<p>" + "word " * 100
    for name, text in {"a": words, "b": words, "c": "<p>short", "d": "", "e": words + "!", "index": words + "?"}.items():
        (tmp_path / f"{name}.html").write_text(text)
    chosen = webpages.choose(Web("none", "", skip="^index"), tmp_path)
    assert [path.name for path in chosen] == ["a.html", "e.html"]


@needs("man")
def test_a_manual_page_has_its_first_and_last_line_and_its_translators_as_boilerplate(tmp_path):
    (tmp_path / "man1").mkdir()
    with gzip.open(tmp_path / "man1" / "ls.1.gz", "wt") as file:
        file.write('.TH LS 1 "may" "GNU" "Manual"\n.SH NOMBRE\nls\n.SH TEXTO\n' + "palabra " * 300
                   + "\n.SH TRADUCCIÓN\nAlguien.\n.PP\nOtra persona.\n.SH COLOFÓN\nfin\n")
    recipe = Man("none", "", "Spanish", "TRADUCCI")
    (name, files, labels, _), = manpages.pages(recipe, tmp_path)
    shown = labelled(files["pages"], labels)
    assert name == "ls.1"
    assert [line for line, label in shown if label == "0"][1:-1] == ["TRADUCCIÓN", "Alguien.", "Otra persona."]
    assert shown[0][0].startswith("LS(1)") and shown[-1][0].endswith("LS(1)")
    assert [line for line, label in shown[-3:-1]] == ["COLOFÓN", "fin"] and shown[-2][1] == "1"
    assert "TRADUCCIÓN" not in files["gold"] and "COLOFÓN" in files["gold"]


# --- figures ---


@pytest.fixture
def site(tmp_path):
    """A made-up site under the name of a real one: {page: [(label, line)]}."""

    def make(pages, name="python"):
        for page, labelled in pages.items():
            for kind, lines in {"pages": [line for _, line in labelled],
                                "labels": [label for label, _ in labelled],
                                "gold": [line for label, line in labelled if label != "0"]}.items():
                folder = tmp_path / name / kind
                folder.mkdir(parents=True, exist_ok=True)
                (folder / f"{page}.txt").write_text("".join(f"{line}\n" for line in lines))
        return tmp_path / name

    return make


MENU = [("0", "menu"), ("0", "news"), ("-", "")]


def test_figures_are_those_of_the_definition_by_hand(site):
    pages = score.load(site({"a": [*MENU, ("1", "one  two"), ("1", "three"), ("1", "three")],
                             "b": [*MENU, ("1", "four")]}))
    # a: kept "one two" and one of three, and news; b: everything
    figures = score.score(pages, {"a": "news\none two\nthree\n", "b": "menu\nnews\nfour\n"})
    assert figures["line"] == pytest.approx({
        "precision": (2 / 3 + 1 / 3) / 2, "recall": (2 / 3 + 1) / 2, "F1": (2 / 3 + 1 / 2) / 2, "worst": 1 / 2,
        "micro recall": 3 / 4, "micro F1": 2 * 3 / (6 + 4)})
    # a drops menu, rightly, and three; b drops nothing
    assert figures["drop"] == pytest.approx({
        "precision": 1 / 4, "recall": 1 / 4, "F1": 1 / 4, "worst": 0,
        "micro recall": 1 / 4, "micro F1": 2 * 1 / (2 + 4)})
    # a: 4 words, 3 of them among the 4 of its content; b: 3, 1 among 1
    assert figures["word"]["F1"] == pytest.approx((3 / 4 + 1 / 2) / 2)


def test_a_text_that_is_both_content_and_boilerplate_counts_as_content_first(site):
    pages = score.load(site({"a": [("0", "home"), ("1", "home"), ("1", "text")]}))
    figures = score.score(pages, {"a": "home\ntext\n"})
    assert figures["line"]["F1"] == figures["drop"]["F1"] == 1


def test_a_missing_output_counts_as_empty_and_dropping_nothing_of_nothing_is_perfect(site):
    pages = score.load(site({"a": [("1", "text")]}))
    assert score.score(pages, {})["line"]["F1"] == 0
    assert score.score(pages, {"a": "text\n"})["drop"]["F1"] == 1


def test_a_word_is_a_run_of_letters_or_one_character_of_a_script_without_spaces():
    assert score.words("don't 1_2 東京タ é") == {"don": 1, "t": 1, "1_2": 1, "東": 1, "京": 1, "タ": 1, "é": 1}


def test_the_command_prints_and_keeps_the_figures(site, tmp_path):
    pages = {f"p{number}": [*MENU, ("1", f"text {number}")] for number in range(3)}
    folder = site(pages).parent
    site({name: [("0", "date " + name), *page] for name, page in pages.items()}, "sqlite")

    def run(*args):
        done = subprocess.run([sys.executable, "-m", "benchmarks.quality", "run", folder, *args],
                              capture_output=True, text=True, cwd=ROOT, check=True)
        return [[cell.strip() for cell in line.strip("|").split("|")] for line in done.stdout.split("\n")]

    kept = tmp_path / "figures.json"
    run("--methods", "keep", "--json", kept)
    rows = run("--methods", "frequency", "--json", kept)
    at = rows.index(["line F1", "keep everything", "line frequency 0.5"])
    assert rows[at + 2:at + 6] == [["python", "0.500", "1.000"], ["sqlite", "0.400", "0.667"],
                                   ["**open, mean**", "0.450", "0.833"], ["**open, worst**", "0.400", "0.667"]]
    assert json.loads(kept.read_text())["frequency"]["sites"]["sqlite"]["line"]["micro recall"] == 1


# --- methods ---

# The article's two scripts as one: the sample's files first, then MODEL=1 and the files to wash.
ARTICLE = r"""
function ordinal(c) { return 31 + index(PRINTABLE, c) }
function hash(gram,    value, place) {
    value = 5381
    for (place = 1; place <= length(gram); place++)
        value = (value * 31 + ordinal(substr(gram, place, 1))) % 4294967296
    return value
}
BEGIN { for (code = 32; code < 127; code++) PRINTABLE = PRINTABLE sprintf("%c", code) }
FNR == 1 { delete lines }
!WASH && !($0 in lines) {
    lines[$0]
    for (start = 1; start + 3 <= length($0); start++) {
        gram = hash(substr($0, start, 4))
        if (!((FILENAME, gram) in seen)) { seen[FILENAME, gram]; files[gram]++ }
    }
}
WASH {
    total = length($0) - 3; found = 0
    for (start = 1; start <= total; start++) found += files[hash(substr($0, start, 4))] >= 0.8 * SAMPLE
    if (total <= 0 || found / total < 0.5) print
}
"""


@needs("gawk")
def test_the_articles_filter_keeps_the_lines_that_it_keeps_under_gawk(tmp_path):
    chance = random.Random(4)
    texts = {}
    for number in range(12):
        words = ["menú", "news", "a\tb", "日本語です", "x", "", "~~}}", "contents of this page"]
        body = ["".join(chance.choice("abcé ñ~") for _ in range(chance.randrange(12))) for _ in range(40)]
        texts[f"{number:02}"] = "\n".join(chance.sample(words, 7) + body) + "\n" * chance.randrange(2)
    texts["12"] = ""  # counts among the sample's files
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    sample = list(texts)[3:]
    kept = keep_lines(texts, article_filter([texts[name] for name in sample]))
    assert any(kept[name].count("\n") < texts[name].count("\n") for name in sample)
    for name in texts:
        done = subprocess.run(
            ["gawk", "-v", f"SAMPLE={len(sample)}", ARTICLE, *sample, "WASH=1", name], cwd=tmp_path,
            capture_output=True, check=True, env={**os.environ, "LC_ALL": "C.UTF-8"})
        assert done.stdout.decode() == kept[name]


def test_the_articles_hash_is_its_polynomial_with_one_code_for_all_but_ascii():
    assert Hashes()["aé~b"] == (5381 * 31**4 + 97 * 31**3 + 31 * 31**2 + 126 * 31 + 98) % 2**32
    assert Hashes()["\t\t\t\t"] == Hashes()["日本語で"] != Hashes()["    "]


def test_line_frequency_drops_what_half_of_the_pages_have(site):
    folder = site({"a": [("0", "menu"), ("1", "x")], "b": [("0", " menu"), ("1", "y")],
                   "c": [("1", "z")], "d": [("1", "x y")]})
    assert METHODS["frequency"].run(folder) == {"a": "x\n", "b": "y\n", "c": "z\n", "d": "x y\n"}


# --- made-up kinds ---


@pytest.mark.parametrize("name", [name for name, recipe in RECIPES.items() if isinstance(recipe, kinds.Kind)])
def test_a_kind_is_the_same_on_each_run_and_has_a_label_for_each_line(name, tmp_path):
    kind = RECIPES[name]
    for language in kind.languages:
        (tmp_path / language).mkdir()
        (tmp_path / language / "book.html").write_text("".join(
            f"<h3 class='title'>1.{number}. Title {number} {language}</h3>" for number in range(520)) + "".join(
            f"<div class='para'>{language} paragraph {number} " + "word " * (10 + number % 50) + ". End.</div>"
            for number in range(2600)))
    made = list(kinds.pages(kind, tmp_path))
    assert made == list(kinds.pages(kind, tmp_path))
    assert len({page for page, *_ in made}) == len(made) > 40
    for _, files, labels, _ in made:
        lines = score.split_lines(files["pages"])
        assert [label == "-" for label in labels] == [not line.strip() for line in lines]
        assert labels[0] != "-" and {"0", "1"} <= set(labels)
        assert score.split_lines(files["gold"]) == [line for line, label in zip(lines, labels) if label != "0"]
