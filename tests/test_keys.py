"""Working without reading: under a key nothing that a run leaves or prints tells texts or names."""

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import ENVIRONMENT, ROOT, run, shell
from test_sieve import page

EXAMPLES = ROOT / "examples" / "dumps"
TEMPLATE, CONTENT, NAME, FOLDER = b"Zanzibarwhale", b"Quetzalpickle", b"Xylophoneghost", b"Mongoosevault"


def key_file(directory, name="key"):
    path = directory / name
    path.write_bytes(run("sieve", "keygen"))
    path.chmod(0o600)
    return path


@pytest.fixture
def key(tmp_path):
    return key_file(tmp_path)


def canary_site(count=8):
    pages = {FOLDER + b"/%s-%d.txt" % (NAME, i): page(i).replace(b"Home |", TEMPLATE + b" |") + b"\nend\n" for i in range(count)}
    return {name: text.replace(b"\n\n", b"\n\n" + CONTENT + b"\n", 1) if i == 3 else text for i, (name, text) in enumerate(pages.items())}


def holds(data, *words):
    return [word for word in words if word.lower() in data.lower()]


def leaks(top, text_in=()):
    """Where under `top` a canary is in a file or a name, but for content in the files `text_in`."""
    found = []
    for above, folders, names in os.walk(os.fsencode(top)):
        for name in folders + names:
            if holds(name, TEMPLATE, CONTENT, NAME, FOLDER):
                found.append(name)
        for name in names:
            path = os.path.join(above, name)
            words = holds(Path(os.fsdecode(path)).read_bytes(), TEMPLATE, CONTENT, NAME, FOLDER)
            if words and not (words == [CONTENT] and name in text_in):
                found.append((path, words))
    return found


# --- the key ---


def test_keygen_makes_a_new_key_each_time():
    one, two = run("sieve", "keygen"), run("sieve", "keygen")
    assert re.fullmatch(rb"[0-9a-f]{64}\n", one) and one != two


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o620, 0o602])
def test_a_key_that_others_can_read_or_write_is_refused(key, mode):
    key.chmod(mode)
    run("ngram-model", "build", "--key-file", key, input=b"text\n", status=2)
    assert run.stderr == f"ngram-model: {key}: a key that others can read or write is none (chmod 600)\n"


@pytest.mark.parametrize("content", [b"", b"abc\n", b"0" * 63 + b"\n", b"0" * 65 + b"\n", b"g" * 64 + b"\n", b"0" * 64 + b"\n\n"])
def test_what_is_no_key_is_refused(key, content):
    key.write_bytes(content)
    run("ngram-model", "build", "--key-file", key, input=b"text\n", status=2)
    assert run.stderr == f"ngram-model: {key}: not a key (sieve keygen makes one)\n"


def test_hashes_are_blake2b_under_a_key_of_their_kind(key):
    """As hashlib computes them from the definition; n-grams are kind 0, lines kind 1."""
    secret = bytes.fromhex(key.read_text())
    expected = []
    for kind, texts in ((0, [b" abcdef", b"abcdef "]), (1, [b" abcdef "])):
        derived = hashlib.blake2b(b"kind %d" % kind, key=secret, digest_size=32).digest()
        expected += [int.from_bytes(hashlib.blake2b(text, key=derived, digest_size=8).digest(), "big") for text in texts]
    rows = run("ngram-model", "build", "--key-file", key, input=b"Abcdef\n").split(b"\n")
    assert b"#hash blake2b-64" in rows
    assert [int(row) for row in rows if row and not row.startswith(b"#")] == sorted(expected)


