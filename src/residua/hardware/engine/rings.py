"""Rings: how rowers and rows are connected, and what that means to a scheduler."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from amaranth.hdl import Module, Value

from residua.algorithms.program import Program
from residua.errors import SpecificationError
from residua.hardware.engine.controls import connect_controls
from residua.hardware.engine.reducer import plan_folds
from residua.hardware.engine.row import Row, RowShape
from residua.hardware.engine.rower import MEMORY_BLIND, MEMORY_DELAY, RegisterMemory, Rower
from residua.machines.bounds import Bounds
from residua.machines.scheduling.rows import broadcast_rows, row_digits
from residua.machines.slots import Machine
from residua.numbers.cox import Range
from residua.numbers.moduli import Modulus


def joint_range(ranges: Sequence[Range]) -> Range:
    """The smallest range that holds all of some ranges."""
    return min(low for low, _ in ranges), max(high for _, high in ranges)


def plan_rows(
    programs: Sequence[Program],
    bounds: Sequence[Bounds],
    moduli: Sequence[Modulus],
    levels_per_register: int,
    registers: int,
) -> RowShape | None:
    """Plan the rows for some programs; None if they have no hierarchical extensions.

    ``registers`` is how many super-residues are stored.

    Raises:
        SpecificationError: they want rows of several lengths.
    """
    columns = {rows.columns for program in programs for rows in broadcast_rows(program)}
    if not columns:
        return None
    if len(columns) > 1:
        raise SpecificationError(f"all rows of an engine have one length, not {sorted(columns)}")
    ranges = [own.super_residues for own in bounds if own.super_residues]
    folds = plan_folds(
        moduli,
        max(own.row_folds for own in bounds),
        multiply_first=False,
        levels_per_register=levels_per_register,
    )
    return RowShape(
        columns=columns.pop(),
        width=moduli[0].width,
        digits=max(digits for program in programs for digits in row_digits(program)),
        range=joint_range(ranges),
        folds=tuple(folds),
        registers=registers,
    )


def build_machine(
    rowers: int,
    mac_latency: int,
    rower_latency: int,
    cox_latency: int,
    row: RowShape | None,
    narrow: int = 0,
    lanes: int = 1,
    *,
    beside: int = 1,
    checks: bool = False,
    registers: RegisterMemory = "distributed",
) -> Machine:
    """The machine that the scheduler sees; taps enough to hide the Cox behind a ring pass.

    With a ``narrow`` rower, behind a pass and ``beside`` more slots, that of its word for one.
    If it ``checks``, its word stays where it is.
    """
    columns = row.columns if row else 1
    if rowers % columns:
        raise SpecificationError(
            f"{rowers} rowers do not make rows of c = {columns}; give a multiple of {columns}"
        )
    machine = Machine(
        rowers,
        rower_latency,
        MEMORY_DELAY[registers],
        cox_latency,
        1,
        narrow=narrow,
        narrow_cox_latency=cox_latency,
        lanes=lanes,
        memory_blind=MEMORY_BLIND[registers],
        checks=checks,
    )
    if row:
        machine = replace(
            machine,
            columns=columns,
            row_latency=mac_latency + row.latency + row.lead,
            row_lead=row.lead,
            cox_latency=max(cox_latency - row.lead, 1),
            cox_delay=max(row.lead + 1 - cox_latency, 0),
        )
    for taps in range(1, machine.turns + 1):
        machine = replace(machine, taps=taps)
        if machine.tap_slots - 1 + machine.cox_latency <= machine.turns + (beside if narrow else 0):
            break
    return machine


def join_rows(
    m: Module, shape: RowShape, rowers: list[Rower], control: Mapping[str, Value]
) -> list[Row]:
    """The rows of some rowers, in a ring."""
    columns, rows = shape.columns, []
    for index in range(len(rowers) // columns):
        own = rowers[index * columns : (index + 1) * columns]
        m.submodules[f"row_{index}"] = row = Row(shape, own[0].mac.sum_width)
        rows.append(row)
        for position, rower in enumerate(own):
            # One constant that centres the folds is enough for a super-residue.
            plain = control["row_higher"] if position == 0 else control["row"]
            m.d.comb += [
                row.sums[position].eq(rower.sum),
                rower.row.eq(row.word),
                rower.plain.eq(plain),
                rower.row_modulus.eq(control["row_modulus"]),
            ]
        connect_controls(m, row, control)
    for index, row in enumerate(rows):
        m.d.comb += row.neighbour.eq(rows[(index + 1) % len(rows)].word)
    return rows
