"""Record what a core holds in each cycle of an operation."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from residua.cores.directory import Directory
from residua.errors import SpecificationError
from residua.evidence.attacks.drawing import named
from residua.evidence.traces.names import CycleNames
from residua.evidence.traces.recorder import Recorder, States
from residua.evidence.traces.runs import Operation, run_of
from residua.evidence.traces.waveform import write_waveform
from residua.toolchain.planted.registers import Register


@dataclass(frozen=True)
class Recording:
    """What is recorded.

    Attributes:
        operation: what runs.
        where: pattern of the names of registers.
        cycles: from the first to before the last; None for all.
    """

    operation: Operation = field(default_factory=Operation)
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
        directory: of a coprocessor, an exponentiator or an RSA core.
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
        SpecificationError: the directory is of another core, it has no such operation, curve,
            cycles or registers, the operands do not go with it, or a file cannot be written.
        ToolError: a tool failed, or the core hangs.
    """
    files = {"vcd": vcd, "arrays": arrays}
    if not any(files.values()):
        raise SpecificationError("nothing to write: give --vcd FILE, --arrays FILE, or both")
    run = run_of(directory, asked.operation)
    _check_span(asked.cycles)
    with _opened(files) as streams, tempfile.TemporaryDirectory(prefix="trace-") as name:
        recorder = Recorder(directory, run.bench, Path(name))
        registers = named(recorder.registers, asked.where, "register")
        states, answer = recorder.run(run.line, run.most, asked.cycles)
        cycles = answer.cycles
        first, end = asked.cycles or (0, cycles)
        if end > cycles:
            raise SpecificationError(f"cycles {first} to {end}: the operation has {cycles}")
        names = run.names(recorder, answer)
        if vcd is not None:
            write_waveform(streams["vcd"], registers, states, first, names)
        if arrays is not None:
            np.savez_compressed(streams["arrays"], **_arrays(registers, states, first, names))
    return {
        "name": directory.name,
        "operation": run.operation,
        **run.about,
        "operands": [hex(number) for number in run.operands],
        "seed": asked.operation.seed,
        **run.outcome(answer),
        "cycles": cycles,
        "span": [first, end],
        "registers": len(registers),
        "bits": sum(one.width for one in registers),
        "files": {kind: str(path) for kind, path in files.items() if path is not None},
    }


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
