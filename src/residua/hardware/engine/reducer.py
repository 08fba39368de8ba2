"""Channel reducer: folds an accumulated sum into a redundant residue, for any of a rower's moduli.

Each fold v -> (v >> w) * h + (v mod 2^w) is a tree of adders over the low part and the shifted
copies of the high part, one for each signed digit of h, or one multiplication by h. The moduli of a
rower share the adders: where their digits differ, a select follows the value down the pipeline.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value, signed
from amaranth.lib.wiring import Component, In, Out
from amaranth.utils import ceil_log2

from residua.hardware.delay import delayed
from residua.hardware.primitives import AddSubtract, SelectAdder
from residua.numbers.cox import Range
from residua.numbers.folding import Folding
from residua.numbers.moduli import Modulus

Digit = tuple[int, int]
"""A signed digit of h: (sign, exponent)."""


@dataclass(frozen=True)
class FoldPlan:
    """Plan of one fold.

    ``multiplies`` chooses a multiplication by h, with a product and a sum register; else ``levels``
    is the depth of the adder tree, and a register follows every ``levels_per_register`` of them and
    the last one.
    """

    multiplies: bool
    levels: int
    levels_per_register: int = 1

    @property
    def latency(self) -> int:
        """Clock edges from a value to the folded one."""
        return self.levels if self.multiplies else -(-self.levels // self.levels_per_register)

    def registered(self, level: int) -> bool:
        """Whether a register follows adder level ``level``, counted from 0."""
        return (level + 1) % self.levels_per_register == 0 or level == self.levels - 1


def plan_folds(
    moduli: Sequence[Modulus], folds: int, *, multiply_first: bool, levels_per_register: int = 1
) -> list[FoldPlan]:
    """One plan that serves every rower with any of ``moduli``.

    With ``multiply_first`` the first fold, whose high part is the longest, is a multiplication by
    h.
    """
    weight = max(modulus.weight for modulus in moduli)
    levels = max(ceil_log2(weight + 1), 1)
    shifts = FoldPlan(False, levels, levels_per_register)
    first = FoldPlan(True, 2) if multiply_first else shifts
    return [first] + [shifts] * (folds - 1)


class ChannelReducer(Component):
    """value mod m_select, as a signed word of w + 1 bits.

    ``value`` includes the centring constant 2^(w-1) (see `residua.numbers.folding`). ``select`` is
    the position of the modulus in ``moduli`` and comes with the value; the residue follows
    ``latency`` clock edges later, one every cycle. ``ranges`` are the sums' ranges for each
    modulus, without the constant.
    """

    def __init__(
        self, moduli: Sequence[Modulus], ranges: Sequence[Range], plans: Sequence[FoldPlan]
    ) -> None:
        self.moduli, self.plans = tuple(moduli), tuple(plans)
        self.width = self.moduli[0].width
        foldings = [Folding(modulus, len(plans)) for modulus in self.moduli]
        stages = [f.stages(r) for f, r in zip(foldings, ranges, strict=True)]
        # The range of the value before fold i, for each modulus.
        self.stage_ranges = [list(stage) for stage in zip(*stages, strict=True)]
        self.latency = sum(plan.latency for plan in plans)
        super().__init__(
            {
                "value": In(signed(_bits(self.stage_ranges[0]))),
                "select": In(range(max(len(self.moduli), 2))),
                "residue": Out(signed(self.width + 1)),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """The folds in a row, and the inverted bit that takes the centring constant off."""
        m = Module()
        value: Value = self.value
        select: Value = self.select
        for index, plan in enumerate(self.plans):
            fold = _Fold(m, self, index, value, select)
            value = fold.multiply() if plan.multiplies else fold.shift_and_add()
            select = delayed(m, select, plan.latency, f"select_{index}", data=True)
        # Taking 2^(w-1) off inverts bit w - 1 and flips the sign bit if that was 0.
        borrow = Cat(Const(0, self.width - 1), Const(1, 1), ~value[self.width - 1])
        m.d.comb += self.residue.eq((value[: self.width + 1] ^ borrow).as_signed())
        return m


@dataclass(frozen=True)
class _Operand:
    """A signal in the adder tree.

    It stands for ``coefficients[k] * high`` (+ low) under modulus k. ``negated`` is constant (a
    bool) or follows the select; ``other`` is a second signal taken where the select is 0.
    """

    signal: Value
    coefficients: tuple[int, ...]
    has_low: bool = False
    negated: "bool | Value" = False
    other: "tuple[Value, bool] | None" = None


class _Fold:
    """One fold of a reducer."""

    def __init__(
        self, m: Module, reducer: ChannelReducer, index: int, value: Value, select: Value
    ) -> None:
        self.m, self.index, self.select = m, index, select
        self.width = reducer.width
        self.moduli = reducer.moduli
        self.plan = reducer.plans[index]
        self.before = reducer.stage_ranges[index]
        self.after = reducer.stage_ranges[index + 1]
        self.low = value[: self.width]
        self.high = value[self.width :].as_signed()
        self.count = 0

    def multiply(self) -> Value:
        """high * h + low: a product register and a sum register, as in one DSP block."""
        m = self.m
        offsets = [modulus.offset for modulus in self.moduli]
        bits = max(max(o, -o - 1).bit_length() for o in offsets) + 1
        table = Array([Const(o, signed(bits)) for o in offsets])
        offset = Signal(signed(bits), name=f"offset_{self.index}")
        product = Signal(
            signed(len(self.high) + bits), name=f"product_{self.index}", reset_less=True
        )
        low = Signal(self.width, name=f"low_{self.index}", reset_less=True)
        total = Signal(signed(_bits(self.after)), name=f"fold_{self.index}", reset_less=True)
        m.d.comb += offset.eq(table[self.select])
        m.d.sync += [product.eq(self.high * offset), low.eq(self.low), total.eq(product + low)]
        return total

    def shift_and_add(self) -> Value:
        """A balanced tree over low and the shifted copies of high."""
        operands = [self._low(), *self._terms()]
        for level in range(self.plan.levels):
            pairs = [operands[i : i + 2] for i in range(0, len(operands), 2)]
            operands = [self._join(pair) for pair in pairs]
            if self.plan.registered(level):
                last = level == self.plan.levels - 1
                operands = [self._register(operand, last) for operand in operands]
                name = f"fold_{self.index}_select_{level}"
                self.select = delayed(self.m, self.select, 1, name, data=True)
        assert len(operands) == 1
        return operands[0].signal

    def _low(self) -> _Operand:
        zeros = (0,) * len(self.moduli)
        return _Operand(Cat(self.low, Const(0, 1)).as_signed(), zeros, has_low=True)

    def _terms(self) -> list[_Operand]:
        """One operand for each signed digit, lined up over the moduli."""
        rows = align_digits([modulus.digits for modulus in self.moduli])
        return [self._term(row) for row in rows]

    def _term(self, row: Sequence[Digit | None]) -> _Operand:
        coefficients = tuple(d[0] << d[1] if d else 0 for d in row)
        present = {digit for digit in row if digit}
        exponents = {exponent for _, exponent in present}
        if len(exponents) == 1 and None not in row:
            (exponent,) = exponents
            return _Operand(self._shifted(exponent), coefficients, negated=self._signs(row))
        if len(row) == 2:
            one, zero = row[1], row[0]
            return _Operand(
                self._shifted(one[1]) if one else Const(0, signed(1)),
                coefficients,
                negated=bool(one and one[0] < 0),
                other=(
                    self._shifted(zero[1]) if zero else Const(0, signed(1)),
                    bool(zero and zero[0] < 0),
                ),
            )
        choices = [self._shifted(d[1]) if d else Const(0, signed(1)) for d in row]
        chosen = Signal(signed(max(len(choice) for choice in choices)), name=self._name("term"))
        self.m.d.comb += chosen.eq(Array(choices)[self.select])
        return _Operand(chosen, coefficients, negated=self._signs(row))

    def _shifted(self, exponent: int) -> Value:
        return Cat(Const(0, exponent), self.high).as_signed()

    def _signs(self, row: Sequence[Digit | None]) -> bool | Value:
        """Whether the term is negated: constant, or a function of the select."""
        signs = [bool(digit and digit[0] < 0) for digit in row]
        if all(signs) or not any(signs):
            return signs[0]
        if len(signs) == 2:
            return self.select[0] if signs[1] else ~self.select[0]
        return Array([Const(int(sign), 1) for sign in signs])[self.select]

    def _join(self, pair: list[_Operand]) -> _Operand:
        if len(pair) == 1:
            return self._settled(pair[0])
        left, right = pair
        if left.other is not None or not isinstance(left.negated, bool):
            left, right = right, left
        if left.other is not None:
            left = self._settled(left)
        if not isinstance(left.negated, bool):
            right = self._settled(right)
        return self._add(left, right)

    def _add(self, left: _Operand, right: _Operand) -> _Operand:
        """left + right, where ``left`` has one signal."""
        sums = tuple(a + b for a, b in zip(left.coefficients, right.coefficients, strict=True))
        has_low = left.has_low or right.has_low
        bits = self._operand_bits(sums, has_low)
        if isinstance(left.negated, bool) and right.other is not None:
            total = self._select_add(bits, left, right)
        elif isinstance(left.negated, bool) and isinstance(right.negated, bool):
            opposite = left.negated != right.negated
            minuend, other = (right, left) if opposite and left.negated else (left, right)
            total = Signal(signed(bits), name=self._name("sum"))
            a, b = minuend.signal, other.signal
            self.m.d.comb += total.eq(a - b if opposite else a + b)
            return _Operand(total, sums, has_low, left.negated and right.negated)
        else:
            total = self._add_subtract(bits, left, right)
        return _Operand(total, sums, has_low, left.negated)

    def _select_add(self, bits: int, left: _Operand, right: _Operand) -> Value:
        assert right.other is not None
        assert isinstance(right.negated, bool)
        flip = bool(left.negated)
        adder = SelectAdder(
            bits, negate_first=right.negated != flip, negate_second=right.other[1] != flip
        )
        self.m.submodules[self._name("select_adder")] = adder
        self.m.d.comb += [
            adder.augend.eq(left.signal),
            adder.first.eq(right.signal),
            adder.second.eq(right.other[0]),
            adder.choose.eq(self.select[0]),
        ]
        return adder.sum

    def _add_subtract(self, bits: int, left: _Operand, right: _Operand) -> Value:
        adder = AddSubtract(bits)
        self.m.submodules[self._name("add_subtract")] = adder
        self.m.d.comb += [
            adder.augend.eq(left.signal),
            adder.addend.eq(right.signal),
            adder.subtract.eq(_bit(left.negated) ^ _bit(right.negated)),
        ]
        return adder.sum

    def _settled(self, operand: _Operand) -> _Operand:
        """The operand as one signal, its sign constant or following the select."""
        if operand.other is None:
            return operand
        other, other_negated = operand.other
        bits = max(len(operand.signal), len(other))
        chosen = Signal(signed(bits), name=self._name("chosen"))
        select = self.select[0]
        self.m.d.comb += chosen.eq(Mux(select, operand.signal, other))
        negated: bool | Value = bool(operand.negated)
        if negated != other_negated:
            negated = select if negated else ~select
        return _Operand(chosen, operand.coefficients, operand.has_low, negated)

    def _register(self, operand: _Operand, last: bool) -> _Operand:
        bits = _bits(self.after) if last else len(operand.signal)
        register = Signal(signed(bits), name=self._name(f"fold_{self.index}"), reset_less=True)
        self.m.d.sync += register.eq(operand.signal)
        negated = operand.negated
        if not isinstance(negated, bool):
            negated = delayed(self.m, negated, 1, self._name("negated"), data=True)
        return _Operand(register, operand.coefficients, operand.has_low, negated)

    def _operand_bits(self, coefficients: tuple[int, ...], has_low: bool) -> int:
        """Bits of coefficient * high (+ low) over all moduli."""
        ranges = []
        for coefficient, (low, high) in zip(coefficients, self.before, strict=True):
            ends = [coefficient * (low >> self.width), coefficient * (high >> self.width)]
            ranges.append((min(ends), max(ends) + (((1 << self.width) - 1) if has_low else 0)))
        # A partial sum may be kept with its sign reversed, which needs the mirrored range too.
        mirrored = [] if has_low else [(-high, -low) for low, high in ranges]
        return _bits(ranges + mirrored)

    def _name(self, stem: str) -> str:
        self.count += 1
        return f"{stem}_{self.index}_{self.count}"


def align_digits(digits: Sequence[Sequence[Digit]]) -> list[list[Digit | None]]:
    """Rows of one digit for each modulus, so ordered that few rows need a multiplexer."""
    weight = max(len(own) for own in digits)
    padded = [[*own, *[None] * (weight - len(own))] for own in digits]
    first, *others = padded
    columns: list[list[Digit | None]] = [list(first)]
    for other in others:
        best = (
            min(
                permutations(other),
                key=lambda order: sum(map(_mismatch, first, order)),
            )
            if weight <= 6
            else other
        )
        columns.append(list(best))
    return [list(row) for row in zip(*columns, strict=True)]


def _mismatch(left: Digit | None, right: Digit | None) -> int:
    """Cost of adding either of two digits: none if equal, little if only the sign differs."""
    if left == right:
        return 0
    if left is None or right is None:
        return 2
    if left[1] == right[1]:
        return 1
    return 2 + (left[0] < 0) + (right[0] < 0)


def _bit(negated: bool | Value) -> Value:
    return Const(int(negated), 1) if isinstance(negated, bool) else negated


def _bits(ranges: Sequence[Range]) -> int:
    """Bits of a signed word that holds all of these ranges."""
    return max(
        max(low.bit_length() if low >= 0 else (-low - 1).bit_length(), max(high, 0).bit_length())
        + 1
        for low, high in ranges
    )
