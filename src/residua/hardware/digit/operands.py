"""Operands: takes the words of X and Y into one bank while a run reads the other."""

from typing import Any

from amaranth.hdl import C, Cat, Module, Mux, Signal, Value
from amaranth.lib import stream
from amaranth.lib.wiring import Component, In, Out

from residua.hardware.digit.memory import RowMemory, add_memory
from residua.hardware.digit.shape import BANKS, DigitStreams


class Operands(Component):
    """X in rows and Y in words, each in two banks.

    ``words`` takes the words of X and then of Y, the lowest first; what the memories hold above
    them is filled with zeros. ``x_row`` and ``y_word`` select what ``x`` and ``y`` have in the
    cycle after. ``release``, a pulse in the last cycle in which they select anything, goes on to
    the next bank. ``available`` tells, with ``release`` for the next one already, that a bank can
    be read; ``waiting`` tells it of the bank that is selected.
    """

    def __init__(self, streams: DigitStreams) -> None:
        self.streams = streams
        super().__init__(
            {
                "words": In(stream.Signature(streams.width)),
                "available": Out(1),
                "waiting": Out(1),
                "release": In(1),
                "x_row": In(range(streams.rows)),
                "x": Out(streams.lanes * streams.width),
                "y_word": In(range(streams.columns)),
                "y": Out(streams.width),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """Memories, a filling and a reading bank."""
        m = Module()
        streams = self.streams
        filling, reading = Signal(name="filling_bank"), Signal(name="reading_bank")
        full = Signal(2, name="full")
        fill = _Filler(m, streams, self.words, ~full.bit_select(filling, 1))
        m.submodules.x = x = RowMemory(BANKS * streams.stride, streams.lanes, streams.width)
        y_write, y_read = add_memory(m, "y", streams.width, BANKS * streams.column_stride)
        row_bits = (streams.stride - 1).bit_length()
        column_bits = (streams.column_stride - 1).bit_length()
        m.d.comb += [
            x.write.eq(Mux(fill.write & ~fill.second, fill.lane, 0)),
            x.write_row.eq(_address(fill.row, row_bits, filling)),
            x.digit.eq(fill.digit),
            x.read_row.eq(_address(self.x_row, row_bits, reading)),
            y_write.en.eq(fill.write & fill.second),
            y_write.addr.eq(_address(fill.row, column_bits, filling)),
            y_write.data.eq(fill.digit),
            y_read.addr.eq(_address(self.y_word, column_bits, reading)),
            self.x.eq(x.row),
            self.y.eq(y_read.data),
            self.available.eq(full.bit_select(reading ^ self.release, 1)),
            self.waiting.eq(full.bit_select(reading, 1)),
        ]
        with m.If(fill.done):
            m.d.sync += [filling.eq(~filling), full.bit_select(filling, 1).eq(1)]
        with m.If(self.release):
            m.d.sync += [reading.eq(~reading), full.bit_select(reading, 1).eq(0)]
        return m


def _address(row: Signal, bits: int, bank: Signal) -> Value:
    """The row of a bank."""
    return Cat(row[:bits], bank) if bits else Cat(bank)


class _Filler:
    """Counts through the words of X and Y; zeros follow the words of each."""

    def __init__(self, m: Module, streams: DigitStreams, words: Any, enable: Any) -> None:
        deepest = max(streams.rows, streams.columns)
        self.row, self.second = Signal(range(deepest), name="fill_row"), Signal(name="fill_y")
        self.lane = Signal(streams.lanes, init=1, name="fill_lane")
        self.write, self.done = Signal(name="fill_write"), Signal(name="fill_done")
        self.digit = Signal(streams.width, name="fill_digit")
        counter = Signal(range(streams.words + 1), name="words_taken")
        # Without places above there are no zeros to be chosen.
        fits = streams.words == streams.rows * streams.lanes == streams.columns
        given = C(1) if fits else counter != streams.words
        last_row = Mux(self.second, streams.columns - 1, streams.rows - 1)
        last = (self.row == last_row) & (self.second | self.lane[-1])
        m.d.comb += [
            words.ready.eq(enable & given),
            self.write.eq(enable & (words.valid | ~given)),
            self.digit.eq(Mux(given, words.payload, 0)),
            self.done.eq(self.write & last & self.second),
        ]
        with m.If(self.write):
            m.d.sync += [
                counter.eq(Mux(last, 0, counter + given)),
                self.second.eq(self.second ^ last),
                self.lane.eq(Mux(last | self.second, 1, self.lane.rotate_left(1))),
            ]
            with m.If(last):
                m.d.sync += self.row.eq(0)
            with m.Elif(self.second | self.lane[-1]):
                m.d.sync += self.row.eq(self.row + 1)
