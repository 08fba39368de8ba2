"""Cox: the quotient estimate of a base extension, taken from a few positions of the ring."""

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal, Value, signed
from amaranth.lib import data
from amaranth.lib.wiring import Component, In, Out
from amaranth.utils import ceil_log2

from residua.hardware.delay import delayed
from residua.numbers.cox import Cox as Estimate
from residua.numbers.cox import Range

COX_LATENCY = 6
"""Slots from the last tapped one to the first that can use the quotient: registers for the operand,
the leading bits, their multiples, the sum of the taps, the accumulator and the bus."""

WEIGHTS_DELAY = 2
"""Cycles from a slot to the weights of the words that its taps see."""

FIRST_DELAY = 4
"""Cycles from the first slot of an estimate to the control that clears the accumulator."""


def quotient_width(quotient: Range) -> int:
    """Bits of a signed word that holds every quotient in the range."""
    return max(bound.bit_length() for bound in quotient) + 1


class Cox(Component):
    """quotient = floor(sigma0 + sum of weighted leading bits / 2^t).

    ``taps`` are the operands of the rowers that the Cox listens to, ``weights`` the code of a
    weight for each: 0 for none, else 1 + its position in ``choices``. The codes come
    `WEIGHTS_DELAY` cycles after the slot, ``first``, which starts a new estimate, `FIRST_DELAY`.
    The quotient includes a slot's words from `COX_LATENCY` slots on. ``width`` are the bits of a
    modulus, or of the product of a row, ``word`` those of a tapped word. With ``delay`` all of that
    is so many cycles later.

    With ``narrow`` bits the word of an extra modulus 2^narrow is added where ``narrow_tap`` is set,
    which comes with the weights. With a ``direct`` word of so many bits, what goes to the same bus,
    the quotient's register takes that where ``takes_direct`` is set.
    """

    def __init__(
        self,
        estimate: Estimate,
        width: int,
        taps: int,
        choices: Sequence[int],
        quotient: Range,
        *,
        word: int,
        delay: int = 0,
        narrow: int = 0,
        direct: int = 0,
    ) -> None:
        self.estimate, self.width, self.word, self.delay = estimate, width, word, delay
        self.choices, self.narrow, self.direct_bits = tuple(choices), narrow, direct
        self.quotient_width = quotient_width(quotient)
        code = range(len(self.choices) + 1)
        words = {"narrow_word": narrow, "direct": direct}
        extra: dict[str, Any] = {name: In(signed(bits)) for name, bits in words.items() if bits}
        extra |= {"narrow_tap": In(1)} if narrow else {}
        extra |= {"takes_direct": In(1)} if direct else {}
        super().__init__(
            extra
            | {
                "taps": In(data.ArrayLayout(signed(word), taps)),
                "weights": In(data.ArrayLayout(max(ceil_log2(len(code)), 1), taps)),
                "first": In(1),
                "quotient": Out(signed(max(self.quotient_width, direct))),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """Leading bits, multiples, sum of the taps, accumulator, quotient: a register each."""
        m = Module()
        fraction = self.estimate.truncation
        weighted: Value = Const(0, signed(1))
        for index in range(len(self.taps)):
            bits = self.word - self.width + fraction
            leading = Signal(signed(bits), name=f"leading_{index}", reset_less=True)
            m.d.sync += leading.eq(self.taps[index] >> (self.width - fraction))
            late = delayed(m, leading, self.delay, f"leading_{index}", data=True).as_signed()
            weighted = weighted + self._weigh(m, index, late)
        if self.narrow:
            weighted = weighted + self._narrow(m)
        total = Signal(weighted.shape(), reset_less=True)
        accumulator = Signal(signed(self.quotient_width + fraction), reset_less=True)
        start = Const(self.estimate.start, signed(fraction + 1))
        m.d.sync += total.eq(weighted)
        with m.If(self.first):
            m.d.sync += accumulator.eq(start + total)
        with m.Else():
            m.d.sync += accumulator.eq(accumulator + total)
        quotient: Value = accumulator >> fraction
        if self.direct_bits:
            quotient = Mux(self.takes_direct, self.direct, quotient)
        m.d.sync += self.quotient.eq(quotient)
        return m

    def _narrow(self, m: Module) -> Signal:
        """The leading bits of the extra word, or 0."""
        fraction, bits = self.estimate.truncation, self.narrow
        leading = Signal(signed(fraction + 1), name="narrow_leading", reset_less=True)
        chosen = Signal(signed(fraction + 1), name="narrow_chosen", reset_less=True)
        shift = bits - fraction
        seen = self.narrow_word >> shift if shift > 0 else self.narrow_word << -shift
        m.d.sync += [leading.eq(seen), chosen.eq(Mux(self.narrow_tap, leading, 0))]
        return chosen

    def _weigh(self, m: Module, index: int, leading: Value) -> Value:
        """leading times the weight chosen by its code."""
        largest = max(abs(choice) for choice in self.choices)
        multiple = Signal(
            signed(len(leading) + largest.bit_length()), name=f"multiple_{index}", reset_less=True
        )
        with m.Switch(self.weights[index]):
            for code, weight in enumerate(self.choices, start=1):
                with m.Case(code):
                    m.d.sync += multiple.eq(constant_multiple(leading, weight))
            with m.Default():
                m.d.sync += multiple.eq(0)
        return multiple


def constant_multiple(value: Value, factor: int) -> Value:
    """value * factor by shifts and additions: ``*`` would take a multiplier block."""
    total: Value = Const(0, signed(1))
    for bit in range(abs(factor).bit_length()):
        if abs(factor) >> bit & 1:
            shifted = value << bit
            total = shifted if isinstance(total, Const) else total + shifted
    return -total if factor < 0 else total
