"""Design of an elliptic-curve coprocessor on a Cox-Rower engine, from curves, domains, options."""

from collections.abc import Sequence
from functools import cached_property

from residua.algorithms.fields import field_unit, rns_field
from residua.algorithms.fields.field import FieldProgram
from residua.algorithms.fields.field_unit import Domain
from residua.algorithms.fields.rns_field import Lowered
from residua.algorithms.montgomery import MontgomeryDomain
from residua.curves.blinding import BlindingChoice
from residua.curves.comb import ENTRY, tables
from residua.curves.formulas import Formula
from residua.curves.inversion import Inversion
from residua.curves.operations.instructions import NUMBER
from residua.curves.parameters import Curve, MontgomeryCurve
from residua.curves.protections import redundant_residue
from residua.curves.protections.protection import NONE, Protection, Protections
from residua.errors import SpecificationError
from residua.hardware.bus.stream_buffer import StreamBuffer
from residua.hardware.converters.conversion import Conversion, conversion_cox
from residua.hardware.converters.result_buffer import BUS_WIDTH, ResultBuffer
from residua.hardware.coprocessor.design import CurveDesign
from residua.hardware.coprocessor.loops import LOOPS, check_pause
from residua.hardware.coprocessor.scalars import half_scalars
from residua.hardware.coprocessor.scalars.comb_reader import period
from residua.hardware.engine.datapath_design import EngineOptions
from residua.hardware.engine.entry_keeper import EntryTables
from residua.hardware.engine.microsequencer import pause_after
from residua.hardware.engine.processor import Processor
from residua.hardware.engine.processor_design import FRACTION, ProcessorDesign
from residua.hardware.inverters.modular_inverter import MULTIPLIERS
from residua.hardware.inverters.residue_inverter import (
    ResidueInverter,
    centred_forms,
    default_rowers,
)
from residua.hardware.unbuilt import unbuilt
from residua.machines.routine import Source
from residua.numbers.bases import Base
from residua.numbers.residues import Redundant

MOST_SOLVED = 32
"""Reductions up to which a solver schedules a loop; it takes long for more."""


