"""sieve clean: the whole job, on the example corpus and on directories made to break it."""

import gzip
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import ENVIRONMENT, ROOT, run, shell

EXAMPLES = ROOT / "examples" / "dumps"


def files(top):
    """All files under a directory but what sieve keeps for itself, as {name: bytes}."""
    return {path.relative_to(top).as_posix(): path.read_bytes() for path in sorted(Path(top).rglob("*"))
            if path.is_file() and ".sieve" not in path.relative_to(top).parts}


def originals(top):
    return {name.removesuffix(".gz"): gzip.decompress(text) if name.endswith(".gz") else text
            for name, text in files(top).items()}


def records(out):
    return [json.loads(line) for line in (out / ".sieve" / "documents.jsonl").read_bytes().splitlines()]


def body(text):
    """The content of an example page, as examples/README.md says where it is."""
    lines = text.decode().split("\n")
    start = next(i for i, line in enumerate(lines) if line.startswith("Tonight's ship:")) + 1
    end = next(i for i, line in enumerate(lines) if line.startswith("Print this page"))
    return [line for line in lines[start:end] if line.strip()]


@pytest.fixture(scope="module")
def cleaned(tmp_path_factory):
    out = tmp_path_factory.mktemp("cleaned") / "out"
    summary = run("sieve", "clean", EXAMPLES, "-o", out)
    return out, summary.decode()


def test_content_stays_and_template_goes(cleaned):
    out, _ = cleaned
    result = files(out)
    assert result.keys() == originals(EXAMPLES).keys()
    lost = total = 0
    for name, text in originals(EXAMPLES).items():
        kept = result[name].decode().split("\n")
        total += len(body(text))
        lost += len(set(body(text)) - set(kept))
        for line in text.decode().split("\n"):
            if line.startswith(("Night ferries to", "Print this page", "© 1996", "Search the site", "  • Find us at")):
                assert line not in kept, name
    assert lost * 50 < total  # titles that are lines of the menu elsewhere may go


def test_kept_and_removed_are_the_original(cleaned):
    out, _ = cleaned
    for name, text in originals(EXAMPLES).items():
        removed = (out / ".sieve" / "removed" / name).read_bytes().split(b"\n")[:-1]
        removed = dict(line.split(b"\t", 1) for line in removed)
        kept = iter(files(out)[name].split(b"\n"))
        lines = text.split(b"\n")
        assert [removed[b"%d" % i] if b"%d" % i in removed else next(kept) for i in range(1, len(lines))] == lines[:-1]


def test_the_records_say_what_happened(cleaned):
    out, summary = cleaned
    for record in records(out):
        text, kept = originals(EXAMPLES)[record["name"]], files(out)[record["name"]]
        assert record["digest_in"] == hashlib.sha256(text).hexdigest()
        assert record["digest_out"] == hashlib.sha256(kept).hexdigest()
        assert record["lines"] == text.count(b"\n") == record["kept"] + sum(record["dropped"].values())
        assert record["kept"] == kept.count(b"\n")
    manifest = json.loads((out / ".sieve" / "manifest.json").read_bytes())
    assert manifest["model_digest"] == hashlib.sha256((out / ".sieve" / "model").read_bytes()).hexdigest()
    assert manifest["machine_id"] == run("regions", "--id").decode().strip()
    total = sum(record["lines"] for record in records(out))
    assert f"\n{len(records(out))} documents, {total:,} lines: " in summary


def test_the_pipe_taken_apart_gives_the_same(cleaned, tmp_path):
    out, _ = cleaned
    shell(f"doc-cat . | line-score -m {out}/.sieve/model | regions | doc-split -d {tmp_path}/split", cwd=EXAMPLES)
    apart = {name.removesuffix(".gz"): text for name, text in files(tmp_path / "split").items()}
    assert apart == files(out)


@pytest.mark.parametrize("jobs", ["1", "5"])
def test_the_same_for_any_number_of_jobs(cleaned, tmp_path, jobs):
    out, _ = cleaned
    run("sieve", "clean", EXAMPLES, "-o", tmp_path / "out", "-j", jobs, "--model", out / ".sieve" / "model")
    assert files(tmp_path / "out") == files(out)
    assert records(tmp_path / "out") == records(out)


def test_the_seed_chooses_the_sample(tmp_path):
    for seed in "0", "0", "1":
        run("sieve", "clean", EXAMPLES, "-o", tmp_path / "out", "--sample", "8", "--seed", seed, "-q")
        (tmp_path / "out" / ".sieve" / "model").rename(tmp_path / f"model{len(list(tmp_path.glob('model*')))}")
    models = [(tmp_path / f"model{i}").read_bytes() for i in range(3)]
    assert models[0] == models[1] != models[2]
    assert b"#documents 8\n" in models[0]


