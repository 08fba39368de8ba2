"""RSA with a private key by the Chinese remainder theorem, checked before anything leaves.

The algorithm is `residua.algorithms.rsa_crt.private_operation`. Two exponentiators work side by
side modulo p and q, a third one modulo N joins the halves and checks them. Between them is a memory
of words and a list of transfers, word by word, in an order that depends on no number.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Literal

from amaranth.hdl import Array, C, Cat, Module, Mux, Signal, Value

from residua.algorithms.rsa_crt import CrtConstants
from residua.errors import SpecificationError
from residua.hardware.digit.memory import add_memory
from residua.hardware.digit.multiplier import DigitComponent
from residua.hardware.digit.shape import DigitStreams
from residua.hardware.exponentiation.digit_exponentiator import DigitExponentiatorDesign
from residua.hardware.exponentiation.root_guard import RootGuard
from residua.numbers.digits import DigitDomain, DigitShape, split_digits
from residua.numbers.rsa import RsaKey

P, Q, N, OUTSIDE = range(4)
"""The exponentiators, and the streams of the core: the ends of transfers."""


def half_bits(bits: int, digit: int) -> int:
    """The length of moduli that the exponentiators modulo p and q are made for, with N of ``bits``.

    They have a bit to spare, so that the sum of a residue and the low part of a message is an
    operand, and as many words as the high part of a message.
    """
    words, longest = -(-bits // digit), -(-bits // 2)
    return max(longest + 1, digit * (words // 2) + 1)


@dataclass(frozen=True)
class Span:
    """Words in the memory: a number or a part of one."""

    base: int
    count: int


NOTHING = Span(0, 0)


@dataclass(frozen=True)
class Transfer:
    """Words of a number between the memory and ``end``, an exponentiator or `OUTSIDE`.

    Attributes:
        kind: ``send`` from the memory; ``take``, and add to it; ``compare`` with the message.
        end: where they go to or come from.
        span: what is sent or added; the words above it are 0.
        target: where what is taken goes, from its first word on.
        plain: whether a Montgomery product is asked for.
    """

    kind: Literal["send", "take", "compare"]
    end: int
    span: Span = NOTHING
    target: Span = NOTHING
    plain: bool = False


@dataclass(frozen=True)
class RsaCrtDesign:
    """Design of an RSA core.

    Attributes:
        bits: of N; the primes have at most half of them, rounded up.
        half: the exponentiators modulo p and q, for moduli of `half_bits`.
        whole: the one modulo N, with the public exponent.

    Raises:
        SpecificationError: they do not fit together.
    """

    bits: int
    half: DigitExponentiatorDesign
    whole: DigitExponentiatorDesign

    def __post_init__(self) -> None:
        wanted = half_bits(self.bits, self.width)
        if (self.half.shape.bits, self.whole.shape.bits) != (wanted, self.bits):
            raise SpecificationError(
                f"exponentiators of {self.half.shape.bits} and {self.whole.shape.bits} bits: RSA "
                f"of {self.bits} bits needs {wanted} and {self.bits}"
            )
        if self.half.exponent is not None or self.whole.exponent is None:
            raise SpecificationError("the public exponent is that of the exponentiator modulo N")
        if not (self.half.plain and self.whole.plain) or self.half.domain or self.whole.domain:
            raise SpecificationError(
                "the exponentiators of an RSA core have plain products, and moduli that are loaded"
            )

    @property
    def streams(self) -> DigitStreams:
        """Streams of the exponentiator modulo N."""
        return self.whole.streams

    @property
    def width(self) -> int:
        """Bits of a word, k."""
        return self.streams.width

    @property
    def shape(self) -> DigitShape:
        """N and k."""
        return self.whole.shape

    @property
    def domain(self) -> None:
        """Domain that is built in: none, as a key is loaded."""
        return

    @property
    def exponent(self) -> int:
        """The public exponent."""
        assert self.whole.exponent is not None
        return self.whole.exponent

    @property
    def low_words(self) -> int:
        """Words of the low part of a message; the others are its high part."""
        return self.half.streams.words - 1

    @property
    def operand_words(self) -> int:
        """Words of a message."""
        return self.streams.words

    @property
    def multipliers(self) -> int:
        """Multipliers of the three exponentiators."""
        return 2 * self.half.multipliers + self.whole.multipliers

    @property
    def products(self) -> tuple[int, int]:
        """Montgomery products of an operation, modulo p and q together and modulo N."""
        return 2 * (1 + self.half.products) + 2, 1 + self.whole.products

    @cached_property
    def spans(self) -> dict[str, Span]:
        """Places of numbers in the memory: first those of a key, in the order of its words."""
        half, whole = self.half.streams.words, self.streams.words
        lengths = {
            "shift_p": half, "d_p": half, "shift_q": half, "d_q": half,
            "coefficient": half, "negative_coefficient": half, "q": whole,
            "message": whole, "of_p": half, "of_q": half, "root": whole,
        }  # fmt: skip
        found, base = dict[str, Span](), 0
        for name, count in lengths.items():
            found[name] = Span(base, count)
            base += count
        return found

    @property
    def lengths(self) -> tuple[int, int, int, int]:
        """Words of a number at each end of a transfer."""
        half, whole = self.half.streams.words, self.streams.words
        return half, half, whole, whole

    @cached_property
    def transfers(self) -> tuple[Transfer, ...]:
        """All transfers of an operation, from the message to the result."""
        spans, low = self.spans, min(self.low_words, self.streams.words)
        message, of_p, of_q, root = (spans[n] for n in ("message", "of_p", "of_q", "root"))
        above = Span(message.base + low, message.count - low)

        def product(end: int, x: Span, constant: str) -> list[Transfer]:
            return [Transfer("send", end, span, plain=True) for span in (x, spans[constant])]

        def power(end: int, *operands: Span) -> list[Transfer]:
            return [Transfer("send", end, span) for span in operands]

        return (
            Transfer("take", OUTSIDE, target=message),
            *product(P, above, "shift_p"),
            *product(Q, above, "shift_q"),
            Transfer("take", P, Span(message.base, low), of_p),
            Transfer("take", Q, Span(message.base, low), of_q),
            *power(P, of_p, spans["d_p"]),
            *power(Q, of_q, spans["d_q"]),
            Transfer("take", P, target=of_p),
            Transfer("take", Q, target=of_q),
            *product(P, of_p, "coefficient"),
            Transfer("take", P, target=of_p),
            *product(P, of_q, "negative_coefficient"),
            Transfer("take", P, of_p, of_p),
            *product(N, of_p, "q"),
            Transfer("take", N, of_q, root),
            *power(N, root),
            Transfer("compare", N),
            Transfer("send", OUTSIDE, root),
        )

    @cached_property
    def latency(self) -> int:
        """Cycles from the last word of a message to the last word of the result, without waits."""
        # A word that is taken waits a cycle for its sum, and the sum one to be written.
        now, due = 1, [0, 0, 0]
        for before, one in pairwise(self.transfers):
            # A cycle to fetch the first word.
            now += (before.kind == "take") + 1 + self.lengths[one.end]
            if one.end == OUTSIDE:
                continue
            if one.kind == "send":
                unit = self.whole if one.end == N else self.half
                due[one.end] = now + (unit.product_cycles if one.plain else unit.latency)
            else:
                now = max(now, due[one.end]) + 1
        return now

    @property
    def compute(self) -> int:
        """Cycles of the powers modulo a prime."""
        return self.half.compute

    @property
    def interval(self) -> int:
        """Cycles between results; the next message comes after a result."""
        return self.latency + 1 + self.operand_words

    def constants(self, key: RsaKey) -> CrtConstants:
        """The numbers of a key in the memory."""
        low = 1 << self.width * self.low_words
        return CrtConstants.of(key, low, self.half.shape.factor, self.shape.factor)

    def loads(
        self, key: RsaKey, wrong: Mapping[str, int] = MappingProxyType({})
    ) -> tuple[tuple[int, ...], ...]:
        """The words of a key: of each exponentiator, p and R^2 modulo p, then of the memory.

        Args:
            key: whose words.
            wrong: numbers of the memory that stand in place of those of the key, by their names
                in `spans`.

        Raises:
            SpecificationError: the key has a length or a public exponent of its own.
        """
        longest = -(-self.bits // 2)
        if max(key.p, key.q).bit_length() > longest or key.modulus.bit_length() > self.bits:
            raise SpecificationError(
                f"the primes of the key have {key.p.bit_length()} and {key.q.bit_length()} bits: "
                f"a core for {self.bits} bits takes up to {longest}"
            )
        if key.e != self.exponent:
            raise SpecificationError(
                f"the key has the public exponent {key.e}, and the core {self.exponent}"
            )
        units = ((key.p, self.half), (key.q, self.half), (key.modulus, self.whole))
        found = [unit.load_words(DigitDomain(modulus, unit.shape)) for modulus, unit in units]
        memory: list[int] = []
        for name, number in (self.numbers(key) | dict(wrong)).items():
            memory += split_digits(number, self.spans[name].count, self.width)
        return (*found, tuple(memory))

    def numbers(self, key: RsaKey) -> dict[str, int]:
        """The numbers of a key in the memory, by their names in `spans`, in their order."""
        constants = self.constants(key)
        (shift_p, shift_q), (d_p, d_q) = constants.shifts, constants.exponents
        return {
            "shift_p": shift_p, "d_p": d_p, "shift_q": shift_q, "d_q": d_q,
            "coefficient": constants.coefficient,
            "negative_coefficient": constants.negative_coefficient, "q": constants.q,
        }  # fmt: skip

    @cached_property
    def load_lengths(self) -> tuple[int, int, int, int]:
        """Numbers of words of the ``loads``."""
        half, whole = self.half.load_length, self.whole.load_length
        return half, half, whole, self.spans["message"].base

    def component(self) -> "RsaCrt":
        """A new component."""
        return RsaCrt(self)


class RsaCrt(DigitComponent):
    """The e-th root of a message modulo N on streams of words, the lowest first.

    ``operands`` takes the words of a message below N. ``result`` hands out those of the root, as
    many, ``last`` with the highest. A root is compared before: where its e-th power is not the
    message, all words are 0 and ``error`` is set with them. That is so, too, from the first word on
    that is not what was checked (`RootGuard`).

    ``modulus`` takes the words of a key, `RsaCrtDesign.loads` one after the other, before the first
    word of a message. ``modulus_error`` is set until the next key if a modulus is even. The number
    of cycles is the same for all keys and messages.
    """

    def __init__(self, design: RsaCrtDesign) -> None:
        self.design = design
        super().__init__(design, flagged=True)

    def elaborate(self, platform: Any) -> Module:
        """Three exponentiators, a memory, a guard, and the transfers between them."""
        m = Module()
        design = self.design
        self._units = [one.component() for one in (design.half, design.half, design.whole)]
        m.submodules.modulo_p, m.submodules.modulo_q, m.submodules.modulo_n = self._units
        m.submodules.guard = self._guard = RootGuard(design.operand_words, design.width)
        span = design.spans["root"]
        self._write, self._read = add_memory(m, "words", design.width, span.base + span.count)
        self._step = step = Signal(range(len(design.transfers)), name="transfer")
        self._word = word = Signal(range(max(design.lengths)), name="word")
        self._fetched, self._move = Signal(name="fetched"), Signal(name="move")
        self._holds, self._written = Signal(name="holds"), Signal(name="written")
        ready = self._load(m, (step == 0) & (word == 0) & ~self._holds)
        self._transfer(m)
        self._connect(m, ready)
        return m

    def _of(self, m: Module, name: str, values: Sequence[int]) -> Signal:
        """A number of the current transfer."""
        found = Signal(max(max(values).bit_length(), 1), name=name)
        m.d.comb += found.eq(Array([C(value, len(found)) for value in values])[self._step])
        return found

    def _load(self, m: Module, idle: Value) -> Value:
        """The words of a key to where they belong; whether messages may come."""
        lengths, given = self.design.load_lengths, self.modulus
        part, left = Signal(2, name="key_part"), Signal(range(max(lengths)), name="key_word")
        complete, last = Signal(name="key_complete"), Signal(name="last_of_part")
        self._stored, self._place = Signal(name="key_stored"), Signal(range(lengths[3]))
        errors = Cat(unit.modulus_error for unit in self._units)
        m.d.comb += [
            last.eq(left == Array([C(length - 1) for length in lengths])[part]),
            self._stored.eq(given.valid & given.ready & (part == 3)),
            self.modulus_error.eq(errors.any()),
        ]
        with m.Switch(part):
            for index, unit in enumerate(self._units):
                with m.Case(index):
                    m.d.comb += [
                        unit.modulus.valid.eq(given.valid & idle),
                        given.ready.eq(unit.modulus.ready & idle),
                    ]
            with m.Default():
                m.d.comb += given.ready.eq(idle)
        m.d.comb += [unit.modulus.payload.eq(given.payload) for unit in self._units]
        with m.If(given.valid & given.ready):
            m.d.sync += [left.eq(left + 1), complete.eq(0)]
            with m.If(last):
                m.d.sync += [left.eq(0), part.eq(part + 1), complete.eq(part == 3)]
        m.d.comb += self._place.eq(left)
        words = self.design.operand_words
        m.d.comb += self._guard.loads.eq(given.valid & given.ready & (part == 2) & (left < words))
        # A key that is offered goes before a message.
        return complete & ~errors.any() & ~(idle & given.valid)

    def _transfer(self, m: Module) -> None:
        """One word after the other, the next one fetched meanwhile."""
        design, step, word = self.design, self._step, self._word
        transfers = design.transfers
        length = self._of(m, "length", [design.lengths[one.end] - 1 for one in transfers])
        base = self._of(m, "base", [one.span.base for one in transfers])
        count = self._of(m, "count", [one.span.count for one in transfers])
        target = self._of(m, "target", [one.target.base for one in transfers])
        place, goal = (Signal.like(self._read.addr, name=name) for name in ("place", "goal"))
        m.d.comb += self._read.addr.eq(Mux(self._fetched, place + self._move, base))
        self._known = Signal(design.width, name="known")
        m.d.comb += self._known.eq(Mux(word < count, self._read.data, 0))
        with m.If(~self._fetched & ~self._written):
            m.d.sync += [self._fetched.eq(1), place.eq(base), goal.eq(target)]
        with m.If(self._move):
            m.d.sync += [place.eq(place + 1), goal.eq(goal + 1), word.eq(word + 1)]
            with m.If(word == length):
                m.d.sync += [word.eq(0), self._fetched.eq(0), step.eq(step + 1)]
                with m.If(step == len(transfers) - 1):
                    m.d.sync += step.eq(0)
        self._goal, self._last = goal, word == length
        m.d.comb += self._guard.clear.eq(self._move & self._last & (step == len(transfers) - 1))

    def _connect(self, m: Module, ready: Value) -> None:
        """Connect both ends of the current transfer."""
        design = self.design
        transfers, width = design.transfers, design.width
        end = self._of(m, "end", [one.end for one in transfers])
        sends = self._of(m, "sends", [one.kind == "send" for one in transfers])
        self._compares = self._of(m, "compares", [one.kind == "compare" for one in transfers])
        plain = self._of(m, "plain", [one.plain for one in transfers])
        found, held = Signal(width, name="found"), Signal(width, name="held")
        carry, total = Signal(name="carry"), Signal(width + 1, name="total")
        offered = Signal(name="offered")
        send, accepted = self._fetched & sends, Signal(name="accepted")
        # Each word that is taken moves on a cycle later, the last one too.
        take = self._fetched & ~sends & ~(self._holds & self._last)
        with m.Switch(end):
            for index, unit in enumerate(self._units):
                m.d.comb += [unit.operands.payload.eq(self._known), unit.plain.eq(plain)]
                with m.Case(index):
                    m.d.comb += [
                        unit.operands.valid.eq(send),
                        accepted.eq(unit.operands.ready),
                        unit.result.ready.eq(take),
                        offered.eq(unit.result.valid),
                        found.eq(unit.result.payload.word),
                    ]
            with m.Default():
                m.d.comb += [
                    self.result.valid.eq(send),
                    accepted.eq(self.result.ready),
                    self.operands.ready.eq(take & ready),
                    offered.eq(self.operands.valid & ready),
                    found.eq(self.operands.payload),
                ]
        m.d.sync += [self._holds.eq(take & offered), held.eq(found)]
        m.d.comb += [
            self._move.eq(send & accepted | self._holds),
            total.eq(held + self._known + carry),
        ]
        self._watch(m, Mux(sends, self._known, found), send & accepted, take & offered)
        self._keep(m, self._holds & ~self._compares, total)
        with m.If(self._move):
            m.d.sync += carry.eq(total[width] & ~self._last)

    def _watch(self, m: Module, word: Value, sent: Value, taken: Value) -> None:
        """Show the guard N, and the words that are sent or taken; it says what leaves."""
        guard, transfers = self._guard, self.design.transfers
        outside = self._of(m, "outside", [one.end == OUTSIDE for one in transfers])
        # The only power modulo N is that of a root.
        checks = self._of(m, "checks", [one.end == N and not one.plain for one in transfers])
        m.d.comb += [
            guard.word.eq(Mux(guard.loads, self.modulus.payload, word)),
            guard.takes.eq(taken & outside),
            guard.keeps.eq(sent & checks),
            guard.compares.eq(taken & self._compares),
            guard.leaves.eq(sent & outside),
            guard.last.eq(self._last),
            guard.granted.eq(1),
            self.result.payload.word.eq(Mux(guard.withholds, 0, guard.root)),
            self.result.payload.last.eq(self._last),
            self.result.payload.error.eq(self.result.valid & guard.withholds),
        ]

    def _keep(self, m: Module, taken: Value, total: Value) -> None:
        """The words of a key into the memory, or a cycle later those that are ``taken``."""
        address, word = Signal.like(self._goal, name="written_to"), Signal.like(total, name="sum")
        m.d.sync += [self._written.eq(taken), address.eq(self._goal), word.eq(total)]
        m.d.comb += [
            self._write.en.eq(self._stored | self._written),
            self._write.addr.eq(Mux(self._stored, self._place, address)),
            self._write.data.eq(Mux(self._stored, self.modulus.payload, word)),
        ]