def test_a_model_made_under_another_key_is_refused(tmp_path, key):
    other, texts = key_file(tmp_path, "other"), sorted(EXAMPLES.glob("stories/*.txt"))
    keyed, plain = tmp_path / "keyed", tmp_path / "plain"
    keyed.write_bytes(run("ngram-model", "build", "--key-file", key, *texts))
    plain.write_bytes(run("ngram-model", "build", *texts))
    for args, what in ((("-m", keyed), "made under a key, which --key-file gives"),
                       (("-m", keyed, "--key-file", other), "made under another key"),
                       (("-m", plain, "--key-file", key), "made without a key")):
        for command in (("line-score",), ("ngram-model", "refine"), ("ngram-model", "check")):
            run(*command, *args, input=b"text\n", status=2)
            assert run.stderr == f"{command[0]}: {args[1]}: {what}\n"
    counts = [tmp_path / "1", tmp_path / "2"]
    counts[0].write_bytes(run("ngram-model", "count", *texts))
    counts[1].write_bytes(run("ngram-model", "count", "--key-file", key, *texts))
    run("ngram-model", "merge", *counts, status=2)
    assert "counted by another method" in run.stderr


def test_scores_are_those_without_a_key(tmp_path, key):
    texts = sorted(EXAMPLES.glob("[sl]*/*.txt"))
    results = []
    for options in (), ("--key-file", key):
        first, better = tmp_path / "first", tmp_path / "better"
        first.write_bytes(run("ngram-model", "build", *options, *texts))
        tagged = run("regions", "--tag", input=run("line-score", "-m", first, *options, *texts))
        better.write_bytes(run("ngram-model", "refine", "-m", first, *options, input=tagged))
        results.append(run("line-score", "-m", better, *options, *texts))
    assert results[0] == results[1]


def test_the_articles_hash_knows_no_key(key):
    run("ngram-model", "build", "--profile", "article", "--key-file", key, input=b"text\n", status=2)
    assert "knows no key" in run.stderr


# --- names ---


def test_names_are_hmac_sha256(tmp_path, tree, key):
    """As openssl computes it."""
    top = tree({"a/b.txt": b"text\n"})
    name = run("doc-cat", "--key-file", key, "a/b.txt", cwd=top).split(b"\n")[0][1:]
    expected = shell(f"printf a/b.txt | openssl dgst -sha256 -mac HMAC -macopt hexkey:$(cat {key})").split()[-1]
    assert name == expected
    assert run("doc-cat", "--names", "sha256", "a/b.txt", cwd=top).split(b"\n")[0][1:] == hashlib.sha256(b"a/b.txt").hexdigest().encode()
    run("doc-cat", "--names", "hmac", "a/b.txt", cwd=top, status=2)
    assert run.stderr == "doc-cat: --names hmac needs --key-file\n"


# --- the whole job ---


def test_nothing_tells_texts_or_names(tmp_path, tree, key):
    """What the run printed, and everything that it left in OUT and where temporary files are; what is kept is content."""
    top, out, temporary = tree({**canary_site(), FOLDER + b"/" + NAME + b".png": b"\0image"}), tmp_path / "out", tmp_path / "tmp"
    temporary.mkdir()
    printed = run("sieve", "clean", "tree", "-o", "out", "--key-file", key, cwd=top.parent, env={"TMPDIR": str(temporary)})
    assert printed.startswith(b"PASS: ")
    kept = {os.fsencode(path.name) for path in out.iterdir()}
    assert len(kept) == 10 and all(re.fullmatch(rb"[0-9a-f]{64}|\.sieve", name) for name in kept)
    assert not (out / ".sieve" / "removed").exists()
    assert leaks(out, kept) == [] and leaks(temporary) == []
    printed += run.stderr.encode()
    for command in ("verify", out), ("check", top), ("check", top, "--json"):
        printed += run("sieve", *command, "--key-file", key) + run.stderr.encode()
    assert not holds(printed, TEMPLATE, CONTENT, NAME, FOLDER)
    signatures = run("minhash", "--key-file", key, *sorted(top.rglob("*.txt")))
    assert not holds(signatures, TEMPLATE, CONTENT, NAME, FOLDER)
    assert any(CONTENT in (out / os.fsdecode(name)).read_bytes() for name in kept - {b".sieve"})  # the canary sings


