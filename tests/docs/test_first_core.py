"""The tutorial of a first core, from its first command to its last."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from residua.cores.kinds import core_of
from residua.cores.specification.reading import check_any

PAGE = Path(__file__).parents[2] / "docs" / "first-core.md"
BLOCK = re.compile(
    r"^```(?:sh|bash)\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL
)
"""Commands, with what they print if they are refused."""


SMALL = f"0x{2**61 - 1:x}"
"""In the place of the page's modulus, for the core that is verified and synthesised."""

RESIDUA = f"""\
set -e
residua() {{
  case "$*" in
    build*"-o multiplier") set -- "${{@/P-192/{SMALL}}}" ;;
    verify*) set -- "$@" --vectors 2000 ;;
  esac
  "{sys.executable}" -m residua "$@"
}}
"""


@pytest.mark.slow
def test_every_command(tmp_path):
    """As they stand, but for a smaller core and fewer runs where these take long."""
    for commands, refusal in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        done = subprocess.run(
            ["bash", "-c", RESIDUA + commands],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == (2 if refusal else 0), done.stdout + done.stderr
        assert not refusal or done.stderr == refusal
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
