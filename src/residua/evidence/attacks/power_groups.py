"""Roots and powers with a fixed exponent or base, and with random ones."""

import random
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from residua.cores.directory import Directory
from residua.cores.simulation.word_bench import FRESH
from residua.errors import SpecificationError
from residua.evidence.attacks.groups import Compared, Groups, check_operand, public, tossed
from residua.evidence.attacks.victims.powers import Asked, PowerCore, Private, takes_random
from residua.evidence.traces.names import CycleNames, stretches
from residua.evidence.traces.recorder import Recorder
from residua.evidence.traces.runs import Operation, PowerRun


@dataclass(frozen=True)
class _Operand:
    """What is fixed or random: how it is drawn, and the number that it is."""

    drawn: Callable[[random.Random], Asked]
    value: Callable[[Asked], int]


def power_groups(directory: Directory, core: PowerCore, asked: Compared) -> Groups:
    """The operations that are asked for, all of them with one key.

    A root by exponents that are random ones, as are those of both groups, is withheld in the end.

    Args:
        directory: of the core, which runs once for its cycles and phases.
        core: what it holds.
        asked: see `Compared`.

    Raises:
        SpecificationError: there is no such operation or operand, all of it is public, or random
            words are to be stuck and there are none.
        ToolError: a tool failed.
    """
    if asked.random_word is not None and not takes_random(core):
        raise SpecificationError(f"random words: {core.name} takes none")
    run = PowerRun(core, Operation(asked.operation, curve=asked.curve, seed=asked.seed))
    if run.operation == "PUBLIC":
        raise public(run.operation)
    choices = _choices(run.asked)
    name = check_operand(asked, run.operation, list(choices))
    chosen, draw = choices[name], random.Random(f"traces {asked.seed}")
    fixed = chosen.drawn(draw)
    sides, numbers = tossed(asked, draw, fixed, lambda: chosen.drawn(draw))
    supply = FRESH if asked.random_word is None else asked.random_word
    with tempfile.TemporaryDirectory(prefix="phases-") as work:
        names = run.names(Recorder(directory, run.bench, Path(work)))
    return Groups(
        run.operation,
        name,
        run.about,
        run.bench,
        len(names.program),
        _phases(names),
        sides,
        [chosen.value(one) for one in numbers],
        [
            one.operation(asked.seed + 1 + number, supply).line()
            for number, one in enumerate(numbers)
        ],
    )


def _choices(whole: Asked) -> dict[str, _Operand]:
    """The operands of an operation by their names."""
    design = whole.design

    def exponents(draw: random.Random) -> Asked:
        assert isinstance(design, Private)
        primes, right = (design.key.p, design.key.q), design.key.exponents
        p, q = (_exponent(prime, own, draw) for prime, own in zip(primes, right, strict=True))
        wrong = {"d_p": p, "d_q": q}
        return replace(whole, design=replace(design, wrong=wrong))

    def joined(one: Asked) -> int:
        assert isinstance(one.design, Private)
        wrong = one.design.wrong
        return wrong["d_p"] << one.design.key.q.bit_length() | wrong["d_q"]

    found: dict[str, _Operand] = {}
    if isinstance(design, Private):
        found["d"] = _Operand(exponents, joined)
    elif design.largest:
        found["y"] = _Operand(
            lambda draw: replace(whole, y=draw.randint(1, design.largest)), lambda one: one.y
        )
    base = _Operand(
        lambda draw: replace(whole, x=draw.randint(2, design.largest_x)), lambda one: one.x
    )
    return found | {"x": base}


def _exponent(prime: int, right: int, draw: random.Random) -> int:
    """A random exponent whose lowest bits are those of every one with this e.

    They are as many as p - 1 ends with zeros: multiples of it, which blind the others, leave them.
    """
    unit = (prime - 1) & (1 - prime)
    return right % unit + unit * draw.randrange((prime - 1) // unit)


def _phases(names: CycleNames) -> list[tuple[int, str]]:
    """The first cycle and the name of each program that runs."""
    return [(first, names.programs[names.program[first]]) for first, _ in stretches(names.program)]