def page(i):
    """A page of a small site, whose content no other page has a word of."""
    digest = hashlib.sha256(b"%d" % i).hexdigest().translate(str.maketrans("0123456789", "ghijklmnop")).encode()
    content = b"".join(b"%s %s %s\n" % (digest[k:k + 9], digest[k + 20:k + 28], digest[k + 30:k + 37]) for k in range(20))
    return b"The Site of Sites\nHome | About | Help\n\n" + content + b"\nCopyright The Site of Sites\n"


def site(count=6):
    return {f"p{i}.txt": page(i) for i in range(count)}


def test_another_machine(tmp_path, tree):
    top = tree(site())
    (tmp_path / "all.lisp").write_text("(machine all (state s (else keep s)))")
    run("sieve", "clean", top, "-o", tmp_path / "out", "--machine", tmp_path / "all.lisp")
    assert files(tmp_path / "out") == files(top)
    run("sieve", "clean", top, "-o", tmp_path / "no", "--machine", tmp_path / "none.lisp", status=2)
    assert not (tmp_path / "no").exists()


def test_names_of_all_sorts(tmp_path, tree):
    names = [b"a b.txt", b"it's", b"new\nline", b"-n", b"caf\xc3\xa9", b"\xff\xfe", b"tab\t", b"back\\slash", b"\x1cmark", b"deep/er/one"]
    top = tree({name: page(i) for i, name in enumerate(names)})
    run("sieve", "clean", top, "-o", tmp_path / "out")
    assert {os.fsencode(name) for name in files(tmp_path / "out")} == set(names)


def test_a_compressed_file_loses_its_suffix_unless_that_name_is_taken(tmp_path, tree):
    top = tree({**site(), "p0.txt.gz": gzip.compress(page(0)), "z.txt.gz": gzip.compress(page(9)), "plain.gz": page(8)})
    run("sieve", "clean", top, "-o", tmp_path / "out")
    assert files(tmp_path / "out").keys() == {*site(), "p0.txt.gz", "z.txt", "plain.gz"}


def test_several_directories_come_under_their_names(tmp_path, tree):
    one, two = tree(site(3), "one"), tree(site(4), "two")
    run("sieve", "clean", one, two, "-o", tmp_path / "out")
    assert files(tmp_path / "out").keys() == {f"one/p{i}.txt" for i in range(3)} | {f"two/p{i}.txt" for i in range(4)}
    (tmp_path / "sub" / "one").mkdir(parents=True)
    run("sieve", "clean", one, tmp_path / "sub" / "one", "-o", tmp_path / "none", status=2)


def test_what_is_not_text_is_copied(tmp_path, tree):
    image = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0"
    top = tree({**site(), "img/logo.png": image})
    run("sieve", "clean", top, "-o", tmp_path / "out")
    assert files(tmp_path / "out")["img/logo.png"] == image
    assert run.stderr == f"sieve: {top}/img/logo.png: not text: copied as it is\n"


def test_out_inside_of_what_is_washed_is_not_washed(tree):
    top = tree(site())
    for _ in range(2):
        run("sieve", "clean", ".", "-o", "clean", cwd=top)
        assert files(top / "clean").keys() == site().keys()


@pytest.mark.parametrize("out", [".", "..", "tree"])
def test_out_cannot_hold_what_is_washed(tree, out):
    top = tree(site())
    run("sieve", "clean", top, "-o", out, status=2, cwd=top if out != "tree" else top.parent)
    assert files(top) == site()


def test_a_strangers_directory_is_not_written_into(tmp_path, tree):
    top, other = tree(site()), tree(site(7), "other")
    out = tree({"mine.txt": b"precious"}, "out")
    run("sieve", "clean", top, "-o", out, status=2)
    assert "not empty" in run.stderr and files(out) == {"mine.txt": b"precious"}
    run("sieve", "clean", top, "-o", out, "--overwrite")
    assert files(out).keys() == {"mine.txt", *site()}
    run("sieve", "clean", top, "-o", out)  # ours now
    run("sieve", "clean", other, "-o", out, status=2)
    assert "the output of other directories" in run.stderr


def test_links_lead_nowhere_outside(tmp_path, tree):
    """Neither are links out of the directory read, nor is anything written through one."""
    top = tree({**site(), "sub/x.txt": page(7)})
    secret = tree({"secret.txt": page(8)}, "secret")
    (top / "leak").symlink_to(secret)
    (top / "again.txt").symlink_to("p0.txt")
    run("sieve", "clean", top, "-o", tmp_path / "out")
    assert files(tmp_path / "out").keys() == {*site(), "sub/x.txt", "again.txt"}
    shutil.rmtree(tmp_path / "out" / "sub")
    (tmp_path / "out" / "sub").symlink_to(secret)
    run("sieve", "clean", top, "-o", tmp_path / "out", status=2)
    assert "sub" in run.stderr and files(secret).keys() == {"secret.txt"}


