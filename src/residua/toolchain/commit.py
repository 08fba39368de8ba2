"""The commit of the sources, which measured figures name."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from residua import __version__
from residua.toolchain.process import ToolError, run

_SOURCES = Path(__file__).parents[1]


def source_commit() -> str:
    """The commit of the sources, with a + if they differ from it; without Git the version."""
    git = ["git", "-C", str(_SOURCES)]
    try:
        commit, changes = (
            _output([*git, *words])
            for words in (["rev-parse", "--short=12", "HEAD"], ["status", "--porcelain", "."])
        )
    except ToolError:
        return __version__
    return commit.strip() + ("+" if changes else "")


def _output(command: Sequence[str | Path]) -> str:
    with tempfile.TemporaryDirectory() as work:
        return run(command, tool="git", cwd=_SOURCES, log=Path(work) / "log")
