"""The RTL of the inverter on residues against plain integers: every product, and all cycles.

A C++ harness drives the Verilated unit and writes down its words. Here they become numbers, whose
product times the operand has to be what was asked for; the model of the rowers makes some of them
word for word.
"""

import json
import random
import tempfile
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, cycle, islice
from math import gcd
from pathlib import Path
from typing import Any, NamedTuple

from residua.algorithms.plus_minus import Kind, settled
from residua.cores.inversion.verification import edge_residues
from residua.cores.simulation.engine import compile_harness
from residua.cores.simulation.result import VerificationResult
from residua.cores.simulation.runs import STEPS, Runs, Steps
from residua.cores.simulation.streams import word_harness
from residua.errors import SpecificationError
from residua.hardware.inverters.residue_inverter import VECTORS_IN, VECTORS_OUT, ResidueInverter
from residua.machines.plus_minus import HatWords
from residua.numbers.hats import HatForm, Words
from residua.toolchain import process
from residua.toolchain.executors import side_by_side_in_order

MODEL_CHECKS = 48
"""Inversions of one verification that the model of the rowers' words makes, too."""

_HARNESS = Path(__file__).with_suffix(".cpp")
_LARGEST_WIDTH = 63
_MOST_FAILURES = 3


class Task(NamedTuple):
    """A request: ``first`` / ``x`` modulo the modulus ``select``, both in [-P, P]."""

    select: int
    x: int
    first: int


class Answer(NamedTuple):
    """Words in, words out, and the cycles between the last of either."""

    given: tuple[Words, ...]
    u1: Words
    u3: Words
    cycles: int


@dataclass(frozen=True)
class ResidueInverterSimulator:
    """A Verilated inverter on residues with its harness."""

    unit: ResidueInverter
    executable: Path
    build_seconds: float


def build_residue_inverter_simulator(
    unit: ResidueInverter,
    rtl_sources: Sequence[Path],
    *,
    top: str,
) -> ResidueInverterSimulator:
    """Compile the RTL of a unit, module ``top``, and the harness; see `word_harness`.

    Raises:
        SpecificationError: words have more than 64 bits.
    """
    start, bits = time.monotonic(), _width(unit) + 1
    if bits > _LARGEST_WIDTH + 1:
        raise SpecificationError(f"the harness has words of at most 64 bits, not {bits}")
    figures = {
        "moduli": len(unit.forms),
        "words_in": VECTORS_IN * unit.channels,
        "words_out": VECTORS_OUT * unit.channels,
        "latency": unit.latency,
    }
    flags = ["SELECTS"] if len(unit.forms) > 1 else []
    text = word_harness(_HARNESS.read_text(), top, bits, figures, flags)
    executable = compile_harness(text, rtl_sources, top)
    return ResidueInverterSimulator(unit, executable, time.monotonic() - start)