@pytest.mark.parametrize("content, complaint", [
    ({"one.txt": page(0)}, "sample: 1 documents are too few"),
    (site(4), "sample: 4 documents are too few"),
    ({f"{i}.txt": page(0) for i in range(9)}, "coverage: 100% of the lines would go: are these copies of one text?"),
])
def test_too_little_to_learn_from_is_refused(tmp_path, tree, content, complaint):
    run("sieve", "clean", tree(content), "-o", tmp_path / "out", status=1)
    assert complaint in run.stderr and run.stderr.endswith(f"sieve: FAIL: {complaint.partition(':')[0]}\n")
    assert not (tmp_path / "out").exists()
    run("sieve", "clean", tree(content), "-o", tmp_path / "out", "--force")
    assert files(tmp_path / "out").keys() == content.keys()


def test_nothing_to_read_is_an_error(tmp_path, tree):
    run("sieve", "clean", tree({}), "-o", tmp_path / "out", status=2)
    assert run.stderr.startswith("sieve: no text to wash in ")


def test_a_missing_directory(tmp_path):
    run("sieve", "clean", tmp_path / "none", "-o", tmp_path / "out", status=2)
    assert run.stderr == f"sieve: {tmp_path}/none: not a directory\n"


def test_a_damaged_file_among_good_ones(tmp_path, tree):
    """A warning, the rest done, status 2, and nothing half done under its name."""
    whole = gzip.compress(page(9) * 500)
    top = tree({**site(), "cut.gz": whole[:-30]})
    run("sieve", "clean", top, "-o", tmp_path / "out", status=2)
    assert f"doc-cat: {top}/cut.gz: gzip data ends too early\n" in run.stderr
    assert site().keys() <= files(tmp_path / "out").keys()


def test_an_unreadable_file_among_good_ones(tmp_path, tree):
    top = tree(site())
    (top / "gone.txt").symlink_to("nothing")
    run("sieve", "clean", top, "-o", tmp_path / "out", status=2)
    assert "gone.txt: No such file or directory" in run.stderr
    assert files(tmp_path / "out").keys() == site().keys()


def test_discard_keeps_nothing_of_what_is_removed(tmp_path, tree):
    run("sieve", "clean", tree(site()), "-o", tmp_path / "out", "--discard")
    assert not (tmp_path / "out" / ".sieve" / "removed").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_stop_in_the_middle_leaves_no_half_file(tmp_path, tree, number):
    top = tree({f"p{i:04}.txt": page(i % 26) * 40 for i in range(400)})
    process = subprocess.Popen([sys.executable, ROOT / "bin" / "sieve", "clean", top, "-o", tmp_path / "out", "--sample", "9"],
                               env=ENVIRONMENT, stderr=subprocess.PIPE, start_new_session=True)
    out = tmp_path / "out"
    for _ in range(600):
        if len(files(out)) > 20:
            break
        time.sleep(0.05)
    os.killpg(process.pid, number)
    assert process.wait() != 0
    assert b"Traceback" not in process.stderr.read()
    done = files(out)
    assert 20 < len(done) < 400
    run("sieve", "clean", top, "-o", tmp_path / "whole", "--model", out / ".sieve" / "model", "-q")
    whole = files(tmp_path / "whole")
    for name, text in done.items():
        if not Path(name).name.startswith("."):
            assert text == whole[name]
    if number != signal.SIGKILL:
        time.sleep(0.3)
        assert not [name for name in files(out) if Path(name).name.startswith(".")]
    run("sieve", "clean", top, "-o", out, "--sample", "9")  # it is ours, and goes on
    assert files(out) == whole


def test_progress_only_on_a_terminal(tmp_path, tree):
    top = tree(site())
    run("sieve", "clean", top, "-o", tmp_path / "a")
    assert run.stderr == ""
    shown = shell(f"script -qec 'sieve clean {top} -o {tmp_path}/b' /dev/null </dev/null")
    assert b"6 documents" in shown
    assert run("sieve", "clean", top, "-o", tmp_path / "c", "--quiet") == b""


def test_a_reader_that_goes_away_ends_it_silently():
    for command in (f"sieve check {EXAMPLES} | true", f"sieve check {EXAMPLES} --json | head -c 10 > /dev/null"):
        shell(f"set +o pipefail; env -u PYTHONUNBUFFERED {command}; {command}")
        assert shell.stderr == ""
    shell("env -u PYTHONUNBUFFERED sieve keygen > /dev/full", status=2)
    assert shell.stderr == "sieve: <stdout>: No space left on device\n"
