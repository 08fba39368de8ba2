"""Costs of the IDDMM report that need no tools: Tables 2 to 4, counted and by its formulas."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from residua.algorithms.digits.booth_montgomery import booth_shape, mwr2kmm
from residua.algorithms.digits.digit_montgomery import iddmm_1, iddmm_2, iddmm_lanes
from residua.algorithms.digits.radix2_montgomery import mwr2mm, r2mm
from residua.hardware.digit.iddmm import IddmmDesign
from residua.machines.digits import DigitCounts
from residua.numbers.digits import DigitShape


@dataclass(frozen=True)
class Gates:
    """Numbers of two-input gates."""

    gates_and: int
    gates_xor: int

    def __add__(self, other: "Gates") -> "Gates":
        return Gates(self.gates_and + other.gates_and, self.gates_xor + other.gates_xor)

    def times(self, factor: int) -> "Gates":
        """Gates of ``factor`` copies."""
        return Gates(self.gates_and * factor, self.gates_xor * factor)


HALF_ADDER = Gates(1, 1)
FULL_ADDER = Gates(2, 3)


def multiplier_gates(width: int) -> Gates:
    """MUL_k of section 4.2: four multipliers of half the width and three sums."""
    if width == 2:
        return Gates(4, 0) + HALF_ADDER.times(2)
    half = width // 2
    full, halves = 2 * (half - 1) + 2 * half - 1 + 1, 3 + half + 3 + half - 1
    return multiplier_gates(half).times(4) + FULL_ADDER.times(full) + HALF_ADDER.times(halves)


def datapath_gates(width: int, architecture: int) -> Gates:
    """Table 3: three multipliers, and the adders of an architecture."""
    full, half = (4 * width - 1, 3 * width + 5) if architecture == 1 else (4 * width, 2 * width + 4)
    adders = FULL_ADDER.times(full) + HALF_ADDER.times(half)
    return multiplier_gates(width).times(3) + adders


def table_3_formula(pipeline: int) -> str:
    """The clock cycles that Table 3 prints."""
    return f"n (n + {2 + pipeline})"


@dataclass(frozen=True)
class Algorithm:
    """A row of Table 2 for one size; ``published`` is what it prints, None without such a row."""

    name: str
    run: Callable[[DigitCounts], object]
    formula: str
    published: int | None


def algorithms(bits: int, width: int) -> list[Algorithm]:
    """The rows of Table 2 for N = ``bits`` and w = k = ``width``."""
    n, bitwise, shape = -(-bits // width), DigitShape(bits, 1), DigitShape(bits, width)
    found = [
        Algorithm("R2MM", partial(r2mm, shape=bitwise), "N", bits),
        Algorithm(
            "MWR2MM",
            partial(mwr2mm, shape=bitwise, width=width),
            "N (ceil(N/w) + 1)",
            bits * (n + 1),
        ),
    ]
    for radix in (2, 3):
        booth = partial(mwr2kmm, shape=booth_shape(bits, radix), width=width)
        formula = f"ceil(N/{radix}) (ceil(N/w) + 1)"
        found.append(Algorithm(f"MWR2^{radix}MM", booth, formula, -(-bits // radix) * (n + 1)))
    for number, form in ((1, iddmm_1), (2, iddmm_2)):
        formula = "ceil(N/k) (ceil(N/k) + 1)"
        found.append(Algorithm(f"IDDMM {number}", partial(form, shape=shape), formula, n * (n + 1)))
    for lanes in (2, 4):
        run = partial(iddmm_lanes, shape=shape, lanes=lanes)
        found.append(Algorithm(f"IDDMM, {lanes} lanes", run, "not in the report", None))
    return found


def passes(bits: int, width: int) -> list[dict[str, Any]]:
    """Table 2 for one size: passes through the innermost loops, printed and counted."""
    found = []
    for one in algorithms(bits, width):
        counts = DigitCounts()
        one.run(counts)
        found.append(
            {
                "algorithm": one.name,
                "bits": bits,
                "width": width,
                "formula": one.formula,
                "published": one.published,
                "steps": counts.steps,
                "products": counts.products,
                "additions": counts.additions,
            }
        )
    return found


def cycles(bits: int, width: int, pipeline: int) -> int:
    """Cycles of the iterations of our architectures."""
    return IddmmDesign(DigitShape(bits, width), None, 2, pipeline).compute
