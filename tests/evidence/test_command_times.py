"""The benchmark of commands: what it says of some, and of one that fails."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

PATH = Path(__file__).parents[2] / "benchmarks" / "commands.py"


@pytest.fixture
def commands():
    spec = spec_from_file_location("commands", PATH)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_rows_have_what_commands_use(commands, tmp_path):
    (used,) = commands.run(("residua --version",), tmp_path)
    assert used.cpu_seconds > 0
    assert 0 < used.seconds < 60


def test_memory_is_that_of_the_command_alone(commands, tmp_path):
    held = b"x" * (600 << 20)
    (used,) = commands.run(("residua --version",), tmp_path)
    assert 1 < used.megabytes < len(held) >> 21


def test_a_row_has_the_spread_of_all_runs(commands):
    found = [commands.Used(3, 1.25, 20), commands.Used(1, 2, 30), commands.Used(2, 1.5, 10)]
    assert commands.row("a", "b c", found) == (
        "| a | `b c` | 1.0 – 2.0 – 3.0 | 1.2 – 1.5 – 2.0 | 10 – 20 – 30 |"
    )


def test_a_command_that_fails_is_told(commands, tmp_path):
    with pytest.raises(SystemExit, match=r"residua verify nothing:\n(.|\n)*nothing"):
        commands.run(("residua verify nothing",), tmp_path)
