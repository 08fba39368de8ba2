"""The tutorial of a first core, from its first command to its last."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "first-core.md"
BLOCK = re.compile(
    r"^```(?:sh|bash)\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL
)
"""Commands, with what they print if they are refused."""


@pytest.mark.slow
def test_every_command(tmp_path):
    for commands, refusal in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        script = f'set -e\nresidua() {{ "{sys.executable}" -m residua "$@"; }}\n{commands}'
        done = subprocess.run(
            ["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == (2 if refusal else 0), done.stdout + done.stderr
        assert not refusal or done.stderr == refusal
    assert (tmp_path / "multiplier" / "report.html").is_file()
