"""The two datapaths of IDDMM (Figures 6 and 7 of the report), a digit a cycle."""

from abc import abstractmethod
from typing import Any, Literal

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib.wiring import Component, In, Out

from residua.errors import SpecificationError
from residua.hardware.delay import delayed
from residua.hardware.digit.product import Product, ProductKind
from residua.hardware.digit.subtraction import less
from residua.hardware.digit.tiles import TiledSum

Architecture = Literal[1, 2]
Factors = tuple[Value, Value]
PIPELINES = (0, 1, 2)


class DigitCell(Component):
    """One iteration of IDDMM, digit by digit.

    ``pipeline`` is 0, 1 or 2: with 1 there is a register behind both products, with 2 one more
    behind their sums with A. A digit is *presented* in a cycle; what is said of ``delay`` and
    ``latency`` counts from there.

    * ``x``, ``p`` and the flags of a digit are presented together, ``y`` and ``inverse`` stay for
      the iteration; ``a`` comes ``delay`` = min(pipeline, 1) cycles later.
    * ``estimate`` presents digit 0 for q, which is there 1 + ``pipeline`` cycles later.
    * ``work`` presents a digit j, ``first`` digit 0 and ``last`` digit n, which is 0 in p and where
      the bits of A above take the place of a. ``fresh``, in all cycles of an iteration, takes A
      for 0.
    * ``latency`` = ``pipeline`` cycles later ``sum`` is digit j - 1 of A for the next iteration,
      ``stored`` is set unless j is 0, and ``ended`` if j is n.

    With ``subtracts``, ``difference`` is digit j - 1 of A - p, and with ``ended`` ``keep`` tells
    that A is below p; digit n of x and p is taken for 0, whatever is presented. ``top_bits`` is how
    many bits sums have above their n digits; they are ``above`` in the cycle after ``ended``.
    """

    def __init__(
        self,
        width: int,
        pipeline: int,
        multiplier: ProductKind,
        *,
        top_bits: int,
        subtracts: bool,
    ) -> None:
        self.width, self.pipeline, self.multiplier = width, pipeline, multiplier
        self.top_bits, self.subtracts = top_bits, subtracts
        self.delay, self.latency = min(pipeline, 1), pipeline
        ports = {
            **{name: In(width) for name in ("x", "y", "p", "a", "inverse")},
            **{name: In(1) for name in ("estimate", "work", "first", "last", "fresh")},
            "sum": Out(width),
            "stored": Out(1),
            "ended": Out(1),
            "above": Out(top_bits),
        }
        if subtracts:
            ports |= {"difference": Out(width), "keep": Out(1)}
        super().__init__(ports)

    def elaborate(self, platform: Any) -> Module:
        """Form both products, the sums that an architecture makes of them, and the difference."""
        m = Module()
        k = self.width
        q, self._top = Signal(k, name="q", reset_less=True), self.above
        x, p = self.x, self.p
        if self.subtracts and not self.delay:
            x, p = (Mux(self.last, 0, digit) for digit in (x, p))
        flags = {name: getattr(self, name) for name in ("estimate", "work", "first", "last")}
        self._early = self._flags(m, flags, self.delay, "early")
        self._late = self._flags(m, flags, self.latency, "late")
        fresh = delayed(m, self.fresh, self.delay, "fresh")
        a = Signal(k, name="a_used")
        above = Mux(self._early["last"], self._top, self.a) if self.top_bits else self.a
        skipped = fresh if self.top_bits else fresh | self._early["last"]
        m.d.comb += a.eq(Mux(skipped, 0, above))
        lowest, total, top = self._sums(m, a, (x, self.y), (q, p))
        q_next = self._product(m, "s_inverse", lowest, self.inverse)
        with m.If(self._late["estimate"]):
            m.d.sync += q.eq(q_next[:k])
        if self.top_bits:
            with m.If(self._late["work"] & self._late["last"]):
                m.d.sync += self._top.eq(top)
        m.d.comb += [
            self.sum.eq(total),
            self.stored.eq(self._late["work"] & ~self._late["first"]),
            self.ended.eq(self._late["work"] & self._late["last"]),
        ]
        if self.subtracts:
            self._subtract(m, total, top)
        return m

    @abstractmethod
    def _sums(self, m: Module, a: Value, x_y: Factors, q_p: Factors) -> tuple[Value, Value, Value]:
        """S_0 for q, the digit of the sum, and the bits above digit n; the late ones when late."""

    def _subtract(self, m: Module, total: Value, top: Value) -> None:
        """A - p, with p a digit behind."""
        p = delayed(m, self.p, self.latency + 1, "p_behind", data=True)
        borrow, taken = Signal(name="borrow"), Signal(name="borrow_used")
        difference = Signal(self.width + 1, name="signed_difference")
        # Digit 0 of the sum comes with j = 1.
        begun = Signal(name="begun")
        with m.If(self._late["work"]):
            m.d.sync += begun.eq(self._late["first"])
        m.d.comb += [
            taken.eq(borrow & ~begun),
            difference.eq(less(total, p, taken)),
            self.difference.eq(difference[: self.width]),
            self.keep.eq(difference[self.width] & ~top.any()),
        ]
        with m.If(self._late["work"]):
            m.d.sync += borrow.eq(difference[self.width])

    def _late_product(self, m: Module, name: str, factors: Factors) -> Value:
        """A product when it is added; clearing a register costs no logic."""
        product = self._product(m, name, *factors)
        if not (self.subtracts and self.delay):
            return delayed(m, product, self.delay, name, data=True)
        register = Signal(2 * self.width, name=f"{name}_1", reset_less=True)
        m.d.sync += register.eq(product)
        with m.If(self.last):
            m.d.sync += register.eq(0)
        return register

    def _product(self, m: Module, name: str, left: Value, right: Value) -> Value:
        m.submodules[name] = product = Product(self.width, self.multiplier)
        m.d.comb += [product.left.eq(left), product.right.eq(right)]
        return product.product

    def _flags(
        self, m: Module, flags: dict[str, Value], cycles: int, name: str
    ) -> dict[str, Value]:
        return {flag: delayed(m, value, cycles, f"{flag}_{name}") for flag, value in flags.items()}


