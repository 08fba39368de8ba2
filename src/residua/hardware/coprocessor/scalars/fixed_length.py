"""Blinded scalars of fixed length: what a pass over their words decides for it.

The names are those of `residua.machines.blinded_scalar`.
"""

from amaranth.hdl import Module, Mux, Signal, Value

from residua.hardware.constant_table import constant_table, selected
from residua.hardware.coprocessor.scalars.layout import WORD, WRITTEN, ScalarLayout
from residua.numbers.digits import split_digits


class FixedLength:
    """Looks at the words of a scalar unit's passes, of a ``layout``, for one of several curves.

    ``curve`` is that of the scalar, ``index`` where a pass is.
    """

    def __init__(self, m: Module, layout: ScalarLayout, curve: Signal, index: Signal) -> None:
        self._m, self._layout, self._curve, self._index = m, layout, curve, index

    def comparisons(self, blinds: Value, begins: Value, written: Value) -> tuple[Value, Value]:
        """Whether the last pass that ``blinds`` left z = 1, and whether z = n - 2.

        What a word that is ``written`` is compared with is there before it, in registers. A pass
        ``begins`` with nothing that differs.
        """
        m, room = self._m, self._layout.room
        is_one, is_highest = Signal(name="is_one"), Signal(name="is_highest")
        compares, is_lowest = Signal(name="compares"), Signal(name="compares_lowest")
        awaited = Signal(WORD, name="highest_word", reset_less=True)
        soon = Signal(name="compares_soon")
        column = Signal(range(room + 1), name="compared")
        starts = self._index == self._layout.base + WRITTEN - 2
        m.d.sync += [
            soon.eq(blinds & (starts | soon & (column != room - 1))),
            column.eq(Mux(blinds & soon, column + 1, 0)),
        ]
        multiples = [form.multiple - 2 if form.lengthened else 0 for form in self._layout.forms]
        lines = [split_digits(multiple, room, WORD) for multiple in multiples]
        highest = constant_table(m, "highest", lines, WORD, self._curve, column)
        m.d.sync += [
            compares.eq(soon),
            is_lowest.eq(column == 0),
            awaited.eq(highest),
            is_one.eq(0),
            is_highest.eq(0),
        ]
        with m.If(blinds):
            m.d.sync += [
                is_one.eq(begins | is_one & (~compares | (written == is_lowest))),
                is_highest.eq(begins | is_highest & (~compares | (written == awaited))),
            ]
        return is_one, is_highest

    def adds(self, lengthens: Value, first: Value, total: Value, carry: Value) -> Value:
        """Whether a pass that ``lengthens`` adds n 2^b.

        The ``first`` one does, and the second if bit t + b of the ``total`` is still 0.
        """
        m = self._m
        short = Signal(name="short")
        ends = self._own([self._layout.base + bits // WORD + 1 for bits in self._bits])
        m.d.sync += short.eq(0)
        with m.If(lengthens):
            m.d.sync += short.eq(short)
            with m.If(first & (self._index == ends)):
                m.d.sync += short.eq(~Mux(self._fills(), carry, self._bit_above(total)))
        return first | short

    @property
    def _bits(self) -> list[int]:
        return [form.bits for form in self._layout.forms]

    def _fills(self) -> Value:
        """Whether the scalars of the curve fill their words, so that their next bit is a carry."""
        return self._own([int(self._layout.fills(i)) for i in range(len(self._layout.forms))])

    def _bit_above(self, total: Value) -> Value:
        """The bit above those of the curve's scalars, in its word."""
        bit: Value = total.bit_select(self._own([bits % WORD for bits in self._bits]), 1)
        return bit

    def _own(self, numbers: list[int]) -> Value:
        """The number of the curve."""
        return selected(numbers, self._curve)
