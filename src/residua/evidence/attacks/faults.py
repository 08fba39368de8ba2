"""Faults in a coprocessor while it multiplies a point, and what comes of them."""

import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from residua.cores.coprocessor.simulator import bench_source, numbers_of
from residua.cores.directory import Directory
from residua.cores.simulation.engine import compile_harness
from residua.cores.simulation.runs import Steps
from residua.curves import affine
from residua.curves.operations.codes import Status
from residua.curves.parameters import WeierstrassCurve
from residua.errors import SpecificationError
from residua.evidence.attacks.drawing import Fault, FaultKind, Target, in_order
from residua.evidence.attacks.victim import Victim, coprocessor_of
from residua.toolchain import process
from residua.toolchain.kept.simulations import keep_simulation
from residua.toolchain.planted.injection import open_state

_HARNESS = Path(__file__).with_suffix(".cpp")

_STEP = 500
"""Faults of one simulation, whose outcome is kept."""

_LONG = 10_000_000
"""Cycles, twice those that are simulated, from which on it is worth while to compile for speed."""

_SLACK = 1000
"""Cycles beyond twice its own after which an operation hangs."""


class Effect(StrEnum):
    """What comes of a fault."""

    HARMLESS = "harmless"
    """Status and words are right."""
    DETECTED = "detected"
    """The status tells of an error, and no word is given out."""
    HANG = "hang"
    """There is no end."""
    OFF_CURVE = "silent, off the curve"
    """All seems well, and the result is no point of the curve."""
    ON_CURVE = "silent, on the curve"
    """All seems well, and the result is another point of the curve."""
    SILENT = "silent"
    """All seems well, and the result, which is no whole point, is wrong."""
    ADMITTED = "admitted"
    """All seems well, although the operands had to be refused."""
    WORDS = "words beside an error"
    """The status tells of an error, and words are given out."""


HARMFUL = (Effect.OFF_CURVE, Effect.ON_CURVE, Effect.SILENT, Effect.ADMITTED, Effect.WORDS)
"""What no fault should come to."""


@dataclass(frozen=True)
class Attack:
    """What is attacked, and how.

    Attributes:
        kind: of the faults.
        count: of the faults, at least 1.
        seed: chooses operands, random words and faults.
        where: pattern of the names of registers or memories.
        cycles: of the operation, from the first to before the last; None for all.
        curve: index of the curve.
        keys: scalars, with each of which every fault is tried.
        invalid: the point is none of the curve.
    """

    kind: FaultKind = FaultKind.FLIP
    count: int = 1000
    seed: int = 1
    where: str = "*"
    cycles: tuple[int, int] | None = None
    curve: int = 0
    keys: int = 1
    invalid: bool = False


def attack(
    directory: Directory,
    asked: Attack,
    *,
    jobs: int = 1,
    progress: Steps = lambda done, total: None,
) -> dict[str, Any]:
    """Multiply a point with each of many faults, and keep what comes of them in the results.

    The Verilog of the directory is changed for this: its registers and memories get inputs.

    Args:
        directory: of a coprocessor.
        asked: see `Attack`.
        jobs: simulations at once.
        progress: called now and then.

    Returns:
        What was asked for, the ``bits`` that were drawn from, the ``cycles`` of the operation and
        the span of the faults; ``effects``, how many faults came to which `Effect`; the
        ``statuses`` of those that were detected; ``harmful``, how many were that, by register or
        memory; with several ``keys`` how many faults are ``key_dependent``: harmless with some.

    Raises:
        SpecificationError: the directory is of no coprocessor, it has no such curve or registers,
            or a number is out of range.
        ToolError: a tool failed.
    """
    core = coprocessor_of(directory)
    victim = Victim(core, asked.curve, asked.seed, keys=asked.keys, invalid=asked.invalid)
    with tempfile.TemporaryDirectory(prefix="faults-") as name:
        opened = open_state(directory.sources(top=core.name), core.name, out_dir=Path(name))
        source = bench_source(core.name, victim.design.status_codes) + _HARNESS.read_text(
            encoding="utf-8"
        )
        simulator = compile_harness(
            source,
            [opened.verilog],
            core.name,
            optimise=asked.count * asked.keys * victim.cycles > _LONG,
            any_state=False,
        )
    victim.cycles = _sound(simulator, victim, jobs)
    span = range(*(asked.cycles or (0, victim.cycles)))
    if span.stop > victim.cycles or span.start < 0:
        raise SpecificationError(
            f"cycles {span.start} to {span.stop}: the operation has {victim.cycles}"
        )
    target = Target(opened, span, asked.where)
    faults = target.faults(asked.kind, asked.count, asked.seed)
    found: list[list[tuple[Effect, str]]] = []
    total = asked.count * asked.keys
    for key in range(asked.keys):
        own = _tried(simulator, victim, key, faults, jobs)
        found.append([])
        for one in own:
            found[-1].append(one)
            if len(found[-1]) % _STEP == 0:
                progress(key * asked.count + len(found[-1]), total)
    result = _result(asked, victim, target, faults, found)
    directory.store(f"faults-{asked.kind}{'-invalid' if asked.invalid else ''}", result)
    return {"name": directory.name, **result}


