"""The RTL of a core with binary words against plain integers: every word of every result.

A C++ harness drives both streams of the Verilated core. The expected results are products modulo P,
computed here without engine, residues or model.
"""

import json
import random
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, product
from math import gcd
from pathlib import Path
from typing import Any, Protocol

from residua.cores.simulation.engine import (
    COMMON_SOURCE,
    STEPS,
    Progress,
    compile_harness,
    reset_count,
)
from residua.cores.simulation.result import VerificationResult
from residua.cores.simulation.runs import Resets, Stalls, batches
from residua.errors import SpecificationError
from residua.toolchain import process

LARGEST_STEP = 100_000
"""Products of one simulation; their operands and results are in memory at once."""

_HARNESS = Path(__file__).with_suffix(".cpp")

_PORTS = Path(__file__).with_name("word_ports.h")
"""What harnesses of cores with words have after the common source."""

Pair = tuple[int, int]
"""The operands x and y of one product."""


class Domain(Protocol):
    """What a product is modulo, and R."""

    @property
    def modulus(self) -> int:
        """P."""

    @property
    def montgomery_factor(self) -> int:
        """R."""


class WordDesign(Protocol):
    """What a core with streams of words promises.

    See `residua.hardware.converters.word_core.WordDesign`.
    """

    @property
    def domain(self) -> Domain:
        """What products are modulo."""

    @property
    def width(self) -> int:
        """Bits of a word, at most 128."""

    @property
    def words(self) -> int:
        """Words of each operand and of the result."""

    @property
    def operand_words(self) -> int:
        """Words of x and y together; those of x if there is no y."""

    @property
    def largest(self) -> int:
        """The largest y; 0 if there is none."""

    @property
    def largest_x(self) -> int:
        """The largest x."""

    @property
    def latency(self) -> int:
        """Cycles from the last operand word to the last result word."""

    @property
    def interval(self) -> int:
        """Cycles between results."""

    def expected(self, x: int, y: int) -> int:
        """The result for two operands, by plain integers."""


