"""One channel of plus-minus inversion: two pairs of words and an adder, no multiplier.

(V3, U3) and (V1, U1) take turns: each operation replaces the V of the pair in front by

    (V + b + A + t m) / 4,    b one of V, 0, U, -U - 1,    t from -2 to 1,

where A, a constant of the operation in [0, m], holds its multiple of P and the offsets of the hat
form, and t, of the two lowest bits of the sum before, makes it divisible: A + t m is the K of
`residua.numbers.hats`. Words lie in [-m, m). The pairs change places with every operation.
"""

from collections.abc import Iterator
from enum import IntEnum
from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value, signed
from amaranth.lib.wiring import Component, In, Out

from residua.algorithms.plus_minus import Kind
from residua.machines.plus_minus import HatWords, step_constant
from residua.numbers.hats import HatForm


class Mode(IntEnum):
    """Kinds of operations; the first four are those of the algorithm."""

    HALVE = Kind.HALVE
    QUARTER = Kind.QUARTER
    ADD = Kind.ADD
    SUBTRACT = Kind.SUBTRACT
    LOAD = 4
    UNLOAD = 5


MODE_BITS = 3
AMOUNTS = 4
"""An operation's amount: a digit, or the multiple of P modulo 4 (3 for -1)."""

TESTED = (1, -1, 0)
"""Numbers that V3 is compared with."""


def operations(words: HatWords) -> Iterator[tuple[Mode, int, int]]:
    """Every mode and amount with what it adds, see `residua.numbers.hats.HatForm.addend`."""
    form = words.form
    for kind in Kind:
        for multiple in (0, 1) if kind is Kind.HALVE else (0, 1, 2, -1):
            yield Mode(kind), multiple % AMOUNTS, step_constant(form, kind, multiple)
    for digit in range(AMOUNTS):
        yield Mode.LOAD, digit, digit << 2 * words.digits
        yield Mode.UNLOAD, digit, 3 * form.offset - digit


class PlusMinusRower(Component):
    """The words of channel ``channel``, and what the Cox sees of the newest one.

    ``mode``, ``amount``, ``exchange`` and ``go`` tell what happens in the next cycle, ``clear``
    that all words take their starting values then. After an operation, ``leading`` has the leading
    bits of its result, ``low`` its two lowest ones, and ``tests`` whether it is in the class of
    each of `TESTED`.
    """

    def __init__(self, words: HatWords, channel: int) -> None:
        self.words, self.channel = words, channel
        self.bits = words.form.base.width + 1
        super().__init__(
            {
                "mode": In(MODE_BITS),
                "amount": In(2),
                "exchange": In(1),
                "go": In(1),
                "clear": In(1),
                "leading": Out(signed(leading_bits(words.form))),
                "low": Out(2),
                "tests": Out(len(TESTED)),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """Control copies, pairs, adder, tests."""
        m = Module()
        control = {}
        for name in ("mode", "amount", "exchange", "go", "clear"):
            port = getattr(self, name)
            control[name] = Signal.like(port, name=f"own_{name}")
            m.d.sync += control[name].eq(port)
        v, u = ([self._word(f"{name}_{place}") for place in "ab"] for name in "vu")
        new = self._result(m, control["mode"], control["amount"], v[0], u[0])
        with m.If(control["clear"]):
            for word, value in zip((*v, *u), self._starts(), strict=True):
                m.d.sync += word.eq(value)
        with m.Elif(control["go"]):
            m.d.sync += [
                v[1].eq(new),
                v[0].eq(v[1]),
                u[1].eq(Mux(control["exchange"], v[0], u[0])),
                u[0].eq(u[1]),
            ]
        m.d.comb += [
            self.leading.eq(v[1] >> (self.bits - len(self.leading))),
            self.low.eq(v[1][:2]),
            self.tests.eq(Cat(self._is(v[1], number) for number in TESTED)),
        ]
        return m

    def _word(self, name: str) -> Signal:
        return Signal(signed(self.bits), name=name, reset_less=True)

    def _starts(self) -> list[int]:
        """Start values of the pairs: V3 and V1 before an operand is loaded, U3 and U1."""
        form, words = self.words.form, self.words
        vectors = [form.scaled_words(words.started(first)) for first in (0, 1)]
        vectors += [form.words(number) for number in (form.modulus, 0)]
        return [vector[self.channel] for vector in vectors]

    def _result(self, m: Module, mode: Value, amount: Value, v: Value, u: Value) -> Value:
        other = Signal(signed(self.bits), name="other")
        with m.Switch(mode):
            with m.Case(Mode.HALVE):
                m.d.comb += other.eq(v)
            with m.Case(Mode.ADD):
                m.d.comb += other.eq(u)
            with m.Case(Mode.SUBTRACT):
                m.d.comb += other.eq(~u)
        addend = Signal(self.bits, name="addend")
        with m.Switch(Cat(amount, mode)):
            for pattern, value in self._addends():
                with m.Case(pattern):
                    m.d.comb += addend.eq(value)
        partial = Signal(signed(self.bits + 2), name="partial")
        multiple = Signal(signed(self.bits + 1), name="multiple")
        total = Signal(signed(self.bits + 2), name="total")
        m.d.comb += partial.eq(v + other + addend)
        modulus = self.words.form.base.moduli[self.channel].value
        with m.Switch(partial[:2]):
            for low in range(4):
                with m.Case(low):
                    # -low m^-1 modulo 4, and m^-1 is m there.
                    m.d.comb += multiple.eq(((-low * modulus + 2) % 4 - 2) * modulus)
        m.d.comb += total.eq(partial + multiple)
        return total[2:].as_signed()

    def _addends(self) -> Iterator[tuple[int, int]]:
        """A for each (amount, mode)."""
        modulus = self.words.form.base.moduli[self.channel].value
        inverse = self.words.form.base.cofactor_inverses[self.channel]
        for mode, amount, number in operations(self.words):
            # b is -U - 1: what is missing comes with the constant.
            missing = int(mode is Mode.SUBTRACT)
            yield amount | mode << 2, number * inverse % modulus + missing

    def _is(self, word: Value, number: int) -> Value:
        """Whether a word is in the class of a number; it is one of two or three."""
        modulus = self.words.form.base.moduli[self.channel].value
        own = self.words.form.words(number)[self.channel]
        values = [own - modulus, own]
        return Cat(word == Const(value, signed(self.bits)) for value in values).any()


def leading_bits(form: HatForm) -> int:
    """Bits of a word that the Cox adds: t, and the sign."""
    return form.truncation + 1
