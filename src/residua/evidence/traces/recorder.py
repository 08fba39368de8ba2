"""A core in simulation whose registers are shown in each cycle of an operation."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from residua.cores.directory import Directory
from residua.cores.simulation.engine import compile_harness
from residua.evidence.attacks.drawing import named
from residua.evidence.attacks.victims.victim import Answer, Bench
from residua.toolchain import process
from residua.toolchain.planted.registers import Register, show_registers

States = NDArray[np.uint32]
"""A line for each cycle: the bits of all registers in words of 32, the lowest first."""

_HARNESS = Path(__file__).with_suffix(".cpp")

_WORD = 32


class Recorder:
    """A compiled core that runs single operations.

    Args:
        directory: of the core.
        bench: C++ that runs it.
        work: a folder that stays as long as there is something to be recorded.

    Attributes:
        registers: of the core.

    Raises:
        ToolError: a tool failed.
    """

    def __init__(self, directory: Directory, bench: Bench, work: Path) -> None:
        shown = show_registers(directory.sources(top=bench.top), bench.top, out_dir=work)
        self.registers: Sequence[Register] = shown.registers
        source = bench.source + _HARNESS.read_text(encoding="utf-8")
        self._work = work
        self._simulator = compile_harness(source, [shown.verilog], bench.top, any_state=False)

    def run(self, line: str, most: int, span: tuple[int, int] | None) -> tuple[States, Answer]:
        """The bits of all registers in each cycle of a span, and how the operation ended.

        Args:
            line: the operation as the bench takes it.
            most: cycles after which it hangs.
            span: the first cycle and the one after the last, which it may not reach; None for all.

        Raises:
            ToolError: it hangs, or the simulator failed.
        """
        words = -(-max(one.first + one.width for one in self.registers) // _WORD)
        return self._recorded(line, most, span or (0, most), range(words))

    def held(self, line: str, most: int, pattern: str) -> NDArray[np.int64]:
        """What a register of at most 32 bits holds in each cycle of an operation.

        Raises:
            SpecificationError: no register has a name like the pattern.
            ToolError: see `run`.
        """
        register = named(self.registers, pattern, "register")[0]
        word, bit = divmod(register.first, _WORD)
        both = range(word, (register.first + register.width - 1) // _WORD + 1)
        states, _ = self._recorded(line, most, (0, most), both)
        value = states[:, 0].astype(np.uint64)
        if len(both) > 1:
            value |= states[:, 1].astype(np.uint64) << np.uint64(_WORD)
        value = value >> np.uint64(bit) & np.uint64((1 << register.width) - 1)
        return value.astype(np.int64)

    def _recorded(
        self, line: str, most: int, span: tuple[int, int], words: range
    ) -> tuple[States, Answer]:
        (self._work / "script").write_text(f"{line}\n", encoding="utf-8")
        numbers = map(str, (most, *span, words.start, len(words)))
        command: list[str | Path] = [self._simulator, "script", *numbers, "states"]
        log = self._work / "log"
        process.run(command, tool="simulator", cwd=self._work, log=log)
        answer = Answer.of(log.read_text(encoding="utf-8"))
        if answer.hangs:
            raise process.ToolError("the operation does not end", [str(self._simulator)], log, "")
        states = np.fromfile(self._work / "states", dtype=np.uint32).reshape(-1, len(words))
        return states[: max(answer.cycles - span[0], 0)], answer
