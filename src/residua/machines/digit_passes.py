"""Passes: what a field unit on digits does, an element after another.

The unit reads one element digit by digit, from its registers, its constants or its multiplier, and
in the same pass feeds it to the multiplier or adds a multiple of it to a sum; the last pass of a
sum stores it. The multiplier takes two elements and works while other passes go on; it holds two
products, so that it need not wait for operands.

A program becomes a list of passes by a list schedule under the unit's own timing: the multiplier
is fed whenever it can be, and what is left of the time goes to sums.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import TypeVar

from residua.algorithms.fields.digit_field import (
    INVERSE,
    MODULUS,
    NEGATIVE,
    DigitField,
    DigitOperation,
    DigitProgram,
    Gate,
    Operand,
    Product,
    Stored,
    Sum,
    Value,
)
from residua.machines.control_store import Block

Kind = TypeVar("Kind", bound=DigitOperation)

RAW = "raw"
"""The register where numbers arrive, which no program writes; 0 after the unit has been wiped."""

MOST_PRODUCTS = 2
"""Products that the multiplier holds."""


class Source(IntEnum):
    """Sources of the digits of a pass."""

    REGISTER = 0
    CONSTANT = 1
    PRODUCT = 2


@dataclass(frozen=True)
class Pass:
    """One element, digit by digit.

    Attributes:
        source, place: what is read.
        feeds: its digits go to the multiplier.
        coefficient: by which they count in the sum; its magnitude is stored apart from its sign.
        gate: the bit while which they count, None for always.
        first: a sum begins.
        target: the register where the sum is stored, None if it goes on.
        tested: whether the sum is negative is kept as `NEGATIVE`.
        emits: the digits leave the unit, at the pace of whoever takes them; no other pass follows.
        advances: no pass after this one reads gates in this round.
    """

    source: Source
    place: int
    feeds: bool = False
    coefficient: int = 0
    gate: Gate | None = None
    first: bool = False
    target: int | None = None
    tested: bool = False
    emits: bool = False
    advances: bool = False


@dataclass(frozen=True)
class PassTiming:
    """Cycles of the unit.

    Attributes:
        length: of a pass.
        fed: from the start of the pass that feeds Y to the start of one that reads the product, if
            the multiplier is idle.
        compute: between two products of a multiplier that is not idle.
    """

    length: int
    fed: int
    compute: int


@dataclass
class _Clock:
    """The cycle in which the next pass starts, and those in which products can be read."""

    timing: PassTiming
    now: int = 0
    ready: list[int] = field(default_factory=list)
    collected: int = 0

    def take(self, item: Pass, *, second: bool) -> None:
        """Let a pass go by; ``second`` if it feeds Y."""
        if item.source is Source.PRODUCT:
            self.now = max(self.now, self.ready[self.collected])
            self.collected += 1
        if second:
            alone = self.now + self.timing.fed
            after = self.ready[-1] + self.timing.compute if self.ready else 0
            self.ready.append(max(alone, after))
        self.now += self.timing.length


def duration(passes: Sequence[Pass], timing: PassTiming) -> int:
    """Cycles from the first pass of a round to that of the next one."""
    clock, fed = _Clock(timing), 0
    for item in passes:
        fed += item.feeds
        clock.take(item, second=item.feeds and fed % 2 == 0)
    return clock.now


class DigitRoutine:
    """A program as passes.

    Attributes:
        name: of the program.
        passes: in order.
        cycles: of a round, or of the routine if there is one only.
    """

    def __init__(
        self,
        program: DigitProgram,
        places: Mapping[str, int],
        constants: Mapping[Stored, int],
        timing: PassTiming,
        *,
        loop: bool,
    ) -> None:
        self.name, self.program = program.name, program
        scheduled = _Scheduler(program, places, constants, timing).passes()
        self.passes = _advancing(scheduled) if loop else scheduled
        self.registers = 1 + max((p.target or 0 for p in self.passes), default=0)
        self.cycles = duration(self.passes, timing)

    @property
    def products(self) -> int:
        """Montgomery products."""
        return sum(isinstance(operation, Product) for operation in self.program.operations)

    @property
    def flags(self) -> set[str]:
        """The names of the gates that come from outside."""
        return {p.gate[0].name for p in self.passes if p.gate and _outside(p.gate)}

    @property
    def pause(self) -> int | None:
        """Passes from the last one that reads gates to the first one of the next round."""
        gated = [i for i, p in enumerate(self.passes) if _outside(p.gate)]
        return len(self.passes) - 1 - gated[-1] + gated[0] if gated else None


def _outside(gate: Gate | None) -> bool:
    return gate is not None and gate[0] != NEGATIVE


def _advancing(passes: Sequence[Pass]) -> list[Pass]:
    """Mark the passes behind which gates may change."""
    gated = [index for index, item in enumerate(passes) if _outside(item.gate)]
    last = gated[-1] if gated else None
    return [replace(p, advances=True) if i == last else p for i, p in enumerate(passes)]


class _Scheduler:
    """List scheduling; temporary values take the lowest register that is free."""

    def __init__(
        self,
        program: DigitProgram,
        places: Mapping[str, int],
        constants: Mapping[Stored, int],
        timing: PassTiming,
    ) -> None:
        self.program, self.places, self.constants = program, places, constants
        self.timing = timing
        self.done: list[Pass] = []
        self.waiting: list[DigitOperation] = list(program.operations)
        self.flying: list[Product] = []
        self.home: dict[Value, int] = {v: places[name] for name, v in program.inputs.items()}
        self.names = {value: name for name, value in program.outputs.items()}
        self.readers = self._count_readers()
        self.occupied = {places[name]: value for name, value in program.inputs.items()}
        self.height = self._heights()

    def _count_readers(self) -> dict[Value, int]:
        readers: dict[Value, int] = {}
        for operation in self.program.operations:
            for operand in {o for o in operation.operands if isinstance(o, Value)}:
                readers[operand] = readers.get(operand, 0) + 1
        return readers

    def _heights(self) -> dict[Value, int]:
        """Cycles from the start of the operation that makes a value to the end of the program."""
        above: dict[Value, int] = {}
        height = {}
        for operation in reversed(self.program.operations):
            height[operation.result] = above.get(operation.result, 0) + self._cost(operation)
            for operand in operation.operands:
                if isinstance(operand, Value):
                    known = above.get(operand, 0)
                    above[operand] = max(known, height[operation.result])
        return height

    def _cost(self, operation: DigitOperation) -> int:
        if isinstance(operation, Product):
            return 2 * self.timing.length + self.timing.fed
        return len(operation.terms) * self.timing.length

    def passes(self) -> list[Pass]:
        """All operations, then what has to move to the place of its name."""
        while self.waiting or self.flying:
            products = [o for o in self._ready() if isinstance(o, Product)]
            if products and len(self.flying) < MOST_PRODUCTS:
                self._feed(self._highest(products))
                continue
            sums = [o for o in self._ready() if isinstance(o, Sum)]
            if sums:
                self._add(self._highest(sums))
            else:
                self._collect()
        self._move()
        if self.program.emitted:
            place = self.home[self.program.emitted]
            self.done.append(Pass(Source.REGISTER, place, emits=True))
        return self.done

    def _ready(self) -> list[DigitOperation]:
        return [
            operation
            for operation in self.waiting
            if all(o in self.home for o in operation.operands if isinstance(o, Value))
        ]

    def _highest(self, operations: Sequence[Kind]) -> Kind:
        """The one with most behind it, the first of equals; tests stay in their order."""
        return max(operations, key=lambda operation: self.height[operation.result])

    def _read(self, operand: Operand) -> tuple[Source, int]:
        if isinstance(operand, Stored):
            return Source.CONSTANT, self.constants[operand]
        return Source.REGISTER, self.home[operand]

    def _feed(self, product: Product) -> None:
        self.done += [Pass(*self._read(operand), feeds=True) for operand in product.operands]
        self._finish(product)
        self.flying.append(product)

    def _collect(self) -> None:
        product = self.flying.pop(0)
        target = self._settle(product.result)
        self.done.append(Pass(Source.PRODUCT, 0, coefficient=1, first=True, target=target))

    def _add(self, operation: Sum) -> None:
        read = [self._read(term.operand) for term in operation.terms]
        self._finish(operation)
        target = self._settle(operation.result)
        last = len(read) - 1
        for index, (term, place) in enumerate(zip(operation.terms, read, strict=True)):
            self.done.append(
                Pass(
                    *place,
                    coefficient=term.coefficient,
                    gate=term.gate,
                    first=index == 0,
                    target=target if index == last else None,
                    tested=operation.tested and index == last,
                )
            )

    def _finish(self, operation: DigitOperation) -> None:
        """Free the registers of operands that nobody reads any more, once they have been read."""
        self.waiting.remove(operation)
        for operand in {o for o in operation.operands if isinstance(o, Value)}:
            self.readers[operand] -= 1
            if not self.readers[operand] and operand not in self.names:
                self._free(operand)

    def _free(self, value: Value) -> None:
        place = self.home[value]
        if self.occupied.get(place) is value:
            del self.occupied[place]

    def _settle(self, value: Value) -> int:
        """The register for a new value: that of its name, if nothing else needs it any more."""
        name = self.names.get(value)
        if name is not None and self._is_free(self.places[name]):
            place = self.places[name]
        else:
            place = len(self.places)
            while place in self.occupied:
                place += 1
        self.home[value], self.occupied[place] = place, value
        if not self.readers.get(value) and value not in self.names:
            del self.occupied[place]
        return place

    def _is_free(self, place: int) -> bool:
        held = self.occupied.get(place)
        return held is None or (not self.readers.get(held) and held not in self.names)

    def _move(self) -> None:
        """Outputs to their places; by then no value is read there any more."""
        for value, name in self.names.items():
            if self.home[value] != self.places[name]:
                source = Source.REGISTER, self.home[value]
                target = self.places[name]
                self.done.append(Pass(*source, coefficient=1, first=True, target=target))


@dataclass(frozen=True)
class DigitStore:
    """Routines as one list of passes, and what they read.

    Attributes:
        field: moduli and digits.
        routines: by name.
        passes: of all of them; the first ones wipe the multiplier.
        blocks: where each lies; lengths are counts of passes.
        gates: names of the bits that come from outside.
        constants: in their order; the modulus first, then -1 / p.
        registers: how many there are.
        places: the registers of named elements.
    """

    field: DigitField
    routines: dict[str, DigitRoutine]
    passes: tuple[Pass, ...]
    blocks: dict[str, Block]
    gates: tuple[str, ...]
    constants: tuple[Stored, ...]
    registers: int
    places: dict[str, int]

    @property
    def words(self) -> int:
        """Number of passes."""
        return len(self.passes)

    def constant_words(self, named: Sequence[Mapping[str, int]]) -> list[list[int]]:
        """The constants of each modulus; ``named`` are the integers of named ones."""
        return [
            [constant.value(modulus, self.field, names) for constant in self.constants]
            for modulus, names in zip(self.field.moduli, named, strict=True)
        ]


def coefficient_bits(programs: Iterable[tuple[DigitProgram, bool]]) -> int:
    """Bits of the magnitude of the largest coefficient of a pass."""
    sums = (o for program, _ in programs for o in program.operations if isinstance(o, Sum))
    # A product that is collected counts once.
    return max(1, *(abs(t.coefficient).bit_length() for o in sums for t in o.terms))


WIPE = "wipe"
"""The routine that overwrites all of the multiplier with zeros."""


def assemble(
    programs: Iterable[tuple[DigitProgram, bool]], field: DigitField, timing: PassTiming
) -> DigitStore:
    """Lay routines one after another; each program comes with whether it is a loop."""
    listed = list(programs)
    elements = [n for program, _ in listed for n in (*program.inputs, *program.outputs)]
    names = dict.fromkeys([RAW, *elements])
    places = {name: place for place, name in enumerate(names)}
    used = [o for p, _ in listed for operation in p.operations for o in operation.operands]
    stored = dict.fromkeys([MODULUS, INVERSE, *(o for o in used if isinstance(o, Stored))])
    constants = {constant: place for place, constant in enumerate(stored)}
    passes, blocks, routines = wiping(), {}, {}
    blocks[WIPE] = Block(0, len(passes), len(passes))
    registers = len(places)
    for program, loop in listed:
        routine = DigitRoutine(program, places, constants, timing, loop=loop)
        count = len(routine.passes)
        assert not any(item.emits for item in routine.passes[:-1])
        blocks[routine.name] = Block(len(passes), count, count)
        routines[routine.name] = routine
        passes += routine.passes
        registers = max(registers, routine.registers)
    gates = dict.fromkeys(p.gate[0].name for p in passes if p.gate and _outside(p.gate))
    return DigitStore(
        field, routines, tuple(passes), blocks, tuple(gates), tuple(stored), registers, places
    )


def wiping() -> list[Pass]:
    """Products of zeros, as many as the multiplier holds, in and out."""
    feed = Pass(Source.REGISTER, 0, feeds=True)
    collect = Pass(Source.PRODUCT, 0, coefficient=1, first=True, target=0)
    return [feed] * (2 * MOST_PRODUCTS) + [collect] * MOST_PRODUCTS


class DigitModel:
    """Model of a unit, pass by pass, on integers: bit for bit the contents of the hardware.

    Attributes:
        store: the passes.
        registers: the integers of all registers.
        emitted: what has left.
    """

    def __init__(self, store: DigitStore, named: Sequence[Mapping[str, int]]) -> None:
        self.store = store
        self.registers = [0] * store.registers
        self.emitted: list[int] = []
        self._constants = store.constant_words(named)
        self._negative = False

    def element(self, name: str) -> int:
        """The integer in the register of a named element."""
        return self.registers[self.store.places[name]]

    def write(self, name: str, number: int) -> None:
        """Put an integer into the register of a named element."""
        self.registers[self.store.places[name]] = number

    def run(self, routine: str, page: int = 0, gates: Mapping[str, bool] | None = None) -> None:
        """One round of a routine modulo the modulus of a page."""
        block, bits = self.store.blocks[routine], gates or {}
        fed: list[int] = []
        products: list[int] = []
        total = 0
        for item in self.store.passes[block.start : block.start + block.length]:
            number = self._number(item, page, products)
            if item.emits:
                self.emitted.append(number)
            elif item.feeds:
                fed.append(number)
                if len(fed) == 2:
                    products.append(self._product(fed[0], fed[1], page))
                    fed.clear()
            else:
                gate = item.gate
                flag = gate is None or self._bit(gate[0].name, bits) == gate[1]
                total = (0 if item.first else total) + flag * item.coefficient * number
                if item.tested:
                    self._negative = total < 0
                total %= self.store.field.factor
                if item.target is not None:
                    self.registers[item.target] = total
        assert not products
        assert not fed

    def _number(self, item: Pass, page: int, products: list[int]) -> int:
        match item.source:
            case Source.REGISTER:
                return self.registers[item.place]
            case Source.CONSTANT:
                return self._constants[page][item.place]
            case Source.PRODUCT:
                return products.pop(0)

    def _bit(self, name: str, bits: Mapping[str, bool]) -> bool:
        return self._negative if name == NEGATIVE.name else bits[name]

    def _product(self, x: int, y: int, page: int) -> int:
        """(X Y + Q p) / R."""
        field = self.store.field
        quotient = x * y * field.quotients[page] % field.factor
        return (x * y + quotient * field.moduli[page]) // field.factor
