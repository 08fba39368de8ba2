"""Operations of a core for modular arithmetic on a bus, with what plain integers say of them."""

import random
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count
from typing import Generic, Protocol, TypeVar

from residua.hardware.bus.commanded_design import CommandedDesign, Number

UNKNOWN = 255
"""An operation that no core has."""


class Promise(Protocol):
    """What a core promises with one modulus or key, whatever it computes."""

    @property
    def interval(self) -> int:
        """Cycles between results."""

    @property
    def modulus_words(self) -> tuple[int, ...]:
        """The words that are loaded; none if the modulus is built in."""
        ...


P = TypeVar("P", bound=Promise)


class Setting(Promise, Protocol):
    """What a core for one number or two promises with one modulus or key."""

    @property
    def largest(self) -> int:
        """The largest y; 0 if there is none."""

    @property
    def largest_x(self) -> int:
        """The largest x."""

    def expected(self, x: int, y: int) -> int:
        """The result for two operands, by plain integers; 0 if it is withheld.

        Nothing but 0 has 0 as its result where results are withheld.
        """


@dataclass(frozen=True)
class Case:
    """An operation, what it is given, and how it has to end.

    Attributes:
        note: what it is about.
        operation: its code.
        operands: numbers that it is given.
        expected: status, and results.
        curve: none.
    """

    note: str
    operation: int
    operands: tuple[int, ...]
    expected: tuple[int, tuple[int, ...]]
    curve: int = 0