def test_errors_do_not_tell_names(tmp_path, tree, key):
    import gzip

    files = {**canary_site(), FOLDER + b"/" + NAME + b".gz": gzip.compress(CONTENT * 99)[:-9], FOLDER + b"/x" + NAME: b"\0"}
    top = tree({**files, **{FOLDER + b"/%s-more-%d.txt" % (NAME, i): page(i + 8).replace(b"Home |", TEMPLATE + b" |") for i in range(12)}})
    (top / os.fsdecode(NAME + b"gone")).symlink_to("nowhere")
    (top / os.fsdecode(NAME + b"away")).symlink_to("/etc/passwd")
    printed = run("sieve", "clean", top, "-o", tmp_path / "out", "--key-file", key, status=2) + run.stderr.encode()
    assert "gzip data ends too early" in run.stderr and "No such file" in run.stderr and "leads out" in run.stderr
    assert not holds(printed, TEMPLATE, CONTENT, NAME, FOLDER)
    hashed = run("doc-cat", "--key-file", key, "--names0-from", "/dev/stdin", min(top.rglob("*.txt")), input=FOLDER + b"/" + NAME).split(b"\n")[0][1:]
    assert f"doc-cat: {hashed.decode()}: gzip data ends too early\n" in run.stderr or hashed in printed  # by what it is called in OUT
    for tool in ("ngram-model", "count"), ("minhash",), ("dedup",):
        run(*tool, "--key-file", key, top / os.fsdecode(NAME + b"none"), status=2)
        assert "No such file" in run.stderr and not holds(run.stderr.encode(), NAME)


