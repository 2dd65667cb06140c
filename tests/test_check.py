"""sieve check and ngram-model check: PASS for sites, FAIL with the right reason for what is none."""

import gzip
import json
import random
from types import SimpleNamespace

import pytest
from conftest import ROOT, run

EXAMPLES = ROOT / "examples" / "dumps"
LETTERS = "abcdefghijklmnopqrstuvwxyz"
MARKS = b"oOcCaeErRplhs"  # that may follow a score


def pages():
    """The example site, as {name: text}."""
    return {path.relative_to(EXAMPLES).as_posix().removesuffix(".gz"):
            gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
            for path in sorted(EXAMPLES.rglob("*")) if path.is_file()}


def prose(seed, lines):
    """Made-up words as frequent as words are: the n-th comes half as often as the first of n / 2."""
    words = random.Random(0)
    vocabulary = ["".join(words.choice(LETTERS) for _ in range(words.randrange(2, 11))) for _ in range(3000)]
    chance = random.Random(seed)
    weights = [1 / (rank + 1) for rank in range(len(vocabulary))]
    return "".join(" ".join(chance.choices(vocabulary, weights, k=11)) + "\n" for _ in range(lines)).encode()


def other_site():
    return {f"{i}.txt": b"Annals of the Institute\nVolumes | Authors | Contact us\n\n" + prose(i, 30)
            + b"\nAll rights reserved by the Institute\nPrinted on recycled paper\n" for i in range(20)}


def template(text):
    """The lines of an example page that every page has, told from the page alone."""
    lines = text.split(b"\n")
    start = next(i for i, line in enumerate(lines) if line.startswith(b"Home >") or line == b"Home")
    end = lines.index(b"Also on this site")
    return {*range(start), *range(end, len(lines))}


def half_changed():
    """The example site, with the template of every second page written backwards."""
    changed = pages()
    for name in sorted(changed)[::2]:
        lines = changed[name].decode().split("\n")
        changed[name] = "\n".join(line[::-1] if i in template(changed[name]) else line for i, line in enumerate(lines)).encode()
    return changed


def near_copies():
    text = prose(1, 60).split(b" ")
    copies = {}
    for i in range(20):
        words, chance = list(text), random.Random(i)
        for _ in range(10):
            words[chance.randrange(len(words))] = b"changed%d" % chance.randrange(1000)
        copies[f"{i}.txt"] = b" ".join(words)
    return copies


@pytest.fixture(scope="module")
def example_model(tmp_path_factory):
    out = tmp_path_factory.mktemp("example") / "out"
    assert run("sieve", "clean", EXAMPLES, "-o", out).startswith(b"PASS: coverage 0.")
    return out / ".sieve" / "model"


def verdict(*args, status):
    return run("sieve", "check", *args, status=status).decode().split("\n")


def test_sites_pass(tree):
    for top in EXAMPLES, tree(other_site()):
        lines = verdict(top, status=0)
        assert [line.split(" ")[0] for line in lines] == ["documents", "coverage", "histogram", "stability", "spread", "PASS", ""]


@pytest.mark.parametrize("content, figures, reason", [
    (lambda: dict(list(other_site().items())[:3]), "sample", "3 documents are too few to tell a template from chance"),
    (lambda: {f"{i}.txt": prose(i, 40) for i in range(20)}, "coverage", "no line is in most of the documents: nothing to wash"),
    (near_copies, "coverage", "are these copies of one text? Drop the near copies first"),
    (half_changed, "stability", "parts of them share lines: several templates, or one that has changed"),
    (lambda: {**{f"a{name}": text for name, text in other_site().items()}, **{f"b/{name}": text for name, text in pages().items()}},
     "coverage", "but parts of them share lines: several templates, or one that has changed"),
], ids=["a sample of 3", "unrelated texts", "near copies", "half changed", "two sites"])
def test_what_is_no_site_fails_for_the_right_reason(tmp_path, tree, content, figures, reason):
    top = tree(content())
    lines = verdict(top, status=1)
    assert any(line.startswith(figures) and reason in line for line in lines)
    assert lines[-2].startswith("FAIL: ") and figures in lines[-2]
    run("sieve", "clean", top, "-o", tmp_path / "out", status=1)
    assert reason in run.stderr and not (tmp_path / "out").exists()


def test_a_sample_of_three_is_too_small_whatever_it_is_of():
    assert verdict(EXAMPLES, "--sample", "3", status=1)[-2] == "FAIL: sample"


