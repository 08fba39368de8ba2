"""Residue to binary: the canonical binary value of a number in cofactor form.

X = sum(xi_i * M_i) - q * M with xi_i = |X * M_i^-1| mod m_i and the Cox's q (HBE section III-B). In
words of d bits, column j of the sum is sum(xi_i * M_i[j]) - q * M[j]: n + 1 products of one word,
accumulated. The columns then give their words to a carry chain, one word a cycle.

X lies in a known range [low, high], which may reach beyond [0, P). Which multiple k P brings it
there is known with the last word, from the signs of X + k P; it is added while the words leave.
P is one of several moduli, chosen at run time; only these multiples depend on it.
"""

from typing import Any

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value, signed
from amaranth.lib import stream
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Component, In, Out

from residua.hardware.constant_table import selector
from residua.hardware.converters.binary_words import BinaryWords
from residua.hardware.converters.conversion import WORDS_AHEAD, Conversion
from residua.hardware.converters.wiped_memory import wiped
from residua.hardware.delay import delayed
from residua.hardware.engine.multiply_accumulate import MultiplyAccumulate


class ResidueToBinary(Component):
    """The result in [0, P) of residues in cofactor form, as words.

    ``residues`` takes xi_1 ... xi_n (signed words of w + 1 bits, any representatives), and holds
    those of ``pages`` numbers. ``result`` hands out the words of d bits, the lowest first, ``last``
    with the highest. ``freed`` is set when a number is converted and its page taken up no more.
    With several moduli, ``select`` is the index of P; it must not change from the cycle in which
    xi_1 is taken to the one in which the last word leaves.

    Of a conversion that is ``exchanged``, bit i of ``choice`` tells that residues i and i + k come
    for each other's moduli; it must not change either.

    With ``wipes`` a reset overwrites the memories with zeros; meanwhile ``clearing`` is set.

    ``latency`` is the number of cycles from the one in which xi_1 is taken to the one in which the
    last word leaves if neither stream ever waits, ``interval`` the shortest number of cycles
    between two results. Neither depends on the value.
    """

    def __init__(self, conversion: Conversion, pages: int = 1, *, wipes: bool = False) -> None:
        self.conversion, self.pages, self.wipes = conversion, pages, wipes
        self.latency, self.interval = conversion.latency, conversion.interval
        super().__init__(
            {
                "residues": In(stream.Signature(signed(conversion.base.width + 1))),
                "result": Out(stream.Signature(conversion.payload)),
                "freed": Out(1),
                **({"clearing": Out(1)} if wipes else {}),
                **selector(len(conversion.moduli)),
                **({"choice": In(len(conversion.base) // 2)} if conversion.exchanged else {}),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """Pages of residues, columns, carry chain, pages of results, final addition."""
        m = Module()
        conversion = self.conversion
        m.submodules.pages = pages = _Pages(conversion, self.pages, self.wipes)
        m.submodules.columns = columns = _Columns(conversion)
        m.submodules.carry_chain = carry = _CarryChain(conversion)
        m.submodules.results = results = BinaryWords(conversion, self.wipes)
        m.d.comb += [
            pages.residue.eq(self.residues.payload),
            pages.valid.eq(self.residues.valid),
            self.residues.ready.eq(pages.ready),
            pages.hold.eq(~results.ready),
            self.freed.eq(pages.freed),
            results.begin.eq(pages.begin),
            columns.operand.eq(pages.operand),
            columns.position.eq(self._factor(pages.position, pages.index)),
            columns.first.eq(pages.first),
            columns.last.eq(pages.last),
            columns.end.eq(pages.freed),
            carry.column.eq(columns.column),
            carry.valid.eq(columns.valid),
            carry.end.eq(columns.column_end),
            results.digit.eq(carry.digit),
            results.valid.eq(carry.digit_valid),
            results.end.eq(carry.digit_end),
            self.result.valid.eq(results.result_valid),
            self.result.payload.word.eq(results.result_word),
            self.result.payload.last.eq(results.result_last),
            results.result_ready.eq(self.result.ready),
        ]
        if len(conversion.moduli) > 1:
            m.d.comb += results.select.eq(self.select)
        if self.wipes:
            m.d.comb += self.clearing.eq(pages.clearing | results.clearing)
        return m

    def _factor(self, position: Value, index: Value) -> Value:
        """Where the constant of an operand is: that of the other residue if they are exchanged."""
        if not self.conversion.exchanged:
            return position
        half, bits = len(self.conversion.base) // 2, list(self.choice)
        other = Mux(index < half, position + half, position - half)
        return Mux(Array([*bits, *bits, Const(0, 1)])[index], other, position)


class _Pages(Component):
    """Residues and quotients of up to ``pages`` numbers, read once for each group of columns.

    ``operand`` is xi_1 ... xi_n, q, again and again, of which ``index`` is the place; 0 in a cycle
    in which there is nothing to read. The quotient is computed while the residues come in, and
    stored after them. Reading starts with the first residue, but waits at the first one as long as
    ``hold`` is set. ``first`` is set between numbers too, so that no sum stays.
    """

    def __init__(self, conversion: Conversion, pages: int, wipes: bool) -> None:
        self.conversion, self.pages, self.wipes = conversion, pages, wipes
        residue = signed(conversion.base.width + 1)
        super().__init__(
            {
                "residue": In(residue),
                "valid": In(1),
                "ready": Out(1),
                "clearing": Out(1),
                "hold": In(1),
                "begin": Out(1),
                "freed": Out(1),
                "operand": Out(residue),
                "position": Out(range(conversion.occupancy)),
                "index": Out(range(conversion.group)),
                "first": Out(1),
                "last": Out(1),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """Write side, read side, and the number of complete pages between them."""
        m = Module()
        group = self.conversion.group
        depth = self.pages * group
        m.submodules.memory = memory = Memory(
            shape=signed(self.conversion.base.width + 1), depth=depth, init=[]
        )
        complete = Signal(range(self.pages + 1))
        written, filled = self._write(m, memory, complete)
        index = self.index
        start, read_address = Signal(range(depth)), Signal(range(depth))
        following = _successor(read_address, depth)
        read = memory.read_port(domain="comb")
        there = (complete != 0) | (written > index)
        if self.conversion.relaxed:
            # In a register, and long before: two words may have been taken since.
            ahead = delayed(m, written > index + WORDS_AHEAD, 1, "ahead")
            there = delayed(m, ahead | ((complete != 0) & ~self.freed), 1, "there")
        go = Signal()
        m.d.comb += [
            read.addr.eq(read_address),
            go.eq(there & ~(self.hold & (self.position == 0))),
            self.begin.eq(go & (self.position == 0)),
            self.operand.eq(Mux(go, read.data, 0)),
            self.first.eq((go & (index == 0)) | (self.position == 0)),
            self.last.eq(go & (index == group - 1)),
            self.freed.eq(go & (self.position == self.conversion.occupancy - 1)),
        ]
        with m.If(go):
            m.d.sync += [
                self.position.eq(_successor(self.position, self.conversion.occupancy)),
                index.eq(_successor(index, group)),
                read_address.eq(Mux(self.last & ~self.freed, start, following)),
            ]
        with m.If(self.freed):
            m.d.sync += start.eq(following)
        m.d.sync += complete.eq(complete + filled - self.freed)
        return m

    def _write(self, m: Module, memory: Memory, complete: Value) -> tuple[Value, Value]:
        """Residues, then the quotient: how many words of the page are there, and if it is full."""
        cox, base, group = self.conversion.cox, self.conversion.base, self.conversion.group
        low, high = self.conversion.quotient_range
        bits = max(low.bit_length(), high.bit_length()) + 1
        written, address = Signal(range(group)), Signal(range(memory.depth))
        total = Signal(signed(bits + cox.truncation), reset_less=True)
        leading = _leading(self.residue, base.width, cox.truncation)
        if base.extra:
            extra = _leading(self.residue, base.extra.width, cox.truncation)
            leading = Mux(written == group - 2, extra, leading)
        before = Mux(written == 0, Const(cox.start, signed(cox.truncation + 1)), total)
        # Whether the quotient is the next word, in a register that moves with their number.
        at_quotient, filled = Signal(name="at_quotient"), Signal()
        port, store = memory.write_port(), Signal()
        m.d.comb += [
            self.ready.eq(~at_quotient & (complete != self.pages) & ~self.clearing),
            store.eq(at_quotient | (self.valid & self.ready)),
            port.addr.eq(address),
            port.data.eq(Mux(at_quotient, total >> cox.truncation, self.residue)),
            port.en.eq(store),
            filled.eq(at_quotient),
        ]
        if self.wipes:
            m.d.comb += self.clearing.eq(wiped(m, port))
            with m.If(self.clearing):
                m.d.sync += total.eq(0)
        with m.If(store):
            m.d.sync += [
                written.eq(_successor(written, group)),
                at_quotient.eq(written == group - 2),
                address.eq(_successor(address, memory.depth)),
                total.eq(before + leading),
            ]
        return written, filled


def _leading(residue: Value, width: int, fraction: int) -> Value:
    """The Cox's ``fraction`` leading bits of a residue modulo about 2^width."""
    shifted: Value = residue >> max(width - fraction, 0) << max(fraction - width, 0)
    return shifted


class _Columns(Component):
    """c multipliers, each computing every c-th column, one cycle after one another.

    ``position`` selects the constants of ``operand``; ``first`` and ``last`` delimit a column,
    ``end`` marks the last operand of a conversion. ``column`` is the next column, the lowest first,
    when ``valid`` is set; ``column_end`` comes with the last one.
    """

    def __init__(self, conversion: Conversion) -> None:
        self.conversion = conversion
        self.units = [
            MultiplyAccumulate(conversion.base.width + 1, conversion.sum_range, conversion.group)
            for _ in range(conversion.multipliers)
        ]
        super().__init__(
            {
                "operand": In(signed(conversion.base.width + 1)),
                "position": In(range(conversion.occupancy)),
                "first": In(1),
                "last": In(1),
                "end": In(1),
                "column": Out(signed(self.units[0].sum_width)),
                "valid": Out(1),
                "column_end": Out(1),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """The operand moves from multiplier to multiplier, so that columns complete one by one."""
        m = Module()
        fetched = 1 + self.conversion.relaxed
        operand = delayed(m, self.operand, fetched, "operand", data=True)
        position: Value = self.position
        marks = delayed(m, Cat(self.first, self.last, self.end), fetched, "marks")
        valids: list[Value] = []
        end: Value = Const(0, 1)
        for index, unit in enumerate(self.units):
            if index:
                operand = delayed(m, operand, 1, f"operand_of_{index}", data=True)
                position = delayed(m, position, 1, f"position_of_{index}")
                marks = delayed(m, marks, 1, f"marks_of_{index}")
            m.submodules[f"multiplier_{index}"] = unit
            m.d.comb += [
                unit.left.eq(operand),
                unit.right.eq(self._constant(m, index, position)),
                unit.first.eq(marks[0]),
            ]
            done = delayed(m, marks[1:], unit.latency, f"done_{index}")
            valids.append(done[0])
            end = done[0] & done[1]
        sums = [unit.sum for unit in self.units]
        if len(sums) == 1:
            m.d.comb += [self.column.eq(sums[0]), self.valid.eq(valids[0]), self.column_end.eq(end)]
            return m
        chosen: Value = sums[-1]
        for valid, candidate in zip(valids[:-1], sums[:-1], strict=True):
            chosen = Mux(valid, candidate, chosen)
        column = Signal(self.column.shape(), reset_less=True)
        m.d.sync += column.eq(chosen)
        m.d.comb += [
            self.column.eq(column),
            self.valid.eq(delayed(m, Cat(*valids).any(), 1, "valid")),
            self.column_end.eq(delayed(m, end, 1, "end")),
        ]
        return m

    def _constant(self, m: Module, index: int, position: Value) -> Value:
        """The constant of the previous cycle's position, or the one before, for a multiplier."""
        constants = self.conversion.constants[index]
        memory = Memory(
            shape=signed(self.conversion.width + 1), depth=len(constants), init=constants
        )
        m.submodules[f"constants_{index}"] = memory
        read = memory.read_port(domain="sync")
        m.d.comb += read.addr.eq(position)
        word: Value = read.data
        if self.conversion.relaxed:
            word = delayed(m, word, 1, f"constant_of_{index}", data=True)
        return word


class _CarryChain(Component):
    """Columns to words, one a cycle: ``digit`` follows from ``column`` one cycle before.

    ``end`` comes with ``valid`` for the last column of a conversion.

    It has d + 1 bits, of which the top one matters only in the last word: there it is the sign.
    """

    def __init__(self, conversion: Conversion) -> None:
        self.conversion = conversion
        low, high = conversion.sum_range
        self.sum_width = max(low.bit_length(), high.bit_length()) + 1
        super().__init__(
            {
                "column": In(signed(self.sum_width)),
                "valid": In(1),
                "end": In(1),
                "digit": Out(conversion.width + 1),
                "digit_valid": Out(1),
                "digit_end": Out(1),
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """One adder."""
        m = Module()
        width = self.conversion.width
        carry = Signal(signed(self.sum_width + 1 - width))
        total = Signal(signed(self.sum_width + 1))
        digit = Signal(width + 1, reset_less=True)
        m.d.comb += [total.eq(self.column + carry), self.digit.eq(digit)]
        m.d.sync += digit.eq(total[: width + 1])
        with m.If(self.end):
            m.d.sync += carry.eq(0)
        with m.Elif(self.valid):
            m.d.sync += carry.eq(total >> width)
        m.d.comb += [
            self.digit_valid.eq(delayed(m, self.valid, 1, "valid")),
            self.digit_end.eq(delayed(m, self.end, 1, "end")),
        ]
        return m


def _successor(value: Value, period: int) -> Value:
    """value + 1 modulo ``period``."""
    return Mux(value == period - 1, 0, value + 1)
