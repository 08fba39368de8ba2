"""The tutorial of a first core, from its first command to its last."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tests.test_cli import mapped

from residua import cli
from residua.cores.kinds import core_of
from residua.cores.specification.reading import check_any

PAGE = Path(__file__).parents[2] / "docs" / "first-core.md"
BLOCK = re.compile(
    r"^```(sh|bash)\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL
)
"""Commands of ours, or others with them, and what they print if they are refused."""


SMALL = f"0x{2**31 - 1:x}"
"""In the place of the page's modulus, for the core that is verified."""

SHELL = f"""\
set -e
residua() {{ "{sys.executable}" -m residua "$@"; }}
"""


def in_a_shell(commands):
    done = subprocess.run(
        ["bash", "-c", SHELL + commands], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stderr


def test_every_command(tmp_path, monkeypatch, capsys):
    """As they stand, but for a smaller core and fewer runs, and for what a synthesis finds."""

    def run(line):
        words = shlex.split(line)
        if words[-1] == "multiplier" and words[1] == "build":
            words = [SMALL if word == "P-192" else word for word in words]
        if words[1] == "verify":
            words += ["--vectors", "500"]
        monkeypatch.setattr(sys, "argv", words)
        with mapped(), pytest.raises(SystemExit) as ended:
            cli.main()
        return ended.value.code or 0, capsys.readouterr().err

    monkeypatch.chdir(tmp_path)
    for language, commands, refusal in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        ran = [run(line) for line in commands.splitlines()] if language == "sh" else []
        for code, error in ran or [in_a_shell(commands)]:
            assert code == (2 if refusal else 0), error
            assert not refusal or error == refusal
    assert (tmp_path / "multiplier" / "report.html").is_file()
    manifest = json.loads((tmp_path / "multiplier" / "manifest.json").read_text(encoding="utf-8"))
    assert int(manifest["specification"]["modulus"], 0) == int(SMALL, 0)


def test_the_first_core_and_its_runs_are_those_of_the_page():
    text = PAGE.read_text(encoding="utf-8")
    asked = {"modulus": "P-192", "interface": "words", "result": "plain"}
    flags = " ".join(f"--{key} {value}" for key, value in asked.items())
    assert f"residua build {flags} -o multiplier" in text
    core = core_of(check_any(asked))
    assert "runs a hundred thousand products" in text
    assert core.default_runs == 100_000
    files = core.files()
    assert set(files) >= {"README.md", "spec.toml", f"{core.name}.core"}
