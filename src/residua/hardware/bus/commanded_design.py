"""What a bus has to know of a core for modular arithmetic: its numbers, words and statuses."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from residua.errors import SpecificationError
from residua.hardware.bus.key_numbers import KeyNumber
from residua.hardware.bus.register_map import ModularCapabilities, RegisterMap
from residua.hardware.converters.result_buffer import BUS_WIDTH
from residua.hardware.converters.word_gearbox import WIDEST, WordGearbox
from residua.hardware.unbuilt import unbuilt
from residua.numbers.digits import join_digits, split_digits


@dataclass(frozen=True)
class Number:
    """A number that a core takes.

    Attributes:
        meaning: what it is, in a few words.
        words: of the core's width.
        bits: that it may have at most; by default those of its words.
        largest: what it may be at most; by default all that its bits hold.
        exponent: it is a public exponent, which the core tests to be odd and above 1.
        derived: how a driver makes it of a modulus or a key; None of an operand.
        filler: what takes its place in a wipe; by default a number of ones alone. The core computes
            with it as with any other.
    """

    meaning: str
    words: int
    bits: int | None = None
    largest: int | None = None
    exponent: bool = False
    derived: KeyNumber | None = None
    filler: int | None = None

    def filling(self, width: int) -> tuple[int, ...]:
        """The words of what takes its place in a wipe."""
        whole = (1 << self.words * width) - 1
        return split_digits(whole if self.filler is None else self.filler, self.words, width)


@dataclass(frozen=True)
class CommandedDesign:
    """Design of a `Commanded` core.

    Attributes:
        width: bits of a word of the core's streams.
        load: numbers of a modulus or key, in order; none if the modulus is built in.
        operands: numbers of an operation, in order.
        result_words: words of a number of a result.
        operation: name of what the core does, ``multiply``, ``invert``, ``power``, ``private``,
            ``public``, ``point_multiply``, ``point_add`` or ``point_double``.
        results: numbers of a result.
        tests_modulus: whether the core tells of a modulus that will not do.
        flagged: whether the core tells of a result that is withheld.
        withheld: name of the status then.
        exponent: of all powers, if there is only one.
        factor: M_a, of which numbers of a load are made; None of a core on digits, and if the
            modulus is built in.
        random_words: of the core's width, that it takes for a key and an operation; 0 if it takes
            none.
        turns: places that operands or results stand in by turns: so many operations write all.

    Raises:
        SpecificationError: the words are too wide.
    """

    width: int
    load: tuple[Number, ...]
    operands: tuple[Number, ...]
    result_words: int
    operation: str
    results: int = 1
    tests_modulus: bool = False
    flagged: bool = False
    withheld: str = "fault"
    exponent: int | None = None
    factor: int | None = None
    random_words: int = 0
    turns: int = 1

    def __post_init__(self) -> None:
        if self.width > WIDEST:
            raise SpecificationError(
                f"a core on a bus has words of at most {WIDEST} bits, not {self.width}"
            )

    @property
    def numbers(self) -> tuple[Number, ...]:
        """All numbers: those of a load, then those of an operation."""
        return (*self.load, *self.operands)

    @property
    def words(self) -> int:
        """W, the words of 32 bits that each number has on the bus."""
        most = max(self.result_words, *(number.words for number in self.numbers))
        return -(-most * self.width // BUS_WIDTH)

    def numbers_of(self, words: Sequence[int]) -> list[int]:
        """The numbers of a load, by the words that the core's stream takes for them."""
        left, found = list(words), list[int]()
        for number in self.load:
            found.append(join_digits(left[: number.words], self.width))
            left = left[number.words :]
        return found

    @property
    def operations(self) -> tuple[str, ...]:
        """Names of the operations."""
        return (*(("load",) if self.load else ()), self.operation)

    def registers(self, *, data_registers: bool) -> RegisterMap:
        """The registers of a bus; operands and results go through them, or through streams."""

        def capabilities(codes: list[int]) -> ModularCapabilities:
            return ModularCapabilities(
                self.words,
                len(self.load),
                len(self.operands),
                codes,
                data_registers,
                takes_random=self.random_words > 0,
            )

        defined = RegisterMap(capabilities([])).operations
        return RegisterMap(capabilities([defined[name] for name in self.operations]))

    @property
    def moves(self) -> int:
        """Cycles in which the numbers of a load and of an operation go through, without waits."""
        gearbox = unbuilt(WordGearbox(BUS_WIDTH, self.width, self.words))
        return len(self.numbers) * gearbox.interval

    def members(self) -> dict[str, Any]:
        """Ports of the core inside, as it sees them."""
        flags = {"last": 1, **({"error": 1} if self.flagged else {})}
        ports: dict[str, Any] = {
            "operands": In(stream.Signature(self.width)),
            "result": Out(stream.Signature(data.StructLayout({"word": self.width, **flags}))),
        }
        if self.load:
            ports["modulus"] = In(stream.Signature(self.width))
        if self.tests_modulus:
            ports["modulus_error"] = Out(1)
        if self.random_words:
            ports["random"] = In(stream.Signature(self.width))
        return ports
