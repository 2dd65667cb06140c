"""The profile `article` beside the article's method, run by other programs on the same files."""

import os
import shutil
import subprocess

import pytest
from conftest import ROOT, run, shell

DATA = ROOT / "tests" / "data"
UTF8 = {**os.environ, "LC_ALL": "C.UTF-8"}

AWKS = [pytest.param(name, marks=pytest.mark.skipif(not shutil.which(name), reason=f"no {name}")) for name in ("gawk", "mawk")]


def awk(name, *args):
    return subprocess.run([name, *args], env=UTF8, capture_output=True, check=True).stdout


def corpus(top, ascii_only):
    """Real files: the example dumps as text, and some made to be awkward."""
    shell(f"doc-cat {ROOT}/examples/dumps | doc-split -d {top}/all", cwd=top)
    texts = {str(i): path.read_bytes() for i, path in enumerate(sorted((top / "all").rglob("*.txt"))[::3])}
    texts |= {"empty": b"", "short": b"abc\n\nab\na", "no-newline": texts["3"].rstrip(b"\n"), "crlf": texts["4"].replace(b"\n", b"\r\n")}
    (top / "files").mkdir()
    for name, text in texts.items():
        if ascii_only:
            text = text.decode().encode("ascii", "ignore")
        (top / "files" / name).write_bytes(text)
    return sorted((top / "files").iterdir())


@pytest.fixture(scope="module", params=AWKS)
def both(request, tmp_path_factory):
    """An AWK's name, files fit for it, its model and ours."""
    top = tmp_path_factory.mktemp("article")
    files = corpus(top, request.param == "mawk")  # which counts bytes, so ASCII only
    theirs = awk(request.param, "-f", DATA / "article-model.awk", *files)
    (top / "model").write_bytes(run("ngram-model", "build", "--profile", "article", *files))
    return request.param, files, sorted(map(int, theirs.split())), top / "model"


def test_the_same_integers(both):
    _, _, theirs, model = both
    ours = [int(line) for line in model.read_bytes().split(b"\n") if line and not line.startswith(b"#")]
    assert len(theirs) > 100
    assert ours == theirs


def test_the_same_scores(both):
    name, files, _, model = both
    for file in files:
        theirs = awk(name, "-v", f"model={model}", "-f", DATA / "article-score.awk", file)
        ours = run("line-score", "-m", model, file)
        assert ours.removesuffix(b"\n") == theirs.removesuffix(b"\n")


def test_the_same_kept_lines(both):
    """The filter and `cat -s`, as the article has them, and ours from end to end."""
    name, files, _, model = both
    for file in files:
        theirs = shell(f"LC_ALL=C.UTF-8 {name} -v model={model} -f {DATA}/article-score.awk {file} |"
                       " awk -F'\\t' '$1 < 0.5' | cut -f2- | cat -s")
        ours = shell(f"line-score -m {model} {file} | regions -m threshold -s")
        assert ours == theirs or ours + b"\n" == theirs


def test_a_score_beside_one_half_is_not_rounded_to_it(tmp_path):
    """10001 of 20001 n-grams is 0.50002...: four decimals would keep the line."""
    model = tmp_path / "m"
    model.write_bytes(run("ngram-model", "build", "--profile", "article", input=b"aaaa\n"))
    line = b"a" * 10004 + b"b" * 10000
    score = run("line-score", "-m", model, input=line).split(b"\t")[0]
    assert float(score) == 10001 / 20001 and len(score) > 10
    assert run("line-score", "-m", model, input=b"aaaab\n").startswith(b"0.5000\t")


@pytest.mark.parametrize("documents", range(1, 31))
def test_the_threshold_is_a_floats_product(documents):
    """As in AWK: files * 0.8, and at least that."""
    from sieve import article

    needed = article.needed(documents, 8000)
    theirs = subprocess.run(["awk", f"BEGIN {{ for (i = 0; i <= {documents}; i++) if (i >= {documents} * 0.8) print i }}"],
                            capture_output=True, check=True).stdout
    assert [i for i in range(documents + 1) if i >= needed] == list(map(int, theirs.split()))


def test_counts_of_the_article_merge_too(both, tmp_path):
    _, files, _, model = both
    for i, part in enumerate((files[::2], files[1::2])):
        (tmp_path / str(i)).write_bytes(run("ngram-model", "count", "--profile", "article", *part))
    assert shell("ngram-model merge 0 1 | ngram-model cut", cwd=tmp_path) == model.read_bytes()


def test_it_has_but_one_n():
    run("ngram-model", "build", "--profile", "article", "-n", "5", input=b"", status=2)
    assert run.stderr == "ngram-model: the profile article has n = 4\n"