class CoprocessorDesign(CurveDesign):
    """Design that follows from curves, arithmetic domains and options.

    ``domains`` has a domain for the prime and one for the order of each curve, in turn, all on the
    same two bases; or, where orders have none, as in SBMM, just that for the prime of each curve,
    and the core no operations modulo orders. ``formulas``, ``blinding``, ``inversion``,
    ``fixed_base``, ``verifies`` and ``protections`` are those of `CurveDesign`; an inverter of
    residues has ``inverter_rowers``, by default one for two channels.

    Raises:
        SpecificationError: the curves do not fit the bases, or each other.
    """

    def __init__(
        self,
        curves: Sequence[Curve],
        domains: Sequence[Domain],
        options: EngineOptions,
        formulas: Sequence[Formula],
        blinding: BlindingChoice = 0,
        inversion: Inversion = Inversion.FERMAT,
        inverter_rowers: int | None = None,
        fixed_base: tuple[int, int] | None = None,
        *,
        verifies: bool = False,
        protections: Protections = NONE,
    ) -> None:
        # What protections there can be depends on the domains.
        self._open_domains, self._inverter_rowers = tuple(domains), inverter_rowers
        super().__init__(
            curves,
            formulas,
            blinding,
            inversion,
            fixed_base,
            verifies=verifies,
            protections=protections,
        )
        self.options = options
        if inversion is Inversion.PLUS_MINUS:
            self._check_residues()

    def _check_residues(self) -> None:
        """Whether residues can be inverted as they are."""
        if any(not isinstance(domain, MontgomeryDomain) for domain in self._open_domains):
            raise SpecificationError(
                "inversion = 'plus-minus-ct' works on the residues of RNS Montgomery "
                "multiplication, not on the pairs of SBMM: 'fermat' or 'division-steps' would do"
            )
        centred_forms(self.moduli, self._bases[1])

    @property
    def moduli(self) -> tuple[int, ...]:
        """The modulus of each page."""
        return tuple(domain.modulus for domain in self._open_domains)

    @property
    def width(self) -> int:
        """The largest power of two within w: words of streams are made of whole ones."""
        return 1 << min(self._bases[0].width, BUS_WIDTH).bit_length() - 1

    @property
    def _bases(self) -> tuple[Base, Base]:
        """Base a and base b, without an extra modulus."""
        return field_unit.wide_bases(self._open_domains[0])

    @property
    def _row_length(self) -> int:
        """c, the channels whose residues make a word of an extension."""
        return field_unit.row_length(self._open_domains[0])

    @property
    def _is_plain(self) -> bool:
        """Whether it computes by RNS Montgomery multiplication, with extensions without rows."""
        return self._row_length == 1 and all(
            isinstance(domain, MontgomeryDomain) for domain in self._open_domains
        )

    def _engine_refusals(self) -> dict[Protection, str]:
        residue = redundant_residue.refusal(
            plain=self._is_plain,
            combs=self.fixed_base is not None,
            residues=self.inversion is Inversion.PLUS_MINUS,
            chooses=self.chooses_bases,
        )
        return super()._engine_refusals() | {Protection.REDUNDANT_RESIDUE: residue}

    def residue_inverter(self) -> ResidueInverter | None:
        """The unit that inverts residues, if there is one."""
        if self.inversion is not Inversion.PLUS_MINUS:
            return None
        return ResidueInverter(self.moduli, self._bases[1], self.inverter_rowers)

    @property
    def inverter_rowers(self) -> int | None:
        """Rowers of that unit; None without one."""
        if self.inversion is not Inversion.PLUS_MINUS:
            return None
        return self._inverter_rowers or default_rowers(len(self._bases[1]))

    @property
    def multipliers(self) -> int:
        """Multiplications of two words in a cycle: rowers, converter, inverter, scalars' halves.

        The rower of check residues is one of them.
        """
        inverter = MULTIPLIERS if self.inversion is Inversion.DIVISION_STEPS else 0
        halves = half_scalars.MULTIPLIERS if any(self.scalars.splits) else 0
        rowers = self.options.rowers + self.checks_residues
        return rowers + self.conversion.multipliers + inverter + halves

    @cached_property
    def domains(self) -> list[Domain]:
        """The domain of each page, with a bound that its programs keep."""
        return [domain for domain, _ in self._closed]

    @cached_property
    def _closed(self) -> list[tuple[Domain, dict[str, Lowered]]]:
        """The domain of each page, with its routines as programs on the bases."""
        number = (self.binary_words, self.width)
        closed = []
        for page, domain in enumerate(self._open_domains):
            known = {
                name: (program, self._constants[page])
                for name, pages in self._programs.items()
                if (program := pages[page]) is not None
            }
            own, lowered = field_unit.closed_programs(
                domain, list(known.values()), number, Redundant(1)
            )
            closed.append((own, dict(zip(known, lowered, strict=True))))
        return closed

    @cached_property
    def sources(self) -> list[Source]:
        """All routines on all pages."""
        representation = Redundant(1)
        sources = []
        for name, programs in self._programs.items():
            pages = tuple(lowered.get(name) for _, lowered in self._closed)
            sources.append(
                Source(
                    name,
                    pages,
                    loop=self._is_loop(name),
                    listed=self._is_listed(name, programs),
                    fed=ENTRY,
                )
            )
        loads = [
            field_unit.load(NUMBER, d, self.binary_words, self.width, representation)
            for d in self.domains
        ]
        unloads = [field_unit.unload(NUMBER, d, representation) for d in self.domains]
        listed = self.curve_pages == 1
        sources.append(Source("load", tuple(loads), listed=listed))
        sources.append(Source("unload", tuple(unloads), serial=True, listed=listed))
        if self.inversion is Inversion.PLUS_MINUS:
            sources += self._residue_sources(representation)
        return sources

    def _residue_sources(self, representation: Redundant) -> list[Source]:
        """The routines on both sides of an inversion of residues."""
        domains = [d for d in self.domains if isinstance(d, MontgomeryDomain)]
        gives = tuple(rns_field.give_residues("d", d, representation) for d in domains)
        takes = tuple(
            rns_field.take_residues(FRACTION, "inverse", d, representation) for d in domains
        )
        return [
            Source("give_residues", gives, serial=True),
            Source("take_residues", takes),
        ]

    @staticmethod
    def _is_loop(name: str) -> bool:
        """Whether rounds of a routine follow each other, or use up a bit of the scalar."""
        return name.startswith(LOOPS)

    def _is_listed(self, name: str, programs: Sequence[FieldProgram | None]) -> bool:
        """Whether lists alone schedule a routine.

        They do for a loop of many reductions, and for a window's table, of which few rounds run. In
        SBMM, where a reduction is three times as many sequences, they leave few slots empty.
        """
        if self.curve_pages == 1 or name == "window_table":
            return True
        if not name.startswith(LOOPS):
            return False
        reductions = max(program.reductions for program in programs if program is not None)
        return name.startswith(("table_step", "joint_table_step")) or reductions > MOST_SOLVED

    @cached_property
    def processor(self) -> ProcessorDesign:
        """The field processor."""
        return ProcessorDesign(self.sources, self.options, self.entries)

    @property
    def _entry_names(self) -> tuple[str, ...]:
        """The elements of an entry that an addition of some curve reads."""
        programs = [own["comb_addition"] for own in self.routines.groups if "comb_addition" in own]
        return tuple(name for name in ENTRY if any(name in own.inputs for own in programs))

    @property
    def entry_words(self) -> int:
        """Words of an entry of a table in a rower; 0 without tables."""
        groups = sum(len(base) // self.options.rowers for base in self._bases)
        return groups * len(self._entry_names)

    @cached_property
    def entries(self) -> EntryTables | None:
        """The tables of all combs, as residues; None if there are none."""
        if not any(self.scalars.combs):
            return None
        memories: list[list[int]] = [[] for _ in range(self.options.rowers)]
        for number, (curve, comb) in enumerate(zip(self.curves, self.scalars.combs, strict=True)):
            if comb is None or isinstance(curve, MontgomeryCurve):
                continue
            for table in tables(curve, comb):
                words = [self._entry(number, entry) for entry in table]
                for memory, own in zip(memories, zip(*words, strict=True), strict=True):
                    memory += [word for column in zip(*own, strict=True) for word in column]
        return EntryTables(self._entry_names, self.entry_words, tuple(map(tuple, memories)))

    def _entry(self, curve: int, entry: tuple[int, int, int]) -> list[list[int]]:
        """The words of an entry in each rower."""
        domain = self.domains[self.curve_pages * curve]
        assert isinstance(domain, MontgomeryDomain)
        values = dict(zip(ENTRY, entry, strict=True))
        rowers = self.options.rowers
        words: list[list[int]] = [[] for _ in range(rowers)]
        for name in self._entry_names:
            for base, factor in (
                (domain.base_a, domain.factor_a),
                (domain.base_b, domain.factor_b),
            ):
                value = values[name] * domain.montgomery_factor % domain.modulus
                for channel, (modulus, own) in enumerate(zip(base, factor, strict=True)):
                    words[channel % rowers].append(modulus.centre(value * own % modulus.value))
        return words

    @cached_property
    def conversion(self) -> Conversion:
        """The conversion of results to binary."""
        ranges = [field_unit.number_range(domain, Redundant(1)) for domain in self.domains]
        largest = max(abs(end) for reached in ranges for end in reached)
        return Conversion(
            field_unit.number_base(self.domains[0]),
            conversion_cox(self.domains[0], largest),
            self.moduli,
            tuple(ranges),
            relaxed=True,
            word=self.width,
        )

    @property
    def number_words(self) -> int:
        """Words of a converted number."""
        return self.conversion.words

    def field_unit(self, most_rounds: int) -> Processor:
        """A new field processor."""
        return Processor(self.processor, most_rounds, traced=self.signed)

    def check_pauses(self) -> None:
        """Refuse loops whose rounds are too short for the next bit or digit of the scalar.

        Raises:
            SpecificationError: the routine, and what it would take.
        """
        for routine in self.processor.routines.values():
            if routine.source.loop:
                flags = {bit.name for bit in routine.program.bits}
                check_pause(routine.name, flags, routine.gate_pause)
            if routine.name.startswith("comb_addition"):
                self._check_entries(routine.name)

    def _check_entries(self, name: str) -> None:
        """Refuse additions that are over before the next entry has been found."""
        comb = next(comb for comb in self.scalars.combs if comb)
        slack, needed = self.processor.entry_slack(name), period(comb.teeth, self.entry_words)
        if slack < needed:
            raise SpecificationError(
                f"{name}: an addition leaves {slack} cycles to look through a table of "
                f"{comb.teeth} teeth, which takes {needed}; take a comb of fewer teeth"
            )

    def ladder_cycles(self, curve: int) -> int:
        """Cycles of the loops in which a curve's points are multiplied by secret scalars.

        They have the processor for themselves.
        """
        rounds = {self.routines.variant(name, curve): n for name, n in self._loops(curve).items()}
        alone = ProcessorDesign([s for s in self.sources if s.name in rounds], self.options)
        return sum(count * alone.routines[name].length for name, count in rounds.items())

    def least_cycles(self, curve: int) -> int:
        """A number that `ladder_cycles` is not below, which takes no schedule to tell."""
        channels = len(self._bases[0])
        groups, words = channels // self.options.rowers, channels // self._row_length
        total = 0
        for name, rounds in self._loops(curve).items():
            program = self.routines.groups[curve][name]
            # Both bases take every term once, and both extensions each word of the other base.
            total += rounds * 2 * groups * (program.terms + program.reductions * words)
        return total

    def routine_cycles(self, name: str, curve: int, rounds: int) -> int:
        """Cycles from the start of a routine to the instruction after it."""
        block = self.block(name, curve)
        return 1 + rounds * block.length + pause_after(block)

    @cached_property
    def _first_word(self) -> int:
        """Cycles from the start of "unload" to the first word that is there of its number."""
        first, _ = self.processor.emission("unload")
        return first + self.conversion.latency - (self.number_words - 1) + StreamBuffer.LATENCY

    @cached_property
    def number_cycles(self) -> int:
        """Cycles from the start of "unload" to the one in which its number has been taken."""
        results = unbuilt(ResultBuffer(self.width, self.number_words, self.words))
        return self._first_word + results.latency

    @cached_property
    def reciprocal_cycles(self) -> int:
        """Cycles from a routine to the instruction after the inversion of what it gives out.

        They count from its start; 0 without a unit that inverts.
        """
        # The end of either unit goes to the controller through a register.
        if residue_inverter := self.residue_inverter():
            _, last = self.processor.emission("give_residues")
            return last + unbuilt(residue_inverter).latency + 3
        if inverter := self.inverter():
            return self._first_word + inverter.length - 1 + unbuilt(inverter).latency + 2
        return 0

    @property
    def wipe_cycles(self) -> int:
        """Cycles in which the field unit wipes what it holds."""
        return self.processor.clearing_cycles

    def step_cycles(self, curve: int) -> int:
        """Cycles of a round of a curve's loop, for a bit or a digit of the scalar."""
        return self.processor.routines[self.routines.variant("ladder_step", curve)].length
