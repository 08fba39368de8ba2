"""The site of the documentation."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def build_site(target):
    """Build it in a folder; returns the folder."""
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "-d", str(target)]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return target
