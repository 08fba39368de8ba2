"""Measurements for Tables 4 and 5 of SBMM: MM with n rowers, SBMM with n / 2 and with n."""

from functools import cache
from typing import Any

from amaranth.lib.wiring import Component

from residua.cores.rns_montgomery.core import RnsMontgomeryCore
from residua.cores.rns_montgomery.specification import RnsMontgomerySpecification
from residua.cores.single_base.core import SingleBaseCore
from residua.cores.single_base.specification import SingleBaseSpecification
from residua.cores.specification.reading import check
from residua.evidence.candidates import WITHOUT_DSP, Candidate
from residua.papers.sbmm.published import PARAMETERS, SIZES

FULL = "SBMM full"
"""SBMM with n rowers, which the paper only announces (section 6.1)."""

KINDS = ("MM", "SBMM half", FULL)
"""RNS Montgomery with n rowers, and SBMM; the second word is the key ``rowers``."""

FAMILIES = {"S6": "xc6s", "V5": "xc5v", "K7": "xc7"}
"""Yosys's name of each device's family."""

TARGETS = (
    *("xc7", "xc6s", "xc5v"),
    *(family + WITHOUT_DSP for family in (*FAMILIES.values(), "ecp5")),
)
"""Targets of Tables 4 and 5, besides the ECP5."""

_PRIMES = {192: "P-192", 384: "P-384", 512: "brainpoolP512r1"}
"""Primes of MM, whose cost depends little on the prime."""


def row_name(kind: str, bits: int) -> str:
    """Name of a row."""
    return f"{kind} {bits}"


@cache
def core(kind: str, bits: int) -> RnsMontgomeryCore | SingleBaseCore:
    """The multiplier of a row, from residues to residues and without Compress."""
    algorithm, _, rowers = kind.partition(" ")
    channels, width = PARAMETERS[algorithm, bits]
    values: dict[str, Any] = {"width": width, "channels": channels, "bases": "sparse"}
    if algorithm == "MM":
        return RnsMontgomeryCore(
            check(RnsMontgomerySpecification, values | {"modulus": _PRIMES[bits]})
        )
    return SingleBaseCore(
        check(SingleBaseSpecification, values | {"algorithm": "sbmm", "rowers": rowers})
    )


@cache
def candidates() -> dict[str, Candidate]:
    """All rows by their names, the smallest fields first."""
    found = (_candidate(kind, bits) for bits in SIZES for kind in KINDS)
    return {one.name: one for one in found}


def _candidate(kind: str, bits: int) -> Candidate:
    top = f"{kind.lower().replace(' ', '_')}_{bits}"

    def component() -> Component:
        return core(kind, bits).component()

    def facts(_component: Component) -> dict[str, Any]:
        made = core(kind, bits)
        return {
            "n": made.channels,
            "w": made.width,
            "rowers": made.rowers,
            "cycles": dict(made.cycles),
        }

    return Candidate(row_name(kind, bits), top, component, facts, TARGETS)
