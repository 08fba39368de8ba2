"""Explores the states of a network's control, one by one, while its data are any.

Of data it is known for each bit whether it is 0, 1 or either; with a `Stream` for each operation
that there is, one of them at a time, whatever came before it and comes after it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from residua import cache as kept_files
from residua.toolchain.aiger import Network
from residua.toolchain.kept.runs import keep_run
from residua.toolchain.process import ToolError, log_of_failure, run
from residua.toolchain.verilator_runtime import compiler, version

_FOLDER = Path(__file__).parent
_SOURCE, _HEADER = "explore.cpp", "values.h"
_FLAGS = ("-std=c++17", "-O3")


@dataclass(frozen=True)
class Stream:
    """Words of operations that go into a network, and words of results that come out, in order.

    Attributes:
        overlaps: an operation may begin before the one before it has ended.
        valid: input, whether a word is offered.
        ready: literal, whether one is taken.
        bits: how many each word of an operation may have; an operation has as many words.
        payload: inputs, the bits of a word.
        result_valid: literal, whether a word of a result is offered.
        result_ready: input, whether one is taken.
        result_words: of an operation.
        differs: literal that has to be 0 while a word of a result is offered.
    """

    overlaps: bool
    valid: int
    ready: int
    bits: Sequence[int]
    payload: Sequence[int]
    result_valid: int
    result_ready: int
    result_words: int
    differs: int

    def numbers(self) -> list[int]:
        """What the program reads of it."""
        given = [1 if self.overlaps else 2, self.valid, self.ready, len(self.bits), *self.bits]
        given += [len(self.payload), *self.payload]
        return [*given, self.result_valid, self.result_ready, self.result_words, self.differs]


@dataclass(frozen=True)
class Question:
    """What is asked of a network; inputs are numbers, all else literals, see `Network`.

    Attributes:
        reset: input, which is 1 in any cycle.
        choices: inputs of which both values are tried; what is no choice, nor a word of the
            operation that is followed, is unknown.
        claims: have to be 0 in every cycle.
        stream: its results are asked for, too.
    """

    reset: int
    choices: Sequence[int]
    claims: Sequence[int]
    stream: Stream | None = None

    def numbers(self) -> list[int]:
        """What the program reads of it."""
        given = [self.reset, len(self.choices), *self.choices, len(self.claims), *self.claims]
        return given + (self.stream.numbers() if self.stream else [0])


def explore(
    network: Network,
    question: Question,
    *,
    out_dir: Path,
    name: str,
    cpu_seconds: int,
    most_states: int = 200_000,
) -> str:
    """Ask whether what has to be 0 is so, from the initial values on, for ever and whatever comes.

    A yes is a proof. What is unknown may be worse than it is, so that a no says nothing, but that
    the results of an operand differ.

    Args:
        network: whose registers begin with 0.
        question: about it.
        out_dir: takes what the program reads and says.
        name: of these files.
        cpu_seconds: of the processor's time.
        most_states: of the control, which need 10 KiB each, or so.

    Returns:
        Nothing if it is proved, else why not.

    Raises:
        ToolError: there is no C++ compiler.
    """
    numbers = [len(network.inputs), len(network.following), len(network.gates)]
    numbers += [*question.numbers(), most_states, *network.following]
    numbers += [literal for gate in network.gates for literal in gate]
    text = "\n".join(map(str, numbers)) + "\n"
    (out_dir / f"{name}.txt").write_text(text, encoding="utf-8")
    program, log = _program(), out_dir / f"{name}.log"

    def work() -> None:
        command: list[str | Path] = [program, f"{name}.txt"]
        run(command, tool="the explorer", cwd=out_dir, log=log, cpu_seconds=cpu_seconds)

    try:
        keep_run("explorer", [*_sources(), name, text], [log.name], out_dir, work)
    except ToolError as error:
        return str(error.args[0])
    said = log.read_text(encoding="utf-8").strip()
    return "" if said.startswith("proved") else said.removeprefix("refused ")


def _sources() -> list[str]:
    return [(_FOLDER / name).read_text(encoding="utf-8") for name in (_SOURCE, _HEADER)]


@cache
def _program() -> Path:
    key = kept_files.key([version(), *_FLAGS, *_sources()])
    program = kept_files.kept("simulators", "explorer", key, _compile)
    program.chmod(0o755)
    return program


def _compile(made: Path) -> None:
    command: list[str | Path] = [compiler(), *_FLAGS, _FOLDER / _SOURCE, "-o", made]
    with log_of_failure("compiler") as log:
        run(command, tool="the C++ compiler", cwd=made.parent, log=log)