def _sound(simulator: Path, victim: Victim, jobs: int) -> int:
    """The cycles of the operation without a fault, which are the same for all its scalars."""
    cycles = 0
    for key in range(len(victim.operands)):
        text = _simulated(simulator, f"{victim.line(key)}\n", victim, jobs)
        _, answer = _parsed(text)
        effect, name = answer.judged(victim, key)
        if effect is not Effect.HARMLESS:
            raise SpecificationError(
                f"without a fault {victim.operation.name} is {effect}, with the status {name}: "
                "run residua verify"
            )
        cycles = answer.cycles
    return cycles


def _tried(
    simulator: Path, victim: Victim, key: int, faults: Sequence[Fault], jobs: int
) -> Iterator[tuple[Effect, str]]:
    """What comes of each fault with one of the scalars, and the name of the status."""
    for first in range(0, len(faults), _STEP):
        part = faults[first : first + _STEP]
        lines = [victim.line(key), *(fault.line(number) for number, fault in in_order(part))]
        text = _simulated(simulator, "\n".join(lines) + "\n", victim, jobs)
        answers = dict(_parsed(line) for line in text.splitlines())
        if missing := len(part) + 1 - len(answers):
            raise process.ToolError(
                f"{missing} simulations ended without an answer", [str(simulator)], simulator, ""
            )
        for number in range(1, len(part) + 1):
            yield answers[number].judged(victim, key)


def _simulated(simulator: Path, script: str, victim: Victim, jobs: int) -> str:
    patience = str(2 * victim.cycles + _SLACK)
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        (folder / "script").write_text(script, encoding="utf-8")
        log = folder / "log"
        command: list[str | Path] = [simulator, "script", patience, str(jobs)]
        return keep_simulation(
            simulator,
            [script, patience],
            log,
            lambda: process.run(command, tool="simulator", cwd=folder, log=log),
        )


@dataclass(frozen=True)
class _Answer:
    """What a simulation ends with."""

    hangs: bool
    status: int
    cycles: int
    words: tuple[str, ...]

    def judged(self, victim: Victim, key: int) -> tuple[Effect, str]:
        """What that is, and the name of the status."""
        status, results = victim.expected(key)
        ended = victim.design.status_codes.statuses.get(self.status)
        name = f"code {self.status}" if ended is None else ended.name
        return self._effect(victim, ended, status, results), name

    def _effect(
        self, victim: Victim, ended: Status | None, status: Status, results: tuple[int, ...]
    ) -> Effect:
        if self.hangs:
            return Effect.HANG
        numbers = numbers_of(self.words, victim.design.words)
        if (ended, numbers) == (status, results):
            return Effect.HARMLESS
        if ended is not Status.OK:
            return Effect.WORDS if self.words else Effect.DETECTED
        if status is not Status.OK:
            return Effect.ADMITTED
        if not isinstance(victim.curve, WeierstrassCurve) or len(results) < 2:
            return Effect.SILENT
        whole = len(numbers) == 2 and affine.is_on_curve(victim.curve, (numbers[0], numbers[1]))
        return Effect.ON_CURVE if whole else Effect.OFF_CURVE


def _parsed(line: str) -> tuple[int, _Answer]:
    number, end, _, status, cycles, _, *words = line.split()
    return int(number), _Answer(end == "hang", int(status), int(cycles), tuple(words))


def _result(
    asked: Attack,
    victim: Victim,
    target: Target,
    faults: Sequence[Fault],
    found: Sequence[Sequence[tuple[Effect, str]]],
) -> dict[str, Any]:
    every = [one for own in found for one in own]
    effects = Counter(effect for effect, _ in every)
    statuses = Counter(name for effect, name in every if effect is Effect.DETECTED)
    harmful = Counter(
        name
        for own in found
        for fault, (effect, _) in zip(faults, own, strict=True)
        if effect in HARMFUL
        for name in dict.fromkeys(fault.places)
    )
    dependent = sum(
        len({effect is Effect.HARMLESS for effect, _ in own}) > 1
        for own in zip(*found, strict=True)
    )
    return {
        "operation": victim.operation.name,
        "curve": victim.curve.name,
        "invalid": asked.invalid,
        "kind": str(asked.kind),
        "where": asked.where,
        "seed": asked.seed,
        "bits": target.bits(asked.kind),
        "cycles": victim.cycles,
        "span": [target.cycles.start, target.cycles.stop],
        "faults": asked.count,
        "keys": asked.keys,
        "effects": {str(one): effects[one] for one in Effect if effects[one]},
        "statuses": dict(sorted(statuses.items())),
        "harmful": dict(harmful.most_common()),
        **({"key_dependent": dependent} if asked.keys > 1 else {}),
    }
