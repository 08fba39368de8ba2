"""Record what a coprocessor holds in each cycle of an operation."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from residua.cores.coprocessor.core import CoprocessorCore
from residua.cores.coprocessor.simulator import Request, bench_source, numbers_of
from residua.cores.directory import Directory
from residua.cores.simulation.engine import compile_harness
from residua.curves.operations.codes import Operation, point_operation
from residua.errors import SpecificationError
from residua.evidence.attacks.drawing import named
from residua.evidence.attacks.victims.coprocessor import (
    PointVictim,
    coprocessor_of,
    operand_names,
    operands_read,
    operation_named,
)
from residua.evidence.traces.names import CycleNames, cycle_names
from residua.evidence.traces.waveform import States, write_waveform
from residua.hardware.coprocessor.durations import patience
from residua.toolchain import process
from residua.toolchain.planted.injection import Register, open_state

_HARNESS = Path(__file__).with_suffix(".cpp")


@dataclass(frozen=True)
class Recording:
    """What is recorded.

    Attributes:
        operation: by its name; None for the multiplication of a point.
        operands: in the order in which it reads them; None for a random scalar and a random point.
        curve: index of the curve.
        seed: of random words, and of operands that are not given.
        where: pattern of the names of registers.
        cycles: from the first to before the last; None for all.
    """

    operation: str | None = None
    operands: tuple[int, ...] | None = None
    curve: int = 0
    seed: int = 1
    where: str = "*"
    cycles: tuple[int, int] | None = None


def operands_of(texts: Sequence[str] | None) -> tuple[int, ...] | None:
    """The operands that texts name; None if there are none.

    Raises:
        SpecificationError: a text is no number.
    """
    if not texts:
        return None
    found = []
    for text in texts:
        try:
            found.append(int(text, 0))
        except ValueError:
            raise SpecificationError(
                f"operand '{text}': give a decimal number, or a hexadecimal one with 0x"
            ) from None
    return tuple(found)


def record(
    directory: Directory,
    asked: Recording,
    *,
    vcd: Path | None = None,
    arrays: Path | None = None,
) -> dict[str, Any]:
    """Run an operation and write what registers hold, with names of what happens.

    Args:
        directory: of a coprocessor.
        asked: see `Recording`.
        vcd: takes a waveform, see `residua.evidence.traces.waveform`.
        arrays: takes NumPy arrays, for each cycle: ``cycle``, ``program``, ``round``, ``slot`` and
            ``step`` as in `residua.evidence.traces.names.CycleNames`, with ``programs`` and
            ``steps``; ``changes``, how many bits changed at its beginning, a line for each of
            ``modules``; ``states``, the bits of all registers in words of 32, of which each of
            ``registers`` has ``widths`` bits from ``places`` on.

    Returns:
        What was recorded; ``status`` and ``results`` of the operation, ``cycles`` of it, ``span``
        of the recording, ``registers`` and ``bits``, and the ``files``.

    Raises:
        SpecificationError: the directory is of no coprocessor, it has no such operation, curve,
            cycles or registers, the operands do not go with it, or a file cannot be written.
        ToolError: a tool failed, or the core hangs.
    """
    files = {"vcd": vcd, "arrays": arrays}
    if not any(files.values()):
        raise SpecificationError("nothing to write: give --vcd FILE, --arrays FILE, or both")
    core = coprocessor_of(directory)
    request = _request(core, asked)
    _check_span(asked.cycles)
    with _opened(files) as streams, tempfile.TemporaryDirectory(prefix="trace-") as name:
        work = Path(name)
        opened = open_state(directory.sources(top=core.name), core.name, out_dir=work, shown=True)
        registers = named(opened.registers, asked.where, "register")
        states, answer = _simulated(core, opened.verilog, opened.registers, request, asked, work)
        design, operation = core.core.design, Operation(request.operation)
        cycles = answer["cycles"]
        first, end = asked.cycles or (0, cycles)
        if end > cycles:
            raise SpecificationError(f"cycles {first} to {end}: the operation has {cycles}")
        names = cycle_names(design, operation, asked.curve, cycles)
        if vcd is not None:
            write_waveform(streams["vcd"], registers, states, first, names)
        if arrays is not None:
            np.savez_compressed(streams["arrays"], **_arrays(registers, states, first, names))
    return {
        "name": directory.name,
        "operation": operation.name,
        "curve": design.curves[asked.curve].name,
        "operands": [hex(number) for number in request.operands],
        "seed": asked.seed,
        **answer,
        "span": [first, end],
        "registers": len(registers),
        "bits": sum(one.width for one in registers),
        "files": {kind: str(path) for kind, path in files.items() if path is not None},
    }


def _request(core: CoprocessorCore, asked: Recording) -> Request:
    """The operation that is asked for."""
    design = core.core.design
    chosen = PointVictim(core, asked.curve, asked.seed, keys=1)
    operation = operation_named(design, asked.curve, asked.operation)
    told = ", ".join(operand_names(core, asked.curve, operation))
    operands = asked.operands
    if operands is None:
        if operation is not point_operation(design.curves[asked.curve]):
            raise SpecificationError(f"{operation.name} takes {told}: give its operands")
        operands = chosen.given[0]
    wanted = operands_read(design, asked.curve, operation)
    if len(operands) != wanted:
        raise SpecificationError(
            f"{operation.name} takes {wanted} operands, {told}, not {len(operands)}"
        )
    request = Request(operation, operands, curve=asked.curve, seed=asked.seed)
    request.line(design.words)
    return request


def _check_span(span: tuple[int, int] | None) -> None:
    if span is not None and not 0 <= span[0] < span[1]:
        raise SpecificationError(f"no cycle from {span[0]} to before {span[1]}: name more")


@contextmanager
def _opened(files: Mapping[str, Path | None]) -> Iterator[dict[str, Any]]:
    """The files to write, under other names until all has gone well."""
    named_files = [path for path in files.values() if path is not None]
    for own in named_files:
        if own.is_dir():
            raise SpecificationError(f"cannot write {own}: it is a directory")
    if len(set(named_files)) < len(named_files):
        raise SpecificationError(f"{named_files[0]} cannot take both: name two files")
    drafts: dict[Path, Path] = {}
    try:
        with ExitStack() as stack:
            streams: dict[str, Any] = {}
            for kind, path in files.items():
                if path is None:
                    continue
                draft = path.with_name(f"{path.name}.part")
                try:
                    stream = draft.open("w" if kind == "vcd" else "wb")
                except OSError as error:
                    raise SpecificationError(f"cannot write {path}: {error.strerror}") from error
                drafts[draft] = path
                streams[kind] = stack.enter_context(stream)
            yield streams
        for draft, path in drafts.items():
            draft.replace(path)
    finally:
        for draft in drafts:
            draft.unlink(missing_ok=True)


def _simulated(
    core: CoprocessorCore,
    verilog: Path,
    registers: Sequence[Register],
    request: Request,
    asked: Recording,
    work: Path,
) -> tuple[States, dict[str, Any]]:
    """The bits of all registers in each cycle, and how the operation ended."""
    design = core.core.design
    source = bench_source(core.name, design.status_codes) + _HARNESS.read_text(encoding="utf-8")
    simulator = compile_harness(source, [verilog], core.name, optimise=False, any_state=False)
    words = -(-max(one.first + one.width for one in registers) // 32)
    (work / "script").write_text(request.line(design.words) + "\n", encoding="utf-8")
    most = patience(design)
    first, end = asked.cycles or (0, most)
    numbers = [str(number) for number in (most, first, end, words)]
    command: list[str | Path] = [simulator, "script", *numbers, "states"]
    log = work / "log"
    process.run(command, tool="simulator", cwd=work, log=log)
    ended, status, cycles, _, *found = log.read_text(encoding="utf-8").split()
    if ended == "hang":
        raise process.ToolError("the operation does not end", [str(simulator)], log, "")
    states = np.fromfile(work / "states", dtype=np.uint32).reshape(-1, words)
    answer = {
        "status": design.status_codes.statuses[int(status)].name,
        "results": [hex(number) for number in numbers_of(found, design.words)],
        "cycles": int(cycles),
    }
    return states[: int(cycles) - first], answer


def _arrays(
    registers: Sequence[Register], states: States, first: int, names: CycleNames
) -> dict[str, Any]:
    span = slice(first, first + len(states))
    modules, changes = _changes(registers, states)
    return {
        "cycle": np.arange(first, first + len(states)),
        "program": names.program[span],
        "programs": np.array(names.programs),
        "round": names.round[span],
        "slot": names.slot[span],
        "step": names.step[span],
        "steps": np.array(names.steps),
        "modules": np.array(modules),
        "changes": changes,
        "registers": np.array([one.name for one in registers]),
        "places": np.array([one.first for one in registers]),
        "widths": np.array([one.width for one in registers]),
        "states": states,
    }


def _changes(
    registers: Sequence[Register], states: States
) -> tuple[list[str], np.ndarray[Any, np.dtype[np.uint16]]]:
    """The bits that change at the beginning of each cycle, by module; none in the first one."""
    masks: dict[str, int] = {}
    for one in registers:
        module = one.name.rpartition(".")[0]
        masks[module] = masks.get(module, 0) | ((1 << one.width) - 1) << one.first
    found = np.zeros((len(masks), len(states)), np.uint16)
    for line, mask in zip(found, masks.values(), strict=True):
        for word in range(states.shape[1]):
            if own := mask >> 32 * word & 0xFFFFFFFF:
                changed = (states[1:, word] ^ states[:-1, word]) & np.uint32(own)
                line[1:] += np.bitwise_count(changed)
    return list(masks), found
