"""The commands of the documentation print, and make, what the pages say."""

import re
import shlex
import sys

import pytest
import typer
from tests.docs.commands import DOCS, OWN, PAGES, files, is_run, lines, name, printed

from residua import cli
from residua.cores.kinds import core_of
from residua.cores.specification import reading
from residua.curves.standard import CATALOGUE
from residua.papers.sbmm.ladder_comparison import ladder_step

PRINTED = [page for page in PAGES if printed(page)]


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """Runs a line of a page in an empty directory: all that it prints."""
    monkeypatch.chdir(tmp_path)

    def call(line):
        words = shlex.split(line)
        assert words[0].removeprefix(".venv/bin/") == "residua"
        monkeypatch.setattr(sys, "argv", words)
        with pytest.raises(SystemExit):
            cli.main()
        out, err = capsys.readouterr()
        return out + err

    return call


def test_pages_are_found():
    assert DOCS / "specification.md" in PRINTED


@pytest.mark.parametrize("page", PRINTED, ids=name)
def test_what_commands_print(run, page):
    for commands, text in printed(page):
        assert "".join(map(run, commands.splitlines())) == text


def parsed(words):
    """The parameters that a command would be called with."""
    verb, context = typer.main.get_command(cli.app), None
    while hasattr(verb, "resolve_command"):
        context = verb.make_context(None, words[:1], parent=context)
        _, verb, words = verb.resolve_command(context, words)
    return verb.make_context(None, words, parent=context).params


def residua_commands(page):
    found = [shlex.split(line, comments=True) for line in lines(page)]
    return [words[1:] for words in found if words and words[0].endswith("residua")]


TAKEN = [page for page in PAGES if residua_commands(page) and page.name not in OWN]


@pytest.mark.parametrize("page", TAKEN, ids=name)
def test_commands_are_taken(page, monkeypatch, tmp_path):
    """Their words and specifications; those that take no minutes run in ``tests/system``."""
    monkeypatch.chdir(tmp_path)
    for file, text in files(page).items():
        (tmp_path / file).write_text(text)
    (tmp_path / "n").write_text(f"0x{2**2047 + 1:x}")
    known, made = reading.keys(), []
    for words in residua_commands(page):
        values = parsed(words)
        if words[0] == "build" and values["spec"] is None:
            flags = {key: value for key, value in values.items() if key in known and value}
            if "curve" in flags:
                flags["curve"] = ",".join(flags["curve"])
            reading.check_any(flags)
        made += [values["output"]] if {"-o", "--output"} & set(words) else []
    assert sorted(set(made)) == sorted(made), "a directory is made twice"


def test_a_comment_tells_what_is_not_run():
    assert not is_run("residua synth ecc --target ecp5   # takes minutes")
    assert not is_run("make demo    # ECDH on P-256; takes minutes")
    assert is_run("residua report ecc   # takes a second")
    assert is_run("residua build --curve P-256 -o takes minutes")


def test_steps_of_the_coprocessor_on_sbmm(run, tmp_path):
    """The core that the section's commands ask for, and the comparison that follows them."""
    page = (DOCS / "coprocessor.md").read_text(encoding="utf-8")
    section = page[page.index("### On SBMM") :]
    block = re.search(r"^```sh\n(.*?)^```", section, re.MULTILINE | re.DOTALL)[1]
    *searches, build = block.splitlines()
    for line in searches:
        run(line)
    asked, known = parsed(shlex.split(build)[1:]), reading.keys()
    flags = {key: value for key, value in asked.items() if key in known and value}
    core = core_of(reading.load_any(tmp_path / asked["spec"], flags))
    said = re.search(r"takes (\d+) cycles a step", section)[1]
    assert core.core.step_cycles == int(said)
    counted = re.search(r"\| together \| (\d+) \| (\d+) \|", section).groups()
    step = ladder_step(12, 16)
    assert (step.montgomery, step.sbmm) == tuple(map(int, counted))


def test_curves_of_the_key_agreements_have_rows():
    page = (DOCS / "results" / "ecdh.md").read_text(encoding="utf-8")
    text = " ".join(line for line in page.splitlines() if not line.startswith("|"))
    rows = "\n".join(line for line in page.splitlines() if line.startswith("|"))
    named = {e.name for e in CATALOGUE if re.search(rf"\b{re.escape(e.name)}\b", text)}
    assert {curve for curve in named if f"| {curve} |" not in rows} == set()
