"""The RTL of a core that makes products or powers of words, against plain integers.

The expected results are computed here without engine, residues or model.
"""

import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain, product
from math import gcd
from pathlib import Path
from typing import Any, Protocol, TypeVar

from residua.cores.simulation.engine import compile_harness
from residua.cores.simulation.result import VerificationResult
from residua.cores.simulation.runs import STEPS, Batch, Resets, Runs
from residua.cores.simulation.streams import (
    ErrorFlag,
    Findings,
    Streams,
    harness_source,
    simulate_runs,
)

LARGEST_STEP = 100_000
"""Products of one simulation; their operands and results are in memory at once."""

Pair = tuple[int, int]
"""The operands x and y of one product."""


class Domain(Protocol):
    """Modulus of a product, and R."""

    @property
    def modulus(self) -> int:
        """P."""

    @property
    def montgomery_factor(self) -> int:
        """R."""


class WordDesign(Protocol):
    """Promises of a core with streams of words.

    See `residua.hardware.converters.word_core.WordDesign`.
    """

    @property
    def domain(self) -> Domain:
        """Modulus of products."""

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

    @property
    def wake(self) -> int:
        """Cycles from the end of a reset to the first in which a word is taken."""

    @property
    def modulus_words(self) -> tuple[int, ...]:
        """The words that are loaded first; none if the modulus is built in."""

    @property
    def tested_words(self) -> tuple[int, ...]:
        """Which of them are the lowest of a modulus that the core tests to be odd."""

    @property
    def error_flag(self) -> ErrorFlag:
        """What a flag beside a result tells, if there is one.

        If results are withheld, nothing else than 0 has 0 as its result; 0 may have it with or
        without the flag.
        """

    def expected(self, x: int, y: int) -> int:
        """The result for two operands, by plain integers; 0 if it is withheld."""


D = TypeVar("D", bound=WordDesign)


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
    takes_random: bool = False,
) -> WordSimulator:
    """Compile the RTL of a core with words, module ``top``, and the harness.

    ``modulus`` is the words that the core loads before the first product. A core that
    ``takes_random`` has a stream of random words, too.
    """
    start = time.monotonic()
    tested = design.tested_words if modulus else ()
    text = harness_source(_streams(design), top, len(modulus), tested, takes_random=takes_random)
    executable = compile_harness(text, rtl_sources, top)
    return WordSimulator(design, executable, time.monotonic() - start, tuple(modulus))


def verify_word_core(
    designs: Sequence[D],
    top: str,
    sources: Sequence[Path],
    runs: Runs,
    begins: Callable[[D], Sequence[Pair]] = lambda design: (),
    *,
    takes_random: bool = False,
) -> VerificationResult:
    """Compare the Verilog of a core with words, module ``top``, with plain integers.

    ``designs`` are what it promises with each modulus, or key, that it may load: it is compiled
    once, and they share the runs, of which ``begins`` gives the first operands. A core that
    ``takes_random`` has a stream of random words. Stops after the first design that fails; see
    `verify_words`.

    Raises:
        ToolError: the simulator cannot be built or does not run.
    """
    first, share = designs[0], -(-runs.vectors // len(designs))
    simulator = build_word_simulator(
        first,
        sources,
        top=top,
        modulus=first.modulus_words,
        takes_random=takes_random,
    )
    results: list[VerificationResult] = []
    for done, design in zip(range(0, runs.vectors, share), designs, strict=False):
        loaded = replace(simulator, design=design, modulus=design.modulus_words)
        results.append(verify_words(loaded, runs.part(done, share), begins(design)))
        if not results[-1].passed:
            break
    return reduce(VerificationResult.merged, results)


def with_model(
    found: VerificationResult,
    designs: Sequence[D],
    model: Callable[[D, int, int], int],
    checks: int,
    seed: int,
) -> VerificationResult:
    """Compare the model with plain integers, too, for adversarial operands of each design.

    These are compared with plain integers, too.
    """
    cases = [
        (design, *pair)
        for design in designs
        for pair in edge_pairs(design, random.Random(seed))[:checks]
    ]
    wrong = [
        f"the model is wrong for x = {x} and y = {y} modulo {design.domain.modulus}"
        for design, x, y in cases
        if model(design, x, y) != design.expected(x, y)
    ]
    return replace(found, model_checks=len(cases), failures=(*found.failures, *wrong))


def verify_words(
    simulator: WordSimulator, runs: Runs, begins: Sequence[Pair] = ()
) -> VerificationResult:
    """Make products of ``begins``, then of operands chosen by the seed; compare every word of each.

    Back to back, or with `Stalls`: random gaps between operand words, and results that have to
    wait. Resets in the middle of runs are those of `residua.cores.simulation.engine.verify`, a
    modulus is loaded again after each. Latency, interval and the time from a reset to the first
    word are held against those of the design. Stops after the first few differences; a difference
    is a finding, not an error.

    Raises:
        ToolError: the simulator does not run.
    """
    start = time.monotonic()
    design, chooser = simulator.design, random.Random(runs.seed)
    edges = edge_pairs(design, chooser)
    pairs = chain(begins, edges, random_pairs(design, chooser))
    step = min(max(-(-runs.vectors // STEPS), 2 * len(edges)), LARGEST_STEP)
    findings = Findings(_streams(design))
    wanted = runs.reset_count(design.latency)

    def simulated(batch: Batch, chosen: Sequence[Pair]) -> dict[str, Any]:
        own = 0 if batch.done else wanted
        return simulate(simulator, chosen, runs.seed + batch.done, batch.stalls, own)

    findings.gather(runs, step, pairs, simulated, "the product of x = {} and y = {}")
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


def outside(design: WordDesign, chooser: random.Random) -> list[Pair]:
    """Operands of which one is out of its range, or both; shuffled."""
    most, limits = (1 << design.width * design.words) - 1, (design.largest_x, design.largest)
    xs, ys = (
        [*range(limit + 1, min(limit + 3, most + 1)), *_between(limit + 1, most, chooser)]
        for limit in limits
    )
    inner_xs, inner_ys = ([0, limit, chooser.randint(0, limit)] for limit in limits)
    pairs = [*product(xs, inner_ys), *product(inner_xs, ys), *product(xs, ys)]
    chooser.shuffle(pairs)
    return pairs


def _between(low: int, high: int, chooser: random.Random) -> list[int]:
    """The largest number of a range, and random ones; none if it is empty."""
    return [high, *(chooser.randint(low, high) for _ in range(2))] if low <= high else []


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
        design.width,
        design.operand_words,
        design.words,
        design.latency,
        design.interval,
        design.wake,
        design.error_flag,
    )


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
    flag = 1 << above

    def result(x: int, y: int) -> int:
        told = design.error_flag
        if told == "operands" and (x > design.largest_x or y > design.largest):
            return flag
        expected = design.expected(x, y)
        return flag if told == "withheld" and x and not expected else expected

    cases = ((x | y << above, result(x, y)) for x, y in pairs)
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
