"""Design of a field processor: bounds, latencies, schedules and the control store."""

from collections.abc import Sequence
from functools import cached_property

from residua.algorithms.program import Program
from residua.errors import SpecificationError
from residua.hardware.engine.cox import COX_LATENCY
from residua.hardware.engine.datapath_design import Analysed, DatapathDesign, EngineOptions
from residua.hardware.engine.entry_keeper import EntryTables
from residua.hardware.engine.microsequencer import STORE_LATENCY
from residua.hardware.engine.rings import build_machine
from residua.hardware.engine.rower import (
    CONTROL_DELAY,
    MEMORY_DELAY,
    RowerShape,
    register_depth,
)
from residua.machines.bounds import analyse
from residua.machines.control_store import ControlStore, assemble
from residua.machines.controls import CONTROLS, delay, weight_controls
from residua.machines.held_ranges import analyse_held
from residua.machines.microcode import binary_depth
from residua.machines.routine import Places, Routine, Source
from residua.machines.slots import ALWAYS, EVERY_LEFT, Left, Machine
from residua.numbers.cox import Cox as Estimate

LOAD_DELAY = 3
"""Slots from the last one that reads an entry to the first that the next one can be loaded in."""

FRACTION = "fraction"
"""The element whose parts come from outside, as residues, where there is one."""


_ADDRESSES = {"constant": 0, "address": 1}
"""The events of controls that a processor delays before all others, in their order."""


