"""A coprocessor in simulation: operations on integers, by Verilator."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from residua.cores.simulation.engine import COMMON_SOURCE, compile_harness
from residua.cores.simulation.word_bench import OPERATION_BENCH
from residua.curves.operations.codes import Operation, Status
from residua.curves.protections.status_codes import PLAIN, StatusCodes
from residua.errors import SpecificationError
from residua.hardware.coprocessor.design import CurveDesign
from residua.hardware.coprocessor.durations import patience
from residua.toolchain import process
from residua.toolchain.kept.simulations import keep_simulation

_HARNESS = Path(__file__).with_suffix(".cpp")

_BENCH = Path(__file__).with_name("bench.h")

_BATCH = 16
"""Operations of one simulation, of several side by side."""

T = TypeVar("T")

FRESH_WORDS, NO_WORDS = -1, -2
"""Supplies of random words: a fresh one each time, and none at all."""


@dataclass(frozen=True)
class Request:
    """An operation to run.

    ``stalls`` of 256 cycles each stream pauses; ``seed`` is that of random words and pauses. In
    cycle ``abort`` of the operation it is zeroised, if that is not 0, or the core is reset for
    ``reset`` cycles, if that is not 0 either; then there is no answer, unless it ended before.
    ``supply`` is `FRESH_WORDS`, `NO_WORDS`, or what every random word is.
    """

    operation: int
    operands: tuple[int, ...]
    curve: int = 0
    stalls: int = 0
    seed: int = 1
    abort: int = 0
    reset: int = 0
    supply: int = FRESH_WORDS

    def line(self, words: int) -> str:
        """The operation as a line for the harness, its operands in so many words.

        Raises:
            SpecificationError: an operand does not fit.
        """
        head = [self.operation, self.curve, self.stalls, self.seed, self.abort, self.reset]
        head.append(self.supply)
        parts = (word for number in self.operands for word in _split(number, words))
        return " ".join([*map(str, head), *(f"{word:08x}" for word in parts)])


@dataclass(frozen=True)
class Answer:
    """Answer of an operation: status, numbers, cycles, and the random words that it took."""

    status: Status
    results: tuple[int, ...]
    cycles: int
    random_words: int


class CoprocessorSimulator:
    """A compiled simulation of a coprocessor.

    Attributes:
        executable: takes a script, see the harness.
        words: of 32 bits in a number.
        patience: cycles after which an operation hangs.
        codes: of statuses.
    """

    def __init__(
        self, executable: Path, words: int, patience: int, codes: StatusCodes = PLAIN
    ) -> None:
        self.executable, self.words, self.patience = executable, words, patience
        self.codes = codes

    def run(self, requests: Iterable[Request]) -> list[Answer]:
        """The answers to some requests without resets, one after another on one simulated core.

        Raises:
            SpecificationError: an operand does not fit its words.
            ToolError: the core hangs.
        """
        return [answer for answer in self.outcomes(requests) if answer is not None]

    def outcomes(self, requests: Iterable[Request]) -> list[Answer | None]:
        """Run requests; the answer of each as from `run`, None where a reset ended it.

        An operation that ends before the reset that its request names has its answer.
        """
        script = "".join(f"{request.line(self.words)}\n" for request in requests)
        return [self._answer(line) for line in self._output(script).splitlines()]

    def operate(
        self, operation: Operation, *operands: int, curve: int = 0, seed: int = 1
    ) -> Answer:
        """The answer to one operation."""
        return self.run([Request(operation, operands, curve=curve, seed=seed)])[0]

    def _output(self, script: str) -> str:
        """What the simulator says to a script, which depends on nothing else; it is kept."""
        with TemporaryDirectory() as work:
            folder = Path(work)
            log = folder / "log"
            (folder / "script").write_text(script, encoding="utf-8")
            command: list[str | Path] = [self.executable, "script", str(self.patience)]
            return keep_simulation(
                self.executable,
                [script, str(self.patience)],
                log,
                lambda: process.run(command, tool="simulator", cwd=folder, log=log),
            )

    def _answer(self, line: str) -> Answer | None:
        if line == "reset":
            return None
        status, cycles, taken, *words = line.split()
        return Answer(
            self.codes.statuses[int(status)], numbers_of(words, self.words), int(cycles), int(taken)
        )


def batches(all_of_them: Sequence[T], size: int = _BATCH) -> Iterator[Sequence[T]]:
    """What each of several simulations has to run, of the same length but for the last one."""
    return (all_of_them[first : first + size] for first in range(0, len(all_of_them), size))


def _split(number: int, words: int) -> Sequence[int]:
    if not 0 <= number < 1 << 32 * words:
        raise SpecificationError(f"{number} does not fit {words} words of 32 bits")
    return [number >> 32 * index & 0xFFFFFFFF for index in range(words)]


def numbers_of(texts: Sequence[str], words: int) -> tuple[int, ...]:
    """The numbers of so many words each that the harness gives in hexadecimal."""
    parts = [int(text, 16) for text in texts]
    return tuple(
        sum(part << 32 * i for i, part in enumerate(parts[first : first + words]))
        for first in range(0, len(parts), words)
    )


def build_coprocessor_simulator(
    sources: Sequence[Path], top: str, design: CurveDesign
) -> CoprocessorSimulator:
    """Compile the Verilog of a coprocessor called ``top`` with its harness."""
    source = bench_source(top, design.status_codes) + _HARNESS.read_text(encoding="utf-8")
    executable = compile_harness(source, sources, top)
    return CoprocessorSimulator(executable, design.words, patience(design), design.status_codes)


def bench_source(top: str, codes: StatusCodes) -> str:
    """C++ that drives a coprocessor called ``top``; what calls it follows."""
    header = f'#include "V{top}.h"\nusing Top = V{top};\n'
    header += f"constexpr unsigned status_ok = {codes.of(Status.OK)};\n"
    return header + COMMON_SOURCE + OPERATION_BENCH + _BENCH.read_text(encoding="utf-8")