def test_a_model_fits_its_own_site(example_model, tree):
    assert verdict(EXAMPLES, "--model", example_model, status=0)[-2] == "PASS"
    new = {name: text for name, text in pages().items() if name.startswith(("letters", "lights"))}
    assert verdict(tree(new), "--model", example_model, status=0)[-2] == "PASS"


@pytest.mark.parametrize("content", [other_site, half_changed, lambda: {f"{i}.txt": prose(i, 40) for i in range(20)}],
                         ids=["another site", "half changed", "unrelated texts"])
def test_a_model_of_something_else_fails(tmp_path, tree, example_model, content):
    top = tree(content())
    lines = verdict(top, "--model", example_model, status=1)
    assert any(line.startswith("coverage: ") and "the model is of another site, or theirs has changed" in line for line in lines)
    run("sieve", "clean", top, "-o", tmp_path / "out", "--model", example_model, status=1)
    assert not (tmp_path / "out").exists()
    run("sieve", "clean", top, "-o", tmp_path / "out", "--model", example_model, "--force")


def test_one_file_says_all_to_a_program(example_model):
    found = json.loads(run("sieve", "check", EXAMPLES, "--json"))
    assert found["verdict"] == "PASS" and found["failed"] == found["reasons"] == []
    assert found["documents"] == sum(found["coverage"]["histogram"]) == 30
    assert found["sections"].keys() == {"company", "galley", "letters", "lights", "stories", "timetables"}
    assert found["limits"]["coverage_min"] == 0.002
    failed = json.loads(run("sieve", "check", EXAMPLES, "--json", "--coverage-max", "0.1", status=1))
    assert failed["failed"] == ["coverage"] and failed["coverage"] == found["coverage"]


@pytest.mark.parametrize("limit, figure", [
    (("--coverage-min", "0.9"), "coverage"), (("--coverage-max", "0.1"), "coverage"), (("--stability-min", "1"), "stability"),
    (("--spread-max", "0"), "spread")])
def test_every_limit_is_an_option(example_model, limit, figure):
    texts = sorted(EXAMPLES.glob("*/*.txt"))
    args = "ngram-model", "check", "-m", example_model, *texts
    run(*args)
    assert run(*args, *limit, status=1).endswith(b"FAIL: %s\n" % figure.encode())


def test_a_model_is_judged_by_its_own_tool(example_model, tree):
    """Coverage as AWK computes it from what line-score prints."""
    texts = sorted(EXAMPLES.glob("[sl]*/*.txt"))
    shown = run("ngram-model", "check", "-m", example_model, *texts).decode().split("\n")
    shares = []
    for path in texts:
        scores = [line.split(b"\t")[0] for line in run("line-score", "-m", example_model, path).split(b"\n")[:-1]]
        scores = [float(score.rstrip(MARKS)) for score in scores if score != b"-"]
        shares.append(sum(score >= 0.5 for score in scores) / len(scores))
    assert shown[0] == f"documents  {len(texts)}"
    assert shown[1].startswith(f"coverage   {sum(shares) / len(shares):.3f} on the mean, {min(shares):.3f} at worst, 0% of the documents bare")
    others = tree(other_site())
    failed = run("ngram-model", "check", "-m", example_model, *sorted(others.iterdir()), status=1)
    assert b"the model is of another site" in failed


def test_a_model_of_the_article_is_judged_too(tmp_path):
    model = tmp_path / "model"
    model.write_bytes(run("ngram-model", "build", "--profile", "article", *sorted(EXAMPLES.glob("*/*.txt"))))
    assert run("ngram-model", "check", "-m", model, *sorted(EXAMPLES.glob("*/*.txt"))).endswith(b"\nPASS\n")


def test_counts_are_no_model(tmp_path):
    path = tmp_path / "counts"
    path.write_bytes(run("ngram-model", "count", input=b"a line\n"))
    for args in (("ngram-model", "check", "-m", path), ("sieve", "check", EXAMPLES, "--model", path)):
        run(*args, status=2)
        assert run.stderr == f"{args[0]}: {path}: counts, not a model: ngram-model cut makes one of them\n"


# --- arithmetic ---


def figures_of(shares, stability=1.0):
    from sieve.figures import Figures

    figures = Figures(sum(map(len, shares.values())))
    for name, values in shares.items():
        figures.shares[name] = values
    figures.stability, figures.common = stability, 0.1
    return figures


