"""How often a core is run to verify it, and placed to time it, where nothing is asked for."""

from typing import Final, Literal

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
