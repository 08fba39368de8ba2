"""Measured rows of HBE's tables, and whole products: built, mapped to `xc7`, placed on `ecp5`."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from amaranth.lib.wiring import Component

from residua.cores.base_extension.core import BaseExtensionCore
from residua.cores.base_extension.specification import BaseExtensionSpecification
from residua.cores.rns_montgomery.core import RnsMontgomeryCore
from residua.cores.rns_montgomery.specification import RnsMontgomerySpecification
from residua.cores.specification.reading import check
from residua.evidence.campaign import Figures
from residua.evidence.candidates import Candidate
from residua.hardware.engine.elementary import ModularProduct, row_reduction
from residua.numbers.moduli import Modulus
from residua.papers.hbe.published import SIZES, WIDTHS

CHANNELS = {
    (256, 17): 16,
    (256, 20): 14,
    (256, 24): 12,
    (256, 28): 10,
    (384, 17): 24,
    (384, 20): 20,
    (384, 24): 18,
    (384, 28): 14,
}
"""n by bits of the field and w: the smallest multiple of 2 whose base holds the field exactly."""

LEVELS_PER_REGISTER = 2
"""Adders between registers of the reducers: of 1 to 4, what gives the shortest base extensions."""

_WEIGHTS = {(384, 17): 4}
"""Signed digits of h where there are too few moduli of 3."""

KINDS = {"KBE": "kawamura", "HBE": "hierarchical"}
"""Key `extension` by the name that the paper has for it."""


@cache
def candidates() -> dict[str, Candidate]:
    """All rows of the tables, the quick ones first, by their names."""
    return {one.name: one for one in (*_units(), *_products(), *_extensions())}


def specification(bits: int, width: int, kind: str) -> BaseExtensionSpecification:
    """The base extension of one column of Table III; ``kind`` is KBE or HBE."""
    values: dict[str, Any] = {
        "modulus": f"P-{bits}",
        "width": width,
        "channels": CHANNELS[bits, width],
        "bases": "sparse",
        "weight": _WEIGHTS.get((bits, width), 3),
        "extension": KINDS[kind],
        "levels_per_register": LEVELS_PER_REGISTER,
    }
    return check(BaseExtensionSpecification, values)


def extension_name(bits: int, width: int, kind: str) -> str:
    """Name of the row for a column of Table III: bits of the field, then w."""
    return f"{kind} {bits}/{width}"


def unit_name(operation: str, width: int) -> str:
    """Name of the row for a column of Table I: the operation, then w."""
    return f"{operation} {width}"


def product_name(kind: str) -> str:
    """Name of the row of an RNS Montgomery multiplier."""
    return f"{kind} product"


def _products() -> Iterator[Candidate]:
    for kind, extension in KINDS.items():
        yield _product(product_name(kind), extension)


def _product(name: str, extension: str) -> Candidate:
    @cache
    def core() -> RnsMontgomeryCore:
        values: dict[str, Any] = {
            "modulus": "P-256",
            "width": 17,
            "channels": CHANNELS[256, 17],
            "bases": "sparse",
            "extension": extension,
            "schedule": "interval",
        }
        return RnsMontgomeryCore(check(RnsMontgomerySpecification, values))

    def facts(_component: Component) -> Figures:
        return {"n": core().channels, "cycles": core().cycles}

    return Candidate(name, "rns_montgomery_16x17", lambda: core().component(), facts)


def _extensions() -> Iterator[Candidate]:
    for bits in SIZES:
        for width in WIDTHS:
            for kind in KINDS:
                yield _extension(bits, width, kind)


def _extension(bits: int, width: int, kind: str) -> Candidate:
    request = specification(bits, width, kind)

    @cache
    def core() -> BaseExtensionCore:
        return BaseExtensionCore(request)

    def facts(_component: Component) -> Figures:
        shortest = BaseExtensionCore(request.model_copy(update={"schedule": "interval"}))
        return {
            "n": core().channels,
            "t": core().parameters["t"],
            "h_weight": core().weight,
            "cycles": core().cycles,
            "shortest_interval": shortest.cycles["interval"],
        }

    top = f"base_extension_{request.channels}x{width}"
    name = extension_name(bits, width, kind)
    return Candidate(name, top, lambda: core().component(), facts)


def _units() -> Iterator[Candidate]:
    for width in WIDTHS:
        for operation, component in (("CMR", row_reduction), ("CMM", ModularProduct)):
            yield _unit(operation, width, component)


def _unit(operation: str, width: int, component: Callable[[Modulus], Component]) -> Candidate:
    def facts(made: Component) -> Figures:
        return {"modulus": str(_heaviest(width)), "cycles": getattr(made, "latency", 0)}

    top = f"{operation.lower()}_{width}"
    return Candidate(unit_name(operation, width), top, lambda: component(_heaviest(width)), facts)


@cache
def _heaviest(width: int) -> Modulus:
    """Modulus of most signed digits of the bases for 256 bits, the most costly one."""
    domain = BaseExtensionCore(specification(256, width, "HBE")).domain
    moduli: list[Modulus] = [*domain.base_a, *domain.base_b]
    return max(moduli, key=lambda m: (m.weight, abs(m.offset), m.value))