@dataclass(frozen=True)
class Cases(ABC, Generic[P]):
    """Cases of one core, from its settings: the first one is of a right modulus or key.

    Attributes:
        design: the core's numbers.
        settings: what it promises with each modulus or key.
        seed: of random operands.
    """

    design: CommandedDesign
    settings: Sequence[P]
    seed: int

    @abstractmethod
    def promised(self, setting: P, operands: Sequence[int]) -> tuple[str, tuple[int, ...]]:
        """The status with which operands must end, and the results then, by plain integers."""

    @abstractmethod
    def drawn(self, setting: P, purpose: str) -> tuple[int, ...]:
        """Random operands, others for each purpose and seed."""

    @abstractmethod
    def largest(self, setting: P) -> tuple[int, ...]:
        """The largest number that each operand may be."""

    @abstractmethod
    def edges(self, setting: P) -> Iterator[tuple[int, ...]]:
        """Operands at the ends of their ranges, and those that formulas treat by themselves."""

    @cached_property
    def _registers(self) -> tuple[Mapping[str, int], Mapping[str, int]]:
        """Codes of operations and of statuses."""
        registers = self.design.registers(data_registers=True)
        return registers.operations, registers.statuses

    def case(
        self, note: str, operation: str, operands: Sequence[int], status: str, *results: int
    ) -> Case:
        """A case, by names."""
        operations, statuses = self._registers
        code = operations.get(operation, UNKNOWN)
        return Case(note, code, tuple(operands), (statuses[status], results))

    def load(self, setting: P) -> Case:
        """Load what belongs to a setting."""
        return self.case("a modulus or key", "load", self.loaded(setting), "ok")

    def loaded(self, setting: P) -> list[int]:
        """The numbers that are loaded."""
        return self.design.numbers_of(setting.modulus_words)

    def computed(self, setting: P, operands: Sequence[int], note: str = "") -> Case:
        """An operation with whatever is to come out of it."""
        status, results = self.promised(setting, operands)
        own = tuple(operands)[: len(self.design.operands)]
        return self.case(note, self.design.operation, own, status, *results)

    def sample(self) -> Case:
        """An operation of the first setting, with random operands that have a result."""
        first, purposes = self.settings[0], chain(("sample",), map("sample {}".format, count(2)))
        made = (self.computed(first, self.drawn(first, one), "random") for one in purposes)
        # Only an inverter may have operands without a result.
        inverts = self.design.operation == "invert"
        return next(case for case in made if case.expected[1] or not inverts)

    def not_loaded(self) -> Case:
        """An operation that must not be done: nothing is loaded."""
        sample = self.sample()
        operation = self.design.operation
        return self.case("nothing is loaded", operation, sample.operands, "not_loaded")

    def all(self, settings: int | None = None) -> Iterator[Case]:
        """All cases, in the order in which they lead to one another, from a reset on.

        Args:
            settings: how many settings; all by default.
        """
        if self.design.load:
            yield self.not_loaded()
        yield self.case("an operation that no core has", "", (), "bad_operation")
        for setting in self.settings[:settings]:
            yield from self._with(setting)
        yield from self._refusals()

    def _with(self, setting: P) -> Iterator[Case]:
        """Operations of a setting."""
        if self.design.load:
            yield self.load(setting)
        random_operands = self.drawn(setting, "case")
        if getattr(setting, "wrong", None):
            yield self.computed(setting, random_operands, "a wrong key")
            return
        for operands in (*self.edges(setting), random_operands):
            yield self.computed(setting, operands)
        yield from self._above(setting)

    def _above(self, setting: P) -> Iterator[Case]:
        """Operands that are too large by one; those of too many bits are among `_refusals`."""
        design, largest = self.design, self.largest(setting)
        for place, number in enumerate(design.operands):
            above = largest[place] + 1
            if above >= 1 << number.words * design.width:
                continue
            operands = [1] * len(design.operands)
            operands[place] = above
            if number.bits is None or design.flagged:
                status = design.withheld if design.flagged else "operand_range"
                yield self.case("too large", design.operation, operands, status)

    def _refusals(self) -> Iterator[Case]:
        """Numbers that are too long or even, and that nothing goes wrong after them."""
        design, first = self.design, self.settings[0]
        if design.load:
            numbers = self.loaded(first)
            for bad in self._too_long(design.load, numbers):
                yield self.case("a number too long", "load", bad, "operand_range")
                yield self.not_loaded()
            if design.tests_modulus:
                for note, bad in self._wrong(numbers):
                    yield self.case(note, "load", bad, "bad_modulus")
                    yield self.not_loaded()
            yield self.load(first)
        operands = self.sample().operands
        for bad in self._too_long(design.operands, operands):
            yield self.case("an operand too long", design.operation, bad, "operand_range")
        yield self.sample()

    def _wrong(self, numbers: Sequence[int]) -> Iterator[tuple[str, list[int]]]:
        """Numbers of a modulus or key that the core tests and refuses."""
        yield "an even modulus", [numbers[0] ^ 1, *numbers[1:]]
        for place, number in enumerate(self.design.load):
            if number.exponent:
                for bad in (0, 1, numbers[place] ^ 1):
                    yield f"the exponent {bad}", [*numbers[:place], bad, *numbers[place + 1 :]]

    def _too_long(self, own: Sequence[Number], numbers: Sequence[int]) -> Iterator[list[int]]:
        """Some numbers, the last one that can be too long a bit too long, by its lowest bit."""
        design = self.design
        for place, number in reversed(list(enumerate(own))):
            bits = number.words * design.width if number.bits is None else number.bits
            if bits < 32 * design.words:
                yield [n | (1 << bits) * (at == place) for at, n in enumerate(numbers)]
                return


class NumberCases(Cases[Setting]):
    """Cases of a core for one number, x, or two, x and y."""

    def promised(self, setting: Setting, operands: Sequence[int]) -> tuple[str, tuple[int, ...]]:
        """See `Cases.promised`; y counts for nothing if there is only x."""
        x, y = operands
        found = setting.expected(x, y)
        # A root of something else than 0 is not 0, so that this is one that is withheld.
        wrong = getattr(setting, "wrong", None) and x
        if (wrong or self.design.operation == "invert") and not found:
            return self.design.withheld, ()
        return "ok", (found,)

    def drawn(self, setting: Setting, purpose: str) -> tuple[int, ...]:
        """Random operands; see `Cases.drawn`."""
        draw = random.Random(f"{purpose} {self.seed}")
        return draw.randint(2, max(setting.largest_x, 2)), draw.randint(0, setting.largest)

    def largest(self, setting: Setting) -> tuple[int, ...]:
        """The largest x and y."""
        return setting.largest_x, setting.largest

    def edges(self, setting: Setting) -> Iterator[tuple[int, ...]]:
        """0 and 1, and the largest numbers."""
        for x, y in ((0, 1), (1, 0), self.largest(setting)):
            yield x, min(y, setting.largest)
