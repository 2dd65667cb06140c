"""The manual: well-formed, complete, and its examples do what they say."""

import re
import shutil
import subprocess

import pytest
from conftest import ENVIRONMENT, ROOT, run

PAGES = sorted((ROOT / "man").glob("*.[1-9]"))
TOOLS = sorted(path.name for path in (ROOT / "bin").iterdir() if path.is_file())
ESCAPES = {"-": "-", "e": "\\", "(aq": "'", "(dq": '"', "(ga": "`", "(ha": "^", "(ti": "~", "(rs": "\\", "&": ""}


def plain(roff):
    """A line of a page without its escapes; KeyError for one that this test does not know."""
    return re.sub(r"\\(\(..|.)", lambda match: ESCAPES[match[1]], roff)


def examples():
    """The scripts between .EX and .EE of all pages, each with the status that it names."""
    for page in PAGES:
        for number, block in enumerate(re.findall(r"^\.EX\n(.*?)^\.EE$", page.read_text(), re.M | re.S), 1):
            script = plain(block)
            status = re.search(r"# exits (\d+)\n\Z", script)
            yield pytest.param(script, int(status[1]) if status else 0, id=f"{page.name}-{number}")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_has_no_fault_of_form(page):
    for command in (["mandoc", "-T", "lint", "-W", "warning"], ["groff", "-ww", "-man", "-T", "utf8"]):
        if shutil.which(command[0]):
            done = subprocess.run([*command, page], capture_output=True, text=True, env={**ENVIRONMENT, "LC_ALL": "C.UTF-8"})
            assert not done.returncode and not done.stderr, done.stdout + done.stderr
            assert command[0] == "groff" or not done.stdout, done.stdout


@pytest.mark.parametrize("page", [page for page in PAGES if page.suffix == ".1"], ids=lambda page: page.name)
def test_a_page_has_the_sections_that_a_reader_looks_for(page):
    sections = re.findall(r"^\.SH (.*)", page.read_text(), re.M)
    wanted = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "EXAMPLES", "MEMORY", "SEE ALSO"]
    assert [section for section in sections if section in wanted] == wanted


def test_every_tool_has_a_page():
    assert {page.name for page in PAGES if page.suffix == ".1"} == {f"{tool}.1" for tool in TOOLS}


@pytest.mark.parametrize("tool", TOOLS)
def test_a_page_and_the_help_name_the_same_options(tool):
    tags = re.findall(r"^\.T[PQ].*\n(.*)", (ROOT / f"man/{tool}.1").read_text(), re.M)
    assert options_of(tag.replace("\\-", "-") for tag in tags) == options_in_help(tool)


def options_in_help(tool, *command):
    text = run(tool, *command, "--help", env={"COLUMNS": "200"}).decode()
    found = options_of(re.findall(r"^  (-.*?)(?:  .*)?$", text, re.M))
    for name, summary in re.findall(r"^  ([a-z]\S*)  +(.*)", text.partition("\ncommands:\n")[2], re.M):
        if "(used by" not in summary:  # a part of another command, and none of its own
            found |= options_in_help(tool, *command, name)
    return found


def options_of(texts):
    return {option for text in texts for option in re.findall(r"(?<![\w-])--?[A-Za-z0-9][\w-]*", text)}


@pytest.mark.parametrize("script, status", [*examples()])
def test_an_example_runs(tmp_path, script, status):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    done = subprocess.run(["bash", "-eo", "pipefail", "-c", script], cwd=tmp_path, capture_output=True, env=ENVIRONMENT, timeout=120)
    reader_left = 141 if status == 0 else status  # as `| head` leaves its writer
    assert done.returncode in (status, reader_left), done.stderr.decode()
    assert b"Traceback" not in done.stderr
