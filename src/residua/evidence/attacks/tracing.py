"""Traces of a running core: for each cycle how many bits of its registers changed.

That is what the power of a device follows, without its noise.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from residua.cores.directory import Directory
from residua.cores.simulation.engine import compile_harness
from residua.cores.simulation.runs import Steps
from residua.errors import SpecificationError
from residua.evidence.attacks.drawing import named
from residua.evidence.attacks.victims.victim import Bench
from residua.evidence.attacks.welch import Traces
from residua.toolchain import process
from residua.toolchain.kept.simulations import keep_simulation
from residua.toolchain.planted.registers import ShownDesign, show_registers

Bits = NDArray[np.uint8]
"""A line for each run, a column for each cycle: what a bit of a register was."""

_STEP = 50
"""Traces of one simulation, which are in memory at once."""

_HARNESS = Path(__file__).with_suffix(".cpp")

_MOST_KEPT = 20_000_000
"""Cycles of all traces up to which the cache keeps them: more would push out much else."""


class Tracer:
    """A compiled core that runs operations and writes a trace of each.

    Args:
        directory: of the core.
        bench: C++ that runs it.
        cycles: of every operation.
        traces: how many there will be, in all.
        work: a folder that stays as long as there are traces to be taken.
        where: pattern of the names of registers whose bits count.
        watched: a register whose lowest bit is told for each cycle, too.

    Attributes:
        bits: how many bits count.

    Raises:
        SpecificationError: no register has such a name.
        ToolError: a tool failed.
    """

    def __init__(
        self,
        directory: Directory,
        bench: Bench,
        cycles: int,
        traces: int,
        work: Path,
        *,
        where: str = "*",
        watched: str | None = None,
    ) -> None:
        self._cycles, self._work = cycles, work
        shown = show_registers(directory.sources(top=bench.top), bench.top, out_dir=work)
        source = bench.source + _HARNESS.read_text(encoding="utf-8")
        samples = traces * cycles
        self._kept = samples <= _MOST_KEPT
        self._simulator = compile_harness(source, [shown.verilog], bench.top, any_state=False)
        words = _mask(shown, where)
        self.bits = sum(word.bit_count() for word in words)
        (work / "bits").write_text(" ".join(f"{word:08x}" for word in words), encoding="utf-8")
        self._watched: int | None = None
        if watched is not None:
            (register,) = named(shown.registers, watched, "register")
            self._watched = register.first

    def take(
        self, lines: Sequence[str], progress: Steps
    ) -> Iterator[tuple[slice, Traces, Bits | None]]:
        """The traces of operations, some at a time, and the bits of the watched register.

        Args:
            lines: the operations as the bench takes them.
            progress: called now and then.

        Yields:
            Which of the operations, their traces, and the bits if a register is watched.

        Raises:
            SpecificationError: an operation takes another number of cycles.
            ToolError: the simulator failed.
        """
        for first in range(0, len(lines), _STEP):
            part = slice(first, min(first + _STEP, len(lines)))
            yield part, *self._part(lines[part])
            progress(part.stop, len(lines))

    def _part(self, lines: Sequence[str]) -> tuple[Traces, Bits | None]:
        cycles, files = self._cycles, ["traces"]
        script = "".join(f"{line}\n" for line in lines)
        (self._work / "script").write_text(script, encoding="utf-8")
        numbers = [str(2 * cycles + 1000), str(cycles)]
        command: list[str | Path] = [
            self._simulator, "script", numbers[0], "bits", numbers[1], "traces",
        ]  # fmt: skip
        if self._watched is not None:
            numbers.append(str(self._watched))
            files.append("watched")
            command += [numbers[-1], "watched"]
        log = self._work / "log"

        def run() -> None:
            process.run(command, tool="simulator", cwd=self._work, log=log)

        if self._kept:
            parts: list[str | bytes] = [script, (self._work / "bits").read_bytes(), *numbers]
            text = keep_simulation(self._simulator, parts, log, run, files)
        else:
            run()
            text = log.read_text(encoding="utf-8")
        lengths = {int(told.split()[1]) for told in text.splitlines()}
        if lengths != {cycles}:
            raise SpecificationError(
                f"operations took {', '.join(map(str, sorted(lengths)))} cycles, not {cycles}: "
                "run residua verify"
            )
        shape = len(lines), cycles
        traces = np.fromfile(self._work / "traces", dtype=np.uint16).reshape(shape)
        if self._watched is None:
            return traces, None
        return traces, np.fromfile(self._work / "watched", dtype=np.uint8).reshape(shape)


def _mask(shown: ShownDesign, where: str) -> list[int]:
    """The bits of the registers that count, in words of 32."""
    total = max(one.first + one.width for one in shown.registers)
    mask = 0
    for one in named(shown.registers, where, "register"):
        mask |= ((1 << one.width) - 1) << one.first
    return [mask >> start & 0xFFFFFFFF for start in range(0, total, 32)]
