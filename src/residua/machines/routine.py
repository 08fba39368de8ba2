"""Routines: straight-line programs as blocks of slots that share registers and constants.

A processor runs many programs one after another. Elements that outlive a program have places
(registers) of their own, known by their names; everything else shares what is left. Programs exist
once for each *page*, that is for each modulus that the processor serves: they differ in constants
alone, so that one block of slots, with the constants of the page, serves them all.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count

from residua.algorithms.fields.rns_field import Lowered
from residua.algorithms.montgomery import Element
from residua.algorithms.program import Program
from residua.algorithms.terms import Residues
from residua.errors import SpecificationError
from residua.machines.scheduling.blocks import Problem, place, place_by_lists
from residua.machines.scheduling.rows import row_digits
from residua.machines.scheduling.sequences import SequenceBuilder
from residua.machines.slots import Launch, Left, Machine, Placed, Slot, Word

SOLVER_EFFORT = 20.0
"""Deterministic seconds that the solver may spend on one routine."""


@dataclass(frozen=True)
class Source:
    """A program to be made a routine.

    ``pages`` has the program of each page, None on pages that do not use it. A ``loop`` runs many
    rounds without a break. If a program is ``listed``, lists alone schedule it, without a solver.
    With ``serial`` the outputs are not stored but passed around the ring. The inputs ``fed`` are
    other elements in each round of a loop, put into their places from outside. The first half of
    pages that are ``exchanged`` is for channels whose moduli are in the bases that they are written
    for, the second half for those whose moduli have changed sides; a channel has pages of its own.
    When a source that ``begins`` runs, no element is there but its inputs, so that it may use the
    places of all others.
    """

    name: str
    pages: tuple[Lowered | None, ...]
    loop: bool = False
    serial: bool = False
    listed: bool = False
    fed: tuple[str, ...] = ()
    exchanged: bool = False
    begins: bool = False

    @property
    def reference(self) -> Lowered:
        """The program of the first page that has one."""
        return next(lowered for lowered in self.pages if lowered is not None)


class Places:
    """The registers of named elements: one for each word of each base; register 0 holds zero."""

    def __init__(self, sources: Iterable[Source], rowers: int) -> None:
        self.registers: dict[str, dict[str, tuple[int, ...]]] = {}
        self.count = 1
        for source in sources:
            elements = source.reference.inputs | ({} if source.serial else source.reference.outputs)
            for name, element in elements.items():
                if name not in self.registers:
                    self.registers[name] = {
                        part: self._take(len(value.base.wide) // rowers)
                        for part, value in _parts(element)
                    }

    def _take(self, count: int) -> tuple[int, ...]:
        self.count += count
        return tuple(range(self.count - count, self.count))


def _parts(element: Element) -> list[tuple[str, Residues]]:
    return [("a", element.a), ("b", element.b)]


class Routine:
    """A source as a block of slots.

    Attributes:
        name: of the source.
        placed: its sequences with their start slots, as on the reference page.
        length: slots from its start to the start of what may follow; results of a loop body are
            still on their way then.
        settled: slots from its start to the first one that can read all results.
        registers: of every word that is read from or written to memory.
        row_registers: of every super-residue that is not forwarded.
        kept: places of check residues, by the words that have those that are kept.
        compared: the same by the words whose check residues have to be equal to these.
    """

    def __init__(self, source: Source, places: Places, machine: Machine) -> None:
        self.source, self.places, self.machine = source, places, machine
        self.name = source.name
        self._builder = self._sequences(source.reference)
        sequences = tuple(orders[0] for orders in self._builder.choices())
        self.problem = Problem(sequences, machine, self._carried(), source.loop)
        self.starts = self._place()
        self.placed = tuple(map(Placed, sequences, self.starts))
        self.length = self.problem.length(self.starts)
        self.settled = self.problem.settled(self.starts)
        self.registers = self._residue_registers(self.starts)
        self.row_registers = self._allocate(self.starts, 0, {}, row=True)
        self.kept, self.compared = self._checked()

    def _place(self) -> list[int]:
        """The shortest placement, unless a simple one does with half as deep a register memory.

        Depths are powers of two, and a deeper memory costs every rower more than the few slots are
        worth.
        """
        if self.source.loop and self.source.listed:
            shortest = place_by_lists(self.problem)
        else:
            shortest = place(self.problem, 0 if self.source.listed else SOLVER_EFFORT)
        simple = self.problem.simple
        return simple if self._address_bits(simple) < self._address_bits(shortest) else shortest

    def _address_bits(self, starts: Sequence[int]) -> int:
        """Bits of the highest register's address."""
        return max(self._residue_registers(starts).values(), default=0).bit_length()

    def _residue_registers(self, starts: Sequence[int]) -> dict[Word, int]:
        first = 1 if self.source.begins else self.places.count
        return self._allocate(starts, first, dict(self._fixed()), row=False)

    def _sequences(self, lowered: Lowered) -> SequenceBuilder:
        """The program of a page as slots, of which all pages have the same."""
        counts = [row_digits(page.program) for page in self.source.pages if page is not None]
        digits = tuple(max(column) for column in zip(*counts, strict=True))
        serial = self.source.serial
        return SequenceBuilder(lowered.program, self.machine, serial, digits)

    def _named(self, elements: Mapping[str, Element]) -> dict[str, list[Word]]:
        return {
            name: [w for _, value in _parts(element) for w in self._builder.words(value)]
            for name, element in elements.items()
        }

    def _carried(self) -> dict[Word, Word]:
        """Words as they are found, to those that take their places."""
        inputs = self._named(self.source.reference.inputs)
        outputs = {} if self.source.serial else self._named(self.source.reference.outputs)
        return {
            old: new
            for name in inputs.keys() & outputs.keys()
            for old, new in zip(inputs[name], outputs[name], strict=True)
        }

    def _allocate(
        self, starts: Sequence[int], first: int, fixed: dict[Word, int], *, row: bool
    ) -> dict[Word, int]:
        """Fixed places; the lowest free register from ``first`` for any other word stored."""
        registers = dict(fixed)
        taken = set(fixed.values())
        unused = (place for place in count(first) if place not in taken)
        # The register and the slot of the last read of what is in it.
        busy: list[tuple[int, int]] = []
        stored = [word for word in self._stored(starts) if word.row == row]
        last = self._last_reads(starts)
        producers = self.problem.producers
        spans = sorted(
            (self.problem.replaced(starts, producers[word]), last[word], word.value, word.group)
            for word in stored
        )
        for begin, end, value, group in spans:
            word = Word(value, group, row)
            if word in registers:
                continue
            for position, free_from in enumerate(free for _, free in busy):
                if free_from < begin:
                    registers[word] = busy[position][0]
                    busy[position] = (registers[word], end)
                    break
            else:
                registers[word] = next(unused)
                busy.append((registers[word], end))
        return registers

    def _checked(self) -> tuple[dict[Word, int], dict[Word, int]]:
        """The lowest free place for each check residue, until it is compared."""
        last = {each.sequence.result: each.last for each in self.placed}
        pairs = [[self._builder.words(own)[0] for own in pair] for pair in self.program.checks]
        kept: dict[Word, int] = {}
        compared: dict[Word, int] = {}
        taken_until: list[int] = []
        for first, again in sorted(pairs, key=lambda words: last[words[0]]):
            free = (i for i, slot in enumerate(taken_until) if slot < last[first])
            place = next(free, len(taken_until))
            taken_until[place:] = [last[again], *taken_until[place + 1 :]]
            kept[first] = compared[again] = place
        return kept, compared

    def _fixed(self) -> Iterable[tuple[Word, int]]:
        reference = self.source.reference
        for elements in (reference.inputs, {} if self.source.serial else reference.outputs):
            for name, words in self._named(elements).items():
                parts = self.places.registers[name]
                yield from zip(words, (*parts["a"], *parts["b"]), strict=True)

    def _stored(self, starts: Sequence[int]) -> set[Word]:
        """Words computed here that somebody reads from memory."""
        stored = set()
        for job, sequence in enumerate(self.problem.sequences):
            for offset, word, _ in sequence.reads:
                producer = self.problem.producers.get(word)
                if producer is None:
                    continue
                if starts[job] + offset != self.problem.ready(starts, producer):
                    stored.add(word)
        return stored

    def _last_reads(self, starts: Sequence[int]) -> dict[Word, int]:
        """The slot in which each word is read last."""
        last: dict[Word, int] = {}
        for start, sequence in zip(starts, self.problem.sequences, strict=True):
            for offset, word, _ in sequence.reads:
                last[word] = max(last.get(word, 0), start + offset)
        return last

    def slots(self) -> Iterable[tuple[int, int, int, Slot]]:
        """Every slot as (number, job, offset, slot)."""
        for job, placed in enumerate(self.placed):
            for offset, slot in enumerate(placed.sequence.slots):
                yield placed.start + offset, job, offset, slot

    def left(self, time: int, slot: Slot) -> Left:
        """Source of the left operand of a slot: forwarded, or as the slot says."""
        if slot.left_word is None or slot.left_word.row:
            return slot.left
        producer = self.problem.producers.get(slot.left_word)
        if producer is not None and time == self.problem.ready(self.starts, producer):
            return Left.RESULT
        return slot.left

    def launch(self, time: int, word: Word) -> Launch:
        """Source of a super-residue at the start of its pass around the ring of rows."""
        ready = self.problem.ready(self.starts, self.problem.producers[word])
        return Launch.RESULT if time == ready else Launch.STORED

    @cached_property
    def constants(self) -> dict[tuple[int, int], tuple[tuple[int, ...] | None, ...]]:
        """The constants of the slot (job, offset) on every page; None where it is not used."""
        pages = [self._page(lowered) for lowered in self.source.pages]
        reference = next(page for page in pages if page is not None)
        return {
            key: tuple(None if page is None else page[key] for page in pages) for key in reference
        }

    def _page(self, lowered: Lowered | None) -> dict[tuple[int, int], tuple[int, ...]] | None:
        if lowered is None:
            return None
        sequences = [orders[0] for orders in self._sequences(lowered).choices()]
        for mine, other in zip(self.problem.sequences, sequences, strict=True):
            same = self.source.exchanged or mine.moduli == other.moduli
            if len(mine.slots) != len(other.slots) or not same:
                raise SpecificationError(f"{self.name}: its programs differ in more than constants")
        return {
            (job, offset): slot.constants
            for job, sequence in enumerate(sequences)
            for offset, slot in enumerate(sequence.slots)
            if slot.constants is not None
        }

    @property
    def program(self) -> Program:
        """The program of the reference page."""
        return self.source.reference.program

    @property
    def gate_pause(self) -> int | None:
        """Slots from `last_gate` to the first one of the next round that reads such a thing."""
        times = self._reads_from_outside
        return min(times) + self.length - max(times) if times else None

    @property
    def last_gate(self) -> int | None:
        """The last slot that reads a bit or an element that is fed, None if none does."""
        return max(self._reads_from_outside, default=None)

    @property
    def _reads_from_outside(self) -> list[int]:
        """The slots that read what other rounds find changed from outside."""
        inputs = self.source.reference.inputs
        named = self._named({name: inputs[name] for name in self.source.fed if name in inputs})
        fed = {word for words in named.values() for word in words}
        return [
            time
            for time, _, _, slot in self.slots()
            if slot.gate or slot.left_word in fed or slot.right_word in fed
        ]

    @property
    def writes(self) -> list[int]:
        """The slots whose sums are written to the register memory."""
        return [
            time
            for time, job, _, slot in self.slots()
            if slot.last and self.placed[job].sequence.result in self.registers
        ]
