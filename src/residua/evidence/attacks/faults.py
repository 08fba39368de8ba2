"""Faults in a core while it runs an operation, and what comes of them."""

import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from residua.cores.directory import Directory
from residua.cores.simulation.engine import compile_harness
from residua.cores.simulation.runs import Steps
from residua.errors import SpecificationError
from residua.evidence.attacks.drawing import Fault, FaultKind, Target, in_order
from residua.evidence.attacks.victims.choice import victim_of
from residua.evidence.attacks.victims.victim import HARMFUL, Answer, Effect, Victim
from residua.toolchain import process
from residua.toolchain.kept.simulations import keep_simulation
from residua.toolchain.planted.injection import open_state

_HARNESS = Path(__file__).with_suffix(".cpp")

_STEP = 500
"""Faults of one simulation, whose outcome is kept."""

_SLACK = 1000
"""Cycles beyond twice its own after which an operation hangs."""


@dataclass(frozen=True)
class Attack:
    """What is attacked, and how.

    Attributes:
        kind: of the faults.
        count: of the faults, at least 1.
        seed: chooses operands, random words and faults.
        where: pattern of the names of registers or memories.
        cycles: of the operation, from the first to before the last; None for all.
        curve: index of the curve; 0 for a core that has none.
        keys: scalars, or keys of RSA, or exponents, with each of which every fault is tried.
        invalid: what is given has to be refused: a point that is none of the curve, an RSA key
            with a wrong exponent, or an x that is not below the modulus of a public key.
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
    """Run an operation with each of many faults, and keep what comes of them in the results.

    It is the multiplication of a point, or the only one that a core without curves has, from the
    first word that is loaded on.

    The Verilog of the directory is changed for this: its registers and memories get inputs.

    Args:
        directory: of a coprocessor, an exponentiator or an RSA core.
        asked: see `Attack`.
        jobs: simulations at once.
        progress: called now and then.

    Returns:
        What was asked for, the ``bits`` that were drawn from, the ``cycles`` of the operation and
        the span of the faults; ``effects``, how many faults came to which `Effect`; the
        ``statuses`` of those that were detected; ``harmful``, how many were that, by register or
        memory; with several ``keys`` how many faults are ``key_dependent``: harmless with some.

    Raises:
        SpecificationError: the directory is of another core, it has no such curve or registers,
            there is nothing to refuse, or a number is out of range.
        ToolError: a tool failed.
    """
    victim = victim_of(directory, asked.curve, asked.seed, keys=asked.keys, invalid=asked.invalid)
    bench = victim.bench
    with tempfile.TemporaryDirectory(prefix="faults-") as name:
        opened = open_state(directory.sources(top=bench.top), bench.top, out_dir=Path(name))
        simulator = compile_harness(
            bench.source + _HARNESS.read_text(encoding="utf-8"),
            [opened.verilog],
            bench.top,
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
    """The cycles of the operation without a fault, which are the same for all its secrets."""
    cycles = 0
    for key in range(victim.keys):
        text = _simulated(simulator, f"{victim.line(key)}\n", victim, jobs)
        _, answer = _parsed(text)
        effect, name = victim.judged(key, answer)
        if effect is not Effect.HARMLESS:
            raise SpecificationError(
                f"without a fault {victim.operation} is {effect}, with the status {name}: "
                "run residua verify"
            )
        cycles = answer.cycles
    return cycles


def _tried(
    simulator: Path, victim: Victim, key: int, faults: Sequence[Fault], jobs: int
) -> Iterator[tuple[Effect, str]]:
    """What comes of each fault with one of the secrets, and the name of the status."""
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
            yield victim.judged(key, answers[number])


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


def _parsed(line: str) -> tuple[int, Answer]:
    number, _, answer = line.partition(" ")
    return int(number), Answer.of(answer)


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
        "operation": victim.operation,
        **victim.about,
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
