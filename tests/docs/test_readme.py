"""The commands of the README build what its tables say."""

import re
import shlex
from pathlib import Path

import pytest

from residua.cores.kinds import core_of
from residua.cores.rns_montgomery.core import RnsMontgomeryCore
from residua.cores.rns_montgomery.specification import RnsMontgomerySpecification
from residua.cores.specification.reading import check_any, load, load_any
from residua.curves.blinding import random_bits
from residua.curves.operations.codes import point_operation
from residua.evidence.catalogue import campaign
from residua.evidence.rows import Store
from residua.hardware.coprocessor.durations import operation_cycles

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")

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
MEASURED = campaign("points").rows(Store(ROOT / "results"))


def test_rows_are_found():
    assert (len(MULTIPLIERS), len(COPROCESSORS)) == (9, 14)


@pytest.mark.parametrize(("given", "cells"), MULTIPLIERS, ids=names(MULTIPLIERS))
def test_multipliers(given, cells):
    core = RnsMontgomeryCore(load(RnsMontgomerySpecification, None, given))
    bits, channels, width = re.match(r"(\d+) \((\d+), (\d+)\)", cells[0]).groups()
    assert core.parameters["modulus_bits"] == int(bits)
    assert (core.channels, core.width) == (int(channels), int(width))
    assert core.cycles["latency"] == number(cells[2])
    assert core.cycles["interval"] == number(cells[3])


@pytest.mark.parametrize(("given", "cells"), COPROCESSORS, ids=names(COPROCESSORS))
def test_coprocessors(given, cells):
    """The command's core is the one that was measured, and has the cycles of its row."""
    bare = "bare" in cells[0]
    measured = MEASURED[cells[0].removesuffix(", bare")]
    (asked,) = (own for part, own in measured.specification.items() if (part == "bare") == bare)
    assert load_any(None, {**given}) == check_any(asked)
    assert measured["cycles" if bare else "default"] == number(cells[2])


SCHEDULED = (
    "P-256",
    "P-256, HBE, plus-minus, least area-time",
    "P-256, digits",
    "Curve25519, bare",
)
"""A core without choices, one with all of them, one on digits, and one of a Montgomery curve."""


@pytest.mark.parametrize("name", SCHEDULED)
def test_coprocessors_take_these_cycles(name):
    """As counted of what is built; a verification compares that with cycles in simulation."""
    ((given, cells),) = (row for row in COPROCESSORS if row[1][0] == name)
    core = core_of(load_any(None, given))
    design = core.core.design
    (curve,) = design.curves
    assert operation_cycles(design, point_operation(curve), 0) == number(cells[2])
    bare = "bare" in name
    (blinding,) = core.parameters["blinding"]
    assert blinding == (0 if bare else random_bits(curve, "auto"))
    assert bool(core.parameters["protections"]) != bare
