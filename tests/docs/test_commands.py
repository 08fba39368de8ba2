"""The commands of the documentation print, and make, what the pages say."""

import json
import re
import shlex
import sys
from pathlib import Path

import pytest

from residua import cli
from residua.curves.standard import CATALOGUE
from residua.papers.sbmm.ladder_comparison import ladder_step

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

BLOCK = r"```{}\n((?:(?!```).*\n)+)```\n"
PRINTED = re.compile(rf"^{BLOCK.format('sh')}\n{BLOCK.format('text')}", re.MULTILINE)
"""A block of commands, with the block of text that follows it at once: what they print."""

PAGES = [
    p for p in (ROOT / "README.md", *sorted(DOCS.rglob("*.md"))) if PRINTED.search(p.read_text())
]


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
    assert DOCS / "specification.md" in PAGES


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_what_commands_print(run, page):
    for commands, printed in PRINTED.findall(page.read_text(encoding="utf-8")):
        assert "".join(map(run, commands.splitlines())) == printed


@pytest.mark.slow
def test_steps_of_the_coprocessor_on_sbmm(run, tmp_path):
    """The core of the section's commands, and the comparison that follows them."""
    page = (DOCS / "coprocessor.md").read_text(encoding="utf-8")
    section = page[page.index("### On SBMM") :]
    block = re.search(r"^```sh\n(.*?)^```", section, re.MULTILINE | re.DOTALL)[1]
    for line in block.splitlines():
        run(line)
    manifest = json.loads((tmp_path / "build" / "sbmm" / "manifest.json").read_text())
    said = re.search(r"takes (\d+) cycles a step", section)[1]
    assert manifest["cycles"]["ladder_step"] == int(said)
    counted = re.search(r"\| together \| (\d+) \| (\d+) \|", section).groups()
    step = ladder_step(12, 16)
    assert (step.montgomery, step.sbmm) == tuple(map(int, counted))


def test_curves_of_the_key_agreements_have_rows():
    page = (DOCS / "results" / "ecdh.md").read_text(encoding="utf-8")
    text = " ".join(line for line in page.splitlines() if not line.startswith("|"))
    rows = "\n".join(line for line in page.splitlines() if line.startswith("|"))
    named = {e.name for e in CATALOGUE if re.search(rf"\b{re.escape(e.name)}\b", text)}
    assert {curve for curve in named if f"| {curve} |" not in rows} == set()
