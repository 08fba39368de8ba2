"""IDDMM as the report builds it: one digit a cycle, n + 2 + pipeline cycles an iteration."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from amaranth.hdl import Module, Signal, Value

from residua.hardware.digit.cells import Architecture, DigitCell, cell_of
from residua.hardware.digit.counter import Counter
from residua.hardware.digit.memory import add_memory
from residua.hardware.digit.modulus import connect_modulus
from residua.hardware.digit.multiplier import DigitComponent, RunDesign, add_frame
from residua.hardware.digit.product import ProductKind, check_product
from residua.hardware.digit.range_check import RangeCheck
from residua.hardware.digit.results import Results
from residua.hardware.digit.shape import DigitStreams, InverseChoice
from residua.numbers.digits import DigitDomain, DigitShape


@dataclass(frozen=True)
class IddmmDesign(RunDesign):
    """Design of an IDDMM multiplier.

    Attributes:
        shape: N, k, variant.
        domain: the modulus, None if it is loaded at run time.
        architecture: 1 or 2.
        pipeline: registers between the parts of the datapath, 0 to 2.
        multiplier: what products are made of.
        inverse: where p' comes from if the modulus is loaded.
        checked: whether results tell that an operand was out of its range.

    Raises:
        SpecificationError: there is no such datapath.
    """

    shape: DigitShape
    domain: DigitDomain | None
    architecture: Architecture = 2
    pipeline: int = 1
    multiplier: ProductKind = "inferred"
    inverse: InverseChoice = "computed"
    checked: bool = False

    def __post_init__(self) -> None:
        check_product(self.shape.digit, self.multiplier)
        cell_of(self.architecture, self.pipeline, self.multiplier)

    @cached_property
    def streams(self) -> DigitStreams:
        """The numbers that go in and out, and how they are kept."""
        shape = self.shape
        return DigitStreams(
            shape,
            width=shape.digit,
            lanes=1,
            # Digit n of x and p is 0: the datapath leaves it out if nothing else is there.
            rows=shape.digits + (shape.variant == "closed"),
            columns=shape.iterations,
            domain=self.domain,
            inverse=None if self.domain else self.inverse,
        )

    @property
    def period(self) -> int:
        """Cycles of an iteration: n + 2 + pipeline, for digit 0 twice and A_n once.

        With one or two digits it waits for the first digit of the sum, which the next one begins
        with.
        """
        own = self.shape.digits + 2 + self.pipeline
        return max(own, 4 + 2 * self.pipeline - min(self.pipeline, 1))

    @property
    def latency(self) -> int:
        """Cycles from the last operand word to the last result word, from idle, without waits."""
        streams, shape = self.streams, self.shape
        zeros = streams.columns - streams.words
        # The last digit is presented in the last cycle but for those that wait.
        early = self.period - (shape.digits + 2 + self.pipeline)
        tail = self.pipeline + self.has_digit_above + streams.words + 3
        return zeros + self.compute - early + tail

    @property
    def has_digit_above(self) -> bool:
        """Whether results have a digit more than the modulus."""
        return self.shape.operand_digits > self.shape.digits

    @property
    def multipliers(self) -> int:
        """Products of k by k bits that the datapath has."""
        return 3

    def component(self) -> "Iddmm":
        """A new component."""
        return Iddmm(self)


class Iddmm(DigitComponent):
    """A Montgomery multiplier on streams of digits.

    ``operands`` takes the digits of x and then those of y, ``design.streams.words`` each, the
    lowest first; ``result`` hands out those of the result, ``last`` with the highest. ``modulus``
    is only there if the modulus is loaded (see `LoadedModulus`), and with it ``modulus_error``.
    ``result`` has a bit ``error`` if the design is ``checked`` (see `RangeCheck`).

    The number of cycles is the same for all operands: a run starts when its operands are complete
    and its result is sure to have a place, and then never waits.
    """

    def __init__(self, design: IddmmDesign) -> None:
        self.design = design
        super().__init__(design, flagged=design.checked)

    def elaborate(self, platform: Any) -> Module:
        """Memories, datapath, and what presents digits to it."""
        m = Module()
        design, shape = self.design, self.design.shape
        cell = cell_of(design.architecture, design.pipeline, design.multiplier)(
            shape.digit,
            design.pipeline,
            design.multiplier,
            top_bits=shape.top_bits,
            subtracts=shape.variant == "subtract",
        )
        frame = add_frame(m, self, design, flagged=design.checked)
        operands, modulus, results, count = frame
        m.submodules.cell = cell
        if design.domain is None:
            connect_modulus(m, self, modulus, operands, ~count.running)
        digit, working = self._digits(m, count)
        m.d.comb += [
            operands.x_row.eq(digit),
            operands.y_word.eq(count.iteration),
            modulus.row.eq(digit),
            cell.x.eq(operands.x),
            cell.y.eq(operands.y),
            cell.p.eq(modulus.p),
            cell.inverse.eq(modulus.inverse),
        ]
        # Memories answer a cycle later, and so do the flags.
        m.d.sync += [
            cell.estimate.eq(count.running & (count.slot == 0)),
            cell.work.eq(working),
            cell.first.eq(digit == 0),
            cell.last.eq(digit == shape.digits),
            cell.fresh.eq(count.iteration == 0),
        ]
        self._sums(m, cell, digit)
        self._store(m, cell, results, count.final)
        if design.checked:
            self._check(m, cell, results, digit == count.iteration)
        return m

    def _check(self, m: Module, cell: DigitCell, results: Results, due: Value) -> None:
        """Whether operands are in their ranges, found out while they pass."""
        shape = self.design.shape
        m.submodules.check = check = RangeCheck(shape.digit, double=shape.variant == "closed")
        names = ("x", "y", "p", "work", "first", "fresh")
        m.d.comb += [getattr(check, name).eq(getattr(cell, name)) for name in names]
        m.d.sync += check.y_due.eq(due)
        m.d.comb += results.error.eq(check.out_of_range)

    def _digits(self, m: Module, count: Counter) -> tuple[Signal, Signal]:
        """The digit that is presented, and whether it is more than an estimate."""
        design = self.design
        digit = Signal(range(design.shape.digits + 1), name="digit")
        working = Signal(name="working")
        first, last = design.pipeline + 1, design.pipeline + 1 + design.shape.digits
        m.d.comb += working.eq(count.running & (count.slot >= first) & (count.slot <= last))
        with m.If(count.end_of_iteration):
            m.d.sync += digit.eq(0)
        with m.Elif(working):
            m.d.sync += digit.eq(digit + 1)
        return digit, working

    def _sums(self, m: Module, cell: DigitCell, digit: Signal) -> None:
        """The digits of A, each written over the one before it."""
        shape = self.design.shape
        write, read = add_memory(m, "sums", shape.digit, shape.digits)
        wanted = digit
        if cell.delay:
            wanted = Signal.like(digit, name="digit_behind")
            m.d.sync += wanted.eq(digit)
        position = Signal(range(shape.digits), name="position")
        with m.If(cell.ended):
            m.d.sync += position.eq(0)
        with m.Elif(cell.stored):
            m.d.sync += position.eq(position + 1)
        m.d.comb += [
            read.addr.eq(wanted),
            cell.a.eq(read.data),
            write.addr.eq(position),
            write.data.eq(cell.sum),
            write.en.eq(cell.stored),
        ]
        self._position = position

    def _store(self, m: Module, cell: DigitCell, results: Results, final: Value) -> None:
        """The digits of the last iteration."""
        shape = self.design.shape
        for index in range(1 + cell.latency):
            behind = Signal(name=f"final_{index + 1}")
            m.d.sync += behind.eq(final)
            final = behind
        ended = cell.ended & final
        m.d.comb += [
            results.write.eq(cell.stored & final),
            results.write_row.eq(self._position),
            results.row.eq(cell.sum),
            results.finish.eq(ended),
        ]
        if self.design.has_digit_above:
            above = Signal(name="above")
            m.d.sync += above.eq(ended)
            m.d.comb += results.finish.eq(above)
            with m.If(above):
                m.d.comb += [
                    results.write.eq(1),
                    results.write_row.eq(shape.digits),
                    results.row.eq(cell.above),
                ]
        if shape.variant == "subtract":
            m.d.comb += [results.difference.eq(cell.difference), results.keep.eq(cell.keep)]
