"""Points of the IDDMM report's design space, and of IDDMM in lanes, to be measured."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from amaranth.lib.wiring import Component

from residua.cores.digit.core import DigitCore
from residua.cores.digit.specification import DigitSpecification
from residua.cores.specification.reading import check
from residua.evidence.campaign import Figures
from residua.evidence.candidates import Candidate
from residua.papers.iddmm.published import (
    ARCHITECTURES,
    BITS,
    DEVICES,
    DIGITS,
    IMPLEMENTATIONS,
    VERSIONS,
)

PLACED_BITS = (256, 1024)
PLACED_DIGITS = (8, 16, 32)
"""Digits of the report's architectures that are placed on an ECP5, in version 4."""

TILED = ((1024, 64), (1024, 32), (512, 16))
"""N and k of version 4 with products of tiles."""

LANES = ((256, 17, 1), (256, 17, 2), (256, 16, 2), (1024, 17, 4), (1024, 17, 8), (2048, 17, 8))
"""N, k and L of IDDMM in lanes, closed below 2 p."""


_TOP = "iddmm"
"""Name of all top modules, so that equal Verilog is recognised."""


@dataclass(frozen=True)
class Point:
    """A point of the design space: what it is called, its specification, and where it is mapped."""

    name: str
    values: Mapping[str, Any]
    families: tuple[str, ...]
    placed: bool

    def core(self) -> DigitCore:
        """The core, which loads its modulus and p', as the report's has them in memory."""
        common = {"algorithm": "iddmm", "inverse": "supplied", "name": _TOP}
        return DigitCore(check(DigitSpecification, {**common, **self.values}))


def point_name(bits: int, digit: int, architecture: int, version: int) -> str:
    """Name of a point of the report's design space."""
    return f"N={bits} k={digit} arch{architecture} ver{version}"


def tiles_name(bits: int, digit: int) -> str:
    """Name of architecture 2 with products of tiles."""
    return f"N={bits} k={digit} arch2 tiles"


def lanes_name(bits: int, digit: int, lanes: int) -> str:
    """Name of IDDMM in lanes."""
    return f"N={bits} k={digit} lanes={lanes}"


def points() -> list[Point]:
    """The cartesian product of the report, then products of tiles, then IDDMM in lanes.

    What Tables 5 to 7 have comes first, the quick points before the others.
    """
    rows = [
        Point(
            point_name(bits, digit, architecture, version),
            {"bits": bits, "digit": digit, "architecture": architecture, "version": version},
            tuple(DEVICES),
            version == 4 and bits in PLACED_BITS and digit in PLACED_DIGITS,
        )
        for digit in DIGITS
        for bits in BITS
        for architecture in ARCHITECTURES
        for version in VERSIONS
    ]
    printed = {point_name(one.bits, one.digit, 2, one.version) for one in IMPLEMENTATIONS}
    lanes = [
        Point(
            lanes_name(bits, digit, count),
            {"bits": bits, "digit": digit, "lanes": count, "variant": "closed"},
            (),
            True,
        )
        for bits, digit, count in LANES
    ]
    tiled = [
        Point(
            tiles_name(bits, digit),
            {"bits": bits, "digit": digit, "multiplier": "tiles"},
            ("xc5v",),
            False,
        )
        for bits, digit in TILED
    ]
    return sorted(rows, key=lambda one: one.name not in printed) + tiled + lanes


@cache
def candidates() -> dict[str, Candidate]:
    """All points as designs to be measured, by their names."""
    return {point.name: _candidate(point) for point in points()}


def _candidate(point: Point) -> Candidate:
    def facts(_component: Component) -> Figures:
        core = point.core()
        return {
            "bits": core.shape.bits,
            "digit": core.request.digit,
            "architecture": core.parameters["architecture"],
            "version": point.values.get("version"),
            "lanes": core.request.lanes,
            "cycles": core.cycles,
        }

    return Candidate(
        point.name,
        _TOP,
        lambda: point.core().component(),
        facts,
        point.families,
        point.placed,
    )
