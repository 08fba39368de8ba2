"""Design of an engine with one program: bounds, latencies, schedule, microcode."""

from functools import cached_property

from residua.algorithms.program import Program
from residua.errors import SpecificationError
from residua.hardware.engine.cox import COX_LATENCY, quotient_width
from residua.hardware.engine.datapath_design import Analysed, DatapathDesign, EngineOptions
from residua.hardware.engine.rings import build_machine
from residua.hardware.engine.rower import RowerShape, register_depth
from residua.hardware.engine.sequencer import control_latency
from residua.machines.bounds import Bounds, analyse
from residua.machines.microcode import Microcode, assemble
from residua.machines.schedule import Schedule, schedule
from residua.machines.scheduling.rows import broadcast_rows
from residua.machines.slots import Machine
from residua.numbers.cox import Cox as Estimate


class EngineDesign(DatapathDesign):
    """Design that follows from an engine's program: bounds, latencies, schedule, microcode."""

    def __init__(self, program: Program, options: EngineOptions) -> None:
        self.program, self.options = program, options
        self.lanes = 2 if program.pairs else 1
        if options.rowers % self.lanes:
            raise SpecificationError(
                f"{program.name}: {options.rowers} rowers do not make two lanes"
            )
        if self.lanes > 1 and broadcast_rows(program):
            raise SpecificationError(
                f"{program.name}: hierarchical extensions need an engine with one lane"
            )
        # Of each lane.
        self.rowers = options.rowers // self.lanes

    @property
    def programs(self) -> list[Program]:
        """The program."""
        return [self.program]

    @cached_property
    def analysed(self) -> list[Analysed]:
        """The program with its worst cases."""
        return [Analysed(self.program, self.bounds)]

    @property
    def row_registers(self) -> int:
        """Super-residues that a rower keeps."""
        return len(self.schedule.row_registers)

    @cached_property
    def bounds(self) -> Bounds:
        """Worst cases of every sum, with the fewest folds that work."""
        return analyse(self.program)

    @cached_property
    def estimate(self) -> Estimate | None:
        """The Cox's parameters, one set for all extensions; None if there is no extension."""
        if len(self.estimates) > 1:
            raise SpecificationError(
                f"{self.program.name}: one engine has one Cox, but its extensions want "
                f"{len(self.estimates)}"
            )
        return next(iter(self.estimates), None)

    @cached_property
    def narrow(self) -> int:
        """g, the bits of an extra modulus 2^g, 0 if there is none.

        Raises:
            SpecificationError: there are several.
        """
        bases = [step.result.base for step in self.program.steps]
        widths = {base.extra.width for base in bases if base.extra}
        if len(widths) > 1:
            raise SpecificationError(
                f"{self.program.name}: an engine has one extra modulus, not moduli of "
                f"{sorted(widths)} bits"
            )
        return widths.pop() if widths else 0

    @cached_property
    def longest_sum(self) -> int:
        """An upper bound for the number of products in one sum."""
        longest = max((words.count for words in self.binary_operands), default=0)
        return max(2 * len(self.moduli), longest) + 8

    @cached_property
    def binary_width(self) -> int:
        """Bits of a word of the binary operands, 0 if there are none."""
        widths = {words.width for words in self.binary_operands}
        if len(widths) > 1:
            raise SpecificationError(
                f"{self.program.name}: binary operands share one width of words, "
                f"not {sorted(widths)}"
            )
        width = widths.pop() if widths else 0
        if width > self.width:
            raise SpecificationError(
                f"{self.program.name}: words of {width} bits do not fit moduli of {self.width} bits"
            )
        return width

    @cached_property
    def machine(self) -> Machine:
        """The engine as the scheduler sees it; taps enough to hide the Cox behind a ring pass."""
        # Binary words share the bus with the quotient, which costs it a register.
        cox_latency = COX_LATENCY + bool(self.binary_width)
        return build_machine(
            self.rowers,
            self.mac_latency,
            self.rower_latency,
            cox_latency,
            self.rows_with(0),
            self.narrow,
            self.lanes,
        )

    @cached_property
    def schedule(self) -> Schedule:
        """The program, placed."""
        return schedule(
            self.program,
            self.machine,
            self.options.goal,
            serial=self.options.serial,
            shortest_interval=self.options.shortest_interval,
        )

    @cached_property
    def microcode(self) -> Microcode:
        """The schedule, assembled."""
        return assemble(self.schedule, self.timing)

    @cached_property
    def serial_latency(self) -> int:
        """Cycles from the start of a run to its first serial residue."""
        first = min(p.start for p in self.schedule.placed if p.sequence.result is None)
        return control_latency(self.schedule.interval) + first + self.timing.emit_serial

    @cached_property
    def constant_depth(self) -> int:
        """Words of a rower's constant memory."""
        lanes = {
            tuple(own.constants for own in slot.lanes()) for _, _, slot in self.schedule.slots()
        }
        return register_depth(sum(any(constants) for constants in lanes))

    @cached_property
    def bus_width(self) -> int:
        """Bits of a signed word on the bus: a quotient, or a binary word as a left operand."""
        if self.binary_width or not self.estimate:
            return self.width + 1
        return max(quotient_width(self.quotient_range), self.narrow)

    @cached_property
    def shape(self) -> RowerShape:
        """Shape of the rowers."""
        return RowerShape(
            width=self.width,
            registers=register_depth(len(set(self.schedule.registers.values()))),
            constants=self.constant_depth,
            moduli=len(self.microcode.moduli[0]),
            terms=self.longest_sum,
            sum_range=self.sum_range,
            folds=self.folds,
            bus_width=self.bus_width,
            bus_registers=int(bool(self.binary_width)),
            product_registers=self.options.product_registers,
            subtracts=any(slot.subtract for _, _, slot in self.schedule.slots()),
            row=self.row_shape,
            lefts=self.microcode.lefts,
        )
