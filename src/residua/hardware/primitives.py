"""The arithmetic that maps to a device's own cells: multiplier, accumulator, selecting adder.

Nothing above this layer knows the target. Each primitive is behavioural by default, and has
per-target forms where inference would lose registers or logic. `residua.hardware.rtl` decides which
one is elaborated.
"""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from amaranth.hdl import C, Cat, ClockSignal, Const, Instance, Module, Mux, Signal, Value, signed
from amaranth.lib.wiring import Component, In, Out

MULTIPLIER_LATENCY = 2
"""Clock edges from a multiplier's inputs to its product: an input and an output register."""


@dataclass(frozen=True)
class Behavioural:
    """Elaborate primitives as plain arithmetic."""


@dataclass(frozen=True)
class Ecp5:
    """Elaborate primitives as cells of the Lattice ECP5."""


class Primitive(Component):
    """A component with one elaboration for each kind of target.

    ``parameters`` are the arguments that make an equal one, ``clocked`` says whether it has
    registers.
    """

    parameters: dict[str, Any]
    clocked = False

    def elaborate(self, platform: Any) -> Module | Instance:
        """The module for ``platform``; anything that is not a known target is behavioural."""
        collect = getattr(platform, "primitive", None)
        if collect is not None:
            instance: Instance = collect(self)
            return instance
        return self.ecp5() if isinstance(platform, Ecp5) else self.behaviour()

    @property
    @abstractmethod
    def module_name(self) -> str:
        """Name of the Verilog module after the core's, the same for equal primitives."""

    @abstractmethod
    def behaviour(self) -> Module:
        """Plain arithmetic."""

    def ecp5(self) -> Module:
        """ECP5 cells; behavioural unless a primitive says otherwise."""
        return self.behaviour()


class Multiplier(Primitive):
    """A signed product with a register at its inputs and one at its output.

    Operands of at most 18 bits, which is one MULT18X18D or DSP48E1. ``product`` belongs to the
    operands of two clock edges before.
    """

    clocked = True

    def __init__(self, left_width: int, right_width: int) -> None:
        if max(left_width, right_width) > 18:
            raise ValueError(f"a multiplier takes 18 bits, not {left_width} x {right_width}")
        self.left_width, self.right_width = left_width, right_width
        self.parameters = {"left_width": left_width, "right_width": right_width}
        super().__init__(
            {
                "left": In(signed(left_width)),
                "right": In(signed(right_width)),
                "product": Out(signed(left_width + right_width)),
            }
        )

    @property
    def module_name(self) -> str:
        """multiplier_<left bits>x<right bits>."""
        return f"multiplier_{self.left_width}x{self.right_width}"

    def behaviour(self) -> Module:
        """Three registers around ``*``."""
        m = Module()
        left = Signal(signed(self.left_width), reset_less=True)
        right = Signal(signed(self.right_width), reset_less=True)
        product = Signal(signed(self.left_width + self.right_width), reset_less=True)
        m.d.sync += [left.eq(self.left), right.eq(self.right), product.eq(left * right)]
        m.d.comb += self.product.eq(product)
        return m

    def ecp5(self) -> Module:
        """One MULT18X18D with its input and output registers."""
        m = Module()
        left, right = _extend(self.left, 18), _extend(self.right, 18)
        product = Signal(36)
        ports: dict[str, Any] = {
            "i_CLK0": ClockSignal(),
            "i_CE0": C(1),
            "i_RST0": C(0),
            "i_SIGNEDA": C(1),
            "i_SIGNEDB": C(1),
            "i_SOURCEA": C(0),
            "i_SOURCEB": C(0),
        }
        for bit in range(18):
            ports[f"i_A{bit}"], ports[f"i_B{bit}"] = left[bit], right[bit]
        for bit in range(36):
            ports[f"o_P{bit}"] = product[bit]
        for register in ("INPUTA", "INPUTB", "OUTPUT"):
            ports[f"p_REG_{register}_CLK"] = "CLK0"
            ports[f"p_REG_{register}_CE"] = "CE0"
            ports[f"p_REG_{register}_RST"] = "RST0"
        m.submodules.cell = Instance("MULT18X18D", **ports)
        m.d.comb += self.product.eq(product)
        return m


