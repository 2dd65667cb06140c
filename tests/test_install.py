"""What a build carries and an installed copy does.

Built with this environment's setuptools and Hy (--no-build-isolation) and run with its
dependencies: whoever runs the tests has them, so no network is needed and it takes seconds.
That the named dependencies are enough is shown by installing to run the tests at all.
"""

import ast
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest
from conftest import ROOT

HEAVY = {"hy", "pyparsing"}  # 35 and 45 ms of a start
PLAIN = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def pip(*arguments, cwd=None):
    done = subprocess.run([sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments],
                          cwd=cwd, env=PLAIN, capture_output=True)
    assert done.returncode == 0, (done.stdout + done.stderr).decode()


def wheel_of(source, to):
    pip("wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", to, source)
    return next(to.iterdir())


def content(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A copy of the sources, its wheel, and the wheel of its sdist."""
    top = tmp_path_factory.mktemp("install")
    source = top / "source"
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(
        ".git", ".venv", ".hypothesis", ".*_cache", ".sites", "build", "dist", "*.egg-info", "__pycache__"))
    code = ("import os, sys, setuptools.build_meta as backend\n"
            "print(backend.build_sdist(sys.argv[1]))")
    done = subprocess.run([sys.executable, "-c", code, top / "sdist"], cwd=source, env=PLAIN, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    with tarfile.open(next((top / "sdist").iterdir())) as archive:
        safely = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}  # since 3.11.4
        archive.extractall(top, **safely)
    unpacked = next(top.glob("ngram_sieve-*"))
    return source, wheel_of(source, top / "wheel"), wheel_of(unpacked, top / "wheel2"), unpacked


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory):
    """A virtual environment with the wheel in it; what it depends on is that of this one."""
    environment = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    pip("--python", environment / "bin" / "python", "install", "--no-deps", "--no-index", built[1])
    site = next(environment.glob("lib/python*/site-packages"))
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return environment, site


def run(environment, tool, *arguments, input=b"", python=(), status=0):
    command = [environment / "bin" / "python", *python, environment / "bin" / tool, *arguments]
    done = subprocess.run(command, input=input, env=PLAIN, capture_output=True, cwd="/")
    assert done.returncode == status, done.stderr.decode()
    return done


# --- what is built ---


def test_a_wheel_is_the_same_from_the_sources_and_from_an_sdist(built):
    _, wheel, second, _ = built
    assert content(wheel) == content(second)


def test_an_sdist_can_be_tested(built):
    unpacked = built[3]
    for name in (".ci/run", "tests/conftest.py", "man/regions.1", "examples/README.md", "pyproject.toml", "bin/sieve"):
        assert (unpacked / name).is_file(), name


def test_hy_and_machines_come_with_their_translations(built):
    source, wheel, _, _ = built
    names = content(wheel)
    for path in [*source.glob("statemachine/*.hy"), *source.glob("statemachine/machines/*.lisp")]:
        name = path.relative_to(source).as_posix()
        assert names[name] == path.read_bytes()
        assert path.with_suffix(".py").relative_to(source).as_posix() in names


def test_a_translation_that_uses_hy_imports_it(built):
    """Hy adds calls of its own library for some forms, which only run where Hy was imported by chance."""
    for name, source in content(built[1]).items():
        if name.startswith("statemachine/") and name.endswith(".py"):
            nodes = list(ast.walk(ast.parse(source)))
            if any(isinstance(node, ast.Name) and node.id == "hy" for node in nodes):
                assert any(isinstance(node, ast.Import) and node.names[0].name == "hy" for node in nodes), name


def test_the_sources_are_not_written_to(built):
    source = built[0]
    assert {path.name for path in source.glob("statemachine/**/*.py")} == {"__init__.py"}
    assert not list(source.glob("statemachine/**/__pycache__"))


def test_no_file_of_an_earlier_build_comes_back(built, tmp_path):
    source = tmp_path / "source"
    shutil.copytree(built[0], source)  # with its build directory
    (source / "statemachine/machines/threshold.lisp").unlink()
    assert set(content(built[1])) - set(content(wheel_of(source, tmp_path / "wheel"))) == {
        "statemachine/machines/threshold.lisp", "statemachine/machines/threshold.py"}


# --- what is installed ---


def test_every_tool_is_installed_and_runs(built, installed):
    environment, _ = installed
    for tool in sorted(os.listdir(built[0] / "bin")):
        done = subprocess.run([environment / "bin" / tool, "--version"], capture_output=True, env=PLAIN, cwd="/")
        assert done.returncode == 0 and done.stdout.startswith(tool.encode() + b" (sieve) "), done.stderr.decode()


def test_the_manual_pages_are_where_man_looks(built, installed):
    environment, _ = installed
    for page in (built[0] / "man").iterdir():
        path = environment / "share" / "man" / f"man{page.suffix[1:]}" / page.name
        assert path.read_bytes() == page.read_bytes()
        if shutil.which("man"):
            found = subprocess.run(["man", "-w", page.suffix[1:], page.stem], capture_output=True, text=True,
                                   env={**PLAIN, "PATH": f"{environment / 'bin'}:{PLAIN['PATH']}"})
            assert Path(found.stdout.strip()) == path


def imported(done):
    return {line.rpartition(b"|")[2].strip().decode()
            for line in done.stderr.split(b"\n") if line.startswith(b"import time:")}


def test_a_shipped_machine_runs_without_hy_and_pyparsing(installed):
    environment, _ = installed
    for machine in ("article", "threshold", "regions"):
        done = run(environment, "regions", "-m", machine, input=b"0.0\ta\n", python=["-X", "importtime"])
        assert done.stdout == b"a\n" and "statemachine.viterbi" in imported(done)
        assert not HEAVY & imported(done)


def test_a_machine_in_a_file_needs_them_and_is_compiled_by_the_translations(installed, tmp_path):
    """Hy, once imported, takes .hy before .py: it comes last, so that nothing is translated anew."""
    environment, site = installed
    (tmp_path / "my.lisp").write_text("(machine m (state a (blank drop a) (else keep a)))")
    done = run(environment, "regions", "-m", tmp_path / "my.lisp", input=b"0.0\ta\n-\t\n0.0\tb",
               python=["-X", "importtime"])
    assert done.stdout == b"a\nb" and HEAVY <= imported(done)
    code = ("import sys; from statemachine import load, regions; assert not load.build(sys.argv[1])[1]\n"
            "print(*{module.__file__.rpartition('.')[2] for name, module in sys.modules.items()\n"
            "        if name.partition('.')[0] == 'statemachine'})")
    done = subprocess.run([environment / "bin" / "python", "-c", code, (tmp_path / "my.lisp").read_text()],
                          capture_output=True, env=PLAIN, cwd="/", check=True)
    assert done.stdout == b"py\n"


def test_nothing_is_written_where_it_is_installed(installed, tmp_path):
    environment, site = installed
    (tmp_path / "my.lisp").write_text("(machine m (state a (else keep a)))")

    def state():
        return {path: path.stat().st_mtime_ns for path in environment.rglob("*")}

    before = state()
    for options in ([], ["--graph"], ["-m", "article"], ["--check"], ["-m", tmp_path / "my.lisp"]):
        run(environment, "regions", *options)
    assert state() == before


def test_a_translation_of_another_machine_is_not_used(installed):
    environment, site = installed
    path = site / "statemachine" / "machines" / "threshold.lisp"
    text = path.read_text()
    try:
        path.write_text(text.replace("0.5", "0.7"))
        assert run(environment, "regions", "-m", "threshold", input=b"0.6\ta\n0.8\tb\n").stdout == b"a\n"
        path.write_text(text.replace("0.5", "0.5 ; the same, with a remark\n"))
        assert not HEAVY & imported(run(environment, "regions", "-m", "threshold", python=["-X", "importtime"]))
    finally:
        path.write_text(text)
    assert run(environment, "regions", "-m", "threshold", input=b"0.6\ta\n").stdout == b""


def starts(python, *arguments):
    """The least of three times' processor seconds for twenty starts of Python."""
    twenty = "import subprocess, sys\nfor _ in range(20): subprocess.run(sys.argv[1:], check=True)"

    def once():
        before = os.times()
        subprocess.run([sys.executable, "-S", "-c", twenty, python, *arguments], check=True, env=PLAIN)
        after = os.times()
        return after.children_user + after.children_system - before.children_user - before.children_system

    return min(once() for _ in range(3))


def test_regions_starts_in_at_most_eight_times_pythons_own_time(installed):
    python = installed[0] / "bin" / "python"
    assert starts(python, installed[0] / "bin" / "regions", "/dev/null") <= 8 * starts(python, "-c", "pass")


def test_regions_starts_so_from_a_checkout_too(built, tmp_path):
    shutil.copytree(built[0], tmp_path / "checkout")  # where the first start fills __pycache__
    ours = starts(sys.executable, tmp_path / "checkout" / "bin" / "regions", "/dev/null")
    assert ours <= 8 * starts(sys.executable, "-c", "pass")