def options(text):
    words = text.split(" ")
    return SimpleNamespace(**{name[2:].replace("-", "_"): float(value) for name, value in zip(words[::2], words[1::2])})


def test_the_articles_own_run_is_acceptable_once_calibrated():
    """148 files, coverage 0.93, spread 0.19, stability 0.98: two sections 0.19 from a mean of them."""
    from sieve.check import calibrated, faults

    figures = figures_of({b"a": [1.0] * 120, b"b": [0.62] * 28}, stability=0.98)
    assert round(figures.coverage, 2) == 0.93 and round(figures.spread, 2) == 0.19
    limits = options(calibrated(figures))
    assert faults(figures, limits) == []
    assert faults(figures_of({b"a": [0.0] * 100}, 0.98), limits)[0][0] == "coverage"


def test_coverage_counts_lines_with_evidence_that_reach_the_threshold():
    from sieve.figures import Figures

    figures = Figures(4)
    for scores in ([b"0.5000", b"0.4999r", b"1.0000oc", b"-"], [b"0.0000"], [b"-"], [b"1"]):
        figures.add(b"", [(score, b"a line\n") for score in scores])
    assert figures.coverages == [0, 2 / 3, 1] and figures.coverage == pytest.approx(5 / 9)
    assert figures.histogram() == [1, 0, 0, 0, 0, 0, 1, 0, 0, 1]


def test_documents_that_lack_what_others_have_of_the_template_are_bare():
    from sieve.figures import Figures

    for last, bare in ((b"ab", 1), (b"", 1), (b"abxyz", 0), (b"abc", 0)):
        figures = Figures(10)
        for lines in [b"abcdefghi"] * 9 + [last]:
            figures.add(b"", [(b"0.9", bytes([line])) for line in lines] + [(b"0.1", b"content")])
        assert figures.bare == bare / 10  # a quarter of nine lines is more than two, and xyz are the document's own


def test_where_most_documents_have_little_of_the_core_all_are_bare():
    from sieve.figures import Figures

    figures = Figures(10)
    for i in range(10):
        figures.add(b"", [(b"0.9", bytes([line])) for line in (b"abcdefghi" if i % 2 else b"ABCDEFGHI") + b"z"])
    assert figures.bare == 1


def test_spread_is_the_standard_deviation_between_sections_of_some_size():
    figures = figures_of({b"a": [0.1, 0.2, 0.3], b"b": [0.6] * 5, b"c": [0.0, 1.0]})
    assert figures.sections == {b"a": pytest.approx(0.2), b"b": pytest.approx(0.6)}
    assert figures.spread == pytest.approx(0.2)


def test_stability_is_the_jaccard_index_of_the_halves_models():
    from sieve.figures import Figures
    from sieve.model import LINE, NGRAM, Header

    def half(*entries):
        return Header("counts", documents=5), iter(entries)

    figures = Figures(10)
    figures.compare([half((1, 5, NGRAM), (2, 4, NGRAM), (3, 3, NGRAM), (7, 2, LINE)), half((1, 4, NGRAM), (3, 5, NGRAM), (5, 1, LINE), (7, 1, LINE))])
    assert figures.stability == 1 / 3  # 1 is in both models; 2 and 3 in one
    assert (figures.common, figures.parts) == (0, 3 / 4)  # of four lines in all, one that three documents of ten have
    figures = Figures(10, model=True)
    figures.compare([half((1, 5, NGRAM), (2, 4, NGRAM)), half((1, 4, NGRAM), (3, 5, NGRAM))], {1, 2, 3, 9})
    assert figures.stability == 2 / 4  # 1 and 3 are in five documents or more


def test_sections_are_directories_or_what_a_regex_finds():
    import re

    from sieve.figures import section

    assert section(b"a/b/c.txt", None) == b"a/b"
    assert section(b"news-1.txt", re.compile(b"^[a-z]+")) == b"news"
    assert section(b"x_news-1.txt", re.compile(b"_([a-z]+)-")) == b"news"
    assert section(b"none", re.compile(b"[0-9]")) == b""
    run("sieve", "check", EXAMPLES, "--section", "(", status=2)
    assert run.stderr.startswith("sieve check: argument --section: ") or run.stderr.startswith("sieve: argument --section: ")


def test_calibrated_limits_are_options():
    limits = run("sieve", "check", EXAMPLES, "--calibrate").decode().split()
    run("sieve", "check", EXAMPLES, *limits)