@dataclass(frozen=True)
class Streams:
    """What the harness knows of a core with streams of words.

    Attributes:
        width: bits of a word, at most 128.
        operands: words of all operands of a run.
        words: words of its result.
        latency: cycles from the last operand word to the last result word.
        interval: cycles between results.
    """

    width: int
    operands: int
    words: int
    latency: int
    interval: int

    @property
    def operand_bytes(self) -> int:
        """Of all operands of a run in a file."""
        return -(-self.operands * self.width // 8)

    @property
    def result_bytes(self) -> int:
        """Of a result in a file."""
        return -(-self.words * self.width // 8)


@dataclass(frozen=True)
class WordSimulator:
    """A Verilated core with its harness. ``modulus`` is the words that it loads first, if any."""

    design: WordDesign
    executable: Path
    build_seconds: float
    modulus: tuple[int, ...] = ()


def build_word_simulator(
    design: WordDesign,
    rtl_sources: Sequence[Path],
    *,
    top: str,
    modulus: Sequence[int] = (),
    optimise: bool = True,
) -> WordSimulator:
    """Compile the RTL of a core with words, module ``top``, and the harness.

    ``modulus`` is the words that the core loads before the first product. Without
    ``optimise``, for short runs, compiling takes less time and simulating more.
    """
    start = time.monotonic()
    text = harness_source(_streams(design), top, len(modulus))
    executable = compile_harness(text, rtl_sources, top, optimise=optimise)
    return WordSimulator(design, executable, time.monotonic() - start, tuple(modulus))


def verify_words(
    simulator: WordSimulator,
    *,
    vectors: int,
    seed: int,
    stalls: Stalls,
    resets: Resets = None,
    progress: Progress | None = None,
) -> VerificationResult:
    """Make ``vectors`` products of operands chosen by ``seed`` and compare every word of each.

    Back to back, or with `Stalls`: random gaps between operand words, and results that have to
    wait. ``resets`` in the middle of runs are those of `residua.cores.simulation.engine.verify`, a
    modulus is loaded again after each. Latency and interval are held against those of the design.
    Stops after the first few differences; a difference is a finding, not an error.

    Raises:
        SpecificationError: ``vectors`` is not positive.
        ToolError: the simulator does not run.
    """
    if vectors < 1:
        raise SpecificationError(f"a verification makes at least 1 run, not {vectors}")
    start = time.monotonic()
    design, chooser = simulator.design, random.Random(seed)
    edges = edge_pairs(design, chooser)
    pairs = chain(edges, random_pairs(design, chooser))
    step = min(max(-(-vectors // STEPS), 2 * len(edges)), LARGEST_STEP)
    findings = _Findings(design)
    wanted = reset_count(resets, design.latency)
    for batch in batches(vectors, step, stalls):
        chosen = list(islice(pairs, batch.count))
        own = 0 if batch.done else wanted
        findings.add(simulate(simulator, chosen, seed + batch.done, batch.stalls, own), chosen)
        if progress:
            progress(batch.done + batch.count, vectors)
        if findings.failures:
            break
    return findings.result(time.monotonic() - start, simulator.build_seconds)


def edge_pairs(design: WordDesign, chooser: random.Random) -> list[Pair]:
    """Adversarial operands with one another, and operands of adversarial results; shuffled."""
    core = _core_numbers(design)
    words = _word_numbers(design)
    limits = design.largest_x, design.largest
    xs, ys = ([n for n in core if n <= limit] for limit in limits)
    pairs = list(product(xs, ys))
    for number in words:
        pairs.append((number, chooser.randint(0, limits[1])))
        pairs.append((chooser.randint(0, limits[0]), number))
    if limits[1]:
        pairs += (_leading_to(design, target, chooser) for target in [*core, *words])
    # Whoever runs only the first ones gets a fair sample of them.
    fitting = [(x, y) for x, y in pairs if x <= limits[0] and y <= limits[1]]
    chooser.shuffle(fitting)
    return fitting


def random_pairs(design: WordDesign, chooser: random.Random) -> Iterator[Pair]:
    """Uniform operands over their ranges, one in eight pairs with an adversarial one."""
    special = [*_core_numbers(design), *_word_numbers(design)]
    while True:
        x, y = chooser.randint(0, design.largest_x), chooser.randint(0, design.largest)
        kind, number = chooser.getrandbits(4), chooser.choice(special)
        if kind == 0 and number <= design.largest_x:
            x = number
        elif kind == 1 and number <= design.largest:
            y = number
        yield x, y


def _core_numbers(design: WordDesign) -> list[int]:
    """0, P, its half and multiples, the largest operands, R and its powers, and neighbours."""
    modulus, factor = design.domain.modulus, design.domain.montgomery_factor
    powers = [pow(factor, exponent, modulus) for exponent in (1, 2, -1)]
    centres = [0, modulus, modulus // 2, 2 * modulus, design.largest, design.largest_x, *powers]
    numbers = (centre + step for centre in centres for step in (-1, 0, 1, 2))
    return _within(design, numbers)


def _word_numbers(design: WordDesign) -> list[int]:
    """Powers of two, words of ones alone and up to one place, and neighbours."""
    width, bits = design.width, design.width * design.words
    ones = (1 << width) - 1
    starts = range(0, bits, width)
    numbers = [
        *(1 << k for k in range(bits)),
        *(ones << start for start in starts),
        *((1 << start) + step for start in starts for step in (-2, -1, 1)),
        *((1 << bits) - (1 << start) for start in starts),
    ]
    return _within(design, numbers)


def _within(design: WordDesign, numbers: Iterable[int]) -> list[int]:
    """The numbers that can be x, each once."""
    return [n for n in dict.fromkeys(numbers) if 0 <= n <= design.largest_x]


def _leading_to(design: WordDesign, target: int, chooser: random.Random) -> Pair:
    """A random x and the y with which the result is ``target`` modulo P."""
    modulus = design.domain.modulus
    while gcd(x := chooser.randrange(1, modulus), modulus) != 1:
        pass
    # The result for y = 1 tells the factor that every y is multiplied by.
    return x, target * pow(design.expected(x, 1), -1, modulus) % modulus


def _streams(design: WordDesign) -> Streams:
    return Streams(
        design.width, design.operand_words, design.words, design.latency, design.interval
    )


def harness_source(streams: Streams, top: str, modulus_words: int = 0) -> str:
    """The harness for module ``top``."""
    figures = {
        "modulus_words": modulus_words,
        "words": streams.words,
        "operand_words": streams.operands,
        "operand_bytes": streams.operand_bytes,
        "result_bytes": streams.result_bytes,
        "latency": streams.latency,
        "interval": streams.interval,
    }
    flags = ["LOADS_MODULUS"] if modulus_words else []
    return word_harness(_HARNESS, top, streams.width, figures, flags)


def word_harness(
    harness: Path, top: str, width: int, figures: Mapping[str, int], flags: Sequence[str] = ()
) -> str:
    """The text of a harness for module ``top``, whose words have ``width`` bits, at most 128.

    The harness has ``figures`` in its namespace ``tables``, and the macros ``flags``.
    """
    lines = [
        "// Generated: the core's interface, then the harness.",
        "#include <cstdint>",
        f'#include "V{top}.h"',
        *(f"#define {flag}" for flag in flags),
        "namespace tables {",
        f"using Core = V{top};",
        "__extension__ typedef unsigned __int128 Wide;",
        f"using Word = {'std::uint64_t' if width <= 64 else 'Wide'};",
        f"constexpr int width = {width};",
        *(f"constexpr int {name} = {value};" for name, value in figures.items()),
        "}  // namespace tables",
    ]
    return "\n".join([*lines, COMMON_SOURCE, _PORTS.read_text(), harness.read_text()])


def simulate(
    simulator: WordSimulator, pairs: Sequence[Pair], seed: int, stalls: bool, resets: Resets = 0
) -> dict[str, Any]:
    """The harness's report on these products, from reset, whatever the design expects of them.

    ``resets`` follow in the middle of others.

    It has ``vectors``, ``mismatches``, ``failure`` and ``failures``, and the smallest and the
    largest ``latency`` and ``interval``, negative if there was none.

    Raises:
        ToolError: the simulator does not run.
    """
    design = simulator.design
    streams, above = _streams(design), design.words * design.width
    cases = ((x | y << above, design.expected(x, y)) for x, y in pairs)
    return simulate_runs(
        simulator.executable,
        streams,
        cases,
        len(pairs),
        seed,
        stalls,
        resets=resets,
        modulus=simulator.modulus,
    )


def simulate_runs(
    executable: Path,
    streams: Streams,
    cases: Iterable[Pair],
    runs: int,
    seed: int,
    stalls: bool,
    *,
    resets: Resets = 0,
    modulus: Sequence[int] = (),
) -> dict[str, Any]:
    """The harness's report on these runs, from reset, and on ``resets`` in the middle of others.

    ``cases`` has the operands and the expected result of each run, either as one number of all its
    words.
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
class _Findings:
    """What the simulations of one verification found so far."""

    design: WordDesign
    vectors: int = 0
    mismatches: int = 0
    resets: int = 0
    latencies: set[int] = field(default_factory=set)
    intervals: set[int] = field(default_factory=set)
    failures: list[str] = field(default_factory=list)

    def add(self, report: dict[str, Any], pairs: Sequence[Pair]) -> None:
        """Take in one simulation."""
        self.vectors += report["vectors"]
        self.mismatches += report["mismatches"]
        self.resets += report["resets"]
        self.latencies |= {cycles for cycles in report["latency"] if cycles >= 0}
        self.intervals |= {cycles for cycles in report["interval"] if cycles >= 0}
        if report["failure"]:
            self.failures.append(f"after {report['vectors']} products: {report['failure']}")
        for found in report["failures"]:
            x, y = pairs[found["run"]]
            self.failures.append(
                f"word {found['word']} of the product of x = {x} and y = {y}: "
                f"expected {found['expected']}, obtained {found['obtained']}"
            )

    def result(self, seconds: float, build_seconds: float) -> VerificationResult:
        """The verdict, with the measured cycles held against the computed ones."""
        for name, measured, computed in (
            ("latency", self.latencies, self.design.latency),
            ("interval", self.intervals, self.design.interval),
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
