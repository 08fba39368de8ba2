"""The RTL of an inverter against plain integers: every word of every result, and all cycles.

A C++ harness drives the streams of the Verilated core. What it must give is computed here, by
gmpy2; how many cycles that takes, by the model of the loop.
"""

import json
import random
import tempfile
import time
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from math import gcd
from pathlib import Path
from typing import Any

from gmpy2 import invert

from residua.cores.inversion.core import InversionCore
from residua.cores.simulation.engine import compile_harness
from residua.cores.simulation.result import VerificationResult
from residua.cores.simulation.runs import STEPS, Batch, Resets, Runs, Stalls, Steps
from residua.cores.simulation.streams import word_harness
from residua.cores.simulation.words import LARGEST_STEP
from residua.hardware.inverters.plus_minus_inverter import PlusMinusDesign
from residua.toolchain import process
from residua.toolchain.executors import side_by_side_in_order

MODEL_CHECKS = 64
"""Inversions of one verification that the model of the rowers' words makes, too."""

CYCLE_CHECKS = 2000
"""Inversions of one verification whose cycles are compared with the model's, at most.

Those of all are compared with the longest.
"""

_HARNESS = Path(__file__).with_suffix(".cpp")


@dataclass(frozen=True)
class InverterSimulator:
    """A Verilated inverter with its harness."""

    core: InversionCore
    executable: Path
    build_seconds: float


@dataclass(frozen=True)
class InversionFindings:
    """A verdict, and the measured cycles of every inversion of an x that has an inverse."""

    verdict: VerificationResult
    cycles: tuple[int, ...]


def build_inverter_simulator(core: InversionCore, rtl_sources: Sequence[Path]) -> InverterSimulator:
    """Compile the RTL of an inverter and the harness; see `word_harness`."""
    start, design, top = time.monotonic(), core.design, core.name
    figures = {
        "words": design.words,
        "number_bytes": _number_bytes(core),
        "longest": design.longest,
    }
    text = word_harness(_HARNESS.read_text(), top, design.width, figures)
    executable = compile_harness(text, rtl_sources, top)
    return InverterSimulator(core, executable, time.monotonic() - start)


