"""What the README prints works exactly as it is printed."""

import re
import shutil

import pytest
from conftest import ROOT, shell

README = (ROOT / "README.md").read_text()
BLOCKS = [block for block in re.findall(r"^```sh\n(.*?)^```$", README, re.M | re.S) if "python3 -m venv" not in block]


# A head that reads on: one that goes away ends what is before it by a signal, or does not, as it comes.
DRAIN = 'head() { command head "$@"; cat > /dev/null; }\n'


@pytest.mark.parametrize("block", BLOCKS, ids=[block.split("\n")[0][:60] for block in BLOCKS])
def test_pipes(tmp_path, block):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    shell(DRAIN + block, cwd=tmp_path)


def test_every_tool_is_named():
    for tool in (ROOT / "bin").iterdir():
        assert f"| `{tool.name}` |" in README


def test_every_name_in_it_exists():
    for path in re.findall(r"`((?:sieve|statemachine|examples|benchmarks|man)/[\w./-]*)`", README):
        assert (ROOT / path).exists(), path
