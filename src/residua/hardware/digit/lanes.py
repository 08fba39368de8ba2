"""IDDMM in lanes: several digits of X and p a cycle, in a pipeline that overlaps iterations.

The algorithm is `residua.algorithms.digits.digit_montgomery.iddmm_lanes`. Rows of L digits of X and
p go through multiplier blocks with all their registers; the rows of the next iteration enter while
those of this one are on their way. An iteration takes as many cycles as there are rows, or, for few
rows, as many as pass from the first row of a sum to the same row of the next one.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from residua.errors import SpecificationError
from residua.hardware.delay import delayed
from residua.hardware.digit.counter import Counter
from residua.hardware.digit.delay_line import DelayLine
from residua.hardware.digit.modulus import connect_modulus
from residua.hardware.digit.multiplier import DigitComponent, RunDesign, add_frame
from residua.hardware.digit.pipelined_product import (
    PipelinedProduct,
    product_latency,
    product_multipliers,
)
from residua.hardware.digit.shape import DigitStreams, InverseChoice
from residua.hardware.digit.subtraction import less
from residua.numbers.digits import DigitDomain, DigitShape

_FETCHED = 2
"""Cycles from the address of a row of X or p to the register behind its memory."""


@dataclass(frozen=True)
class LanesDesign(RunDesign):
    """Design of an IDDMM multiplier in lanes.

    Times below are cycles after that in which a row of X leaves the register behind its memory.

    Attributes:
        shape: N, k, variant.
        domain: the modulus, None if it is loaded at run time.
        lanes: L.
        inverse: where p' comes from if the modulus is loaded.

    Raises:
        SpecificationError: there is no lane, or there are more lanes than digits.
    """

    shape: DigitShape
    domain: DigitDomain | None
    lanes: int
    inverse: InverseChoice = "computed"

    def __post_init__(self) -> None:
        digits = self.shape.operand_digits
        if not 1 <= self.lanes <= digits:
            raise SpecificationError(
                f"lanes = {self.lanes}: operands of {self.shape.operand_bits} bits have {digits} "
                f"digits of {self.shape.digit} bits, and use for 1 to {digits} lanes"
            )

    @cached_property
    def streams(self) -> DigitStreams:
        """The numbers that go in and out, and how they are kept."""
        shape = self.shape
        return DigitStreams(
            shape,
            width=shape.digit,
            lanes=self.lanes,
            rows=-(-shape.operand_digits // self.lanes),
            columns=shape.iterations,
            domain=self.domain,
            inverse=None if self.domain else self.inverse,
        )

    @property
    def merge(self) -> int:
        """Cycles in which the overlapping products of a row become one number."""
        return int(self.lanes > 1)

    @property
    def product(self) -> int:
        """Cycles of a product of digits."""
        return product_latency(self.shape.digit, self.shape.digit)

    @property
    def quotient(self) -> int:
        """Cycle in which q and the first row of p are there: after X_0 Y_i, S_0, and S_0 p'."""
        k = self.shape.digit
        return self.product + 1 + product_latency(k, k, low=True)

    @property
    def sum(self) -> int:
        """Cycle in which a row of A + X Y_i + q p is there: after q p, S + q p, and the carry."""
        return self.quotient + self.product + self.merge + 2

    @property
    def stored(self) -> int:
        """Cycle in which a row of the result is written."""
        return self.sum + 2 + (self.shape.variant == "subtract")

    @property
    def period(self) -> int:
        """Cycles of an iteration.

        With a single iteration it waits until the result before the last one has left, since there
        is room for two.
        """
        rounds = self.shape.iterations + 1
        leaving = self.streams.rows + _FETCHED + self.stored + self.streams.words + 2
        return max(self.streams.rows, self.quotient + 3, -(-leaving // rounds))

    @property
    def slack(self) -> int:
        """Cycles that a row of the sum waits for the next iteration."""
        return self.period - self.quotient - 3

    @property
    def latency(self) -> int:
        """Cycles from the last operand word to the last result word, from idle, without waits."""
        streams = self.streams
        zeros = streams.columns - streams.words
        last_row = self.compute - self.period + streams.rows
        return zeros + last_row + _FETCHED + self.stored + streams.words + 2

    @property
    def multipliers(self) -> int:
        """Multiplier blocks."""
        k = self.shape.digit
        own, low = (product_multipliers(k, k, low=low) for low in (False, True))
        return 2 * self.lanes * own + low

    def component(self) -> "IddmmLanes":
        """A new component."""
        return IddmmLanes(self)


class IddmmLanes(DigitComponent):
    """A Montgomery multiplier on streams of digits; interface and contract of `Iddmm`."""

    def __init__(self, design: LanesDesign) -> None:
        self.design = design
        super().__init__(design)

    def elaborate(self, platform: Any) -> Module:
        """Memories, both rows of multipliers, and the sum between them."""
        m = Module()
        design, streams = self.design, self.design.streams
        subtracts = design.shape.variant == "subtract"
        operands, modulus, results, count = add_frame(m, self, design, second=subtracts)
        if design.domain is None:
            connect_modulus(m, self, modulus, operands, results.empty)
        self._flags = self._follow(m, count)
        m.d.comb += [
            operands.x_row.eq(count.slot),
            operands.y_word.eq(count.iteration),
        ]
        m.submodules.sums = sums = DelayLine(streams.lanes * streams.width, design.slack)
        first_digit, row = self._sums(m, operands, modulus, sums.late)
        m.d.comb += [sums.early.eq(row), first_digit.eq(self._first_digit(m, sums.late))]
        self._store(m, results, modulus, row)
        return m

    def _follow(self, m: Module, count: Counter) -> dict[str, list[Signal]]:
        """Flags of a row, in each cycle after that in which it leaves its memory's register."""
        now = {
            "valid": count.running & (count.slot < self.design.streams.rows),
            "first": count.slot == 0,
            "last": count.slot == self.design.streams.rows - 1,
            "fresh": count.iteration == 0,
            "final": count.final,
        }
        flags: dict[str, list[Signal]] = {}
        for name, value in now.items():
            own = [Signal(name=f"{name}_{cycle}") for cycle in range(self.design.stored + 1)]
            fetching = delayed(m, value, _FETCHED - 1, f"{name}_fetching")
            stages = [fetching, *own]
            m.d.sync += [late.eq(early) for late, early in zip(own, stages, strict=False)]
            flags[name] = own
        return flags

    def _sums(self, m: Module, operands: Any, modulus: Any, a: Value) -> tuple[Signal, Value]:
        """Request for the first digit of A, and rows of the sum without their lowest digit."""
        design, flags = self.design, self._flags
        k, lanes = design.shape.digit, design.lanes
        wide, long = k * lanes, k * (lanes + 1)
        x, y, p = (
            delayed(m, word, _FETCHED - 1, name, data=True)
            for name, word in (("x", operands.x), ("y", operands.y), ("p", modulus.p))
        )
        own, xy = self._row_product(m, "x_y", x, y)
        low = Signal(k, name="first_digit")
        first = Signal(k, name="s_0", reset_less=True)
        m.d.sync += first.eq((own[:k] + Mux(flags["fresh"][design.product], 0, low))[:k])
        q = self._quotient(m, first, modulus.inverse)
        _, qp = self._row_product(m, "q_p", p, q)
        s = Signal(long, name="s", reset_less=True)
        fresh = flags["fresh"][design.product + design.merge]
        m.d.sync += s.eq(xy + Mux(fresh, 0, a))
        m.submodules.waiting = waiting = DelayLine(long, design.quotient - 1)
        total = Signal(long + 1, name="total", reset_less=True)
        carry, u = Signal(k + 1, name="carry", reset_less=True), Signal(wide, name="u")
        summed = Signal(long + 1, name="summed")
        m.d.comb += [
            waiting.early.eq(s),
            summed.eq(total + Mux(flags["first"][design.sum - 1], 0, carry)),
        ]
        m.d.sync += [total.eq(waiting.late + qp), carry.eq(summed[wide:]), u.eq(summed[:wide])]
        self._read_modulus(m, modulus.row, design.quotient - _FETCHED)
        return low, self._rows(m, u, carry)

    def _rows(self, m: Module, u: Signal, carry: Signal) -> Value:
        """Rows of A for the next iteration: digit j + 1 takes the place of digit j."""
        design = self.design
        k, wide = design.shape.digit, design.shape.digit * design.lanes
        top, above = Signal(2, name="top"), Signal(k, name="above", reset_less=True)
        before = Signal(wide, name="u_before", reset_less=True)
        highest = Signal(k + 2, name="highest")
        fresh = self._flags["fresh"][design.sum]
        m.d.comb += highest.eq(carry + Mux(fresh, 0, top))
        m.d.sync += before.eq(u)
        with m.If(self._flags["last"][design.sum] & self._flags["valid"][design.sum]):
            m.d.sync += [top.eq(highest[k:]), above.eq(highest[:k])]
        self._top, self._u = top, u
        return Cat(before[k:], Mux(self._flags["last"][design.sum + 1], above, u[:k]))

    def _first_digit(self, m: Module, a: Value) -> Value:
        """Digit 0 of A, when S_0 is made: it need not wait for the digits above."""
        design = self.design
        k = design.shape.digit
        if design.lanes == 1:
            return a
        found = self._u[k : 2 * k]
        if design.slack == 0:
            return found
        held = Signal(k, name="first_digit_held", reset_less=True)
        with m.If(self._flags["first"][design.sum]):
            m.d.sync += held.eq(found)
        return held

    def _quotient(self, m: Module, first: Value, inverse: Value) -> Value:
        """q = S_0 p' mod 2^k, held for the rows of p."""
        k = self.design.shape.digit
        m.submodules.quotient = product = PipelinedProduct(k, k, low=True)
        held, q = Signal(k, name="q_held", reset_less=True), Signal(k, name="q")
        m.d.comb += [
            product.left.eq(first),
            product.right.eq(inverse),
            q.eq(Mux(self._flags["first"][self.design.quotient], product.product, held)),
        ]
        m.d.sync += held.eq(q)
        return q

    def _row_product(self, m: Module, name: str, row: Value, digit: Value) -> tuple[Value, Value]:
        """The product of the lowest digit, and that of a row, ``merge`` cycles later."""
        k, lanes = self.design.shape.digit, self.design.lanes
        parts = []
        for lane in range(lanes):
            m.submodules[f"{name}_{lane}"] = product = PipelinedProduct(k, k)
            m.d.comb += [product.left.eq(row[k * lane : k * (lane + 1)]), product.right.eq(digit)]
            parts.append(product.product)
        if lanes == 1:
            return parts[0], parts[0]
        # Products of even and of odd lanes do not overlap among themselves.
        whole = Signal(k * (lanes + 1), name=f"{name}_row", reset_less=True)
        m.d.sync += whole.eq(Cat(*parts[::2]) + Cat(Const(0, k), *parts[1::2]))
        return parts[0], whole

    def _read_modulus(self, m: Module, row: Signal, cycle: int) -> None:
        """Count through the rows of p, for the first in the cycle after ``cycle``."""
        place = Signal(range(self.design.streams.rows), name=f"p_row_{cycle}")
        m.d.comb += row.eq(Mux(self._flags["first"][cycle], 0, place))
        m.d.sync += place.eq(row + 1)

    def _store(self, m: Module, results: Any, modulus: Any, row: Value) -> None:
        """The rows of the last iteration, in registers, and less p a cycle later."""
        design, flags = self.design, self._flags
        wide, cycle = design.shape.digit * design.lanes, design.stored
        kept = Signal(wide, name="row", reset_less=True)
        place = Signal(range(design.streams.rows), name="result_row")
        m.d.sync += [kept.eq(row), place.eq(results.write_row + 1)]
        writes = flags["valid"][cycle] & flags["final"][cycle]
        m.d.comb += [
            results.write_row.eq(Mux(flags["first"][cycle], 0, place)),
            results.write.eq(writes),
            results.finish.eq(writes & flags["last"][cycle]),
        ]
        if design.shape.variant == "closed":
            m.d.comb += results.row.eq(kept)
            return
        # p comes from its memory, and the difference goes to another one, through registers.
        self._read_modulus(m, modulus.second_row, cycle - 3)
        p = delayed(m, modulus.second_p, 1, "second_p", data=True)
        borrow, difference = Signal(name="borrow"), Signal(wide + 1, name="signed_difference")
        m.d.comb += difference.eq(less(kept, p, borrow & ~flags["first"][cycle - 1]))
        m.d.sync += [borrow.eq(difference[wide])]
        below = difference[wide] & ~self._top.any()
        m.d.comb += [
            results.row.eq(delayed(m, kept, 1, "row", data=True)),
            results.difference.eq(delayed(m, difference[:wide], 1, "difference", data=True)),
            results.keep.eq(delayed(m, below, 1, "below", data=True)),
        ]
