"""Correlation attacks on a ladder: bits of a scalar from traces of many points that are known.

Step by step, the words that a ladder would leave are computed for both values of the bit that it
chooses by, for every trace. The value whose words' weights correlate with the samples of the step
and of the one after it is the right one (Brier, Clavier and Olivier, CHES 2004); the attack goes on
with it. It needs the scalar to be the same in all traces, and to know each word: a blinded scalar
hides the first, random coordinates the second. ``random_word`` takes those away.
"""

import math
import random
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from residua.cores.coprocessor.outcomes import given_operands
from residua.cores.coprocessor.simulator import Request
from residua.cores.directory import Directory
from residua.cores.simulation.runs import Steps
from residua.errors import SpecificationError
from residua.evidence.attacks.ladder_model import LadderModel, State
from residua.evidence.attacks.ladder_traces import (
    BIT,
    Labels,
    Loop,
    Noise,
    Samples,
    ladder_loop,
    most_by_chance,
    taken_by,
)
from residua.evidence.attacks.tracing import Tracer
from residua.evidence.attacks.victims.coprocessor import (
    PointVictim,
    coprocessor_of,
    supply_of,
    valid_point,
)
from residua.evidence.attacks.welch import threshold

_FEWEST = 20
"""Traces without which any words correlate with something."""

_ASSUMED = 1
"""What every random word is assumed to be where they are fresh; the attacker has nothing better."""

_CONFIDENCE = 0.01
"""The chance that words correlate so much, where they are none of the hardware's."""

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Correlated:
    """What is attacked.

    Attributes:
        traces: each of another point, at least 20.
        seed: chooses scalar, points, random words and noise.
        where: pattern of the names of registers whose bits count.
        curve: index of the curve.
        noise: standard deviation of what is added to each sample, in bits, as whole ones.
        random_word: what every random word is, as if the port were stuck and the attacker knew it;
            None for fresh ones.
        steps: of the ladder, from the first on, that are attacked; None for all.
    """

    traces: int = 200
    seed: int = 1
    where: str = "*"
    curve: int = 0
    noise: float = 0.0
    random_word: int | None = None
    steps: int | None = None


def correlation(
    directory: Directory, asked: Correlated, *, progress: Steps = lambda done, total: None
) -> dict[str, Any]:
    """Multiply many points by one scalar, and guess by what each step of the ladder chooses.

    Args:
        directory: of a coprocessor on an engine.
        asked: see `Correlated`.
        progress: called now and then, with traces and steps.

    Returns:
        ``bits`` that were guessed, the share of them that is ``right``, the ``bound`` up to which
        it may be so by chance, whether the ``whole`` of them is right, and means over the steps of
        the correlation of words of the ``chosen`` value and of the ``other`` one; ``chance`` is
        what one of words that are nowhere surpasses seldom.

    Raises:
        SpecificationError: the directory is of no coprocessor on an engine, it has no such curve or
            registers, the curve's formula is no ladder, random words are stuck and tested, or there
            are too few traces or steps.
        ToolError: a tool failed.
    """
    if asked.traces < _FEWEST:
        raise SpecificationError(f"traces = {asked.traces}: {_FEWEST} are the fewest")
    noise = Noise(asked.noise, asked.seed)
    core = coprocessor_of(directory)
    victim = PointVictim(core, asked.curve, asked.seed, keys=1)
    loop = ladder_loop(victim.design, victim.code, asked.curve)
    steps = loop.rounds if asked.steps is None else asked.steps
    if not 1 <= steps <= loop.rounds:
        raise SpecificationError(f"steps = {asked.steps}: the ladder has {loop.rounds}")
    supply = supply_of(victim.design, asked.random_word)
    model = LadderModel(victim.design, victim.code, asked.curve)
    points = _points(victim, asked)
    total = asked.traces + steps
    with tempfile.TemporaryDirectory(prefix="correlation-") as name:
        tracer = Tracer(
            directory,
            victim.bench,
            victim.cycles,
            asked.traces,
            Path(name),
            where=asked.where,
            watched=BIT,
        )
        lines = _lines(victim, points, asked, supply)
        parts = tracer.take(lines, lambda done, _: progress(done, total))
        samples, taken = taken_by(parts, loop, noise)
    word = _ASSUMED if asked.random_word is None else asked.random_word
    states = [model.begin(point, model.random_number(word)) for point in points]
    guesses = []
    for guess in islice(_guesses(model, states, samples, loop), steps):
        guesses.append(guess)
        progress(asked.traces + len(guesses), total)
    result = {
        "operation": victim.operation,
        "curve": victim.curve.name,
        "seed": asked.seed,
        "where": asked.where,
        "noise": asked.noise,
        "random_word": asked.random_word,
        "traces": asked.traces,
        "cycles": victim.cycles,
        **_told(guesses, taken[:, :steps]),
        "chance": round(_chance(asked.traces, loop), 3),
    }
    directory.store("correlation", result)
    return {"name": directory.name, **result}


