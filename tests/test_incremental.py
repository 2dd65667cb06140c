"""sieve clean again: only what is new or changed, the same as from scratch, whatever stopped the run before."""

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from conftest import ENVIRONMENT, ROOT, run
from test_sieve import files, page, records, site


def everything(out):
    """All that a run leaves but what names the run, as {name: bytes}."""
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in sorted(Path(out).rglob("*"))
            if path.is_file() and path.name != "manifest.json"}


def clean(*args, status=0):
    return run("sieve", "clean", *args, status=status).decode()


def from_scratch(top, out, at):
    """What a run with the model of `out` makes of `top`."""
    clean(top, "-o", at, "--model", out / ".sieve" / "model", "-q", "--force")
    return everything(at)


@pytest.fixture
def grown(tree, tmp_path):
    """A site that was washed, and then grew, changed and lost pages."""
    top, out = tree({**site(8), "gone/p20.txt": page(20), "img.png": b"\0old"}), tmp_path / "out"
    clean(top, "-o", out)
    (top / "new").mkdir()
    (top / "new" / "p9.txt").write_bytes(page(9))
    (top / "p1.txt").write_bytes(page(10))
    (top / "img.png").write_bytes(b"\0new")
    (top / "p2.txt").unlink()
    shutil.rmtree(top / "gone")
    return top, out


def test_a_second_run_does_nothing(tree, tmp_path):
    top, out = tree(site()), tmp_path / "out"
    clean(top, "-o", out)
    before = {path: path.stat().st_mtime_ns for path in out.glob("*.txt")}
    assert "; 0 new or changed\n" in clean(top, "-o", out)
    assert {path: path.stat().st_mtime_ns for path in out.glob("*.txt")} == before


def test_only_what_is_new_or_changed_is_done_and_the_result_is_as_from_scratch(grown, tmp_path):
    top, out = grown
    model = (out / ".sieve" / "model").read_bytes()
    untouched = (out / "p0.txt").stat().st_mtime_ns
    assert "; 3 new or changed\n" in clean(top, "-o", out)
    assert (out / "p0.txt").stat().st_mtime_ns == untouched and (out / ".sieve" / "model").read_bytes() == model
    assert not (out / "gone").exists() and not (out / ".sieve" / "removed" / "gone").exists()
    assert everything(out) == from_scratch(top, out, tmp_path / "scratch")
    run("sieve", "verify", out)


def test_refit_learns_anew(grown, tmp_path):
    top, out = grown
    model = (out / ".sieve" / "model").read_bytes()
    clean(top, "-o", out, "--refit")
    assert (out / ".sieve" / "model").read_bytes() != model
    clean(top, "-o", tmp_path / "scratch")
    assert everything(out) == everything(tmp_path / "scratch")


@pytest.mark.parametrize("options", [("--machine", "threshold"), ("--discard",)])
def test_other_settings_do_all_again_with_the_model(tree, tmp_path, options):
    top, out = tree(site()), tmp_path / "out"
    clean(top, "-o", out)
    assert "; 6 new or changed\n" in clean(top, "-o", out, "--force", *options)
    clean(top, "-o", tmp_path / "scratch", "--force", "--model", out / ".sieve" / "model", *options)
    assert everything(out) == everything(tmp_path / "scratch")


def test_what_someone_changed_in_the_output(grown):
    """A document is made again; one that has vanished from the source stays if it is no longer ours."""
    top, out = grown
    (out / "p0.txt").write_bytes(b"scribbled\n")
    (out / "p2.txt").write_bytes(b"my notes\n")
    clean(top, "-o", out)
    assert b"scribbled" not in (out / "p0.txt").read_bytes() and (out / "p2.txt").read_bytes() == b"my notes\n"
    assert "sieve: p2.txt: left as it is: gone from the source, but changed since it was written\n" in run.stderr
    assert "p2.txt" not in {record["name"] for record in records(out)}


def test_new_documents_that_the_model_does_not_fit_are_refused(grown):
    top, out = grown
    before = everything(out)
    for i in range(30, 37):
        (top / f"p{i}.txt").write_bytes(page(i).replace(b"The Site of Sites", b"Our new look").replace(b"Home | About", b"<<< Menu"))
    clean(top, "-o", out, status=1)
    assert "the model is of another site, or theirs has changed" in run.stderr and everything(out) == before
    clean(top, "-o", out, "--force")


def test_a_file_becomes_a_directory_and_back(tree, tmp_path):
    top, out = tree({**site(), "a": page(7)}), tmp_path / "out"
    clean(top, "-o", out)
    (top / "a").unlink()
    tree({"a/b": page(8)})
    clean(top, "-o", out)
    assert files(out).keys() == {*site(), "a/b"}
    shutil.rmtree(top / "a")
    tree({"a": page(7)})
    clean(top, "-o", out)
    assert files(out).keys() == {*site(), "a"}
    run("sieve", "verify", out)


