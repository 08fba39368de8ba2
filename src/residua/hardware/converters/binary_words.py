"""Words of numbers in binary, brought to their range by a multiple of P while they leave."""

from typing import Any

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Component, In, Out
from amaranth.utils import ceil_log2

from residua.hardware.constant_table import constant_table, selector
from residua.hardware.converters.conversion import Conversion
from residua.hardware.converters.wiped_memory import wiped
from residua.hardware.delay import delayed


class BinaryWords(Component):
    """Stores the words of X and hands out those of X + k P with the least k that is not negative.

    ``ready`` tells that a conversion can ``begin``. ``digit`` comes with ``valid`` for every
    column, the last one with ``end``. ``select`` is the index of P, if there are several.
    """

    def __init__(self, conversion: Conversion, wipes: bool) -> None:
        self.conversion, self.wipes = conversion, wipes
        width = conversion.width
        super().__init__(
            {
                "begin": In(1),
                "ready": Out(1),
                "clearing": Out(1),
                "digit": In(width + 1),
                "valid": In(1),
                "end": In(1),
                "result_valid": Out(1),
                "result_ready": In(1),
                "result_word": Out(width),
                "result_last": Out(1),
                **selector(len(conversion.moduli)),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """Pages of words: written by the carry chain, read for the final addition."""
        m = Module()
        conversion = self.conversion
        stride, pages = 1 << ceil_log2(conversion.words), conversion.result_pages
        m.submodules.memory = memory = Memory(shape=conversion.width, depth=pages * stride, init=[])
        selects, ended = self._write(m, memory, stride)
        booked, complete = Signal(range(pages + 1)), Signal(range(pages + 1))
        drained = self._read(m, memory, stride, selects, complete != 0)
        begun: Value = self.begin
        if conversion.relaxed:
            # The next conversion begins far later.
            begun = delayed(m, begun, 1, "begun")
        m.d.sync += [
            booked.eq(booked + begun - drained),
            complete.eq(complete + ended - drained),
        ]
        m.d.comb += self.ready.eq(booked != pages)
        return m

    def _write(self, m: Module, memory: Memory, stride: int) -> tuple[list[Signal], Value]:
        """Store words; the choice of k for each page follows with the last one, or after it.

        Returns:
            The choices, and whether one comes.
        """
        conversion = self.conversion
        index, page = Signal(range(conversion.columns)), Signal(range(conversion.result_pages))
        port = memory.write_port()
        inside = index < conversion.words
        m.d.comb += [
            port.addr.eq(Cat(index[: ceil_log2(stride)], page)),
            port.data.eq(self.digit),
            port.en.eq(self.valid & inside),
        ]
        if self.wipes:
            m.d.comb += self.clearing.eq(wiped(m, port))
        choice, ended = self._choice(m, index)
        if conversion.relaxed:
            choice, ended = delayed(m, choice, 1, "choice"), delayed(m, ended, 1, "ended")
        selects = [
            Signal(choice.shape(), name=f"select_{i}") for i in range(conversion.result_pages)
        ]
        with m.If(self.valid):
            m.d.sync += index.eq(Mux(self.end, 0, index + 1))
        with m.If(ended):
            m.d.sync += page.eq(page + 1)
            for number, select in enumerate(selects):
                with m.If(page == number):
                    m.d.sync += select.eq(choice)
        return selects, ended

    def _choice(self, m: Module, index: Value) -> tuple[Signal, Value]:
        """Position of the first candidate that is not negative, and whether it is valid."""
        candidates, late = self.conversion.candidates, int(self.conversion.relaxed)
        digit = delayed(m, self.digit, late, "compared", data=True)
        valid = delayed(m, self.valid, late, "compares")
        end = delayed(m, self.end, late, "compared_last")
        choice = Signal(range(max(len(candidates), 2)))
        chosen: Value = Const(len(candidates) - 1)
        for position in reversed(range(len(candidates) - 1)):
            multiple = candidates[position]
            if multiple == 0:
                negative: Value = digit[-1]
            else:
                addend = self._multiple(m, "sign_of", multiple, len(digit), index)
                addend = delayed(m, addend, late, f"multiple_{_signed_name(multiple)}", data=True)
                negative = self._negative(m, _signed_name(multiple), addend, (digit, valid, end))
            chosen = Mux(negative, chosen, position)
        m.d.comb += choice.eq(chosen)
        return choice, end

    def _negative(
        self, m: Module, name: str, addend: Value, words: tuple[Value, Value, Value]
    ) -> Value:
        """Whether X + k P is negative, valid with the last word.

        ``addend`` is a word of k P, ``words`` are one of X, whether it is there, and the last one.
        """
        digit, valid, end = words
        width = self.conversion.width
        carry = Signal(name=f"carry_{name}")
        total = Signal(width + 2, name=f"sum_{name}")
        # In all words but the last the top bit is part of the carry into the next one.
        word = Cat(digit[:width], digit[width] & end)
        m.d.comb += total.eq(word + addend + carry)
        with m.If(valid):
            m.d.sync += carry.eq(Mux(end, 0, total >> width))
        return total[width]

    def _multiple(
        self, m: Module, use: str, multiple: int, width: int, index: Value, words: int | None = None
    ) -> Value:
        """The word at ``index`` of multiple * P, as ``width`` bits."""
        conversion = self.conversion
        rows = [conversion.digits(multiple * modulus)[:words] for modulus in conversion.moduli]
        select = self.select if len(rows) > 1 else Const(0, 0)
        return constant_table(m, f"{use}_{_signed_name(multiple)}", rows, width, select, index)

    def _read(
        self, m: Module, memory: Memory, stride: int, selects: list[Signal], readable: Value
    ) -> Value:
        """Add the chosen multiple of P word by word; tells when a page is read."""
        conversion = self.conversion
        width, words = conversion.width, conversion.words
        index, page = Signal(range(max(words, 2))), Signal(range(conversion.result_pages))
        advance, drained = Signal(), Signal()
        read = memory.read_port(domain="comb")
        select, there = Array(selects)[page], readable
        if conversion.relaxed:
            # After a page it takes a cycle until the choice is that of the next one.
            select = delayed(m, select, 1, "selected")
            there = delayed(m, readable & ~drained, 1, "settled")
        multiples = [
            self._multiple(m, "addend", k, width, index, words) for k in conversion.candidates
        ]
        m.d.comb += [
            read.addr.eq(Cat(index[: ceil_log2(stride)], page)),
            drained.eq(advance & (index == words - 1)),
        ]
        summands = read.data, Array(multiples)[select]
        self._add(m, summands, there, advance, drained)
        with m.If(advance):
            m.d.sync += [index.eq(Mux(drained, 0, index + 1)), page.eq(page + drained)]
        return drained

    def _add(
        self,
        m: Module,
        summands: tuple[Value, ...],
        there: Value,
        advance: Signal,
        drained: Value,
    ) -> None:
        """Give out the sum of two words that are ``there``, the last ones if ``drained`` is set.

        ``advance`` takes them.
        """
        width = self.conversion.width
        carry, total = Signal(), Signal(width + 1)
        ready = ~self.result_valid | self.result_ready
        given: Value = advance
        if self.conversion.relaxed:
            held, ends = Signal(name="held"), Signal(name="held_last")
            words = [Signal(width, name=f"held_{name}") for name in ("word", "multiple")]
            m.d.comb += advance.eq(there & (~held | ready))
            with m.If(ready):
                m.d.sync += held.eq(0)
            with m.If(advance):
                m.d.sync += [held.eq(1), ends.eq(drained)]
                m.d.sync += [own.eq(word) for own, word in zip(words, summands, strict=True)]
            summands, given, drained = tuple(words), held & ready, ends
        else:
            m.d.comb += advance.eq(there & ready)
        word, multiple = summands
        m.d.comb += total.eq(word + multiple + carry)
        with m.If(self.result_ready):
            m.d.sync += self.result_valid.eq(0)
        with m.If(given):
            m.d.sync += [
                self.result_word.eq(total[:width]),
                self.result_last.eq(drained),
                self.result_valid.eq(1),
                carry.eq(total[width] & ~drained),
            ]


def _signed_name(number: int) -> str:
    return f"{'minus' if number < 0 else 'plus'}_{abs(number)}"
