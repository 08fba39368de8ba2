"""Measurements for the tables of inversion: inverters, and multipliers for comparison."""

from collections.abc import Iterator
from functools import cache
from typing import Any

from amaranth.lib.wiring import Component

from residua.cores.inversion.core import InversionCore
from residua.cores.inversion.specification import InversionSpecification
from residua.cores.rns_montgomery.core import RnsMontgomeryCore
from residua.cores.rns_montgomery.specification import RnsMontgomerySpecification
from residua.cores.specification.reading import check
from residua.evidence.candidates import WITHOUT_DSP, Candidate
from residua.hardware.inverters.residue_inverter import ResidueInverter
from residua.numbers.catalogue import parse_modulus
from residua.numbers.hats import hat_form
from residua.papers.inversion.costs import NIST
from residua.papers.inversion.published import SIZES

FAMILIES = ("xc5v", "xc7")

TARGETS = tuple(family + ending for ending in ("", WITHOUT_DSP) for family in FAMILIES)
"""Targets of all rows, besides the ECP5."""

PUBLISHED = {"FLT": "fermat", "PM": "plus-minus"}
"""Our name of each published method."""

OTHERS = ("plus-minus-ct", "division-steps")
"""Methods that are measured for the first size of each field alone."""

MULTIPLIER = "MM"
"""An RNS Montgomery multiplier with n rowers, which a plus-minus inverter could stand beside."""

UNIT = "plus-minus unit"
"""The inverter on residues alone: what a coprocessor has beside its engine."""

SHARES = (2, 3, 4, 6)
"""Channels that share a rower of that unit, where there is such a number of rowers."""


def row_name(kind: str, bits: int, channels: int) -> str:
    """Name of a row; words take the place of channels where there are none."""
    return f"{kind} {bits} {channels}x{dict(SIZES[bits])[channels]}"


@cache
def core(kind: str, bits: int, channels: int) -> InversionCore | RnsMontgomeryCore:
    """The core of a row."""
    values: dict[str, Any] = {"modulus": NIST[bits], "width": dict(SIZES[bits])[channels]}
    if kind == MULTIPLIER:
        return RnsMontgomeryCore(check(RnsMontgomerySpecification, values | {"channels": channels}))
    if kind != "division-steps":
        values["channels"] = channels
    return InversionCore(
        check(InversionSpecification, values | {"algorithm": "inversion", "inversion": kind})
    )


@cache
def candidates() -> dict[str, Candidate]:
    """All rows by their names: every (n, w) of the slides, and other methods with the first w."""
    return {one.name: one for one in _candidates()}


def _candidates() -> Iterator[Candidate]:
    for bits, sizes in SIZES.items():
        first = sizes[0][0]
        for channels, _ in sizes:
            for kind in (*PUBLISHED.values(), MULTIPLIER):
                yield _candidate(kind, bits, channels)
            for rowers in unit_rowers(channels):
                yield _unit(bits, channels, rowers)
        for method in OTHERS:
            yield _candidate(method, bits, first)


def unit_rowers(channels: int) -> list[int]:
    """The numbers of rowers with which a unit is measured, the most first."""
    return list(dict.fromkeys(-(-channels // share) for share in SHARES))


def unit_name(bits: int, channels: int, rowers: int) -> str:
    """Name of the row of a unit."""
    return f"{row_name(UNIT, bits, channels)} on {rowers}"


def _unit(bits: int, channels: int, rowers: int) -> Candidate:
    modulus, width = parse_modulus(NIST[bits]), dict(SIZES[bits])[channels]
    name = unit_name(bits, channels, rowers)

    def component() -> Component:
        return ResidueInverter([modulus], hat_form(modulus, width, channels).base, rowers)

    def facts(made: Component) -> dict[str, Any]:
        assert isinstance(made, ResidueInverter)
        return {"cycles": {"latency": made.latency, "average": made.latency}}

    return Candidate(name, _top(name), component, facts, TARGETS)


def _candidate(kind: str, bits: int, channels: int) -> Candidate:
    name = row_name(kind, bits, channels)

    def component() -> Component:
        return core(kind, bits, channels).component()

    def facts(_component: Component) -> dict[str, Any]:
        return {"cycles": dict(core(kind, bits, channels).cycles)}

    return Candidate(name, _top(name), component, facts, TARGETS)


def _top(name: str) -> str:
    return name.lower().replace(" ", "_").replace("-", "_")
