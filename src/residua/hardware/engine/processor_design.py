"""What a field processor is made of: bounds, latencies, schedules and the control store."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from residua.algorithms.program import Program
from residua.algorithms.terms import Correction, Quotient, Words
from residua.errors import SpecificationError
from residua.hardware.engine.cox import COX_LATENCY, FIRST_DELAY, WEIGHTS_DELAY
from residua.hardware.engine.engine import EngineOptions
from residua.hardware.engine.multiply_accumulate import accumulation_latency
from residua.hardware.engine.reducer import FoldPlan, plan_folds
from residua.hardware.engine.rings import build_machine, joint_range, plan_rows
from residua.hardware.engine.row import LAUNCH_DELAY, RowShape
from residua.hardware.engine.rower import (
    CONTROL_DELAY,
    LARGEST_LOGIC_MEMORY,
    RowerShape,
    register_depth,
)
from residua.machines.bounds import Bounds, analyse
from residua.machines.control_store import ControlStore, assemble
from residua.machines.routine import Places, Routine, Source
from residua.machines.scheduling.sequences import row_product_range
from residua.machines.slots import ALWAYS, EVERY_LEFT, Left, Machine
from residua.numbers.cox import Cox as Estimate
from residua.numbers.cox import Range
from residua.numbers.moduli import Modulus

FRACTION = "fraction"
"""The element whose parts come from outside, as residues, where there is one."""


@dataclass(frozen=True)
class _Analysed:
    """A program and its worst cases."""

    program: Program
    bounds: Bounds


class ProcessorDesign:
    """What follows from the routines of a processor: bounds, latencies, schedules, control store.

    ``options`` are those of an engine, of which ``goal``, ``serial`` and ``shortest_interval`` mean
    nothing here.

    Raises:
        SpecificationError: the programs do not fit one engine.
    """

    def __init__(self, sources: Sequence[Source], options: EngineOptions) -> None:
        self.sources, self.options = tuple(sources), options
        self.rowers = options.rowers

    def programs(self) -> Iterator[Program]:
        """The programs of all routines on all pages."""
        for source in self.sources:
            for lowered in source.pages:
                if lowered is not None:
                    yield lowered.program

    @property
    def pages(self) -> int:
        """Moduli that the processor serves."""
        return len(self.sources[0].pages)

    @cached_property
    def _analysed(self) -> list[_Analysed]:
        """All programs with their worst cases, under the fewest folds that serve every one."""
        alone = [analyse(program) for program in self.programs()]
        folds = max(bounds.folds for bounds in alone)
        row_folds = max(bounds.row_folds for bounds in alone)
        analysed = []
        for program in self.programs():
            bounds = analyse(program, folds, row_folds)
            program.representation = bounds.representation
            analysed.append(_Analysed(program, bounds))
        return analysed

    @cached_property
    def moduli(self) -> list[Modulus]:
        """All channel moduli but the extra one."""
        return sorted(
            {m for p in self.programs() for step in p.steps for m in step.result.base.wide}
        )

    @cached_property
    def narrow(self) -> int:
        """g, the bits of an extra modulus 2^g, 0 if there is none."""
        bases = {step.result.base for p in self.programs() for step in p.steps}
        return max((base.extra.width for base in bases if base.extra), default=0)

    @property
    def width(self) -> int:
        """Bits of a modulus, w."""
        return self.moduli[0].width

    @cached_property
    def ranges(self) -> dict[Modulus, Range]:
        """The range of all sums reduced by a modulus."""
        found: dict[Modulus, list[Range]] = {modulus: [] for modulus in self.moduli}
        for item in self._analysed:
            for modulus in {m for step in item.program.steps for m in step.result.base.wide}:
                found[modulus].append(item.bounds.accumulator(item.program, modulus))
        return {m: (min(r[0] for r in rs), max(r[1] for r in rs)) for m, rs in found.items()}

    @cached_property
    def sum_range(self) -> Range:
        """The range of all sums."""
        rows = [row_product_range(item.program) for item in self._analysed]
        return joint_range([*self.ranges.values(), *rows])

    @cached_property
    def folds(self) -> tuple[FoldPlan, ...]:
        """The reducer's folds, common to all rowers."""
        return tuple(
            plan_folds(
                self.moduli,
                self._analysed[0].bounds.folds,
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
    def _quotients(self) -> list[Quotient]:
        return [
            term.quotient
            for program in self.programs()
            for step in program.steps
            for term in step.terms
            if isinstance(term, Correction)
        ]

    @cached_property
    def estimate(self) -> Estimate:
        """The Cox's parameters, one set for all extensions."""
        estimates = {quotient.cox for quotient in self._quotients}
        if len(estimates) != 1:
            raise SpecificationError(
                f"a processor has one Cox, but its base extensions want {len(estimates)}"
            )
        return estimates.pop()

    @cached_property
    def quotient_range(self) -> Range:
        """The range of all quotients."""
        ranges = [r for item in self._analysed for r in item.bounds.quotients.values()]
        return min(low for low, _ in ranges), max(high for _, high in ranges)

    @cached_property
    def _operands(self) -> list[Words]:
        return [source for p in self.programs() for source in p.inputs if isinstance(source, Words)]

    @cached_property
    def binary_words(self) -> int:
        """Words of a binary operand."""
        return max(words.count for words in self._operands)

    @cached_property
    def binary_width(self) -> int:
        """Bits of a word of a binary operand."""
        return max(words.width for words in self._operands)

    @cached_property
    def machine(self) -> Machine:
        """The engine as the scheduler sees it; taps enough to hide the Cox behind a ring pass."""
        return build_machine(
            self.rowers,
            self.mac_latency,
            self.rower_latency,
            COX_LATENCY + 1,
            self._row_shape(0),
            self.narrow,
            beside=0,
        )

    @cached_property
    def row_shape(self) -> RowShape | None:
        """What the rows of hierarchical extensions have in common, None if there are none."""
        return self._row_shape(self.store.row_registers)

    def _row_shape(self, registers: int) -> RowShape | None:
        programs = [item.program for item in self._analysed]
        bounds = [item.bounds for item in self._analysed]
        levels = self.options.levels_per_register
        return plan_rows(programs, bounds, self.moduli, levels, registers)

    @cached_property
    def places(self) -> Places:
        """The registers of named elements."""
        return Places(self.sources, self.rowers)

    @cached_property
    def routines(self) -> dict[str, Routine]:
        """The sources, scheduled."""
        return {s.name: Routine(s, self.places, self.machine) for s in self.sources}

    @cached_property
    def store(self) -> ControlStore:
        """Control words and constants."""
        return assemble(list(self.routines.values()), self.machine, self.binary_words)

    @property
    def gates(self) -> tuple[str, ...]:
        """The names of the bits that come from outside."""
        return tuple(name for name in self.store.gates if name != ALWAYS)

    @property
    def fraction_registers(self) -> tuple[int, ...]:
        """The registers of `FRACTION`, of one group of channels after the other; maybe none."""
        parts = self.places.registers.get(FRACTION, {})
        return tuple(register for registers in parts.values() for register in registers)

    @cached_property
    def longest_sum(self) -> int:
        """An upper bound for the number of products in one sum."""
        return 2 * len(self.moduli) + self.binary_words + 16

    @cached_property
    def shape(self) -> RowerShape:
        """What the rowers have in common."""
        return RowerShape(
            width=self.width,
            registers=register_depth(self.store.registers - 1),
            constants=register_depth(len(self.store.constants[0]) - 1),
            moduli=len(self.store.moduli[0]),
            terms=self.longest_sum,
            sum_range=self.sum_range,
            folds=self.folds,
            bus_width=self.width + 1,
            product_registers=self.options.product_registers,
            subtracts=any(self.store.fields["subtract"]),
            row=self.row_shape,
            lefts=tuple(Left) if self.row_shape else EVERY_LEFT,
        )

    @cached_property
    def delays(self) -> dict[str, int]:
        """Cycles by which the processor delays each control after the address of the constant."""
        address = int(self.shape.constants > LARGEST_LOGIC_MEMORY)
        operand = address + 1
        named = {
            "constant": 0,
            "left_register": address,
            "right_register": address,
            "left": operand,
            "first": operand,
            "subtract": operand,
            "bus": address + CONTROL_DELAY,
            "binary_word": address + CONTROL_DELAY,
            "modulus": operand + self.mac_latency,
            "write": operand + self.rower_latency,
            "write_register": operand + self.rower_latency,
            "cox_first": operand + CONTROL_DELAY + FIRST_DELAY + self.machine.cox_delay,
            "emit": operand + CONTROL_DELAY + 1,
            "advance": address + CONTROL_DELAY + 1,
        }
        if self.row_shape:
            done = operand + self.mac_latency + self.row_shape.latency
            named |= {
                "row": operand,
                "row_higher": operand,
                "row_first": done - 1,
                "row_write": done,
                "row_write_register": done,
                "row_launch": operand,
                "row_register": operand,
                "row_modulus": operand + LAUNCH_DELAY,
            }
        weights = operand + CONTROL_DELAY + WEIGHTS_DELAY + self.machine.cox_delay
        if self.narrow:
            # What the Cox waits with are words of the ring.
            named |= {"listens": operand, "narrow_tap": weights - self.machine.cox_delay}
        return named | {f"cox_weight_{tap}": weights for tap in range(self.machine.taps)}
