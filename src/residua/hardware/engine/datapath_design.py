"""Design of the datapath of a Cox-Rower engine, whatever runs on it."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from residua.algorithms.program import Program
from residua.algorithms.terms import Correction, HeldCorrection, Quotient, Words
from residua.hardware.engine.cox import FIRST_DELAY, WEIGHTS_DELAY
from residua.hardware.engine.multiply_accumulate import accumulation_latency
from residua.hardware.engine.reducer import FoldPlan, plan_folds
from residua.hardware.engine.rings import joint_range, plan_rows
from residua.hardware.engine.row import LAUNCH_DELAY, RowShape
from residua.hardware.engine.rower import CONTROL_DELAY, LARGEST_LOGIC_MEMORY, RegisterMemory
from residua.machines.bounds import Bounds
from residua.machines.controls import Timing
from residua.machines.schedule import Goal
from residua.machines.scheduling.rows import row_product_range
from residua.machines.slots import Machine
from residua.numbers.cox import Cox as Estimate
from residua.numbers.cox import Range
from residua.numbers.moduli import Modulus


@dataclass(frozen=True)
class EngineOptions:
    """The hardware choices of an engine.

    ``rowers`` must divide the number of moduli of each base. ``reduction`` ``multiply`` does the
    first fold with a multiplier, ``shift`` with adders alone. ``goal`` is what the schedule
    minimises first. ``product_registers`` adds registers between multipliers and accumulators;
    ``levels_per_register`` is the number of adders in a row between the registers of the reducer.
    ``register_memory`` is what the registers of processors are made of. ``serial`` hands results
    out one residue a cycle, channel 0 first, and not all at once; ``shortest_interval`` is what a
    consumer of the results needs.
    """

    rowers: int
    reduction: Literal["shift", "multiply"] = "shift"
    goal: Goal = "latency"
    product_registers: int = 0
    levels_per_register: int = 1
    register_memory: RegisterMemory = "distributed"
    serial: bool = False
    shortest_interval: int = 0


@dataclass(frozen=True)
class Analysed:
    """A program and its worst cases."""

    program: Program
    bounds: Bounds


class DatapathDesign(ABC):
    """Design that follows from the programs of an engine: moduli, ranges, folds, latencies.

    Attributes:
        options: the hardware choices.
        rowers: those of a lane, without one of an extra modulus.
    """

    options: EngineOptions
    rowers: int
    bus_delay = 0
    """Cycles by which what the bus carries is chosen after the registers."""

    @cached_property
    @abstractmethod
    def analysed(self) -> Sequence[Analysed]:
        """All programs with their worst cases, under the fewest folds that serve every one."""

    @cached_property
    @abstractmethod
    def programs(self) -> Sequence[Program]:
        """All programs."""

    @cached_property
    @abstractmethod
    def machine(self) -> Machine:
        """The engine as the scheduler sees it."""

    @property
    @abstractmethod
    def constant_depth(self) -> int:
        """Words of a rower's constant memory."""

    @property
    @abstractmethod
    def row_registers(self) -> int:
        """Super-residues that a rower keeps."""

    @cached_property
    def moduli(self) -> list[Modulus]:
        """All channel moduli but the extra one."""
        steps = (step for program in self.programs for step in program.steps)
        return sorted({modulus for step in steps for modulus in step.result.base.wide})

    @property
    def width(self) -> int:
        """Bits of a modulus, w."""
        return self.moduli[0].width

    @cached_property
    def ranges(self) -> dict[Modulus, Range]:
        """The range of all sums reduced by a modulus."""
        found: dict[Modulus, list[Range]] = {modulus: [] for modulus in self.moduli}
        for item in self.analysed:
            for modulus in {m for step in item.program.steps for m in step.result.base.wide}:
                found[modulus].append(item.bounds.accumulator(item.program, modulus))
        return {modulus: joint_range(ranges) for modulus, ranges in found.items()}

    @cached_property
    def sum_range(self) -> Range:
        """The range of all sums."""
        rows = [row_product_range(item.program) for item in self.analysed]
        return joint_range([*self.ranges.values(), *rows])

    @cached_property
    def quotient_range(self) -> Range:
        """The range of all quotients."""
        return joint_range([r for item in self.analysed for r in item.bounds.quotients.values()])

    @cached_property
    def folds(self) -> tuple[FoldPlan, ...]:
        """The reducer's folds, common to all rowers."""
        return tuple(
            plan_folds(
                self.moduli,
                self.analysed[0].bounds.folds,
                multiply_first=self.options.reduction == "multiply",
                levels_per_register=self.options.levels_per_register,
            )
        )

    @cached_property
    def mac_latency(self) -> int:
        """Cycles from a slot to the complete sum."""
        return accumulation_latency(self.width + 1, self.options.product_registers)

    @cached_property
    def rower_latency(self) -> int:
        """L: slots from the last one of a sum to the first one that can take its residue."""
        return self.mac_latency + sum(fold.latency for fold in self.folds)

    @cached_property
    def estimates(self) -> set[Estimate]:
        """The parameters of the Cox that extensions want."""
        return {quotient.cox for quotient in self._quotients}

    @property
    def _quotients(self) -> list[Quotient]:
        return [
            term.quotient
            for program in self.programs
            for step in program.steps
            for term in step.terms
            if isinstance(term, Correction | HeldCorrection)
        ]

    @cached_property
    def binary_operands(self) -> list[Words]:
        """The operands that come as binary words."""
        return [
            one for program in self.programs for one in program.inputs if isinstance(one, Words)
        ]

    @cached_property
    def row_shape(self) -> RowShape | None:
        """Shape of the rows of hierarchical extensions; None if there are none."""
        return self.rows_with(self.row_registers)

    def rows_with(self, registers: int) -> RowShape | None:
        """Shape of the rows with rowers that keep so many super-residues; see `row_shape`."""
        return plan_rows(
            [item.program for item in self.analysed],
            [item.bounds for item in self.analysed],
            self.moduli,
            self.options.levels_per_register,
            registers,
        )

    @cached_property
    def timing(self) -> Timing:
        """Cycles in which the controls of a slot act."""
        # Constants are addressed before, in block memory or to join the addresses of registers.
        joins = self.options.register_memory == "block"
        address = int(joins or self.constant_depth > LARGEST_LOGIC_MEMORY)
        operand = address + 1
        waits = operand + CONTROL_DELAY + self.machine.cox_delay
        return Timing(
            constant=0,
            address=address,
            operand=operand,
            bus=address + self.bus_delay,
            advance=address + CONTROL_DELAY + 1,
            modulus=operand + self.mac_latency,
            store=operand + self.rower_latency,
            emit=operand + CONTROL_DELAY + self.rower_latency,
            emit_serial=operand + CONTROL_DELAY + 1,
            cox_weights=waits + WEIGHTS_DELAY,
            cox_first=waits + FIRST_DELAY,
            tap=operand + CONTROL_DELAY + WEIGHTS_DELAY,
            **self._row_timing(operand),
        )

    def _row_timing(self, operand: int) -> dict[str, int]:
        """Cycles in which the controls of rows act."""
        if self.row_shape is None:
            return {}
        done = operand + self.mac_latency + self.row_shape.latency
        return {
            "row_first": done - 1,
            "row_store": done,
            "row_launch": operand,
            "row_modulus": operand + LAUNCH_DELAY,
        }
