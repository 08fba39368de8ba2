"""The RTL of a core with streams of words, held against what its results have to be.

A C++ harness drives both streams of the Verilated core and compares every word of every result.
"""

import json
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

from residua.cores.simulation.engine import COMMON_SOURCE, compile_harness
from residua.cores.simulation.result import VerificationResult
from residua.cores.simulation.runs import STEPS, Batch, Resets, Runs
from residua.toolchain import process
from residua.toolchain.executors import side_by_side_in_order

LARGEST_STEP = 20_000
"""Runs of one simulation; their operands and results are in memory at once."""

_FEWEST_RUNS = 40
"""Fewest runs of a simulation, if so many are wanted."""

_HARNESS = Path(__file__).with_suffix(".cpp")

_PORTS = Path(__file__).with_name("stream_ports.h")
"""Part of the harness of a core with words that follows the common source."""

ErrorFlag = Literal["withheld", "operands"] | None
"""What a flag beside the words of a result tells: that it is withheld, so that they are 0, or that
an operand was out of its range, so that they may be any; None if there is no such flag."""

C = TypeVar("C", bound=Sequence[object])

Case = tuple[Sequence[int], Sequence[int]]
"""The words of the operands of a run, and those of its result, in their order."""


@dataclass(frozen=True)
class Streams:
    """Core with streams of words as the harness sees it.

    Attributes:
        width: bits of a word, at most 128.
        operands: words of all operands of a run.
        words: words of its result.
        latency: cycles from the last operand word to the last result word.
        interval: cycles between results.
        wake: cycles from the end of a reset to the first in which a word is taken, of the modulus
            where it is loaded.
        error_flag: what the flag tells with which each word of a result comes, above the one of the
            last word. The flag that is expected stands above the words of a result; a result of 0
            without it may be ``withheld`` all the same.
    """

    width: int
    operands: int
    words: int
    latency: int
    interval: int
    wake: int = 0
    error_flag: ErrorFlag = None

    @property
    def operand_bytes(self) -> int:
        """Bytes of all operands of a run in a file."""
        return -(-self.operands * self.width // 8)

    @property
    def result_bytes(self) -> int:
        """Bytes of a result in a file."""
        return -(-(self.words * self.width + (self.error_flag is not None)) // 8)


def verify_streams(
    streams: Streams, top: str, rtl_sources: Sequence[Path], cases: Iterator[Case], runs: Runs
) -> VerificationResult:
    """Run ``cases``, without end, through the module ``top`` and compare every word of each result.

    Back to back, or with `Stalls`: random gaps between operand words, and results that have to
    wait. ``resets`` in the middle of runs are those of `residua.cores.simulation.engine.verify`.
    Latency, interval and the time from a reset to the first word are held against those of
    ``streams``. Stops after the first few differences; a difference is a finding, not an error.

    Raises:
        ToolError: the simulator cannot be built or does not run.
    """
    start = time.monotonic()
    text = harness_source(streams, top)
    executable = compile_harness(text, rtl_sources, top)
    built, findings = time.monotonic(), Findings(streams)
    step = min(max(-(-runs.vectors // STEPS), _FEWEST_RUNS), LARGEST_STEP)

    def simulate(batch: Batch, chosen: Sequence[Case]) -> dict[str, Any]:
        joined = ((_joined(words, streams.width) for words in case) for case in chosen)
        return simulate_runs(
            executable,
            streams,
            ((operands, result) for operands, result in joined),
            batch.count,
            runs.seed + batch.done,
            batch.stalls,
            resets=0 if batch.done else runs.reset_count(streams.latency),
        )

    findings.gather(runs, step, cases, simulate, "the result of the words {0}")
    return findings.result(time.monotonic() - built, built - start)


def _joined(words: Sequence[int], width: int) -> int:
    return sum(word << width * place for place, word in enumerate(words))


def harness_source(
    streams: Streams,
    top: str,
    modulus_words: int = 0,
    tested_words: Sequence[int] = (),
    *,
    takes_random: bool = False,
) -> str:
    """The harness for module ``top``.

    ``modulus_words`` are loaded before the first run. Of them the core tests the ``tested_words``:
    they are odd, or it tells of an error. A core that ``takes_random`` has a stream of such words.
    """
    figures = {
        "modulus_words": modulus_words,
        "words": streams.words,
        "operand_words": streams.operands,
        "operand_bytes": streams.operand_bytes,
        "result_bytes": streams.result_bytes,
        "latency": streams.latency,
        "interval": streams.interval,
    }
    parts = {
        "LOADS_MODULUS": modulus_words,
        "TESTS_MODULUS": tested_words,
        "TAKES_RANDOM": takes_random,
        "FLAGS_ERRORS": streams.error_flag,
        "FLAGS_OPERANDS": streams.error_flag == "operands",
    }
    flags = [name for name, there in parts.items() if there]
    tested = ", ".join(map(str, tested_words))
    lists = [f"constexpr std::array<int, {len(tested_words)}> tested{{{tested}}};"]
    return word_harness(_HARNESS.read_text(), top, streams.width, figures, flags, lists)


def word_harness(
    harness: str,
    top: str,
    width: int,
    figures: Mapping[str, int],
    flags: Sequence[str] = (),
    tables: Sequence[str] = (),
) -> str:
    """The text of a harness for module ``top``, whose words have ``width`` bits, at most 128.

    The ``harness``, which is what comes last of it, has ``figures`` and other ``tables`` in a
    namespace, and the macros ``flags``.
    """
    lines = [
        "// Generated: the core's interface, then the harness.",
        "#include <array>",
        "#include <cstdint>",
        f'#include "V{top}.h"',
        *(f"#define {flag}" for flag in flags),
        "namespace tables {",
        f"using Core = V{top};",
        "__extension__ typedef unsigned __int128 Wide;",
        f"using Word = {'std::uint64_t' if width <= 64 else 'Wide'};",
        f"constexpr int width = {width};",
        *(f"constexpr int {name} = {value};" for name, value in figures.items()),
        *tables,
        "}  // namespace tables",
    ]
    return "\n".join([*lines, COMMON_SOURCE, _PORTS.read_text(), harness])


def simulate_runs(
    executable: Path,
    streams: Streams,
    cases: Iterable[tuple[int, int]],
    runs: int,
    seed: int,
    stalls: bool,
    *,
    resets: Resets = 0,
    modulus: Sequence[int] = (),
) -> dict[str, Any]:
    """The harness's report on these runs, from reset, and on ``resets`` in the middle of others.

    ``cases`` has the operands and the expected result of each run, either as one number of all its
    words, with a flag above those of a result if there is an ``error_flag``.
    """
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        with (directory / "cases").open("wb") as file:
            for word in modulus:
                file.write(word.to_bytes(16, "little"))
            for operands, expected in cases:
                file.write(operands.to_bytes(streams.operand_bytes, "little"))
                file.write(expected.to_bytes(streams.result_bytes, "little"))
        output = process.run(
            [executable.resolve(), "cases", *map(str, (runs, seed, int(stalls), resets))],
            tool="the simulator",
            cwd=directory,
            log=directory / "log",
        )
    report: dict[str, Any] = json.loads(output)
    return report


@dataclass
class Findings:
    """Findings of the simulations of one verification so far."""

    streams: Streams
    vectors: int = 0
    mismatches: int = 0
    resets: int = 0
    latencies: set[int] = field(default_factory=set)
    intervals: set[int] = field(default_factory=set)
    wakes: set[int] = field(default_factory=set)
    failures: list[str] = field(default_factory=list)

    def add(self, report: dict[str, Any], cases: Sequence[Sequence[object]], told: str) -> None:
        """Take in one simulation of some cases; ``told``, with a case put in, names its result."""
        self.vectors += report["vectors"]
        self.mismatches += report["mismatches"]
        self.resets += report["resets"]
        for measured, figure in (
            (self.latencies, "latency"),
            (self.intervals, "interval"),
            (self.wakes, "wake"),
        ):
            measured |= {cycles for cycles in report[figure] if cycles >= 0}
        for found in report["failures"]:
            result, word = told.format(*cases[found["run"]]), found["word"]
            values = f"expected {found['expected']}, obtained {found['obtained']}"
            self.failures.append(f"word {word} of {result}: {values}")
        if report["failure"]:
            self.failures.append(f"after {report['vectors']} runs: {report['failure']}")

    def gather(
        self,
        runs: Runs,
        step: int,
        cases: Iterator[C],
        simulate: Callable[[Batch, list[C]], dict[str, Any]],
        told: str,
    ) -> None:
        """Simulate batches of cases side by side, until something is wrong; ``told``: see `add`."""
        tasks = runs.chosen(step, cases)
        with side_by_side_in_order(lambda task: simulate(*task), tasks) as simulations:
            for (batch, chosen), report in simulations:
                self.add(report, chosen, told)
                runs.progress(batch.done + batch.count, runs.vectors)
                if self.failures:
                    break

    def result(self, seconds: float, build_seconds: float) -> VerificationResult:
        """The verdict, with the measured cycles held against the computed ones."""
        for name, measured, computed in (
            ("latency", self.latencies, self.streams.latency),
            ("interval", self.intervals, self.streams.interval),
            ("from a reset to the first word", self.wakes, self.streams.wake),
        ):
            if measured - {computed}:
                found = ", ".join(map(str, sorted(measured)))
                self.failures.append(f"{name}: {found} cycles measured, {computed} computed")
        return VerificationResult(
            self.vectors,
            self.mismatches,
            max(self.latencies, default=None),
            max(self.intervals, default=None),
            seconds,
            build_seconds,
            oracle_checks=self.vectors,
            model_checks=0,
            resets=self.resets,
            failures=tuple(self.failures),
        )
