"""Modular exponentiation around a digit multiplier: in constant time, or by one public exponent.

The algorithms are `residua.algorithms.exponentiation.fixed_window` and ``binary``.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from amaranth.hdl import C, Cat, Module, Mux, Signal, Value
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In

from residua.algorithms.exponentiation import binary_products, window_products
from residua.errors import SpecificationError
from residua.hardware.digit.iddmm import IddmmDesign
from residua.hardware.digit.lanes import LanesDesign
from residua.hardware.digit.memory import add_memory
from residua.hardware.digit.multiplier import DigitComponent
from residua.hardware.digit.shape import DigitStreams
from residua.numbers.digits import DigitDomain, DigitShape, split_digits

LARGEST_WINDOW = 8


@dataclass(frozen=True)
class DigitExponentiatorDesign:
    """Design of an exponentiator on digits.

    Attributes:
        multiplier: which subtracts p, so that every number but the base is below p.
        exponent_bits: of all exponents.
        window: bits that are multiplied at a time.
        exponent: the only exponent, which is public; None if it is an operand.
        plain: whether Montgomery products of two operands can be asked for, too.

    Raises:
        SpecificationError: the multiplier, the exponent or the window does not do.
    """

    multiplier: IddmmDesign | LanesDesign
    exponent_bits: int
    window: int = 1
    exponent: int | None = None
    plain: bool = False

    def __post_init__(self) -> None:
        if self.shape.variant != "subtract":
            raise SpecificationError(
                f"variant = '{self.shape.variant}': an exponentiator has numbers below p, and "
                "needs variant = 'subtract'"
            )
        most = self.streams.words * self.streams.width
        if self.exponent is None and not 1 <= self.exponent_bits <= most:
            raise SpecificationError(
                f"exponent_bits = {self.exponent_bits}: the words of an operand hold 1 to {most}"
            )
        if not 1 <= self.window <= min(LARGEST_WINDOW, self.exponent_bits):
            raise SpecificationError(
                f"window = {self.window}: 1 to {min(LARGEST_WINDOW, self.exponent_bits)} bits"
            )
        if self.exponent is not None and not 2 <= self.exponent.bit_length() == self.exponent_bits:
            raise SpecificationError(
                f"exponent = {self.exponent}: a public exponent is at least 2, and has "
                f"{self.exponent.bit_length()} bits, not {self.exponent_bits}"
            )

    @property
    def shape(self) -> DigitShape:
        """N, k and the variant."""
        return self.multiplier.shape

    @property
    def domain(self) -> DigitDomain | None:
        """The modulus, None if it is loaded at run time."""
        return self.multiplier.domain

    @property
    def streams(self) -> DigitStreams:
        """Streams of the multiplier; x is the base and y the exponent."""
        return self.multiplier.streams

    @property
    def operand_words(self) -> int:
        """Words of the operands: the base, and the exponent if it is one."""
        return self.streams.words * (1 if self.exponent else 2)

    def load_words(self, domain: DigitDomain) -> tuple[int, ...]:
        """The words to load for a modulus."""
        streams = self.streams
        squares = split_digits(domain.square, streams.words, streams.width)
        return streams.load_words(domain) + squares

    @property
    def load_length(self) -> int:
        """Number of words that are loaded for a modulus."""
        streams = self.streams
        return streams.modulus_words + (streams.inverse == "supplied") + streams.words

    @property
    def multipliers(self) -> int:
        """Multipliers of its Montgomery multiplier."""
        return self.multiplier.multipliers

    @property
    def products(self) -> int:
        """Montgomery products of an exponentiation."""
        if self.exponent is not None:
            return binary_products(self.exponent)
        return window_products(self.exponent_bits, self.window)

    @cached_property
    def product_cycles(self) -> int:
        """Cycles from the start of a product to that of the next: operands, product, result."""
        streams = self.streams
        zeros = streams.rows * streams.lanes - streams.words
        return 2 * streams.words + zeros + self.multiplier.latency + 1

    @property
    def compute(self) -> int:
        """Cycles of all products."""
        return self.products * self.product_cycles

    @property
    def latency(self) -> int:
        """Cycles from the last operand word to the last word of the result."""
        return self.compute

    @property
    def interval(self) -> int:
        """Cycles between results; the operands of the next one come after a result."""
        return self.latency + self.operand_words

    def component(self) -> "DigitExponentiator":
        """A new component."""
        return DigitExponentiator(self)


class DigitExponentiator(DigitComponent):
    """x^y modulo p on streams of words; interface of `Iddmm`, with y as the exponent.

    Any x that its words hold will do. Bits of y above ``exponent_bits`` are ignored. With a loaded
    modulus the words of R^2 modulo p follow those of p (and p', if it is supplied). The number of
    cycles depends on no operand. An ``exponent`` of the design takes the place of y.

    A design with ``plain`` has an input of this name: where it is set with the last operand word,
    which is then that of a y below p, the result is x y / R modulo p, ``product_cycles`` later.
    """

    def __init__(self, design: DigitExponentiatorDesign) -> None:
        self.design = design
        super().__init__(design, **({"plain": In(1)} if design.plain else {}))

    def elaborate(self, platform: Any) -> Module:
        """A multiplier, memories for its operands, and the order of products."""
        m = Module()
        words = self.design.streams.words
        m.submodules.multiplier = self._unit = self.design.multiplier.component()
        self._taken = Signal(range(2 * words), name="words_taken")
        self._state(m)
        square, ready = self._square(m)
        self._operands(m, ready)
        self._feed(m, square)
        self._collect(m)
        if self.design.exponent is None:
            self._order(m)
        else:
            self._fixed_order(m, self.design.exponent)
        return m

    def _state(self, m: Module) -> None:
        """Declare the signals between the parts."""
        design = self.design
        words, window = design.streams.words, design.window
        self._busy, self._begin = Signal(name="busy"), Signal(name="begin")
        self._done, self._end = Signal(name="product_done"), Signal(name="end")
        self._slot_bits = window + 1
        # The table, then the result so far and the base.
        self._result, self._base = 1 << window, (1 << window) + 1
        self._write = Signal(name="write")
        self._write_address = Signal(self._slot_bits + (words - 1).bit_length() + 1)
        self._data = Signal(design.streams.width, name="data")
        self._x = Signal(self._slot_bits, name="x_slot")
        self._y = Signal(self._slot_bits, name="y_slot")
        self._goal = Signal(self._slot_bits, name="goal")
        self._x_square, self._y_square = Signal(name="x_is_square"), Signal(name="y_is_square")
        self._y_one = Signal(name="y_is_one")
        self._given_word = Signal(range(words), name="given_word")
        self._plain, self._advance = Signal(name="is_plain"), Signal(name="advance")
        self._digit = Signal(window, name="digit")

    def _address(self, slot: Value, word: Value) -> Value:
        bits = (self.design.streams.words - 1).bit_length()
        return Cat(word[:bits], slot) if bits else slot

    def _square(self, m: Module) -> tuple[Any, Value]:
        """The reader of R^2 modulo p, and whether it is there."""
        design, streams = self.design, self.design.streams
        width, words = streams.width, streams.words
        if design.domain is not None:
            m.submodules.square = memory = Memory(
                shape=width, depth=words, init=split_digits(design.domain.square, words, width)
            )
            return memory.read_port(domain="sync"), Value.cast(1)
        write, read = add_memory(m, "square", width, words)
        own = self.design.load_length - words
        position, ready = Signal(range(own + words), name="load_word"), Signal(name="square_ready")
        first = position < own
        idle = ~self._busy & (self._taken == 0)
        unit, given = self._unit.modulus, self.modulus
        row = Signal(range(words), name="square_word")
        m.d.comb += [
            unit.payload.eq(given.payload),
            unit.valid.eq(given.valid & first & idle),
            given.ready.eq(idle & Mux(first, unit.ready, 1)),
            write.addr.eq(row),
            write.data.eq(given.payload),
            write.en.eq(given.valid & given.ready & ~first),
            self.modulus_error.eq(self._unit.modulus_error),
        ]
        with m.If(given.valid & given.ready):
            m.d.sync += [position.eq(position + 1), ready.eq(0), row.eq(row + ~first)]
            with m.If(position == own + words - 1):
                m.d.sync += [position.eq(0), row.eq(0), ready.eq(1)]
        # A modulus that is offered goes before operands.
        return read, ready & ~self._unit.modulus_error & ~(idle & given.valid)

    def _operands(self, m: Module, ready: Value) -> None:
        """The base into its slot, what follows into a memory of its own."""
        design, streams, taken = self.design, self.design.streams, self._taken
        words = streams.words
        given, second = self.operands, self._taken >= words
        plain = self.plain if design.plain else C(0)
        word = Signal(range(words), name="operand_word")
        take = given.valid & given.ready
        last = Mux(plain, 2 * words, design.operand_words) - 1
        m.d.comb += [
            given.ready.eq(~self._busy & ready),
            self._begin.eq(take & (taken == last)),
        ]
        if design.plain or design.exponent is None:
            write, self._given = add_memory(m, "given", streams.width, words)
            m.d.comb += [
                write.addr.eq(word),
                write.data.eq(given.payload),
                write.en.eq(take & second),
                self._given.addr.eq(self._given_word),
                self._given.en.eq(~self._plain | self._advance),
            ]
        if design.plain:
            with m.If(self._begin):
                m.d.sync += self._plain.eq(self.plain)
        with m.If(take):
            m.d.sync += [
                taken.eq(Mux(self._begin, 0, taken + 1)),
                word.eq(Mux(word == words - 1, 0, word + 1)),
            ]
        with m.If(take & ~second):
            m.d.comb += [
                self._write.eq(1),
                self._write_address.eq(self._address(Value.cast(self._base), word)),
                self._data.eq(given.payload),
            ]
        with m.If(self._begin):
            m.d.sync += self._busy.eq(1)
        with m.If(self._end):
            m.d.sync += self._busy.eq(0)

    def _feed(self, m: Module, square: Any) -> None:
        """The words of both operands of a product, from their slots."""
        streams = self.design.streams
        words = streams.words
        depth = 1 << self._slot_bits + (words - 1).bit_length()
        write, self._numbers = add_memory(m, "numbers", streams.width, depth)
        read = self._numbers
        word, second = Signal(range(words), name="fed_word"), Signal(name="feeds_y")
        fresh, valid, left = Signal(name="fresh"), Signal(name="fed"), Signal(name="words_left")
        advance, one = self._advance, Signal(name="is_one")
        from_square, lowest = Signal(name="is_square"), Signal(name="is_lowest")
        target = self._unit.operands
        with m.If(self._begin | (self._done & ~self._end)):
            m.d.sync += fresh.eq(1)
        with m.Else():
            m.d.sync += fresh.eq(0)
        m.d.comb += [
            write.en.eq(self._write),
            write.addr.eq(self._write_address),
            write.data.eq(self._data),
            read.addr.eq(self._address(Mux(second, self._y, self._x), word)),
            read.en.eq(advance),
            square.addr.eq(word),
            square.en.eq(advance),
            advance.eq((fresh | left) & (~valid | target.ready)),
            target.valid.eq(valid),
            target.payload.eq(Mux(one, lowest, Mux(from_square, square.data, read.data))),
        ]
        if self.design.plain:
            as_given = Signal(name="is_as_given")
            with m.If(advance):
                m.d.sync += as_given.eq(second & self._plain)
            with m.If(as_given):
                m.d.comb += target.payload.eq(self._given.data)
            with m.If(self._plain):
                m.d.comb += self._given_word.eq(word)
        with m.If(fresh):
            m.d.sync += left.eq(1)
        with m.If(advance):
            m.d.sync += [
                valid.eq(1),
                one.eq(second & self._y_one),
                from_square.eq(Mux(second, self._y_square, self._x_square)),
                lowest.eq(word == 0),
                word.eq(word + 1),
            ]
            with m.If(word == words - 1):
                m.d.sync += [word.eq(0), second.eq(~second)]
                with m.If(second):
                    m.d.sync += left.eq(0)
        with m.Elif(target.ready):
            m.d.sync += valid.eq(0)

    def _collect(self, m: Module) -> None:
        """The result of a product into its slot; that of the last one out."""
        words, found = self.design.streams.words, self._unit.result
        word = Signal(range(words), name="result_word")
        final = self._final = Signal(name="final")
        m.d.comb += [
            self.result.payload.eq(found.payload),
            self.result.valid.eq(found.valid & final),
            found.ready.eq(Mux(final, self.result.ready, 1)),
            self._done.eq(found.valid & found.ready & found.payload.last),
            self._end.eq(self._done & final),
        ]
        with m.If(found.valid & found.ready):
            m.d.sync += word.eq(Mux(found.payload.last, 0, word + 1))
        with m.If(found.valid & ~final):
            m.d.comb += [
                self._write.eq(1),
                self._write_address.eq(self._address(self._goal, word)),
                self._data.eq(found.payload.word),
            ]

    def _order(self, m: Module) -> None:
        """Choose the next product; the exponent selects an entry of the table, nothing else."""
        design = self.design
        window, bits, width = design.window, design.exponent_bits, design.streams.width
        left = Signal(range(bits + 1), init=bits, name="bits_left")
        phase = Signal(range(window), init=(bits - 1) % window, name="bits_to_product")
        top_word, top_bit = divmod(bits - 1, width)
        word = Signal(range(design.streams.words), init=top_word, name="exponent_word")
        bit = Signal(range(width), init=top_bit, name="exponent_bit")
        with m.If(~self._plain):
            m.d.comb += self._given_word.eq(word)
        with m.FSM(name="order"):
            self._table(m)
            with m.State("START"):
                m.d.comb += [self._x_square.eq(1), self._y_one.eq(1), self._goal.eq(self._result)]
                with m.If(self._done):
                    m.next = "SQUARE"
            with m.State("SQUARE"):
                m.d.comb += [
                    self._x.eq(self._result), self._y.eq(self._result), self._goal.eq(self._result),
                ]  # fmt: skip
                with m.If(self._done):
                    chosen = self._given.data.bit_select(bit, 1)
                    m.d.sync += [
                        self._digit.eq(Cat(chosen, self._digit)),
                        phase.eq(Mux(phase == 0, window - 1, phase - 1)),
                        bit.eq(Mux(bit == 0, width - 1, bit - 1)),
                        word.eq(word - (bit == 0)),
                        left.eq(left - 1),
                    ]
                    with m.If(phase == 0):
                        m.next = "MULTIPLY"
            with m.State("MULTIPLY"):
                m.d.comb += [
                    self._x.eq(self._result), self._y.eq(self._digit), self._goal.eq(self._result),
                ]  # fmt: skip
                with m.If(self._done):
                    with m.If(left == 0):
                        m.next = "OUT"
                    with m.Else():
                        m.next = "SQUARE"
            with m.State("OUT"):
                m.d.comb += [self._x.eq(self._result), self._y_one.eq(1), self._final.eq(1)]
                with m.If(self._done):
                    m.d.sync += [
                        left.eq(bits), phase.eq((bits - 1) % window),
                        word.eq(top_word), bit.eq(top_bit), self._digit.eq(0),
                    ]  # fmt: skip
                    m.next = "UNIT"

    def _table(self, m: Module) -> None:
        """The powers of the base, or the one product that is asked for."""
        window = self.design.window
        entry = Signal(range((1 << window) + 1), name="entry")
        with m.State("UNIT"):
            with m.If(self._plain):
                m.d.comb += [self._x.eq(self._base), self._final.eq(1)]
            with m.Else():
                m.d.comb += [self._x_square.eq(1), self._y_one.eq(1), self._goal.eq(0)]
                with m.If(self._done):
                    m.next = "FIRST"
        with m.State("FIRST"):
            m.d.comb += [self._x.eq(self._base), self._y_square.eq(1), self._goal.eq(1)]
            m.d.sync += entry.eq(2)
            with m.If(self._done):
                m.next = "START" if window == 1 else "TABLE"
        if window > 1:
            with m.State("TABLE"):
                m.d.comb += [
                    self._x.eq(entry - 1), self._y.eq(1), self._goal.eq(entry),
                ]  # fmt: skip
                with m.If(self._done):
                    m.d.sync += entry.eq(entry + 1)
                    with m.If(entry == (1 << window) - 1):
                        m.next = "START"

    def _fixed_order(self, m: Module, exponent: int) -> None:
        """Choose the next product, for a public exponent."""
        top = exponent.bit_length() - 1
        left, begun = Signal(range(top + 1), init=top, name="bits_left"), Signal(name="begun")
        bits = C(exponent << 1, top + 2)
        square = [self._x, self._y]
        with m.FSM(name="order"):
            with m.State("FIRST"):
                m.d.comb += [self._x.eq(self._base), self._goal.eq(1)]
                with m.If(self._plain):
                    m.d.comb += self._final.eq(1)
                with m.Else():
                    m.d.comb += self._y_square.eq(1)
                    with m.If(self._done):
                        m.next = "SQUARE"
            with m.State("SQUARE"):
                m.d.comb += [
                    *(source.eq(Mux(begun, self._result, 1)) for source in square),
                    self._goal.eq(self._result),
                ]
                with m.If(self._done):
                    m.d.sync += [left.eq(left - 1), begun.eq(1)]
                    with m.If(bits.bit_select(left, 1)):
                        m.next = "MULTIPLY"
                    with m.Elif(left == 1):
                        m.next = "OUT"
            with m.State("MULTIPLY"):
                m.d.comb += [
                    self._x.eq(self._result), self._y.eq(1), self._goal.eq(self._result),
                ]  # fmt: skip
                with m.If(self._done):
                    m.next = "SQUARE"
                    with m.If(left == 0):
                        m.next = "OUT"
            with m.State("OUT"):
                m.d.comb += [self._x.eq(self._result), self._y_one.eq(1), self._final.eq(1)]
                with m.If(self._done):
                    m.d.sync += [left.eq(top), begun.eq(0)]
                    m.next = "FIRST"
