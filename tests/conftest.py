"""Running the tools as a user does: real processes, real pipes, from this checkout."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = {**os.environ, "PATH": os.pathsep.join([str(ROOT / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]])}
ENVIRONMENT.pop("PYTHONDONTWRITEBYTECODE", None)  # Hy takes half a second to compile what regions imports

# Most properties are of processes, whose start takes as long as the machine is busy.
settings.register_profile("processes", deadline=None)
settings.load_profile("processes")


def run(tool, *args, input=b"", status=0, env=None, cwd=None, timeout=60):
    """Runs a tool on `input` and returns its stdout; its status must be `status`, and no
    traceback may show. What it said on stderr is left in `run.stderr`."""
    done = subprocess.run([sys.executable, ROOT / "bin" / tool, *args], input=input, capture_output=True,
                          env={**ENVIRONMENT, **(env or {})}, cwd=cwd, timeout=timeout)
    assert done.returncode == status, done.stderr.decode(errors="replace")
    assert b"Traceback" not in done.stderr
    run.stderr = done.stderr.decode(errors="surrogateescape")
    return done.stdout


def shell(script, cwd=None, status=0, timeout=120):
    """Runs a bash script (pipefail set) with the tools on PATH and returns its stdout."""
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], capture_output=True,
                          env=ENVIRONMENT, cwd=cwd, timeout=timeout)
    assert done.returncode == status, done.stderr.decode(errors="replace")
    assert b"Traceback" not in done.stderr
    shell.stderr = done.stderr.decode(errors="surrogateescape")
    return done.stdout


def peak_memory(tool, *args, input):
    """The most memory in bytes that a tool takes for `input`, which it must read without fault."""
    script = """if True:
        import runpy, sys
        sys.argv = sys.argv[1:]
        try:
            runpy.run_path(sys.argv[0], run_name="__main__")
        finally:  # not ru_maxrss, in which the parent's memory at the fork counts
            peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
            print(peak.split()[1], file=sys.stderr)
    """
    done = subprocess.run([sys.executable, "-c", script, ROOT / "bin" / tool, *args], input=input, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, env=ENVIRONMENT, timeout=120)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    return int(done.stderr.split()[-1]) * 1024


@pytest.fixture
def tree(tmp_path):
    """Writes files given as {name: bytes} under a new directory and returns that."""

    def write(files, at="tree"):
        top = tmp_path / at
        top.mkdir(exist_ok=True)
        for name, content in files.items():
            path = Path(os.fsdecode(os.path.join(os.fsencode(top), os.fsencode(name))))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return top

    return write