def _points(victim: PointVictim, asked: Correlated) -> list[tuple[int, ...]]:
    draw = random.Random(f"points {asked.seed}")
    return [valid_point(victim.curve, draw) for _ in range(asked.traces)]


def _lines(
    victim: PointVictim,
    points: Sequence[tuple[int, ...]],
    asked: Correlated,
    supply: int,
) -> list[str]:
    """The scalar times each point; shares and random words are new each time."""
    scalar, shares = victim.operands[0][0], random.Random(f"shares {asked.seed}")
    return [
        Request(
            victim.code,
            given_operands(victim.design, asked.curve, victim.code, (scalar, *own), shares),
            curve=asked.curve,
            seed=asked.seed + 1 + number,
            supply=supply,
        ).line(victim.design.words)
        for number, own in enumerate(points)
    ]


@dataclass(frozen=True)
class _Guess:
    """By what a step chooses, and the correlations of words of that value and of the other one."""

    chooses: bool
    chosen: float
    other: float


def _guesses(
    model: LadderModel, states: Sequence[State], samples: Samples, loop: Loop
) -> Iterator[_Guess]:
    """Guess step after step; each goes on with the words of the guesses before it."""
    chance = _chance(len(states), loop)
    for step in range(loop.rounds):
        start = loop.start + step * loop.length
        window = _normal(samples[:, start : start + 2 * loop.length])
        after = [[model.step(own, chooses=chooses) for own in states] for chooses in (False, True)]
        weights = [_weights(found, model.word_bits) for found in after]
        # What both values lead to says nothing of either.
        telling = [n for n in weights[0] if not np.array_equal(weights[0][n], weights[1][n])]
        found = [_largest([own[name] for name in telling], window, chance) for own in weights]
        chooses = found[1] > found[0]
        yield _Guess(chooses, found[chooses], found[not chooses])
        states = [{**own, **new} for own, new in zip(states, after[chooses], strict=True)]


def _weights(states: Sequence[State], bits: int) -> dict[str, Values]:
    """The bits that are set in the words of each element and base, for each trace.

    Args:
        states: one for each trace.
        bits: of a word, in two's complement.
    """
    mask = (1 << bits) - 1
    return {
        name: np.array(
            [sum((word & mask).bit_count() for word in own[name]) for own in states], np.float64
        )
        for name in states[0]
    }


def _normal(samples: Samples) -> Values:
    """Samples less their mean, by their deviation; of those that never vary nothing is left."""
    centred = samples - samples.mean(axis=0)
    deviation = samples.std(axis=0)
    normal: Values = centred / np.where(deviation > 0, deviation, 1)
    return normal


def _largest(weights: Sequence[Values], window: Values, chance: float) -> float:
    """The largest correlation; where no weight varies that which chance alone has at most."""
    varying = [own for own in weights if own.std() > 0]
    if not varying:
        return chance
    normal = np.array([(own - own.mean()) / own.std() for own in varying])
    return float(np.abs(normal @ window).max() / window.shape[0])


def _chance(traces: int, loop: Loop) -> float:
    """What a correlation in a window surpasses by chance with `_CONFIDENCE` (Sidak)."""
    return min(threshold(2 * loop.length, _CONFIDENCE) / math.sqrt(traces), 1.0)


def _told(guesses: Sequence[_Guess], taken: Labels) -> dict[str, Any]:
    """How many guesses are right, of all traces: a blinded scalar is another one in each."""
    found = np.array([guess.chooses for guess in guesses])
    right = float((found == taken).mean())
    return {
        "bits": len(guesses),
        "right": round(right, 4),
        "bound": round(most_by_chance(0.5, len(guesses)), 4),
        "whole": bool((found == taken).all()),
        "chosen": round(float(np.mean([guess.chosen for guess in guesses])), 3),
        "other": round(float(np.mean([guess.other for guess in guesses])), 3),
    }
