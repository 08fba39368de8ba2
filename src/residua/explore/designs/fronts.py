"""Fronts: the points that no other one surpasses in every objective."""

import numpy as np
from numpy.typing import NDArray

Costs = NDArray[np.float64]
"""A line for each point, a column for each objective; lower is better."""


def front(costs: Costs) -> list[int]:
    """Find the points that no other one dominates: of equal ones the first."""
    return [
        place
        for place, own in enumerate(costs)
        if not dominators(own, costs) and not np.any(np.all(costs[:place] == own, axis=1))
    ]


def dominators(own: Costs, others: Costs) -> int:
    """Count those of the others that are as good in every objective and better in one."""
    return int(np.sum(np.all(others <= own, axis=1) & np.any(others < own, axis=1)))


def spread(traits: NDArray[np.float64], count: int) -> list[int]:
    """Choose points that are far from each other, one after the other.

    Args:
        traits: a line for each point, columns of like scale.
        count: of points to choose, fewer if no others differ.
    """
    chosen: list[int] = []
    distance = np.full(len(traits), np.inf)
    while len(chosen) < min(count, len(traits)):
        place = int(np.argmax(distance))
        if distance[place] <= 0:
            break
        chosen.append(place)
        distance = np.minimum(distance, np.linalg.norm(traits - traits[place], axis=1))
    return chosen