def test_nothing_is_told_after_a_crash(tmp_path, tree, key):
    pages = {}
    for i in range(150):
        pages[FOLDER + b"/%s-%d.txt" % (NAME, i)] = (TEMPLATE + b" menu of the site\nHome | About\n\n" + page(i)[40:] * 30
                                                     + b"\n" + TEMPLATE + b" footer of the site\n")
    top, out, temporary = tree(pages), tmp_path / "out", tmp_path / "tmp"
    temporary.mkdir()
    process = subprocess.Popen([sys.executable, ROOT / "bin" / "sieve", "clean", top, "-o", out, "--key-file", key, "--sample", "12"],
                               env={**ENVIRONMENT, "TMPDIR": str(temporary)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               start_new_session=True)
    for _ in range(1500):
        if out.exists() and len(os.listdir(out)) > 20:
            break
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    printed = b"".join(process.communicate())
    time.sleep(0.2)
    assert 20 < len(os.listdir(out)) < 151
    assert leaks(out) == [] and leaks(temporary) == [] and not holds(printed, TEMPLATE, NAME, FOLDER)


def test_the_index_and_what_was_removed_are_kept_only_when_asked_for(tmp_path, tree, key):
    top, out, index = tree(canary_site()), tmp_path / "out", tmp_path / "index"
    run("sieve", "clean", top, "-o", out, "--key-file", key, "--keep-removed", "--index", index)
    assert index.stat().st_mode & 0o777 == 0o600
    names = dict(line.split(b"\t") for line in index.read_bytes().split(b"\n")[:-1])
    assert set(names.values()) == canary_site().keys()
    run("sieve", "restore", out, "--key-file", key, "-d", tmp_path / "back")
    for hashed, name in names.items():
        assert (tmp_path / "back" / os.fsdecode(hashed)).read_bytes() == canary_site()[name]
    assert run("sieve", "verify", out, "--key-file", key) == b"8 documents: 0 faults, 8 run again\n"
    explained = run("sieve", "explain", out, min(names), "--key-file", key)
    assert explained.count(b"\n") == 4 + canary_site()[names[min(names)]].count(b"\n")
    assert not holds(explained, TEMPLATE, CONTENT, NAME, FOLDER)


def test_the_result_is_that_without_a_key(tmp_path, tree, key):
    top, index = tree(canary_site()), tmp_path / "index"
    run("sieve", "clean", top, "-o", tmp_path / "plain")
    run("sieve", "clean", top, "-o", tmp_path / "keyed", "--key-file", key, "--index", index)
    for line in index.read_bytes().split(b"\n")[:-1]:
        hashed, name = map(os.fsdecode, line.split(b"\t"))
        assert (tmp_path / "keyed" / hashed).read_bytes() == (tmp_path / "plain" / name).read_bytes()
    assert b"; 0 new or changed" in run("sieve", "clean", top, "-o", tmp_path / "keyed", "--key-file", key)


def test_an_output_is_opened_by_its_key_only(tmp_path, tree, key):
    top, out = tree(canary_site()), tmp_path / "out"
    run("sieve", "clean", top, "-o", out, "--key-file", key)
    run("sieve", "verify", out, status=2)
    assert "made under a key, which --key-file gives" in run.stderr
    run("sieve", "verify", out, "--key-file", key_file(tmp_path, "other"), status=2)
    assert "made under another key" in run.stderr


def test_digests_do_not_confirm_a_guess(tmp_path, tree, key):
    top, out = tree(canary_site()), tmp_path / "out"
    run("sieve", "clean", top, "-o", out, "--key-file", key)
    digests = {hashlib.sha256(text).hexdigest() for text in canary_site().values()}
    digests |= {hashlib.sha256(path.read_bytes()).hexdigest() for path in out.iterdir() if path.is_file()}
    for line in (out / ".sieve" / "documents.jsonl").read_text().splitlines():
        assert not digests & set(map(str, json.loads(line).values()))


def test_plain_sha256_names_are_the_articles(tmp_path, tree):
    top, out = tree(canary_site()), tmp_path / "out"
    run("sieve", "clean", top, "-o", out, "--names", "sha256", "--discard")
    assert {path.name for path in out.iterdir()} == {".sieve", *(hashlib.sha256(name).hexdigest() for name in canary_site())}


# --- what an unkeyed model tells, and a keyed one does not ---


def test_an_unkeyed_model_is_read_back_from_a_word_list(tmp_path, key):
    """Whoever hashes every 7-gram of the lines that may be made of a list of words finds those of the template again."""
    from xxhash import xxh64_intdigest

    words = ["abandon", "ability", "contact", "printer", "privacy", "zoology", "quarter", "library"]
    secret_line = b"Privacy Contact Library\n"

    def read_back(model):
        hashes = {int(line.split(b"\t")[0]) for line in model.split(b"\n") if line and not line.startswith(b"#")}
        return {word for word in words if xxh64_intdigest(word.encode(), 0) in hashes}

    assert read_back(run("ngram-model", "build", input=secret_line)) == {"privacy", "contact", "library"}
    assert read_back(run("ngram-model", "build", "--key-file", key, input=secret_line)) == set()


# --- the other tools ---


def test_lines_seen_are_hashed_under_the_key(tmp_path, key):
    seen, other = tmp_path / "seen", key_file(tmp_path, "other")
    args = "dedup", "--seen", seen, "--key-file"
    assert run(*args, key, input=b"a\nb\na\n") == b"a\nb\n"
    assert run(*args, key, input=b"b\nc\n") == b"c\n"
    assert b"#hash blake2b-128 key " in seen.read_bytes()
    for options in ("--key-file", other), ():
        run("dedup", "--seen", seen, *options, input=b"a\n", status=2)
        assert "made with hash blake2b-128 key " in run.stderr


def test_signatures_under_a_key_are_alike_as_without(tmp_path, key):
    base = [b"w%d" % (i * i % 1009) for i in range(400)]
    paths = []
    for i, text in enumerate((base, base[:380] + [b"x%d" % k for k in range(20)], [b"z%d" % k for k in range(400)])):
        paths.append(tmp_path / f"{i}.txt")
        paths[-1].write_bytes(b" ".join(text) + b"\n")
    plain = run("near-dups", input=run("minhash", *paths))
    signatures = run("minhash", "--key-file", key, *paths)
    assert len(run("near-dups", input=signatures).split(b"\n")) == len(plain.split(b"\n")) == 3
    assert not holds(signatures, *(os.fsencode(path.name) for path in paths))
    for column in 1, 3:
        assert not ({line.split(b"\t")[column] for line in signatures.split(b"\n")[1:-1]}
                    & {line.split(b"\t")[column] for line in run("minhash", *paths).split(b"\n")[1:-1]})
    both = signatures + run("minhash", *paths)
    run("near-dups", input=both, status=2)
