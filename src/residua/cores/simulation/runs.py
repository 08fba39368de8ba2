"""How often a core is run to verify it, and placed to time it, where nothing is asked for."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Any, Final, Literal

PRODUCTS, POINTS = 100_000, 50
"""Products or base extensions; multiplications of points on each curve."""

POWERS = 100
"""Exponentiations."""

INVERSIONS = 1000

SEEDS = 5
"""Placements of one design; they spread by about a fifth."""

EVERY: Final = "every"

Resets = int | Literal["every"] | None
"""How many resets come in mid-run: a number, `EVERY` for three in each cycle of a run, or None for
a number that is worth its time."""

STALLED = 10

Stalls = bool | None
"""Whether streams pause, both those of operands and those of results: in all runs, in none, or
(None) in one of `STALLED`, the last ones; the others are back to back."""


Steps = Callable[[int, int], None]
"""Called with the runs that are done and their total."""


@dataclass(frozen=True)
class Runs:
    """How many runs, with which seed of the operands, stalls and resets."""

    vectors: int
    seed: int = 1
    stalls: Stalls = None
    resets: Resets = None
    progress: Steps = lambda done, total: None

    @property
    def choices(self) -> dict[str, Any]:
        """What every verification takes besides the core and its Verilog."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True)
class Batch:
    """``count`` runs after ``done`` others, all of them with ``stalls`` or none."""

    done: int
    count: int
    stalls: bool


def batches(runs: int, step: int, stalls: Stalls) -> Iterator[Batch]:
    """So many runs in batches of at most ``step``."""
    back_to_back = {True: 0, False: runs, None: runs - runs // STALLED}[stalls]
    done = 0
    while done < runs:
        stalled = done >= back_to_back
        count = min(step, (runs if stalled else back_to_back) - done)
        yield Batch(done, count, stalled)
        done += count
