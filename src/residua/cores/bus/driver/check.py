"""The C driver of a directory, compiled as it lies there and run against the simulated bus."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from residua.cores.bus.driver.files import rendered
from residua.cores.bus.driver.program import (
    Simulation,
    build_simulated_program,
    run_driver_program,
)
from residua.toolchain.process import ToolError

PAUSE = 64
"""Cycles between two accesses."""

_LIMIT = 1800.0
"""Seconds after which the program is stopped."""

Argument = int | bytes | Sequence[int]
"""A number, a byte string, or words of 32 bits."""


@dataclass(frozen=True)
class Call:
    """A function of the driver, its arguments after the device, its code, and what it gives out.

    ``sized`` says which strings are followed by their size; ``result`` is None for a function
    without an output.
    """

    function: str
    arguments: tuple[Argument, ...]
    code: int | str = 0
    result: bytes | None = None
    sized: tuple[int, ...] = ()

    def rendered(self) -> str:
        """The arguments in C."""
        texts = []
        for index, one in enumerate(self.arguments):
            texts.append(_argument(one))
            if index in self.sized:
                texts.append("0" if isinstance(one, int) else str(len(one)))
        return ", ".join(texts)

    def expected(self) -> str:
        """The output in C."""
        return _literal(self.result or b"")


def check_driver(
    simulation: Simulation, calls: Sequence[Call], headers: Sequence[str], polls: int
) -> list[str]:
    """Compile the driver of a directory with calls of it; what goes wrong.

    Args:
        simulation: of the directory.
        calls: what to call, one after the other, and what has to come out.
        headers: of the library.
        polls: the driver's limit.
    """
    most = max((len(call.result or b"") for call in calls), default=0)
    with TemporaryDirectory() as work:
        check = Path(work) / "driver_check.c"
        text = rendered(
            "driver_check.c",
            simulation.library,
            simulation.model.registers,
            {
                "calls": calls,
                "headers": headers,
                "most": most,
                "name": simulation.directory.name,
                "pause": PAUSE,
                "polls": polls,
            },
        )
        check.write_text(text, encoding="utf-8")
        try:
            program = build_simulated_program([simulation], check, Path(work))
            output = run_driver_program(program, timeout=_LIMIT)
        except ToolError as error:
            return [f"driver: {error}"]
    wrong = [line for line in output.splitlines() if line.startswith("WRONG")]
    if wrong or not re.search(rf"^PASS {len(calls)}$", output, re.MULTILINE):
        return [f"driver: {line}" for line in wrong or output.splitlines()[-1:] or ["no output"]]
    return []


def _argument(one: Argument) -> str:
    """An argument in C."""
    if isinstance(one, int):
        return str(one)
    if isinstance(one, bytes):
        return _literal(one)
    words = ", ".join(f"0x{word:08X}u" for word in one)
    return f"(const uint32_t[]){{{words}}}"


def _literal(content: bytes) -> str:
    """A byte string in C."""
    text = "".join(f"\\x{byte:02x}" for byte in content)
    return f'(const uint8_t *)"{text}"'