def verify_inversions(
    simulator: InverterSimulator,
    *,
    vectors: int,
    seed: int,
    stalls: Stalls,
    resets: Resets = None,
    progress: Steps = lambda done, total: None,
) -> InversionFindings:
    """Make ``vectors`` inversions of operands chosen by ``seed``, adversarial ones first.

    Where nothing stalls, cycles are compared with those of the model, and so are those until the
    next operand is taken; everywhere those from a reset to the first one. ``resets`` are those of
    `residua.cores.simulation.engine.verify`. Stops after the first few
    differences; a difference is a finding, not an error.

    Raises:
        SpecificationError: ``vectors`` is not positive.
        ToolError: the simulator does not run.
    """
    runs = Runs(vectors, seed, stalls, resets, progress)
    start, core = time.monotonic(), simulator.core
    chooser = random.Random(seed)
    operands = chain(edge_operands(core, chooser), random_operands(core, chooser))
    step = min(max(-(-vectors // STEPS), 1000), LARGEST_STEP)
    failures: list[str] = []
    measured: list[int] = []
    done = mismatches = reset = 0

    def simulate(task: tuple[Batch, list[int]]) -> tuple[dict[str, Any], list[int]]:
        batch, xs = task
        own = 0 if batch.done else runs.reset_count(core.design.longest)
        return _simulate(simulator, xs, seed + batch.done, batch.stalls, own)

    with side_by_side_in_order(simulate, runs.chosen(step, operands)) as simulations:
        for (batch, xs), (report, cycles) in simulations:
            failures += _failures(core, xs, report)
            failures += _wrong_wake(core, report["wake"])
            if not batch.stalls:
                failures += _wrong_cycles(core, xs, cycles, CYCLE_CHECKS - batch.done)[:3]
                failures += _wrong_pause(core, report["pause"])
                pairs = zip(xs, cycles, strict=False)
                measured += [count for x, count in pairs if core.expected(x) is not None]
            mismatches += report["mismatches"]
            reset += report["resets"]
            done += report["vectors"]
            progress(done, vectors)
            if failures:
                break
    checks = _model_checks(core, seed, failures)
    longest = max(measured, default=None)
    verdict = VerificationResult(
        done,
        mismatches,
        longest,
        longest + core.design.pause if longest and core.constant_time else None,
        time.monotonic() - start,
        simulator.build_seconds,
        oracle_checks=done,
        model_checks=checks,
        resets=reset,
        failures=tuple(failures),
    )
    return InversionFindings(verdict, tuple(measured))


def edge_operands(core: InversionCore, chooser: random.Random) -> list[int]:
    """Adversarial operands, shuffled: those of `edge_residues`, and those that must be refused."""
    design, modulus = core.design, core.design.modulus
    most = (1 << (design.width * design.words)) - 1
    refused = [0, modulus, modulus + 1, 2 * modulus, most // modulus * modulus, most]
    found = [x for x in dict.fromkeys([*edge_residues(modulus), *refused]) if x <= most]
    chooser.shuffle(found)
    return found


def edge_residues(modulus: int) -> list[int]:
    """Adversarial numbers in (0, P): ends, small ones, next to powers of two, parts of P.

    Then the inverses of all these, and what differs from P by a power of two.
    """
    bits = range(modulus.bit_length())
    near = [(1 << k) + step for k in bits for step in (-1, 0, 1)]
    near += [modulus - number for number in near]
    near += [*range(1, 9), modulus - 2, modulus - 1]
    near += [number for d in (2, 3, 4) for number in (modulus // d, modulus // d + 1)]
    inside = [number for number in near if 0 < number < modulus]
    inverses = [int(invert(x, modulus)) for x in inside if gcd(x, modulus) == 1]
    return list(dict.fromkeys([*inside, *inverses]))


def random_operands(core: InversionCore, chooser: random.Random) -> Iterator[int]:
    """Uniform operands, one in 16 with leading zeros, one in 16 with zeros at the other end."""
    modulus = core.design.modulus
    while True:
        x = chooser.randrange(1, modulus)
        ends = chooser.getrandbits(4)
        if ends < 2:
            zeros = chooser.randrange(modulus.bit_length())
            x = x >> zeros if ends == 0 else x >> zeros << zeros
        yield x


def _number_bytes(core: InversionCore) -> int:
    return -(-core.design.words * core.design.width // 8)


def _simulate(
    simulator: InverterSimulator, xs: Sequence[int], seed: int, stalls: bool, resets: Resets
) -> tuple[dict[str, Any], list[int]]:
    """The harness's report on these operands, from reset, and the cycles of each."""
    core, size = simulator.core, _number_bytes(simulator.core)
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        with (directory / "cases").open("wb") as file:
            for x in xs:
                expected = core.expected(x)
                for number in (x, expected or 0):
                    file.write(number.to_bytes(size, "little"))
                file.write(bytes([expected is None]))
        words = ["cases", "cycles", *map(str, (len(xs), seed, int(stalls), resets))]
        output = process.run(
            [simulator.executable.resolve(), *words],
            tool="the simulator",
            cwd=directory,
            log=directory / "log",
        )
        cycles = array("i")
        cycles.frombytes((directory / "cycles").read_bytes())
    report: dict[str, Any] = json.loads(output)
    return report, list(cycles)


def _failures(core: InversionCore, xs: Sequence[int], report: dict[str, Any]) -> list[str]:
    """Complaints of the harness, in words."""
    found = [report["failure"]] if report["failure"] else []
    for index in report["failures"]:
        expected = core.expected(xs[index])
        wanted = "refused" if expected is None else f"{expected}"
        found.append(f"the inverse of {xs[index]} should be {wanted}, and is something else")
    return found


def _wrong_cycles(
    core: InversionCore, xs: Sequence[int], cycles: Sequence[int], checks: int
) -> list[str]:
    found = []
    for index, (x, measured) in enumerate(zip(xs, cycles, strict=False)):
        every = core.constant_time or index < checks
        computed = core.design.cycles(x) if every else None
        if measured > core.design.longest or computed not in (None, measured):
            found.append(f"{x}: {measured} cycles measured, {computed} computed")
    return found


def _wrong_wake(core: InversionCore, measured: Sequence[int]) -> list[str]:
    """How an operand is taken later or sooner after a reset; one that does not come tells more."""
    if (found := set(measured) - {-1}) <= {core.design.wake}:
        return []
    told, computed = ", ".join(map(str, sorted(found))), core.design.wake
    return [f"{told} cycles measured from a reset to the first operand, {computed} computed"]


def _wrong_pause(core: InversionCore, measured: Sequence[int]) -> list[str]:
    """How an operand is taken later or sooner than right behind a result."""
    pauses, computed = {cycles for cycles in measured if cycles >= 0}, core.design.pause
    if pauses <= {computed}:
        return []
    found = ", ".join(map(str, sorted(pauses)))
    return [f"{found} cycles measured from a result to the next operand, {computed} computed"]


def _model_checks(core: InversionCore, seed: int, failures: list[str]) -> int:
    """Inversions by the words that the rowers hold; adds to the failures."""
    design = core.design
    if not isinstance(design, PlusMinusDesign):
        return 0
    done = 0
    for x in edge_operands(core, random.Random(seed)):
        expected = core.expected(x)
        if expected is not None and done < MODEL_CHECKS:
            done += 1
            if design.model.invert(x) != expected:
                failures.append(f"the model of the rowers is wrong for {x}")
    return done