class ProcessorDesign(DatapathDesign):
    """Design that follows from the routines of a processor, with schedules and control store.

    ``options`` are those of an engine, of which ``goal``, ``serial`` and ``shortest_interval`` mean
    nothing here. ``entries`` are tables of elements that are brought in for routines' use.

    Raises:
        SpecificationError: the programs do not fit one engine.
    """

    bus_delay = CONTROL_DELAY

    def __init__(
        self,
        sources: Sequence[Source],
        options: EngineOptions,
        entries: EntryTables | None = None,
    ) -> None:
        self.sources, self.options, self.entries = tuple(sources), options, entries
        self.rowers = options.rowers
        if self.exchanges and options.register_memory == "block":
            raise SpecificationError(
                "channels whose moduli change sides have constants in a memory of their own: "
                "take register_memory = 'distributed'"
            )

    @cached_property
    def programs(self) -> list[Program]:
        """The programs of all routines on all pages."""
        lowered = (own for source in self.sources for own in source.pages)
        return [own.program for own in lowered if own is not None]

    @property
    def exchanges(self) -> bool:
        """Whether the moduli of each channel may change sides, see `Source`."""
        return self.sources[0].exchanged

    @property
    def pages(self) -> int:
        """Moduli that the processor serves."""
        return len(self.sources[0].pages) // (2 if self.exchanges else 1)

    @cached_property
    def analysed(self) -> list[Analysed]:
        """All programs with their worst cases, under the fewest folds that serve every one."""
        if self.exchanges:
            return self._analysed_held
        alone = [analyse(program) for program in self.programs]
        folds = max(bounds.folds for bounds in alone)
        row_folds = max(bounds.row_folds for bounds in alone)
        analysed = []
        for program, own in zip(self.programs, alone, strict=True):
            same = (own.folds, own.row_folds) == (folds, row_folds)
            bounds = own if same else analyse(program, folds, row_folds)
            program.representation = bounds.representation
            analysed.append(Analysed(program, bounds))
        return analysed

    @property
    def _analysed_held(self) -> list[Analysed]:
        """The same of programs whose constants are held."""
        lowered = [page for source in self.sources for page in source.pages if page is not None]
        found = analyse_held(lowered)
        for own, bounds in zip(lowered, found, strict=True):
            own.program.representation = bounds.representation
        return [Analysed(own.program, each) for own, each in zip(lowered, found, strict=True)]

    @cached_property
    def narrow(self) -> int:
        """g, the bits of an extra modulus 2^g, 0 if there is none."""
        bases = {step.result.base for p in self.programs for step in p.steps}
        return max((base.extra.width for base in bases if base.extra), default=0)

    @cached_property
    def checks(self) -> bool:
        """Whether that is a check modulus."""
        return any(step.result.base.checks for p in self.programs for step in p.steps)

    @cached_property
    def estimate(self) -> Estimate:
        """The Cox's parameters, one set for all extensions."""
        if len(self.estimates) != 1:
            raise SpecificationError(
                f"a processor has one Cox, but its base extensions want {len(self.estimates)}"
            )
        return next(iter(self.estimates))

    @cached_property
    def binary_words(self) -> int:
        """Words of a binary operand."""
        return max(words.count for words in self.binary_operands)

    @cached_property
    def binary_width(self) -> int:
        """Bits of a word of a binary operand."""
        return max(words.width for words in self.binary_operands)

    @cached_property
    def machine(self) -> Machine:
        """The engine as the scheduler sees it; taps enough to hide the Cox behind a ring pass."""
        return build_machine(
            self.rowers,
            self.mac_latency,
            self.rower_latency,
            COX_LATENCY + 1,
            self.rows_with(0),
            self.narrow,
            beside=0,
            checks=self.checks,
            registers=self.options.register_memory,
        )

    @cached_property
    def places(self) -> Places:
        """The registers of named elements."""
        return Places(self.sources, self.rowers)

    @cached_property
    def routines(self) -> dict[str, Routine]:
        """The sources, scheduled."""
        return {s.name: Routine(s, self.places, self.machine) for s in self.sources}

    @cached_property
    def store(self) -> ControlStore:
        """Control words and constants."""
        return assemble(list(self.routines.values()), self.machine, self.binary_words)

    @property
    def gates(self) -> tuple[str, ...]:
        """The names of the bits that come from outside."""
        return tuple(name for name in self.store.gates if name != ALWAYS)

    @property
    def fraction_registers(self) -> tuple[int, ...]:
        """The registers of `FRACTION`, of one group of channels after the other; maybe none."""
        parts = self.places.registers.get(FRACTION, {})
        return tuple(register for registers in parts.values() for register in registers)

    @property
    def entry_registers(self) -> tuple[int, ...]:
        """The registers of an entry's words, in their order; none without tables."""
        names = self.entries.names if self.entries else ()
        parts = [part for name in names for part in self.places.registers[name].values()]
        return tuple(register for registers in parts for register in registers)

    def entry_slack(self, name: str) -> int:
        """Slots that a round of a loop has left when the next entry is in its registers.

        Loads begin after the last read of the entry, and wait for each result that is written. Of
        the slots from one entry to the next, as many as loads have waited are gone, too.

        Raises:
            SpecificationError: it comes too late for the next round.
        """
        routine, timing = self.routines[name], self.timing
        length, last, pause = routine.length, routine.last_gate, routine.gate_pause
        assert last is not None
        assert pause is not None
        shift = timing.store - timing.address
        written = {(slot + shift) % length for slot in routine.writes}
        slot, left = last + LOAD_DELAY, len(self.entry_registers)
        while left and slot <= last + 2 * length:
            left -= slot % length not in written
            slot += 1
        waited = slot - last - LOAD_DELAY - len(self.entry_registers)
        # A word is loaded a slot after a residue that is stored at once with it could be forwarded.
        visible = MEMORY_DELAY[self.options.register_memory] - 1
        late = slot - 1 + visible - last - pause
        if left or late > 0:
            raise SpecificationError(
                f"{name}: the next entry is in its registers {late} slots too late; leave "
                "fixed_base out"
            )
        return length - waited

    @cached_property
    def longest_sum(self) -> int:
        """An upper bound for the number of products in one sum."""
        return 2 * len(self.moduli) + self.binary_words + 16

    @cached_property
    def shape(self) -> RowerShape:
        """Shape of the rowers."""
        return RowerShape(
            width=self.width,
            registers=register_depth(self.store.registers - 1),
            constants=self.constant_depth,
            moduli=len(self.store.moduli[0]),
            terms=self.longest_sum,
            sum_range=self.sum_range,
            folds=self.folds,
            bus_width=self.width + 1,
            bus_registers=1,
            product_registers=self.options.product_registers,
            subtracts=any(self.store.fields["subtract"]),
            row=self.row_shape,
            lefts=tuple(Left) if self.row_shape else EVERY_LEFT,
            register_memory=self.options.register_memory,
        )

    @property
    def row_registers(self) -> int:
        """Super-residues that a rower keeps."""
        return self.store.row_registers

    @property
    def constant_depth(self) -> int:
        """Words of a rower's constant memory."""
        return register_depth(len(self.store.constants[0]) - 1)

    @property
    def clearing_cycles(self) -> int:
        """Cycles of clearing: a register a cycle, twice around.

        The first round also empties the pipeline.
        """
        words = self.shape.registers, binary_depth(self.binary_words), self.store.row_registers
        return 2 * max(words)

    def emission(self, name: str) -> tuple[int, int]:
        """Cycles from the start of a routine to its first and last residue that is given out."""
        block = self.store.blocks[name]
        slots = self.store.fields["emit"][block.start : block.start + block.length]
        given = [slot for slot, emits in enumerate(slots) if emits]
        # The sequencer's address and the register that adds the page take a cycle each.
        there = 1 + STORE_LATENCY + 1 + self.delays["emit"]
        return given[0] + there, given[-1] + there

    @cached_property
    def delays(self) -> dict[str, int]:
        """Cycles by which the processor delays each control after the address of the constant."""
        own = [name for name in CONTROLS if name in self.store.fields]
        own.sort(key=lambda name: _ADDRESSES.get(CONTROLS[name].when, len(_ADDRESSES)))
        names = [*own, *weight_controls(self.machine.taps)]
        return {name: delay(name, self.timing) for name in names}