class Accumulator(Primitive):
    """sum <- product + (start if first else sum); where ``subtract`` is set, product - (...).

    ``sum`` is a register of ``width`` bits: it belongs to the product of one clock edge before.
    ``start`` is a constant. The port ``subtract`` exists only with ``subtracts``, the port
    ``plain`` only with ``plains``: where it is set, a sum starts from 0.
    """

    clocked = True

    def __init__(
        self,
        product_width: int,
        width: int,
        *,
        start: int = 0,
        subtracts: bool = False,
        plains: bool = False,
    ) -> None:
        self.product_width, self.width = product_width, width
        self.start, self.subtracts, self.plains = start, subtracts, plains
        self.parameters = {
            "product_width": product_width,
            "width": width,
            "start": start,
            "subtracts": subtracts,
            "plains": plains,
        }
        ports = {"product": In(signed(product_width)), "first": In(1), "sum": Out(signed(width))}
        if subtracts:
            ports["subtract"] = In(1)
        if plains:
            ports["plain"] = In(1)
        super().__init__(ports)

    @property
    def module_name(self) -> str:
        """accumulator_<product bits>_<sum bits>, then the start value and what it can do if any."""
        start = f"_from_{self.start}" if self.start else ""
        options = "_pm" * self.subtracts + "_plain" * self.plains
        return f"accumulator_{self.product_width}_{self.width}{start}{options}"

    def behaviour(self) -> Module:
        """One adder with a multiplexer in front, the form that a DSP block's accumulator takes."""
        m = Module()
        total = Signal(signed(self.width), reset_less=True)
        start: Value = Const(self.start, signed(self.width))
        if self.plains:
            start = Mux(self.plain, 0, start)
        kept = Mux(self.first, start, total)
        if self.subtracts:
            kept = Mux(self.subtract, -kept, kept)
        m.d.sync += total.eq(self.product + kept)
        m.d.comb += self.sum.eq(total)
        return m

    def ecp5(self) -> Module:
        """A carry chain whose LUTs hold the multiplexer."""
        m = Module()
        total = Signal(signed(self.width), reset_less=True)
        subtract: Value = self.subtract if self.subtracts else C(0)
        cells = [self._cell(total[bit], bit, subtract) for bit in range(self.width)]
        m.d.sync += total.eq(_carry_chain(m, _extend(self.product, self.width), cells, subtract))
        m.d.comb += self.sum.eq(total)
        return m

    def _cell(self, kept: Value, bit: int, subtract: Value) -> "_Cell":
        """The kept bit, or that of the start value; inverted to subtract."""
        starts_set = bool(self.start >> bit & 1)
        if starts_set and self.plains:
            chosen = Mux(self.first, ~self.plain, kept)
            return _Cell(chosen, C(1), subtract, lambda b, c, d: b ^ d)
        if not self.subtracts:
            return _Cell(kept, ~self.first, C(1), lambda b, c, d: b if c else int(starts_set))
        if starts_set:
            return _Cell(kept | self.first, C(1), subtract, lambda b, c, d: b ^ d)
        return _Cell(kept, ~self.first, subtract, lambda b, c, d: (b & c) ^ d)


class SelectAdder(Primitive):
    """sum = augend + (+-first if choose else +-second), combinational, modulo 2^width.

    ``negate_first`` and ``negate_second`` fix the signs. All ports have ``width`` bits.
    """

    def __init__(
        self, width: int, *, negate_first: bool = False, negate_second: bool = False
    ) -> None:
        self.width = width
        self.negate_first, self.negate_second = negate_first, negate_second
        self.parameters = {
            "width": width,
            "negate_first": negate_first,
            "negate_second": negate_second,
        }
        super().__init__(
            {
                "augend": In(signed(width)),
                "first": In(signed(width)),
                "second": In(signed(width)),
                "choose": In(1),
                "sum": Out(signed(width)),
            }
        )

    @property
    def module_name(self) -> str:
        """select_adder_<width>, with the signs of both addends."""
        signs = "".join(
            "n" if negate else "p" for negate in (self.negate_first, self.negate_second)
        )
        return f"select_adder_{self.width}_{signs}"

    def behaviour(self) -> Module:
        """One adder; the select and the inversion belong in its LUTs."""
        m = Module()
        first = ~self.first if self.negate_first else self.first
        second = ~self.second if self.negate_second else self.second
        addend = Mux(self.choose, first, second).as_unsigned()[: self.width]
        m.d.comb += self.sum.eq(_add(self.augend, addend, self._carry()))
        return m

    def _carry(self) -> Value:
        if self.negate_first == self.negate_second:
            return C(int(self.negate_first))
        return self.choose if self.negate_first else ~self.choose

    def ecp5(self) -> Module:
        """A carry chain that selects in its LUTs, where one of the addends is not negated."""
        m = Module()
        if self.negate_first and self.negate_second:
            chosen = Signal(self.width)
            m.d.comb += chosen.eq(Mux(self.choose, self.first, self.second))
            cells = [_Cell(bit, C(0), C(1), lambda b, c, d: 1 - b) for bit in chosen]
        else:
            # The LUT's lower quarter is the carry: the addend chosen by a 0 may not be negated.
            swap = self.negate_second
            by_one, by_zero = (self.second, self.first) if swap else (self.first, self.second)
            negate = int(self.negate_first or self.negate_second)
            select = ~self.choose if swap else self.choose
            cells = [
                _Cell(b, select, d, lambda b, c, d: (b ^ negate) if c else d)
                for b, d in zip(by_one, by_zero, strict=True)
            ]
        m.d.comb += self.sum.eq(_carry_chain(m, list(self.augend), cells, self._carry()))
        return m


