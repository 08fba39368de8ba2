"""The commands of the README build what its tables say."""

import re
import shlex
from pathlib import Path

import pytest
from tests.cores.simulations import simulator

from residua.cores.coprocessor.verification import point_cycles
from residua.cores.kinds import core_of
from residua.cores.rns_montgomery.core import RnsMontgomeryCore
from residua.cores.rns_montgomery.specification import RnsMontgomerySpecification
from residua.cores.specification.reading import load, load_any
from residua.curves.operations import point_operation
from residua.hardware.coprocessor.durations import operation_cycles

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")

HEADING = re.compile(r"^\| [^|]* \| `residua build([^`]*)` \|.*$", re.MULTILINE)
"""Of a table whose second column holds the flags of a command, after those in the heading."""


def flags(text: str) -> dict[str, str]:
    """The keys and values of a command's flags."""
    words = shlex.split(text)
    names = [word.removeprefix("--").replace("-", "_") for word in words[::2]]
    assert all(word.startswith("--") for word in words[::2])
    return dict(zip(names, words[1::2], strict=True))


def rows() -> list[tuple[dict[str, str], list[str]]]:
    """The flags and cells of every row of such tables."""
    found = []
    for heading in HEADING.finditer(README):
        for line in README[heading.end() :].split("\n")[2:]:
            if not line.startswith("|"):
                break
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            found.append((flags(heading[1] + " " + cells[1].strip("`")), cells))
    return found


def names(found: list[tuple[dict[str, str], list[str]]]) -> list[str]:
    return [cells[0] for _, cells in found]


def number(cell: str) -> int:
    """A number with thin groups."""
    return int(cell.replace(" ", ""))


MULTIPLIERS = [row for row in rows() if "modulus" in row[0]]
COPROCESSORS = [row for row in rows() if "curve" in row[0]]


def test_rows_are_found():
    assert (len(MULTIPLIERS), len(COPROCESSORS)) == (9, 12)


@pytest.mark.parametrize(("given", "cells"), MULTIPLIERS, ids=names(MULTIPLIERS))
def test_multipliers(given, cells):
    core = RnsMontgomeryCore(load(RnsMontgomerySpecification, None, given))
    bits, channels, width = re.match(r"(\d+) \((\d+), (\d+)\)", cells[0]).groups()
    assert core.parameters["modulus_bits"] == int(bits)
    assert (core.channels, core.width) == (int(channels), int(width))
    assert core.cycles["latency"] == number(cells[2])
    assert core.cycles["interval"] == number(cells[3])


@pytest.mark.slow
@pytest.mark.parametrize(("given", "cells"), COPROCESSORS, ids=names(COPROCESSORS))
def test_coprocessors(given, cells, tmp_path):
    """The command's core takes the cycles that stand beside it, by default in simulation, too.

    Every verification holds the cycles of a core against those that are told here.
    """
    if cells[2] == "–":
        pytest.skip("its row was not measured")
    core = core_of(load_any(None, given))
    design = core.core.design
    (curve,) = design.curves
    assert operation_cycles(design, point_operation(curve), 0) == number(cells[2])
    bare = "bare" in cells[0]
    (blinding,) = core.parameters["blinding"]
    assert blinding == (0 if bare else 129)
    assert bool(core.parameters["protections"]) != bare
    if not bare:
        simulated = simulator(core.core, tmp_path, optimise=False)
        ((_, cycles),) = point_cycles(simulated, design)
        assert cycles == number(cells[2])
