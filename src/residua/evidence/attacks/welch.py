"""Welch's t of two groups of traces, sample by sample, and what it surpasses by chance."""

from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from residua.errors import SpecificationError

USUAL = 4.5
"""The threshold of |t| that is usual for a single sample."""

CONFIDENCE = 1e-5
"""The chance that any sample of a trace surpasses the threshold of the whole trace by itself."""

Traces = NDArray[np.uint16]
"""A line for each run, a column for each cycle."""

Samples = NDArray[np.float64]
"""A number for each cycle."""


def threshold(samples: int, confidence: float = CONFIDENCE) -> float:
    """The |t| that a trace of so many samples surpasses with this chance (Sidak)."""
    single = -np.expm1(np.log1p(-confidence) / samples)
    return -NormalDist().inv_cdf(float(single) / 2)


class Moments:
    """Sums of powers of samples, of which Welch's t of first and second order is made."""

    def __init__(self, cycles: int) -> None:
        self.count = 0
        self._sums = np.zeros((4, cycles))

    def add(self, traces: Traces) -> None:
        """Take in some more traces."""
        self.count += len(traces)
        values = power = traces.astype(np.float64)
        for place in range(4):
            self._sums[place] += power.sum(axis=0)
            power = power * values

    @property
    def _raw(self) -> Samples:
        if self.count < 2:
            raise SpecificationError("fewer than two traces of a group: take more")
        raw: Samples = self._sums / self.count
        return raw

    @property
    def mean(self) -> Samples:
        """Of each sample."""
        mean: Samples = self._raw[0]
        return mean

    @property
    def variance(self) -> Samples:
        """Of each sample."""
        variance: Samples = np.maximum(self._raw[1] - self.mean**2, 0)
        return variance

    @property
    def spread(self) -> Samples:
        """The variance of squared distances from the mean."""
        one, two, three, four = self._raw
        fourth = four - 4 * one * three + 6 * one**2 * two - 3 * one**4
        spread: Samples = np.maximum(fourth - self.variance**2, 0)
        return spread

    def first(self, other: "Moments") -> Samples:
        """Welch's t of the means, 0 where neither group varies."""
        errors = self.variance / self.count + other.variance / other.count
        return _quotient(self.mean - other.mean, errors)

    def second(self, other: "Moments") -> Samples:
        """Welch's t of the variances."""
        errors = self.spread / self.count + other.spread / other.count
        return _quotient(self.variance - other.variance, errors)


def _quotient(difference: Samples, errors: Samples) -> Samples:
    """Differences by the roots of their errors; constants that differ are infinitely far apart."""
    tiny = 1e-9
    with np.errstate(divide="ignore", invalid="ignore"):
        found = difference / np.sqrt(errors)
    same, constant = np.abs(difference) < tiny, errors < tiny
    found = np.where(constant & ~same, np.copysign(np.inf, difference), found)
    result: Samples = np.where(same, 0.0, found)
    return result
