"""Estimates of figures that tools have not found yet, from those of other cores."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from residua.errors import library

FEWEST = 6
"""Cores from which a figure is estimated."""

_FOLDS = 5
"""Parts of the cores, each of which is estimated from the others to see the error."""

DEVIATIONS = 2.0
"""Standard deviations that an estimate may be wrong by."""


@dataclass(frozen=True)
class Estimate:
    """A figure as it may be: at least, probably, at most."""

    low: float
    likely: float
    high: float


def encoded(traits: Sequence[Mapping[str, Any]]) -> NDArray[np.float64]:
    """Make numbers of traits: a line for each core, columns without mean, of deviation 1.

    Numbers above 0 count by their logarithms; other values have a column each. What is the same
    for all cores is left out.
    """
    columns = []
    for name in sorted({name for own in traits for name in own}):
        values = [own.get(name) for own in traits]
        if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
            columns.append([_scaled(value) for value in values])
        else:
            texts = sorted({str(value) for value in values})
            columns += [[float(str(value) == text) for value in values] for text in texts[1:]]
    found = np.array(columns, dtype=float).reshape(-1, len(traits)).T
    varying = found[:, found.std(axis=0) > 0]
    if not varying.size:
        return np.zeros((len(traits), 1))
    normal: NDArray[np.float64] = (varying - varying.mean(axis=0)) / varying.std(axis=0)
    return normal


def _scaled(value: Any) -> float:  # noqa: ANN401 - a number of any kind
    return float(np.log(value)) if value > 0 else float(value)


def estimates(traits: NDArray[np.float64], known: Mapping[int, float]) -> list[Estimate | None]:
    """Estimate a figure of each core: what is known as it is, None if too little is known.

    Args:
        traits: of the cores, see `encoded`.
        known: the figure, not negative, by the places of cores.
    """
    found: list[Estimate | None] = [None] * len(traits)
    if len(known) >= FEWEST:
        model = _fitted(traits, known)
        mean, deviation = model.predict(traits, return_std=True)
        found = [
            Estimate(*(float(np.expm1(m + n * d)) for n in (-DEVIATIONS, 0, DEVIATIONS)))
            for m, d in zip(mean, deviation, strict=True)
        ]
    for place, value in known.items():
        found[place] = Estimate(value, value, value)
    return found


def errors(traits: NDArray[np.float64], known: Mapping[int, float]) -> list[float]:
    """Estimate each known figure from others alone: by what part of it the estimates are wrong."""
    if len(known) < FEWEST + _FOLDS:
        return []
    places = sorted(known)
    found = []
    for fold in range(_FOLDS):
        left_out = places[fold::_FOLDS]
        others = {place: known[place] for place in places if place not in left_out}
        guessed = np.expm1(_fitted(traits, others).predict(traits[left_out]))
        found += [
            abs(float(guess) / known[place] - 1)
            for place, guess in zip(left_out, guessed, strict=True)
            if known[place]
        ]
    return sorted(found)


def _fitted(traits: NDArray[np.float64], known: Mapping[int, float]) -> Any:  # noqa: ANN401
    """Fit a Gaussian process: a trend, what differs from it smoothly, and noise."""
    processes, kernels, threads = (
        library(module, "scikit-learn", "exploring cores", "explore")
        for module in (
            "sklearn.gaussian_process",
            "sklearn.gaussian_process.kernels",
            "threadpoolctl",
        )
    )
    kernel = (
        kernels.ConstantKernel() * kernels.DotProduct()
        + kernels.ConstantKernel() * kernels.Matern(nu=2.5)
        + kernels.WhiteKernel(1e-3, (1e-6, 1e1))
    )
    process = processes.GaussianProcessRegressor(kernel, normalize_y=True)
    places = sorted(known)
    values = np.log1p([known[place] for place in places])
    # Several threads take longer for such small matrices, and sum in an order of their own.
    with warnings.catch_warnings(), threads.threadpool_limits(1):
        # It warns of a parameter that ends at its bound, where it may well belong.
        warnings.simplefilter("ignore", category=UserWarning)
        return process.fit(traits[places], values)
