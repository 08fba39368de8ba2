"""Outcome of a verification."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol


class Simulated(Protocol):
    """The outcome of a simulation, of any kind of core."""

    @property
    def passed(self) -> bool:
        """Whether every result was right, and nothing else went wrong."""

    @property
    def failures(self) -> Sequence[str]:
        """Descriptions of what went wrong, the first ones where there are many."""

    @property
    def resets(self) -> int:
        """Resets that came in mid-run."""


class CoxEdges(NamedTuple):
    """Distances of the Cox's sums from the limits of their truncation.

    ``low`` and ``high`` are the extremes of the fraction bits, which the floor drops; ``clear`` and
    ``full`` count the runs in which all of them were clear or set, so that one unit decides the
    quotient. The sums of an exact extension stay away from both, the more the wider its base.
    """

    low: int
    high: int
    clear: int
    full: int

    def merged(self, other: "CoxEdges") -> "CoxEdges":
        """The edges of both."""
        return CoxEdges(
            min(self.low, other.low),
            max(self.high, other.high),
            self.clear + other.clear,
            self.full + other.full,
        )


@dataclass(frozen=True)
class VerificationResult:
    """Outcome of a verification.

    ``vectors`` runs were compared, of which ``mismatches`` differed. ``latency`` is in cycles from
    the first slot of a run to its last result, ``interval`` in cycles between runs back to back
    (None with stalls, or for few runs), both measured. ``oracle_checks`` runs were judged by the
    oracle, ``model_checks`` compared with the values interpreter. The core was reset ``resets``
    times in the middle of runs. ``cox_edges`` has one entry for each base extension. ``failures``
    says what went wrong. ``seconds`` leaves out the ``build_seconds`` that compiling the simulator
    took.
    """

    vectors: int
    mismatches: int
    latency: int | None
    interval: int | None
    seconds: float
    build_seconds: float
    oracle_checks: int
    model_checks: int
    resets: int = 0
    cox_edges: tuple[CoxEdges, ...] = ()
    failures: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether nothing went wrong."""
        return not self.failures

    def merged(self, other: "VerificationResult") -> "VerificationResult":
        """Outcome of this verification, which passed, and of a later one in the same simulator."""
        return replace(
            other,
            vectors=self.vectors + other.vectors,
            mismatches=self.mismatches + other.mismatches,
            latency=other.latency if self.latency is None else self.latency,
            interval=other.interval if self.interval is None else self.interval,
            seconds=self.seconds + other.seconds,
            oracle_checks=self.oracle_checks + other.oracle_checks,
            model_checks=self.model_checks + other.model_checks,
            resets=self.resets + other.resets,
        )
