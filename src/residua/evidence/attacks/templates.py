"""Template attacks on a coprocessor: what one trace gives away to who has learned from many.

Traces of random scalars, whose bits are known, are what an attacker takes of a device of his own. A
classifier learns from them, and is then asked about other traces, one by one (Chari, Rao and
Rohatgi, CHES 2002; its templates, Gaussians of one covariance for both values of a bit, are what a
linear discriminant is made of). There are two goals:

- the bits of the scalar, from the cycles before the loop that uses it up: it is read and blinded;
- the bits that a ladder takes, from the cycles of the step that takes them. All steps are alike, so
  that each of them is an example. They are those of a blinded scalar, which is as good as the
  scalar itself: one trace with all of them right is the key.
"""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from residua.cores.directory import Directory
from residua.cores.simulation.runs import Steps
from residua.curves.operations.codes import Operation
from residua.errors import SpecificationError, library
from residua.evidence.attacks.groups import Compared
from residua.evidence.attacks.ladder_traces import (
    BIT,
    Labels,
    Noise,
    Samples,
    ladder_loop,
    most_by_chance,
    taken_by,
)
from residua.evidence.attacks.point_groups import point_groups
from residua.evidence.attacks.tracing import Tracer
from residua.evidence.attacks.victims.coprocessor import coprocessor_of

_MOST_EXAMPLES = 40_000
"""Steps that are learned from: more of them tell no more."""

_POINTS = 40
"""Cycles before the loop that tell most of a bit of the scalar, and are looked at together."""


@dataclass(frozen=True)
class Profile:
    """What is learned and attacked.

    Attributes:
        traces: that are learned from, at least 20.
        attacked: other traces, each attacked by itself.
        seed: chooses scalars, random words and noise.
        where: pattern of the names of registers whose bits count.
        curve: index of the curve.
        noise: standard deviation of what is added to each sample, in bits, as whole ones.
    """

    traces: int = 1000
    attacked: int = 100
    seed: int = 1
    where: str = "*"
    curve: int = 0
    noise: float = 0.0


def templates(
    directory: Directory, asked: Profile, *, progress: Steps = lambda done, total: None
) -> dict[str, Any]:
    """Learn from traces of known scalars, and guess bits of others.

    Args:
        directory: of a coprocessor.
        asked: see `Profile`.
        progress: called now and then.

    Returns:
        For the ``scalar`` and the ``loop``, the ``bits`` that were guessed, the share of them that
        is ``right``, that of the better constant ``guess``, the ``bound`` up to which it may be so
        by chance, and of how many traces the ``whole`` number was right.

    Raises:
        SpecificationError: the directory is of no coprocessor, it has no such curve or registers,
            the curve's formula is no ladder, there are too few traces, or a library is missing.
        ToolError: a tool failed.
    """
    _check(asked)
    noise = Noise(asked.noise, asked.seed)
    core = coprocessor_of(directory)
    design = core.core.design
    count = asked.traces + asked.attacked
    drawn = Compared(traces=count, seed=asked.seed, curve=asked.curve, control=True)
    runs = point_groups(core, drawn)
    loop = ladder_loop(design, Operation[runs.operation], asked.curve)
    with tempfile.TemporaryDirectory(prefix="templates-") as name:
        tracer = Tracer(
            directory, runs.bench, runs.cycles, count, Path(name), where=asked.where, watched=BIT
        )
        parts = tracer.take(runs.lines, progress)
        samples, taken = taken_by(parts, loop, noise)
    known = slice(asked.traces), slice(asked.traces, None)
    bits = max(value.bit_length() for value in runs.values)
    scalars = np.array([[value >> n & 1 for n in range(bits)] for value in runs.values], bool)
    result = {
        "operation": runs.operation,
        **runs.about,
        "seed": asked.seed,
        "where": asked.where,
        "noise": asked.noise,
        "traces": asked.traces,
        "attacked": asked.attacked,
        "cycles": runs.cycles,
        "scalar": _guess_scalar(samples[:, : loop.start], scalars, known),
        "loop": _guess_steps(loop.steps(samples), taken, known, asked.seed),
    }
    directory.store("templates", result)
    return {"name": directory.name, **result}


def _check(asked: Profile) -> None:
    if asked.traces < 20 or asked.attacked < 1:
        raise SpecificationError(
            f"traces = {asked.traces}, attacked = {asked.attacked}: 20 to learn from and 1 to "
            "attack are the fewest"
        )


def _guess_scalar(
    samples: Samples, bits: Labels, known: tuple[slice, slice]
) -> dict[str, float | int]:
    """Guess each bit of the scalars by the cycles that tell most of it."""
    learned, attacked = known
    samples = samples[:, samples[learned].std(axis=0) > 0]
    guesses = np.zeros_like(bits[attacked])
    for place in range(bits.shape[1]):
        own = bits[learned, place]
        if own.all() or not own.any():
            guesses[:, place] = own[0]
            continue
        points = _telling(samples[learned], own)
        guesses[:, place] = _classified(
            samples[learned][:, points], own, samples[attacked][:, points]
        )
    return _told(guesses, bits[attacked], bits[learned])


def _guess_steps(
    steps: Samples, taken: Labels, known: tuple[slice, slice], seed: int
) -> dict[str, float | int]:
    """Guess by what each step chooses, from its own cycles; the first has no bit before it."""
    learned, attacked = known
    steps, taken = steps[:, 1:], taken[:, 1:]
    count, rounds, _ = steps[learned].shape
    order = np.random.default_rng(seed).permutation(count * rounds)[:_MOST_EXAMPLES]
    chosen = np.unravel_index(order, (count, rounds))
    examples = steps[learned][chosen]
    varies = examples.std(axis=0) > 0
    wanted = taken[attacked]
    others = steps[attacked].reshape(wanted.size, -1)[:, varies]
    guesses = _classified(examples[:, varies], taken[learned][chosen], others)
    return _told(guesses.reshape(wanted.shape), wanted, taken[learned])


def _telling(samples: Samples, bits: Labels) -> NDArray[np.intp]:
    """The cycles whose means differ most between both values of a bit."""
    groups = samples[bits], samples[~bits]
    difference = np.abs(groups[0].mean(axis=0) - groups[1].mean(axis=0)) / samples.std(axis=0)
    return np.argsort(difference)[-_POINTS:]


def _classified(examples: Samples, labels: Labels, others: Samples) -> Labels:
    """The labels of others, by a linear discriminant with a covariance that is shrunk.

    Where no sample varies it is the more frequent one.
    """
    if not examples.shape[1]:
        return np.full(len(others), labels.mean() > 0.5)
    module = library(
        "sklearn.discriminant_analysis", "scikit-learn", "a template attack", "explore"
    )
    classifier = module.LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")
    found: Labels = classifier.fit(examples, labels).predict(others)
    return found


def _told(guesses: Labels, bits: Labels, learned: Labels) -> dict[str, float | int]:
    """How good guesses are, beside those of who knows nothing but which value is more frequent."""
    frequent = learned.mean(axis=0) > 0.5
    guess = float((bits == frequent).mean())
    return {
        "bits": int(bits.size),
        "right": round(float((guesses == bits).mean()), 4),
        "guess": round(guess, 4),
        "bound": round(most_by_chance(guess, bits.size), 4),
        "whole": int((guesses == bits).all(axis=1).sum()),
    }
