"""Clocks of placed cores: the median of some placements, with the lowest and the highest."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Clock:
    """Clock of a core, in MHz.

    Attributes:
        median: of all placements.
        placements: those of single ones, in rising order; none where they were not noted.
    """

    median: float
    placements: Sequence[float]

    @property
    def spread(self) -> str:
        """The lowest and the highest."""
        return f"{self.placements[0]:g} to {self.placements[-1]:g}"

    @property
    def text(self) -> str:
        """All of it, with the number of placements."""
        if not self.placements:
            return f"{self.median:g} MHz"
        if len(self.placements) == 1:
            return f"{self.median:g} MHz (one placement)"
        return f"{self.median:g} MHz ({self.spread}, {len(self.placements)} placements)"


def clock_of(found: Mapping[str, Any], *, limited: bool = True) -> Clock | None:
    """The clock that `residua.cores.synthesis.clock_figures` found; None without one.

    Args:
        found: the figures of a synthesis.
        limited: to no more than the device's multiplier can do, which nextpnr does not time.
    """
    median, timed = found.get("fmax_mhz"), found.get("fmax_timed_mhz")
    if not median:
        return None
    placements = sorted(one["mhz"] for one in found.get("seeds", ()))
    if not limited:
        return Clock(timed or median, placements)
    # Where the limit was not noted, a median below what was timed is the limit.
    reached = median if timed and median < timed else math.inf
    most = found.get("fmax_limit_mhz") or reached
    return Clock(median, [min(one, most) for one in placements])
