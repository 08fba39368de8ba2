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
    assert commands.row("a", "b c", found, "0123") == (
        "| a | `b c` | 1.0 – 2.0 – 3.0 | 1.2 – 1.5 – 2.0 | 10 – 20 – 30 | `0123` |"
    )


def test_a_group_that_is_measured_alone_leaves_the_others_as_they_are(
    commands, tmp_path, monkeypatch
):
    page = tmp_path / "commands.md"
    monkeypatch.setattr(commands, "RESULT", page)
    monkeypatch.setattr(commands, "GROUPS", {"one": ("a", "b"), "two": ("c",)})
    uses = iter(range(1, 100))
    monkeypatch.setattr(
        commands, "run", lambda asked, _: [commands.Used(next(uses), 0, 0) for _ in asked]
    )
    commands.main()
    before = page.read_text(encoding="utf-8").splitlines()
    commands.main("two")
    after = page.read_text(encoding="utf-8").splitlines()
    assert after[:-1] == before[:-1]
    assert before[-1].startswith("| two | `c` | 7.0 – 8.0 – 9.0 |")
    assert after[-1].startswith("| two | `c` | 10.0 – 11.0 – 12.0 |")
    with pytest.raises(SystemExit, match="no group is called three: one, two"):
        commands.main("three")


def test_a_command_that_fails_is_told(commands, tmp_path):
    with pytest.raises(SystemExit, match=r"residua verify nothing:\n(.|\n)*nothing"):
        commands.run(("residua verify nothing",), tmp_path)