def verify_residue_inversions(
    simulator: ResidueInverterSimulator,
    *,
    vectors: int,
    seed: int,
    stalls: bool,
    progress: Steps = lambda done, total: None,
) -> VerificationResult:
    """Make ``vectors`` inversions of operands chosen by ``seed``, modulo each modulus in turn.

    Back to back, or with ``stalls``: random gaps before words and between inversions. Cycles are
    held against those of the unit. Stops after the first few differences; a difference is a
    finding, not an error.

    Raises:
        SpecificationError: ``vectors`` is not positive.
        ToolError: the simulator does not run.
    """
    runs = Runs(vectors, seed, stalls, progress=progress)
    start, chooser = time.monotonic(), random.Random(seed)
    tasks, findings = tasks_of(simulator.unit, chooser), _Findings(simulator.unit)
    step = max(-(-vectors // STEPS), 1000)

    def batches() -> Iterator[_Batch]:
        for batch in runs.batches(step):
            chosen = list(islice(tasks, batch.count))
            given = [given_words(simulator.unit, task, chooser) for task in chosen]
            yield _Batch(chosen, given, chooser.getrandbits(32), batch.stalls)

    with side_by_side_in_order(partial(_simulate, simulator), batches()) as simulations:
        for batch, simulated in simulations:
            findings.add(batch.tasks, *simulated)
            progress(findings.vectors, vectors)
            if findings.failures:
                break
    return findings.result(time.monotonic() - start, simulator.build_seconds)


def tasks_of(unit: ResidueInverter, chooser: random.Random) -> Iterator[Task]:
    """An adversarial task and a random one for each modulus in turn, then random ones alone."""
    kinds = (_edge_tasks, _random_tasks)
    streams = [
        kind(select, form, chooser) for select, form in enumerate(unit.forms) for kind in kinds
    ]
    yield from map(next, cycle(streams))


def edge_operands(modulus: int) -> list[int]:
    """Adversarial numbers in [-P, P] that P divides or that have an inverse."""
    inside = [x for x in edge_residues(modulus) if gcd(x, modulus) == 1]
    return [0, modulus, -modulus, *inside, *(-x for x in inside)]


def _edge_tasks(select: int, form: HatForm, chooser: random.Random) -> Iterator[Task]:
    """Every adversarial x, half of them with an adversarial f, then random tasks."""
    modulus = form.modulus
    operands = edge_operands(modulus)
    chooser.shuffle(operands)
    firsts = [0, 1, -1, 2, -2, modulus, -modulus, modulus - 1, 1 - modulus, modulus // 2]
    for x in operands:
        first = chooser.choice(firsts)
        yield Task(select, x, chooser.choice((first, chooser.randint(-modulus, modulus))))
    yield from _random_tasks(select, form, chooser)


def _random_tasks(select: int, form: HatForm, chooser: random.Random) -> Iterator[Task]:
    """Uniform x and f, one x in 16 with leading zeros or ones."""
    modulus = form.modulus
    while True:
        x, first = (chooser.randint(-modulus, modulus) for _ in range(2))
        if chooser.getrandbits(4) == 0:
            x >>= chooser.randrange(modulus.bit_length())
        if gcd(x, modulus) in {1, modulus}:
            yield Task(select, x, first)


def given_words(unit: ResidueInverter, task: Task, chooser: random.Random) -> tuple[Words, ...]:
    """4 x, 4 f and P in any words of w + 1 signed bits; for some all the lowest or the highest."""
    form, limit = unit.forms[task.select], 1 << _width(unit)
    numbers = (4 * task.x, 4 * task.first, form.modulus)
    extreme: Callable[[range], int] = chooser.choice((min, max))
    choose = extreme if chooser.getrandbits(2) == 0 else chooser.choice
    return tuple(
        tuple(
            choose(range((word + limit) % m.value - limit, limit, m.value))
            for word, m in zip(form.words(number), form.base, strict=True)
        )
        for number in numbers
    )


def _width(unit: ResidueInverter) -> int:
    width: int = unit.forms[0].base.width
    return width


@dataclass(frozen=True)
class _Batch:
    """Tasks of one simulation, the words that each is given in, and the harness's choices."""

    tasks: Sequence[Task]
    given: Sequence[tuple[Words, ...]]
    seed: int
    stalls: bool


def _simulate(
    simulator: ResidueInverterSimulator, batch: _Batch
) -> tuple[dict[str, Any], list[Answer]]:
    """The harness's report on these tasks, from reset, and what came of those that ended."""
    channels = simulator.unit.channels
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        pairs = zip(batch.tasks, batch.given, strict=True)
        numbers = (number for task, words in pairs for number in (task.select, *chain(*words)))
        (directory / "tasks").write_bytes(array("q", numbers).tobytes())
        output = process.run(
            [
                simulator.executable.resolve(),
                *("tasks", "results"),
                *map(str, (len(batch.tasks), batch.seed, int(batch.stalls))),
            ],
            tool="the simulator",
            cwd=directory,
            log=directory / "log",
        )
        results = array("q")
        results.frombytes((directory / "results").read_bytes())
    report: dict[str, Any] = json.loads(output)
    size = 1 + VECTORS_OUT * channels
    found = (results[place : place + size] for place in range(0, report["vectors"] * size, size))
    return report, [
        Answer(own, tuple(each[1 + channels :]), tuple(each[1 : 1 + channels]), each[0])
        for own, each in zip(batch.given, found, strict=False)
    ]


@dataclass
class _Findings:
    """Findings of the simulations of one verification so far."""

    unit: ResidueInverter
    vectors: int = 0
    mismatches: int = 0
    model_checks: int = 0
    cycles: set[int] = field(default_factory=set)
    failures: list[str] = field(default_factory=list)

    def add(self, tasks: Sequence[Task], report: dict[str, Any], answers: Sequence[Answer]) -> None:
        """Take in one simulation."""
        if report["failure"]:
            done = self.vectors + report["vectors"]
            self.failures.append(f"after {done} inversions: {report['failure']}")
        wrong = []
        for task, answer in zip(tasks, answers, strict=False):
            fault = _fault(self.unit, task, answer)
            if not fault and self.model_checks < MODEL_CHECKS:
                self.model_checks += 1
                fault = _difference(self.unit, task, answer)
            if fault:
                wrong.append(f"f = {task.first}, x = {task.x}, modulus {task.select}: {fault}")
        self.failures += wrong[:_MOST_FAILURES]
        self.mismatches += len(wrong)
        self.cycles |= {answer.cycles for answer in answers}
        self.vectors += report["vectors"]

    def result(self, seconds: float, build_seconds: float) -> VerificationResult:
        """The verdict, with the measured cycles held against the computed ones."""
        if self.cycles - {self.unit.latency}:
            found = ", ".join(map(str, sorted(self.cycles)))
            self.failures.append(f"{found} cycles measured, {self.unit.latency} computed")
        return VerificationResult(
            self.vectors,
            self.mismatches,
            max(self.cycles, default=None),
            None,
            seconds,
            build_seconds,
            oracle_checks=self.vectors,
            model_checks=self.model_checks,
            failures=tuple(self.failures),
        )


def _fault(unit: ResidueInverter, task: Task, answer: Answer) -> str | None:
    """Judge an answer by plain integers; None if it is right."""
    form = unit.forms[task.select]
    modulus = form.modulus
    u1, u3 = form.number(answer.u1), form.number(answer.u3)
    if max(abs(u1), abs(u3)) > modulus:
        return f"U1 = {u1} or U3 = {u3} is beyond P"
    if task.x % modulus == 0:
        return f"U1 U3 = {u1} times {u3} is not 0" if u1 * u3 % modulus else None
    if (u1 * u3 * task.x - task.first) % modulus:
        return f"U1 U3 = {u1} times {u3} is not f / x"
    return None


def _difference(unit: ResidueInverter, task: Task, answer: Answer) -> str | None:
    """Compare the words of an answer with the model's; None if they are equal."""
    form = unit.forms[task.select]
    *operands, modulus = answer.given
    model = _GivenModulus(form, 0, modulus)
    zero = (0,) * unit.channels
    # The unit takes x and f as 0 + 4 x and 0 + 4 f, divided by 4.
    x, first = (model.step(Kind.ADD, zero, each, 0) for each in operands)
    expected = settled(model, x, first, unit.steps)
    return None if expected == (answer.u1, answer.u3) else "the model of the rowers has other words"


@dataclass(frozen=True)
class _GivenModulus(HatWords):
    """Words of `HatWords` with those of P as they were given."""

    words: Words

    def constant(self, number: int) -> Words:
        return self.words if number == self.modulus else super().constant(number)