def test_a_damaged_file_is_tried_again(tree, tmp_path):
    import gzip

    whole = gzip.compress(page(9) * 500)
    top, out = tree({**site(), "cut.gz": whole[:-30]}), tmp_path / "out"
    for _ in range(2):
        clean(top, "-o", out, status=2)
        assert f"doc-cat: {top}/cut.gz: gzip data ends too early\n" in run.stderr
    (top / "cut.gz").write_bytes(whole)
    clean(top, "-o", out)
    assert everything(out) == from_scratch(top, out, tmp_path / "scratch")


# --- stops and faults ---


def start(*args, **options):
    return subprocess.Popen([sys.executable, ROOT / "bin" / "sieve", "clean", *map(str, args)], env=ENVIRONMENT,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, **options)


def test_two_runs_at_once_in_one_out(tree, tmp_path):
    top, out = tree(site()), tmp_path / "out"
    clean(top, "-o", out)
    directory = os.open(out, os.O_RDONLY)
    fcntl.flock(directory, fcntl.LOCK_EX)
    before = everything(out)
    clean(top, "-o", out, status=2)
    assert run.stderr == f"sieve: {out}: another run is writing into it\n" and everything(out) == before
    os.close(directory)
    clean(top, "-o", out)


@pytest.mark.parametrize("after", [1, 50])
def test_after_kill_9_the_next_run_goes_on(tree, tmp_path, after):
    top, out = tree({f"p{i:03}.txt": page(i) * 20 for i in range(120)}), tmp_path / "out"
    clean(tree(site(12), "sample"), "-o", tmp_path / "small", "-q")
    model = tmp_path / "small" / ".sieve" / "model"
    process = start(top, "-o", out, "--model", model, "--force", "--sample", "5")
    for _ in range(600):
        if len(files(out)) >= after:
            break
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    time.sleep(0.2)
    run("sieve", "verify", out, status=2)
    assert "the run that wrote it did not end: sieve clean goes on with it" in run.stderr
    text = clean(top, "-o", out, "--model", model, "--force")
    done = 120 - int(text.partition("; ")[2].split(" ")[0])
    assert done < 120 and (after == 1 or done > 0)
    assert everything(out) == from_scratch(top, out, tmp_path / "scratch")


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting needs root")
def test_a_full_disk(tree, tmp_path):
    top = tree({f"p{i:03}.txt": page(i) * 100 for i in range(40)})
    out = tmp_path / "small"
    out.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "none", out], capture_output=True).returncode:
        pytest.skip("no tmpfs can be mounted here")
    try:
        clean(top, "-o", out / "out", status=2)
        assert "No space left on device" in run.stderr and "Traceback" not in run.stderr
        assert not [name for name in everything(out / "out") if name.endswith(".part")]
        whole = tmp_path / "whole"
        clean(top, "-o", whole, "-q")
        for name, text in files(out / "out").items():
            assert text == files(whole)[name]
        subprocess.run(["mount", "-o", "remount,size=40m", out], check=True)
        clean(top, "-o", out / "out")
        assert everything(out / "out") == everything(whole)
    finally:
        subprocess.run(["umount", out], check=True)


def test_a_file_that_changes_while_it_is_read(tree, tmp_path):
    """Something whole was washed, and the next run takes what it is then."""
    top, out = tree({**site(12), "live.log": page(13) * 2000}), tmp_path / "out"
    stop = threading.Event()

    def change():
        i = 0
        while not stop.is_set():
            (top / "live.log").write_bytes(page(13 + i % 3) * (2000 - i % 7))
            i += 1

    writer = threading.Thread(target=change)
    writer.start()
    try:
        clean(top, "-o", out, "--force")
    finally:
        stop.set()
        writer.join()
    run("sieve", "verify", out)
    (top / "live.log").write_bytes(page(19) * 20)
    clean(top, "-o", out)
    assert everything(out) == from_scratch(top, out, tmp_path / "scratch")


def test_a_record_that_was_cut_off_is_not_believed(grown):
    top, out = grown
    lines = (out / ".sieve" / "documents.jsonl").read_bytes().split(b"\n")
    (out / ".sieve" / "journal").write_bytes(lines[0] + b"\n" + lines[1][:40])
    (out / ".0123456789abcdef.part").write_bytes(b"half")
    clean(top, "-o", out)
    assert not (out / ".sieve" / "journal").exists() and not (out / ".0123456789abcdef.part").exists()
    assert json.loads((out / ".sieve" / "documents.jsonl").read_bytes().split(b"\n")[0])
    run("sieve", "verify", out)
