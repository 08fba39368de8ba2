"""Default numbers of runs of a verification and of placements; runs in batches."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from itertools import islice
from typing import Any, Final, Literal, TypeVar

from residua.errors import SpecificationError

T = TypeVar("T")

PRODUCTS, POINTS = 100_000, 50
"""Products or base extensions; at least so many multiplications of points on each curve."""

EXPONENTIATIONS = 100
"""Exponentiations, at least."""

INVERSIONS = 1000
"""Inversions, at least."""

SEEDS = 5
"""Placements of one design; they spread by about a fifth."""

EVERY: Final = "every"

Resets = int | Literal["every"] | None
"""Number of resets in mid-run: a number, `EVERY` for three in each cycle of a run, or None for as
many as are worth their time."""

STALLED = 10

Stalls = bool | None
"""Whether streams pause, both those of operands and those of results: in all runs, in none, or
(None) in one of `STALLED`, the last ones; the others are back to back."""

DEFAULT_CYCLES = 3_000_000
"""Cycles that more runs than those may take by default, see `runs_by_default`."""

STEPS = 20
"""Reports of progress in one verification; each step is a simulation of its own, from reset."""

FEWEST_RESETS, MOST_RESETS = 6, 96
"""Resets in mid-run of one verification, by default; fewer where runs are long."""

RESET_CYCLES = 500_000
"""Cycles that the runs before and after resets may take beyond `FEWEST_RESETS` of them."""

Steps = Callable[[int, int], None]
"""Called with the runs that are done and their total."""


def runs_by_default(fewest: int, interval: int) -> int:
    """Runs, one each ``interval`` cycles, that a verification makes by default.

    ``fewest``, and of a small core as many more as take seconds: its rare cases need them, and are
    as many as those of a large core.
    """
    return max(fewest, DEFAULT_CYCLES // interval)


@dataclass(frozen=True)
class Batch:
    """``count`` runs after ``done`` others, all of them with ``stalls`` or none."""

    done: int
    count: int
    stalls: bool


@dataclass(frozen=True)
class Runs:
    """Runs of a verification, with the seed of the operands, stalls and resets.

    Raises:
        SpecificationError: ``vectors`` is not positive.
    """

    vectors: int
    seed: int = 1
    stalls: Stalls = None
    resets: Resets = None
    progress: Steps = lambda done, total: None

    def __post_init__(self) -> None:
        if self.vectors < 1:
            raise SpecificationError(f"a verification makes at least 1 run, not {self.vectors}")

    @property
    def choices(self) -> dict[str, Any]:
        """Choices of a verification besides the core and its Verilog."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def reset_count(self, latency: int) -> int | Literal["every"]:
        """The resets asked for, or what is worth its time for runs of ``latency`` cycles."""
        if self.resets is not None:
            return self.resets
        # A run is cut off by each, and some of its length and two more follow.
        return min(max(RESET_CYCLES // (4 * latency), FEWEST_RESETS), MOST_RESETS)

    def batches(self, step: int) -> Iterator[Batch]:
        """The runs in batches of at most ``step``."""
        runs = self.vectors
        back_to_back = {True: 0, False: runs, None: runs - runs // STALLED}[self.stalls]
        done = 0
        while done < runs:
            stalled = done >= back_to_back
            count = min(step, (runs if stalled else back_to_back) - done)
            yield Batch(done, count, stalled)
            done += count

    def chosen(self, step: int, source: Iterator[T]) -> Iterator[tuple[Batch, list[T]]]:
        """The same, each with what its runs take of a source that has no end."""
        return ((batch, list(islice(source, batch.count))) for batch in self.batches(step))

    def part(self, done: int, count: int) -> "Runs":
        """Select at most ``count`` runs after ``done`` others; the first ones have the resets."""
        return replace(
            self,
            vectors=min(count, self.vectors - done),
            resets=0 if done else self.resets,
            progress=lambda now, _: self.progress(done + now, self.vectors),
        )