class AddSubtract(Primitive):
    """sum = augend - addend if ``subtract`` else augend + addend, combinational, modulo 2^width."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.parameters = {"width": width}
        super().__init__(
            {
                "augend": In(signed(width)),
                "addend": In(signed(width)),
                "subtract": In(1),
                "sum": Out(signed(width)),
            }
        )

    @property
    def module_name(self) -> str:
        """add_subtract_<width>."""
        return f"add_subtract_{self.width}"

    def behaviour(self) -> Module:
        """One adder and an inversion in its LUTs."""
        m = Module()
        addend = self.addend.as_unsigned() ^ self.subtract.replicate(self.width)
        m.d.comb += self.sum.eq(_add(self.augend, addend, self.subtract))
        return m

    def ecp5(self) -> Module:
        """A carry chain that inverts in its LUTs."""
        m = Module()
        cells = [_Cell(b, self.subtract, C(1), lambda b, c, d: b ^ c) for b in self.addend]
        m.d.comb += self.sum.eq(_carry_chain(m, list(self.augend), cells, self.subtract))
        return m


_Function = Callable[[int, int, int], int]


@dataclass(frozen=True)
class _Cell:
    """Half a CCU2C: the addend is ``function(b, c, d)``.

    The lower quarter of the LUT doubles as the carry, which is right only if the function is 0
    wherever c = d = 0, or if that never happens.
    """

    b: Value
    c: Value
    d: Value
    function: _Function

    @property
    def init(self) -> int:
        """The LUT: a xor function(b, c, d), and a itself in the lower quarter."""
        table = 0
        for index in range(16):
            a, b, c, d = (index >> position & 1 for position in range(4))
            table |= (a if index < 4 else a ^ self.function(b, c, d)) << index
        return table


def _carry_chain(m: Module, augend: list[Value], cells: list[_Cell], carry: Value) -> Value:
    """augend + addend + carry on CCU2C cells, two bits each."""
    total = Signal(len(cells))
    pad = _Cell(C(0), C(0), C(1), lambda b, c, d: 0)
    for index in range(0, len(cells), 2):
        pair = [*cells[index : index + 2], pad][:2]
        bits = [*augend[index : index + 2], C(0)][:2]
        ports: dict[str, Any] = {"i_CIN": carry, "p_INJECT1_0": "NO", "p_INJECT1_1": "NO"}
        carry = Signal(name=f"carry_{index + 2}")
        ports["o_COUT"] = carry
        for half, (cell, bit) in enumerate(zip(pair, bits, strict=True)):
            ports[f"p_INIT{half}"] = Const(cell.init, 16)
            ports[f"i_A{half}"], ports[f"i_B{half}"] = bit, cell.b
            ports[f"i_C{half}"], ports[f"i_D{half}"] = cell.c, cell.d
            if index + half < len(cells):
                ports[f"o_S{half}"] = total[index + half]
        m.submodules[f"cell_{index}"] = Instance("CCU2C", **ports)
    return total


def _add(augend: Value, addend: Value, carry: Value) -> Value:
    """augend + addend + carry as one adder: the carry enters below the lowest bit."""
    if isinstance(carry, Const):
        return augend + addend + carry if not carry.value else augend - (~addend)
    return (Cat(C(1, 1), augend) + Cat(carry, addend))[1 : len(augend) + 1]


def _extend(value: Value, width: int) -> list[Value]:
    """The bits of a signed value, sign extended to ``width``."""
    return [value[min(bit, len(value) - 1)] for bit in range(width)]
