"""The steps of a ladder in traces: where they are, their samples, and by what each one chooses."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from residua.curves.formulas import Formula
from residua.curves.operations.codes import Operation
from residua.curves.operations.instructions import Run
from residua.errors import SpecificationError
from residua.evidence.attacks.tracing import Bits
from residua.evidence.attacks.welch import Traces
from residua.hardware.coprocessor.design import CurveDesign
from residua.hardware.coprocessor.durations import FETCHED, timeline

LADDERS = (Formula.XZ_LADDER, Formula.DIFFERENCE_LADDER, Formula.MONTGOMERY_LADDER)
"""Formulas whose steps choose by the difference of a bit and the one before it."""

BIT = "scalar_unit.bit_signal"
"""The register with the bit that a step takes."""

STEP = "ladder_step"
"""The routine of a step."""

_DEVIATIONS = 3
"""A share of right guesses is more than chance if it is so many standard deviations above it."""

Samples = NDArray[np.int16]
Labels = NDArray[np.bool_]


@dataclass(frozen=True)
class Loop:
    """The steps of a ladder: first cycle, cycles of each, number."""

    start: int
    length: int
    rounds: int

    @property
    def end(self) -> int:
        """The cycle after the last step."""
        return self.start + self.length * self.rounds

    def steps(self, samples: Samples) -> Samples:
        """The samples of each step."""
        own = samples[:, self.start : self.end]
        return own.reshape(len(samples), self.rounds, self.length)


def ladder_loop(design: CurveDesign, operation: Operation, curve: int) -> Loop:
    """Where the steps of a curve's ladder are in an operation.

    Raises:
        SpecificationError: the curve's formula is no ladder.
    """
    formula = design.formulas[curve]
    if formula not in LADDERS:
        raise SpecificationError(
            f"{design.curves[curve].name} is multiplied by {formula}: the attack is on the steps "
            f"of a ladder: {', '.join(LADDERS)}"
        )
    cycle, rounds = next(
        (cycle, instruction.rounds or design.scalars.rounds[curve])
        for cycle, instruction in timeline(design, operation, curve)
        if isinstance(instruction, Run) and instruction.routine == STEP
    )
    return Loop(cycle + FETCHED, design.block(STEP, curve).length, rounds)


@dataclass(frozen=True)
class Noise:
    """What is added to each sample.

    Attributes:
        deviation: its standard deviation, in bits.
        seed: of all of it.

    Raises:
        SpecificationError: the deviation is negative, or not finite.
    """

    deviation: float
    seed: int

    def __post_init__(self) -> None:
        if not 0 <= self.deviation < math.inf:
            raise SpecificationError(
                f"noise = {self.deviation}: a standard deviation is not negative, and finite"
            )


def taken_by(
    parts: Iterable[tuple[slice, Traces, Bits | None]], loop: Loop, noise: Noise
) -> tuple[Samples, Labels]:
    """Samples up to the end of the ladder, as whole bits, and by what each of its steps chooses.

    Args:
        parts: traces as `residua.evidence.attacks.tracing.Tracer.take` gives them, with `BIT`.
        loop: the ladder.
        noise: see `Noise`.
    """
    draw, reach = np.random.default_rng(noise.seed), np.iinfo(np.int16)
    samples, taken = [], []
    for _, traces, watched in parts:
        assert watched is not None
        own = traces[:, : loop.end]
        noisy = np.rint(own + draw.normal(0, noise.deviation, own.shape))
        # What is beyond the reach of samples stays at its end, as in an oscilloscope.
        samples.append(np.clip(noisy, reach.min, reach.max).astype(np.int16))
        bits = watched[:, loop.start : loop.end : loop.length].astype(bool)
        taken.append(bits ^ np.pad(bits[:, :-1], ((0, 0), (1, 0))))
    return np.concatenate(samples), np.concatenate(taken)


def most_by_chance(share: float, count: int) -> float:
    """The share of so many guesses up to which they may be right where ``share`` is expected."""
    return min(share + _DEVIATIONS * math.sqrt(share * (1 - share) / count), 1.0)
