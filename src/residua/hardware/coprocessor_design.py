"""Design of an elliptic-curve coprocessor: all that follows from curves, domains and options."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from residua.algorithms import field_unit, rns_field
from residua.algorithms.field import Choice, Constant, FieldProgram, Load, ProductSum
from residua.algorithms.field_unit import Domain
from residua.algorithms.montgomery import MontgomeryDomain
from residua.curves.formulas import Formula, check_formula, digit_bits, scalar_bits
from residua.curves.inversion import Inversion, inversion
from residua.curves.operations import (
    NUMBER,
    ORDER_OPERATIONS,
    Instruction,
    Operation,
    Run,
    common_routines,
    constants,
    operations,
    routines,
)
from residua.curves.parameters import Curve, WeierstrassCurve
from residua.errors import SpecificationError
from residua.hardware.controller import ControllerDesign, ControlProgram
from residua.hardware.conversion import Conversion, conversion_cox
from residua.hardware.digit_recoder import BIT_LATENCY, DIGIT_LATENCY, FLAGS, DigitRecoder
from residua.hardware.engine import EngineOptions
from residua.hardware.modular_inverter import MULTIPLIERS, ModularInverter
from residua.hardware.processor import FRACTION, ProcessorDesign
from residua.hardware.residue_inverter import ResidueInverter, centred_forms
from residua.hardware.scalar_reducer import ScalarReducer
from residua.hardware.scalar_unit import ScalarUnit, served_bits
from residua.machines.control_store import Block
from residua.machines.routine import Routine, Source
from residua.numbers.bases import Base
from residua.numbers.residues import Redundant

LOOPS = ("window_start", "table_step", "ladder_step", "joint_step", "square")
"""Routines that are repeated without a break, or use up a bit or a digit of the scalar."""

MOST_SOLVED = 32
"""Reductions up to which a solver schedules a loop; it takes long for more."""

SCALAR_DELAY = 5
"""Slots from the last use of a bit of the scalar to the first of the next one, at least."""

DIGIT_DELAY = SCALAR_DELAY - BIT_LATENCY + DIGIT_LATENCY
"""The same for digits of the scalar."""

GROUP_ROUTINES = (
    "base_point",
    "initial_state",
    "window_start",
    "table_step",
    "ladder_step",
    "final_select",
    "recovery_fractions",
    "recovery_result",
    "on_curve",
    "small_order",
    "joint_initial_state",
    "joint_step",
    "joint_result",
)


class CoprocessorDesign:
    """What follows from curves, arithmetic domains and options.

    ``domains`` has a domain for the prime and one for the order of each curve, in turn, all on the
    same two bases; or, where orders have none, as in SBMM, just that for the prime of each curve,
    and the core no operations modulo orders. ``formulas`` are those of the curves. ``blinding`` is
    the number of random bits that blind a scalar on Weierstrass curves, by a multiple of the number
    of points. ``inversion`` says how elements are inverted.

    Raises:
        SpecificationError: the curves do not fit the bases, or each other.
    """

    def __init__(
        self,
        curves: Sequence[Curve],
        domains: Sequence[Domain],
        options: EngineOptions,
        formulas: Sequence[Formula],
        blinding: int = 0,
        inversion: Inversion = Inversion.FERMAT,
    ) -> None:
        self.curves, self.formulas = tuple(curves), tuple(formulas)
        # On a Montgomery curve no multiple of the order is known that leaves every point as it is:
        # u may belong to the twist.
        blinds = any(isinstance(curve, WeierstrassCurve) for curve in curves)
        self.blinding = blinding if blinds else 0
        for curve, formula in zip(curves, formulas, strict=True):
            check_formula(curve, formula, self.blinding)
        self._open_domains = tuple(domains)
        self.options, self.inversion = options, inversion
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
    def words(self) -> int:
        """W, words of 32 bits of every number."""
        return -(-max(modulus.bit_length() for modulus in self.moduli) // 32)

    @property
    def width(self) -> int:
        """w, bits of a residue and of a binary word within."""
        return self._bases[0].width

    @property
    def _bases(self) -> tuple[Base, Base]:
        """Base a and base b, without an extra modulus."""
        return field_unit.wide_bases(self._open_domains[0])

    @property
    def curve_pages(self) -> int:
        """Moduli of each curve: prime and order, or the prime alone."""
        return len(self._open_domains) // len(self.curves)

    @property
    def binary_words(self) -> int:
        """Words of w bits of every number."""
        return -(-max(modulus.bit_length() for modulus in self.moduli) // self.width)

    @cached_property
    def operations(self) -> list[dict[Operation, list[Instruction]]]:
        """The operations of each curve."""
        groups = map(operations, self.curves, self.formulas)
        absent = ORDER_OPERATIONS if self.curve_pages == 1 else set()
        return [{k: v for k, v in group.items() if k not in absent} for group in groups]

    @cached_property
    def inversions(self) -> list[list[Instruction]]:
        """The instructions of an inversion modulo each page's modulus."""
        return [inversion(modulus, self.inversion) for modulus in self.moduli]

    def inverter(self) -> ModularInverter | None:
        """The unit that inverts binary numbers, if there is one."""
        if self.inversion is not Inversion.DIVISION_STEPS:
            return None
        return ModularInverter(self.moduli, self.width, self.binary_words)

    def residue_inverter(self) -> ResidueInverter | None:
        """The unit that inverts residues, if there is one."""
        if self.inversion is not Inversion.PLUS_MINUS:
            return None
        return ResidueInverter(self.moduli, self._bases[1])

    @property
    def multipliers(self) -> int:
        """Multiplications of two words in a cycle: rowers, converter and inverter."""
        inverter = MULTIPLIERS if self.inversion is Inversion.DIVISION_STEPS else 0
        return self.options.rowers + self.conversion.multipliers + inverter

    @cached_property
    def _programs(self) -> dict[str, list[FieldProgram | None]]:
        """The field programs by routine and page."""
        flows = [flow for group in self.operations for flow in group.values()]
        runs = [i for flow in (*self.inversions, *flows) for i in flow if isinstance(i, Run)]
        used = {run.routine for run in runs}
        copies = {
            (parts[1], parts[2])
            for parts in (run.routine.split("_") for run in runs)
            if parts[0] == "copy"
        }
        common = common_routines(copies)
        programs: dict[str, list[FieldProgram | None]] = {
            name: [program] * len(self.moduli) for name, program in common.items() if name in used
        }
        for curve, group in enumerate(self._routines):
            for name, program in group.items():
                pages = programs.setdefault(self._variant(name, curve), [None] * len(self.moduli))
                pages[self.curve_pages * curve] = program
        return programs

    @cached_property
    def _routines(self) -> list[dict[str, FieldProgram]]:
        """The field programs of each curve."""
        return list(map(routines, self.curves, self.formulas))

    def _variant(self, name: str, curve: int) -> str:
        """The routine that a curve uses under a name; curves of one kind share theirs."""
        if name not in GROUP_ROUTINES:
            return name
        own = self._routines[curve].get(name)
        if own is None:
            return name
        for number in range(curve):
            other = self._routines[number].get(name)
            if other is not None and _shape(other) == _shape(own):
                return self._variant(name, number)
        return f"{name}_{curve}" if curve else name

    @cached_property
    def _constants(self) -> list[dict[str, int]]:
        """The named constants of each page."""
        others: list[dict[str, int]] = [{}] * (self.curve_pages - 1)
        return [c for curve in self.curves for c in (constants(curve), *others)]

    @cached_property
    def domains(self) -> list[Domain]:
        """The domain of each page, with a bound that its programs keep."""
        closed = []
        for page, domain in enumerate(self._open_domains):
            programs = [
                (pages[page], self._constants[page])
                for pages in self._programs.values()
                if pages[page] is not None
            ]
            known = [(program, named) for program, named in programs if program is not None]
            number = (self.binary_words, self.width)
            closed.append(field_unit.closed_domain(domain, known, number, Redundant(1)))
        return closed

    @cached_property
    def sources(self) -> list[Source]:
        """All routines on all pages."""
        representation = Redundant(1)
        sources = []
        for name, programs in self._programs.items():
            pages = tuple(
                None
                if program is None
                else field_unit.lower(program, domain, named, representation)
                for program, domain, named in zip(
                    programs, self.domains, self._constants, strict=True
                )
            )
            sources.append(
                Source(
                    name, pages, loop=name.startswith(LOOPS), listed=self._is_listed(name, programs)
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

    def _is_listed(self, name: str, programs: Sequence[FieldProgram | None]) -> bool:
        """Whether lists alone schedule a routine.

        They do for a loop of many reductions, and for a window's table, of which few rounds run. In
        SBMM, where a reduction is three times as many sequences, they leave few slots empty.
        """
        if self.curve_pages == 1:
            return True
        if not name.startswith(LOOPS):
            return False
        reductions = max(program.reductions for program in programs if program is not None)
        return name.startswith("table_step") or reductions > MOST_SOLVED

    @cached_property
    def processor(self) -> ProcessorDesign:
        """The field processor."""
        return ProcessorDesign(self.sources, self.options)

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
        )

    @cached_property
    def scalar_bits(self) -> tuple[int, ...]:
        """Bits that a scalar may have on each curve."""
        return tuple(map(scalar_bits, self.curves, self.formulas))

    @cached_property
    def served(self) -> tuple[int, ...]:
        """Bits of a scalar as the loop takes them: blinded, and whole digits; for each curve."""
        return served_bits(self.scalar_bits, self.blinding, self.lengthened, self.digit_bits)

    @property
    def digit_bits(self) -> tuple[int, ...]:
        """Bits that a round of the loop takes, for each curve."""
        return tuple(map(digit_bits, self.formulas))

    @property
    def rounds(self) -> tuple[int, ...]:
        """Rounds of the loop for each curve."""
        return tuple(n // digit for n, digit in zip(self.served, self.digit_bits, strict=True))

    @property
    def windowed(self) -> list[int]:
        """Curves whose formula takes digits of the scalar."""
        window = Formula.FIXED_WINDOW
        return [curve for curve, formula in enumerate(self.formulas) if formula is window]

    def digit_recoder(self) -> DigitRecoder | None:
        """The unit after `scalar_unit` that makes digits, if a formula takes them."""
        if not self.windowed:
            return None
        counts = enumerate(self.served)
        return DigitRecoder([n if curve in self.windowed else 0 for curve, n in counts])

    @property
    def lengthened(self) -> list[int]:
        """Curves whose ladder needs scalars of fixed length."""
        ladder = Formula.DIFFERENCE_LADDER
        return [curve for curve, formula in enumerate(self.formulas) if formula is ladder]

    def scalar_reducer(self) -> ScalarReducer | None:
        """The unit before `scalar_unit` that replaces scalars, if a ladder needs it."""
        if not self.lengthened:
            return None
        orders = [
            curve.order if number in self.lengthened else 0
            for number, curve in enumerate(self.curves)
        ]
        return ScalarReducer(orders, self.scalar_bits, self.words)

    def second_scalar_unit(self) -> ScalarUnit | None:
        """The unit that holds the other scalar of a double multiplication, if there is such."""
        if Operation.DOUBLE_MULTIPLY not in self.operation_codes:
            return None
        return ScalarUnit([0] * len(self.curves), self.scalar_bits, self.words)

    def scalar_unit(self) -> ScalarUnit:
        """The unit that holds a scalar, or the first of two."""
        orders = [
            curve.order * curve.cofactor if isinstance(curve, WeierstrassCurve) else 0
            for curve in self.curves
        ]
        return ScalarUnit(
            orders, self.scalar_bits, self.words, self.blinding, self.lengthened, self.digit_bits
        )

    @cached_property
    def controller(self) -> ControllerDesign:
        """The controller's program."""
        store = self.processor.store.blocks
        blocks: Mapping[str, tuple[Block, ...]] = {
            name: tuple(
                store.get(self._variant(name, curve), next(iter(store.values())))
                for curve in range(len(self.curves))
            )
            for name in {*store, *GROUP_ROUTINES}
        }
        for routine in self.processor.routines.values():
            self._check_pause(routine)
        program = ControlProgram(self.operations, self.inversions, blocks)
        return ControllerDesign(program, self.rounds)

    def _check_pause(self, routine: Routine) -> None:
        """Whether the next bit or digit is there when the next round of a routine wants it."""
        pause = routine.gate_pause
        # A window's table comes between its first digit and the next one.
        if not routine.source.loop or pause is None or routine.name.startswith("window_start"):
            return
        takes_digits = {bit.name for bit in routine.program.bits} <= {flag.name for flag in FLAGS}
        needed = DIGIT_DELAY if takes_digits else SCALAR_DELAY
        if pause < needed:
            raise SpecificationError(
                f"{routine.name}: a round of {routine.length} cycles is too short for the next "
                f"{'digit' if takes_digits else 'bit'} of the scalar, which takes {needed}"
            )

    def ladder_cycles(self, curve: int) -> int:
        """Cycles of the loops in which a curve's points are multiplied by secret scalars.

        They have the processor for themselves.
        """
        rounds = {self._variant(name, curve): n for name, n in self._loops(curve).items()}
        alone = ProcessorDesign([s for s in self.sources if s.name in rounds], self.options)
        return sum(count * alone.routines[name].length for name, count in rounds.items())

    def least_cycles(self, curve: int) -> int:
        """A number that `ladder_cycles` is not below, which takes no schedule to tell."""
        channels = len(self._bases[0])
        groups = channels // self.options.rowers
        total = 0
        for name, rounds in self._loops(curve).items():
            program = self._routines[curve][name]
            # Both bases take every term once, and both extensions each word of the other base.
            total += rounds * 2 * groups * (program.terms + program.reductions * channels)
        return total

    def _loops(self, curve: int) -> dict[str, int]:
        """The routines that a point multiplication repeats, and how often."""
        flow = self.operations[curve][Operation.BASE_MULTIPLY]
        runs = [i for i in flow if isinstance(i, Run) and i.rounds != 1]
        return {run.routine: run.rounds or self.rounds[curve] for run in runs}

    def step_cycles(self, curve: int) -> int:
        """Cycles of a round of a curve's loop, for a bit or a digit of the scalar."""
        return self.processor.routines[self._variant("ladder_step", curve)].length

    @cached_property
    def operation_codes(self) -> set[Operation]:
        """Operations that at least one curve has."""
        return {operation for group in self.operations for operation in group}


def _shape(program: FieldProgram) -> object:
    """Equal for programs that differ in nothing a routine would show."""
    order = {v: i for i, v in enumerate(program.inputs.values())}
    shape: list[object] = [tuple(program.inputs), tuple(program.outputs)]
    for operation in program.operations:
        order[operation.result] = len(order)
        shape.append(_operation_shape(operation, order))
    return tuple(shape)


def _operation_shape(operation: Any, order: dict[Any, int]) -> object:
    match operation:
        case ProductSum(_, products, multiple):
            terms = [
                (order[x], repr(y) if isinstance(y, Constant) else order[y], sign)
                for x, y, sign in products
            ]
            return ("products", tuple(terms), multiple)
        case Load(_, constant):
            return ("load", repr(constant))
        case Choice(_, choices):
            return ("choice", tuple((flag, order[x]) for flag, x in choices))
        case _ if hasattr(operation, "terms"):
            return ("combination", tuple((order[x], c) for x, c in operation.terms))
        case _:
            return (
                "selection",
                operation.flag,
                order[operation.x],
                order[operation.y],
                operation.sign,
            )