class FirstCell(DigitCell):
    """Architecture 1 (Figure 6, Algorithm 1): carries C_S, C_R and C_U."""

    def _sums(self, m: Module, a: Value, x_y: Factors, q_p: Factors) -> tuple[Value, Value, Value]:
        k, early, late = self.width, self._early, self._late
        xy, qp = self._late_product(m, "x_y", x_y), self._late_product(m, "q_p", q_p)
        carry_s, carry_r = (Signal(k, name=name, reset_less=True) for name in ("c_s", "c_r"))
        carry_u = Signal(name="c_u", reset_less=True)
        fresh = early["first"] | early["estimate"]
        s, r = Signal(2 * k, name="s"), Signal(2 * k, name="r")
        m.d.comb += [
            s.eq(xy + a + Mux(fresh, 0, carry_s)),
            r.eq(qp + Mux(fresh, 0, carry_r)),
        ]
        m.d.sync += [carry_s.eq(s[k:]), carry_r.eq(r[k:])]
        s_low, r_low, s_carry = s[:k], r[:k], s[k:]
        if self.pipeline == 2:
            s_low, r_low = (
                delayed(m, v, 1, n, data=True) for v, n in ((s_low, "s_low"), (r_low, "r_low"))
            )
            s_carry = carry_s
        u = Signal(k + 1, name="u")
        m.d.comb += u.eq(s_low + r_low + (carry_u & ~late["first"]))
        with m.If(late["work"]):
            m.d.sync += carry_u.eq(u[k])
        return s_low, u[:k], (s_carry + u[k])[: max(self.top_bits, 1)]


class SecondCell(DigitCell):
    """Architecture 2 (Figure 7, Algorithm 2): one sum, one carry of k + 1 bits."""

    def _sums(self, m: Module, a: Value, x_y: Factors, q_p: Factors) -> tuple[Value, Value, Value]:
        k = self.width
        xy, qp = self._late_product(m, "x_y", x_y), self._late_product(m, "q_p", q_p)
        carry = self._carry()
        u, s = Signal(2 * k + 1, name="u"), Signal(2 * k + 1, name="s")
        if self.pipeline == 2:
            m.d.comb += s.eq(xy + a)
            lowest = delayed(m, s[: 2 * k], 1, "s", data=True)
            m.d.comb += u.eq(lowest + delayed(m, qp, 1, "r", data=True) + carry)
        else:
            # The short numbers first, for shorter adders; there is no carry where q is made.
            m.d.comb += [s.eq(xy + (carry + a)), u.eq(s + qp)]
            lowest = s
        return lowest[:k], *self._digit(m, u, carry)

    def _carry(self) -> Signal:
        return Signal(self.width + 1, name="c", reset_less=True)

    def _digit(self, m: Module, u: Value, carry: Signal) -> tuple[Value, Value]:
        """The digit of the sum and the bits above; digits follow each other without a gap."""
        k = self.width
        m.d.sync += carry.eq(0)
        with m.If(self._late["work"] & ~self._late["last"]):
            m.d.sync += carry.eq(u[k:])
        return u[:k], u[k : k + max(self.top_bits, 1)]


class TiledCell(SecondCell):
    """Architecture 2 whose products and sum are one `TiledSum`.

    While digit 0 is estimated the product with q is 0, and the sum is S_0.
    """

    def _sums(self, m: Module, a: Value, x_y: Factors, q_p: Factors) -> tuple[Value, Value, Value]:
        k, carry = self.width, self._carry()
        m.submodules.sum = total = TiledSum(
            k, products=2, addend_bits=k + 2, registered=self.pipeline == 1
        )
        q, p = q_p
        if self.pipeline:
            above = self.last if self.subtracts else 0
            m.d.comb += [total.clear_0.eq(above), total.clear_1.eq(self.estimate | above)]
        else:
            p = Mux(self.estimate, 0, p)
        m.d.comb += [
            *(port.eq(x) for port, x in zip((total.left_0, total.right_0), x_y, strict=True)),
            total.left_1.eq(q),
            total.right_1.eq(p),
            total.addend.eq(carry + a),
        ]
        return total.sum[:k], *self._digit(m, total.sum, carry)


def cell_of(architecture: int, pipeline: int, multiplier: ProductKind) -> type[DigitCell]:
    """The datapath of a design.

    Raises:
        SpecificationError: there is none.
    """
    if architecture not in (1, 2) or pipeline not in PIPELINES:
        raise SpecificationError(
            f"architecture {architecture} with {pipeline} pipeline levels: there are architectures "
            "1 and 2, with 0, 1 or 2 levels"
        )
    if architecture == 1:
        return FirstCell
    return TiledCell if multiplier == "tiles" and pipeline < 2 else SecondCell
