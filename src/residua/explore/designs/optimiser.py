"""The choice of points of a space that has too many to try all: NSGA-II, by Optuna."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from residua.errors import library
from residua.explore.designs.space import Keys, Space, without_defaults

GENERATION = 64
"""Points that are chosen at once, from what is known of all before them."""

Genes = Mapping[str, int]
"""A point: the number of its part, and of an alternative of each key of each part."""

_PART = "part"


@dataclass(frozen=True)
class Verdict:
    """What came of a point.

    Attributes:
        costs: of the objectives; the lower, the better.
        faults: what keeps it from being a core that meets all limits: 0 if nothing does.
    """

    costs: tuple[float, ...]
    faults: int


def optuna(module: str = "") -> Any:  # noqa: ANN401 - a module that may be missing
    """Optuna, which is loaded where it is needed.

    Raises:
        SpecificationError: it is not installed.
    """
    return library(f"optuna{module}", "Optuna", "choosing points of a large space", "explore")


def name() -> str:
    """The method and the library with its version, for people."""
    return f"NSGA-II of Optuna {optuna().__version__}"


class Optimiser:
    """Chooses points, a generation at a time; the same verdicts lead to the same points."""

    def __init__(self, space: Space, seed: int, first: Sequence[Genes] = ()) -> None:
        """Begin a search.

        Args:
            space: the points.
            seed: of what is random.
            first: points of the first generation; the others of it are random.

        Raises:
            SpecificationError: Optuna is not installed.
        """
        found, samplers = optuna(), optuna(".samplers")
        # Otherwise it writes a line for each study.
        found.logging.set_verbosity(found.logging.WARNING)
        self._choices = _choices(space, optuna(".distributions"))
        with _experimental():
            # To alternatives near by, which give cores that have much in common.
            mutation = samplers.nsgaii.PolynomialMutation()
            self._sampler = samplers.NSGAIISampler(
                population_size=GENERATION, mutation=mutation, seed=seed
            )
        directions = ["minimize"] * len(space.objectives)
        self._study = found.create_study(directions=directions, sampler=self._sampler)
        self._first = list(first)
        self._asked: list[Any] = []

    def ask(self) -> list[Genes]:
        """Choose a generation."""
        given, self._first = self._first, []
        self._asked = [self._study.ask(self._choices) for _ in range(GENERATION - len(given))]
        self._asked += [self._given(genes) for genes in given]
        return [dict(trial.params) for trial in self._asked]

    def _given(self, genes: Genes) -> Any:  # noqa: ANN401 - a trial of Optuna
        """A trial with these genes, which the sampler takes for its own."""
        with _experimental():
            fixed = optuna(".samplers").PartialFixedSampler(dict(genes), self._sampler)
        self._study.sampler = fixed
        trial = self._study.ask(self._choices)
        self._study.sampler = self._sampler
        return trial

    def tell(self, verdicts: Sequence[Verdict]) -> None:
        """Tell what came of the points of the generation that was chosen last, in order."""
        for trial, verdict in zip(self._asked, verdicts, strict=True):
            trial.set_constraint("faults", float(verdict.faults))
            self._study.tell(trial, verdict.costs)


@contextmanager
def _experimental() -> Iterator[None]:
    """Without warnings that an interface may change: it does so in other versions at most."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna(".exceptions").ExperimentalWarning)
        yield


def _choices(space: Space, distributions: Any) -> dict[str, Any]:  # noqa: ANN401 - a module
    """What each gene may be; those of one alternative are left out.

    Genes of parts that a point is not of are carried along: only what all points have is crossed.
    """
    found = {}
    if len(space.keys) > 1:
        found[_PART] = distributions.CategoricalDistribution(range(len(space.keys)))
    for number, part in enumerate(space.keys):
        for key, values in part.items():
            if len(values) > 1:
                found[_gene(number, key)] = distributions.IntDistribution(0, len(values) - 1)
    return found


def _gene(part: int, key: str) -> str:
    return f"{part}.{key}"


def point(space: Space, genes: Genes) -> Keys:
    """The keys of a point."""
    part = genes.get(_PART, 0)
    return without_defaults(
        {key: values[genes.get(_gene(part, key), 0)] for key, values in space.keys[part].items()}
    )
