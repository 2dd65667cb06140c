"""sieve restore, verify and explain: everything comes back, can be made again, and is accounted for."""

import gzip
import json
import os
import shutil
from pathlib import Path

import pytest
from conftest import ROOT, run, shell
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

EXAMPLES = ROOT / "examples" / "dumps"


def files(top):
    """All files under a directory but what sieve keeps for itself, as {name: bytes}, names as bytes."""
    top = os.fsencode(top)
    return {os.path.relpath(os.path.join(above, name), top): Path(os.fsdecode(os.path.join(above, name))).read_bytes()
            for above, _, names in os.walk(top) for name in names if b".sieve" not in above.split(b"/")}


def originals(top):
    return {name.removesuffix(b".gz"): gzip.decompress(text) if name.endswith(b".gz") else text
            for name, text in files(top).items()}


@pytest.fixture(scope="module")
def washed(tmp_path_factory):
    out = tmp_path_factory.mktemp("washed") / "out"
    run("sieve", "clean", EXAMPLES, "-o", out, "-q")
    return out


@pytest.fixture
def copy(washed, tmp_path):
    return shutil.copytree(washed, tmp_path / "copy")


def removed_of(out, name):
    return out / ".sieve" / "removed" / name


# --- restore ---


def test_the_originals_come_back(washed, tmp_path):
    run("sieve", "restore", washed, "-d", tmp_path / "back")
    assert files(tmp_path / "back") == originals(EXAMPLES)


def test_some_of_them_or_a_stream(washed, tmp_path):
    run("sieve", "restore", washed, "stories/map.txt", washed / "lights" / "moth.txt", "-d", tmp_path / "back")
    assert files(tmp_path / "back").keys() == {b"stories/map.txt", b"lights/moth.txt"}
    shell(f"sieve restore {washed} | doc-split -d {tmp_path}/split")
    assert files(tmp_path / "split") == originals(EXAMPLES)
    run("sieve", "restore", washed, "none.txt", status=2)
    assert run.stderr.startswith("sieve: none.txt: no document of ")


def test_what_is_there_is_not_replaced_unasked(washed, tmp_path, tree):
    back = tree({"stories/map.txt": b"mine"}, "back")
    run("sieve", "restore", washed, "stories/map.txt", "-d", back, status=2)
    assert files(back) == {b"stories/map.txt": b"mine"}
    run("sieve", "restore", washed, "stories/map.txt", "-d", back, "--overwrite")
    assert files(back) == {b"stories/map.txt": (EXAMPLES / "stories" / "map.txt").read_bytes()}


@pytest.mark.parametrize("damage", ["kept", "removed", "cut", "not a number", "back", "lost"])
def test_damage_is_told_and_nothing_wrong_is_written(copy, tmp_path, damage):
    kept, removed = copy / "stories" / "map.txt", removed_of(copy, "stories/map.txt")
    if damage == "kept":
        kept.write_bytes(kept.read_bytes() + b"more\n")
    elif damage == "removed":
        removed.write_bytes(removed.read_bytes().replace(b"SKERRY", b"KERRY"))
    elif damage == "cut":
        removed.write_bytes(removed.read_bytes()[:50])
    elif damage == "not a number":
        removed.write_bytes(b"x" + removed.read_bytes())
    elif damage == "back":
        removed.write_bytes(removed.read_bytes() + b"1\tTHE SKERRY LINE\n")
    else:
        removed.unlink()
    run("sieve", "restore", copy, "-d", tmp_path / "back", status=2)
    assert run.stderr.startswith("sieve: stories/map.txt: ") and run.stderr.count("\n") == 1
    assert files(tmp_path / "back").keys() == originals(EXAMPLES).keys() - {b"stories/map.txt"}
    run("sieve", "verify", copy, status=1)
    assert "sieve: stories/map.txt: " in run.stderr


def test_what_was_discarded_is_gone_and_it_says_so(tmp_path):
    source = shutil.copytree(EXAMPLES, tmp_path / "source")
    run("sieve", "clean", source, "-o", tmp_path / "out", "--discard", "-q")
    run("sieve", "restore", tmp_path / "out", "-d", tmp_path / "back", status=2)
    assert "stories/map.txt: what was removed of it was not kept" in run.stderr
    assert b"30 run again" in run("sieve", "verify", tmp_path / "out")  # from the source
    (source / "stories" / "map.txt").write_bytes(b"changed\n")
    assert b"29 run again, 1 could not be" in run("sieve", "verify", tmp_path / "out")


LINES = [b"The Site", b"Home | About | Help", b"", b"Copyright The Site", b"\x1cname", b"\x1c", b"caf\xe9\x85\xff", b"\r", b"a\x0cb\xe2\x80\xa8c",
         b"\t7\ttab", b"1\tThe Site", b"words of its own", b"nul \0 here", b"\x1f", b"#"]
NAME = st.binary(min_size=1, max_size=20).map(lambda name: name.replace(b"\0", b"0").replace(b"/", b"1")).filter(
    lambda name: name not in (b".", b"..", b".sieve"))
TEXT = st.tuples(st.lists(st.sampled_from(LINES), max_size=12), st.booleans()).map(
    lambda drawn: b"\n".join(drawn[0]) + b"\n" * drawn[1])


@settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.tuples(st.sampled_from([b"", b"d\xff\n/", b"e/f/"]), NAME).map(b"".join), TEXT, min_size=1, max_size=6))
def test_any_tree_of_files_comes_back(tmp_path, content):
    for used in "in", "out", "back":
        shutil.rmtree(tmp_path / used, ignore_errors=True)
    content = {name: text for name, text in content.items() if name not in (b"d\xff\n", b"e")}
    for name, text in {**content, b"always": b"The Site\n"}.items():
        path = os.path.join(os.fsencode(tmp_path), b"in", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        Path(os.fsdecode(path)).write_bytes(text)
    model = tmp_path / "model"
    if not model.exists():
        model.write_bytes(run("ngram-model", "build", input=b"\n".join(LINES[:4]) + b"\n"))
    run("sieve", "clean", tmp_path / "in", "-o", tmp_path / "out", "--model", model, "--force", "-q", "--machine", "threshold", "-j", "1")
    run("sieve", "restore", tmp_path / "out", "-d", tmp_path / "back")
    assert files(tmp_path / "back") == files(tmp_path / "in")
    run("sieve", "verify", tmp_path / "out")


# --- verify ---


def test_the_same_comes_out_again(washed):
    assert run("sieve", "verify", washed) == b"30 documents: 0 faults, 30 run again\n"


@pytest.mark.parametrize("part, said", [
    ("model", "not the model of the run"), ("machine.lisp", "not the machine of the run")])
def test_another_model_or_machine_is_found_out(copy, part, said):
    path = copy / ".sieve" / part
    path.write_bytes(run("ngram-model", "build", EXAMPLES / "stories" / "map.txt") if part == "model"
                     else run("regions", "--print", "-m", "article"))
    assert b"1 faults, 0" not in run("sieve", "verify", copy, status=1)
    assert run.stderr == f"sieve: .sieve/{part}: {said}\n"


def test_another_result_is_found_out(copy):
    """A record that agrees with the files, but not with model and machine."""
    import hashlib

    text = (EXAMPLES / "stories" / "map.txt").read_bytes()
    (copy / "stories" / "map.txt").write_bytes(text)
    removed_of(copy, "stories/map.txt").write_bytes(b"")
    path = copy / ".sieve" / "documents.jsonl"
    records = [json.loads(line) for line in path.read_text().splitlines()]
    for record in records:
        if record["name"] == "stories/map.txt":
            record["digest_out"] = hashlib.sha256(text).hexdigest()
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    run("sieve", "verify", copy, status=1)
    assert run.stderr == "sieve: stories/map.txt: another result when it is run again\n"


@pytest.mark.parametrize("command", ["verify", "restore", "explain"])
def test_what_is_no_output_is_refused(tmp_path, command):
    run("sieve", command, tmp_path, *["x"] * (command == "explain"), status=2)
    assert run.stderr == f"sieve: {tmp_path}: not an output of sieve\n"


# --- explain ---


def test_every_line_is_explained(washed):
    rows = run("sieve", "explain", washed, "stories/map.txt").split(b"\n")
    heads, rows = [row for row in rows if row.startswith(b"#")], [row.split(b"\t", 7) for row in rows if row and not row.startswith(b"#")]
    text = (EXAMPLES / "stories" / "map.txt").read_bytes()
    assert [row[7] for row in rows] == text.split(b"\n")[:-1]
    kept = b"".join(row[7] + b"\n" for row in rows if row[1] == b"keep")
    assert kept == (washed / "stories" / "map.txt").read_bytes()
    settings = json.loads((washed / ".sieve" / "manifest.json").read_bytes())
    assert heads[1:3] == [b"#model " + settings["model_digest"].encode(), b"#machine " + settings["machine_id"].encode()]
    traced = shell(f"line-score -m {washed}/.sieve/model {EXAMPLES}/stories/map.txt | regions --trace").split(b"\n")[:-1]
    assert [row.split(b"\t")[1:] for row in traced] == [[*row[:1], *row[2:6], row[1]] for row in rows]
    covered = run("line-score", "-m", washed / ".sieve" / "model", "--explain", EXAMPLES / "stories" / "map.txt").split(b"\n")
    assert [row.split(b"\t")[1] for row in covered[:-1]] == [row[6] for row in rows]


def test_one_line_is_explained(washed):
    head, row = run("sieve", "explain", washed, washed / "stories" / "map.txt", "1").split(b"\n")[-3:-1]
    assert head == b"#line\tverdict\tscore\tbefore\tafter\twhy\tcovered\ttext"
    assert row == b"1\tdrop\t1.0000haRp\ttop\theader\tto header 0, band 2 of p costs 0\t1-15\tTHE SKERRY LINE"
    run("sieve", "explain", washed, "stories/map.txt", "1000", status=2)
    assert run.stderr == "sieve: stories/map.txt: it has 76 lines\n"


def test_the_articles_method_is_explained_without_ranges(tmp_path):
    model = tmp_path / "model"
    model.write_bytes(run("ngram-model", "build", "--profile", "article", *sorted(EXAMPLES.glob("stories/*.txt"))))
    run("sieve", "clean", EXAMPLES, "-o", tmp_path / "out", "--model", model, "--machine", "threshold", "--force", "-q")
    row = run("sieve", "explain", tmp_path / "out", "stories/map.txt", "1").split(b"\n")[-2]
    assert row == b"1\tdrop\t1.0000\tany\tany\t(else drop any)\t-\tTHE SKERRY LINE"
