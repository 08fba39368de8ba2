"""Design of an elliptic-curve coprocessor on any field unit."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import Protocol

from amaranth.lib.wiring import Component

from residua.algorithms.fields.field import FieldProgram
from residua.curves.blinding import BlindingChoice, random_bits
from residua.curves.endomorphism import window
from residua.curves.formulas import Formula, check_formula, has_complete_formulas
from residua.curves.inversion import Inversion, inversion
from residua.curves.operations.codes import ORDER_OPERATIONS, Operation
from residua.curves.operations.instructions import Instruction, Run, every
from residua.curves.operations.routines import common_routines, constants, routines
from residua.curves.operations.sequences import operations
from residua.curves.parameters import Curve, WeierstrassCurve
from residua.curves.protections import (
    masked_order,
    masked_scalar,
    random_bases,
    redundant_residue,
)
from residua.curves.protections.converted_words import check_words
from residua.curves.protections.protection import NONE, Protection, Protections, refusals
from residua.curves.protections.random_factors import refuse_zeros
from residua.curves.protections.status_codes import StatusCodes
from residua.curves.signatures import verification
from residua.errors import SpecificationError
from residua.hardware.converters.conversion import Conversion
from residua.hardware.converters.result_buffer import ResultBuffer
from residua.hardware.coprocessor.control_program import ControlProgram
from residua.hardware.coprocessor.controller_design import ControllerDesign
from residua.hardware.coprocessor.routine_variants import GROUP_ROUTINES, RoutineVariants
from residua.hardware.coprocessor.scalars.design import ScalarDesign
from residua.hardware.inverters.modular_inverter import ModularInverter
from residua.hardware.inverters.residue_inverter import ResidueInverter
from residua.hardware.random_monitor import RandomMonitor
from residua.machines.control_store import Block


class RoutineStore(Protocol):
    """Store of the routines of a field unit."""

    @property
    def blocks(self) -> Mapping[str, Block]:
        """Address range of each routine."""

    @property
    def words(self) -> int:
        """Words of all of them."""


class FieldProcessorDesign(Protocol):
    """Design of a field unit, as far as a coprocessor sees it."""

    @property
    def store(self) -> RoutineStore:
        """The routines."""

    @property
    def gates(self) -> tuple[str, ...]:
        """The names of the bits by which they select."""


class CurveDesign(ABC):
    """Design that follows from curves and formulas.

    ``formulas`` are those of the curves. ``blinding`` is the number of random bits that blind a
    scalar (see `residua.curves.blinding`), 0 for none, or "auto" for as many as each curve needs.
    ``inversion`` says how elements are inverted. ``fixed_base`` has teeth and most tables of the
    combs that multiply base points of short Weierstrass curves of odd order; None: there are none.
    With ``verifies``, curves of prime order have the verification of ECDSA signatures.
    ``protections`` are those of multiples of points.

    Attributes:
        blinding: the number of random bits that blind a scalar, for each curve; where scalars are
            halved, those of each multiple of a vector.
        comb_blinding: that of a scalar that a comb takes; 0 where there is none.

    Raises:
        SpecificationError: a curve does not admit its formula.
    """

    def __init__(
        self,
        curves: Sequence[Curve],
        formulas: Sequence[Formula],
        blinding: BlindingChoice = 0,
        inversion: Inversion = Inversion.FERMAT,
        fixed_base: tuple[int, int] | None = None,
        *,
        verifies: bool = False,
        protections: Protections = NONE,
    ) -> None:
        self.curves, self.formulas = tuple(curves), tuple(formulas)
        self.fixed_base, self._verifies = fixed_base, verifies
        self.protections = protections
        pairs = tuple(zip(curves, formulas, strict=True))
        for curve, formula in pairs:
            check_formula(curve, formula)
        self.blinding = tuple(random_bits(curve, blinding, formula) for curve, formula in pairs)
        for (curve, formula), count in zip(pairs, self.blinding, strict=True):
            check_formula(curve, formula, count)
        self.comb_blinding = tuple(
            random_bits(curve, blinding) if fixed_base and has_complete_formulas(curve) else 0
            for curve in curves
        )
        self.inversion = inversion
        self._check_protections()
        own = zip(formulas, self.verified, strict=True)
        kinds = {formula is Formula.ENDOMORPHISM for formula, kept in own if kept}
        if len(kinds) > 1:
            raise SpecificationError(
                "signatures are verified by halves of scalars on all curves of a core or on none"
            )

    @property
    @abstractmethod
    def moduli(self) -> tuple[int, ...]:
        """The modulus of each page: the prime and the order of each curve, or the prime alone."""

    @property
    @abstractmethod
    def width(self) -> int:
        """Bits of a word in which the field unit takes and gives numbers."""

    @property
    @abstractmethod
    def number_words(self) -> int:
        """Words of a number that the field unit gives out."""

    @property
    @abstractmethod
    def multipliers(self) -> int:
        """Multiplications of two words in a cycle."""

    @property
    @abstractmethod
    def processor(self) -> FieldProcessorDesign:
        """The design of the field unit."""

    @property
    def gates(self) -> tuple[str, ...]:
        """The names of the bits by which routines select."""
        return self.processor.gates

    @property
    def blocks(self) -> Mapping[str, Block]:
        """Address range of each routine in the store of the field unit."""
        return self.processor.store.blocks

    def block(self, name: str, curve: int) -> Block:
        """Address range of the routine that a curve uses under a name."""
        return self.blocks[self.routines.variant(name, curve)]

    @property
    def store_words(self) -> int:
        """Words of that store."""
        return self.processor.store.words

    @property
    def conversion(self) -> Conversion | None:
        """The conversion of residues that the field unit gives out, if it gives out residues."""
        return None

    def residue_inverter(self) -> ResidueInverter | None:
        """The unit that inverts residues, if there is one."""
        return None

    @abstractmethod
    def field_unit(self, most_rounds: int) -> Component:
        """A new field unit, which repeats a routine so many times at most.

        It has the ports of `residua.hardware.engine.processor.Processor`, or, without a
        `conversion`, the stream ``number`` in the place of ``residue``.
        """

    @abstractmethod
    def routine_cycles(self, name: str, curve: int, rounds: int) -> int:
        """Cycles from the start of a routine to the instruction after it.

        Args:
            name: under which the curve uses it; it does not give a number out.
            curve: index of the curve.
            rounds: times that it runs, one after the other.
        """

    @property
    @abstractmethod
    def number_cycles(self) -> int:
        """Cycles from the start of "unload" to the one in which its number has been taken."""

    @property
    @abstractmethod
    def reciprocal_cycles(self) -> int:
        """Cycles from a routine to the instruction after the inversion of what it gives out.

        They count from its start; 0 without a unit that inverts.
        """

    @property
    @abstractmethod
    def wipe_cycles(self) -> int:
        """Cycles in which the field unit wipes what it holds."""

    @abstractmethod
    def step_cycles(self, curve: int) -> int:
        """Cycles of a round of a curve's loop, for a bit or a digit of the scalar."""

    @abstractmethod
    def ladder_cycles(self, curve: int) -> int:
        """Cycles of the loops in which a curve's points are multiplied by secret scalars."""

    @abstractmethod
    def least_cycles(self, curve: int) -> int:
        """A number that `ladder_cycles` is not below, which takes no schedule to tell."""

    @abstractmethod
    def check_pauses(self) -> None:
        """Refuse loops whose rounds are too short for the next bit or digit of the scalar.

        Raises:
            SpecificationError: the routine, and what it would take.
        """

    @property
    def curve_pages(self) -> int:
        """Moduli of each curve: prime and order, or the prime alone."""
        return len(self.moduli) // len(self.curves)

    @property
    def words(self) -> int:
        """W, words of 32 bits of every number."""
        return -(-max(modulus.bit_length() for modulus in self.moduli) // 32)

    @property
    def binary_words(self) -> int:
        """Words of `width` bits of every number."""
        return -(-max(modulus.bit_length() for modulus in self.moduli) // self.width)

    @property
    def signed(self) -> bool:
        """Whether what operations run is held against what they have to run."""
        return Protection.CONTROL_SIGNATURE in self.protections

    @property
    def checks_scalars(self) -> bool:
        """Whether the bits of a scalar that a loop takes are held against it."""
        return Protection.SCALAR_CHECK in self.protections

    @property
    def watches_random(self) -> bool:
        """Whether random words are tested."""
        return Protection.RANDOM_HEALTH in self.protections

    @property
    def chooses_bases(self) -> bool:
        """Whether each operation has bases of its own, which random words choose."""
        return Protection.RANDOM_BASES in self.protections

    @property
    def checks_residues(self) -> bool:
        """Whether every reduction is checked by a residue of its own."""
        return Protection.REDUNDANT_RESIDUE in self.protections

    @property
    def status_codes(self) -> StatusCodes:
        """The codes of statuses."""
        return StatusCodes(sparse=Protection.STATUS in self.protections)

    @property
    def shares_scalars(self) -> bool:
        """Whether secret scalars come as two shares."""
        return Protection.MASKED_SCALAR in self.protections

    @cached_property
    def scalars(self) -> ScalarDesign:
        """What becomes of scalars before routines select by them."""
        return ScalarDesign(
            self.curves,
            self.formulas,
            self.words,
            self.blinding,
            self.comb_blinding,
            self.fixed_base,
            verifies=any(self.verified),
            checked=self.checks_scalars,
            shared=self.shares_scalars,
        )

    def random_monitor(self) -> RandomMonitor | None:
        """The unit that tests random words, if they are tested."""
        return RandomMonitor() if self.watches_random else None

    def _check_protections(self) -> None:
        """Refuse protections that there are not for a curve's way to multiply."""
        if not self.protections:
            return
        if self.protections & {Protection.EXIT_CHECK, Protection.CONVERSION_CHECK} == {
            Protection.CONVERSION_CHECK
        }:
            raise SpecificationError(
                f"protections: {Protection.CONVERSION_CHECK} has the check of "
                f"{Protection.EXIT_CHECK} take the words that leave: name both"
            )
        refused = refusals(
            combs=self.fixed_base is not None,
            orders=self.curve_pages > 1,
            signs=any(isinstance(curve, WeierstrassCurve) for curve in self.curves),
        )
        shared = masked_scalar.refusal(self.curves, self.formulas, self.blinding)
        if shared:
            refused[Protection.MASKED_SCALAR] = shared
        refused |= {own: reason for own, reason in self._engine_refusals().items() if reason}
        for protection, reason in refused.items():
            if protection in self.protections:
                raise SpecificationError(f"protections: {protection}: {reason}: leave either out")

    def _engine_refusals(self) -> dict[Protection, str]:
        """Why there are no protections that engines alone have; nothing where one can have it."""
        return {
            Protection.RANDOM_BASES: random_bases.refusal(plain=False),
            Protection.REDUNDANT_RESIDUE: redundant_residue.refusal(plain=False),
        }

    @cached_property
    def operations(self) -> list[dict[Operation, list[Instruction]]]:
        """The operations of each curve."""
        make = partial(operations, checked=Protection.EXIT_CHECK in self.protections)
        joint_bits, halves = self.scalars.joint_bits, self.scalars.halved
        groups = list(map(make, self.curves, self.formulas, joint_bits, self.scalars.combs))
        own = zip(groups, self.verified, joint_bits, halves, strict=True)
        for group, curve, bits, halved in own:
            if curve:
                verify = verification.instructions(curve, bits, splits=halved is not None)
                group[Operation.ECDSA_VERIFY] = verify
        if Protection.CONVERSION_CHECK in self.protections:
            groups = [{k: check_words(v) for k, v in group.items()} for group in groups]
        if self.watches_random:
            groups = [{k: refuse_zeros(v) for k, v in group.items()} for group in groups]
        if Protection.MASKED_ORDER in self.protections:
            for group, form in zip(groups, self.curves, strict=True):
                if isinstance(form, WeierstrassCurve):
                    group[Operation.ORDER_SIGN] = masked_order.instructions(
                        shared=self.shares_scalars
                    )
        if self.chooses_bases:
            groups = list(map(random_bases.with_choices, groups))
        absent = ORDER_OPERATIONS if self.curve_pages == 1 else set()
        return [{k: v for k, v in group.items() if k not in absent} for group in groups]

    @cached_property
    def verified(self) -> tuple[WeierstrassCurve | None, ...]:
        """The curves, each None unless its signatures are verified."""
        return tuple(
            curve
            if self._verifies
            and isinstance(curve, WeierstrassCurve)
            and not verification.refusal(curve, self.inversion)
            else None
            for curve in self.curves
        )

    @cached_property
    def inversions(self) -> list[list[Instruction]]:
        """The instructions of an inversion modulo each page's modulus."""
        return [inversion(modulus, self.inversion) for modulus in self.moduli]

    def inverter(self) -> ModularInverter | None:
        """The unit that inverts binary numbers, if there is one."""
        if self.inversion is not Inversion.DIVISION_STEPS:
            return None
        return ModularInverter(self.moduli, self.width, self.binary_words)

    @cached_property
    def _programs(self) -> dict[str, list[FieldProgram | None]]:
        """The field programs by routine and page."""
        flows = [flow for group in self.operations for flow in group.values()]
        runs = [i for flow in (*self.inversions, *flows) for i in every(flow) if isinstance(i, Run)]
        used = {run.routine for run in runs}
        copies = {
            (parts[1], parts[2])
            for parts in (run.routine.split("_") for run in runs)
            if parts[0] == "copy"
        }
        common = common_routines(copies) | verification.common_routines() | masked_order.routines()
        programs: dict[str, list[FieldProgram | None]] = {
            name: [program] * len(self.moduli) for name, program in common.items() if name in used
        }
        for curve, group in enumerate(self.routines.groups):
            for name, program in group.items():
                pages = programs.setdefault(
                    self.routines.variant(name, curve), [None] * len(self.moduli)
                )
                pages[self.curve_pages * curve] = program
        return programs

    @cached_property
    def routines(self) -> RoutineVariants:
        """The field programs of each curve."""
        make = partial(routines, checked=Protection.EXIT_CHECK in self.protections)
        groups = list(map(make, self.curves, self.formulas, self.scalars.combs))
        own = zip(groups, self.verified, self.scalars.halved, strict=True)
        return RoutineVariants(
            [
                group | verification.routines(curve, splits=halved is not None) if curve else group
                for group, curve, halved in own
            ]
        )

    @cached_property
    def _constants(self) -> list[dict[str, int]]:
        """The named constants of each page."""
        others: list[dict[str, int]] = [{}] * (self.curve_pages - 1)
        firsts = map(constants, self.curves, self.scalars.combs)
        own = zip(firsts, self.verified, self.scalars.halved, strict=True)
        groups = [
            named
            | (verification.constants(verified) if verified else {})
            | (window.constants(halved) if halved else {})
            for named, verified, halved in own
        ]
        return [c for first in groups for c in (first, *others)]

    @property
    def entry_words(self) -> int:
        """Words of an entry of a table in a rower; 0 without tables."""
        return 0

    def result_buffer(self) -> ResultBuffer:
        """The buffer that holds results back; delivered numbers pass by it."""
        passes = any(self.verified)
        return ResultBuffer(self.width, self.number_words, self.words, passes=passes)

    def blinding_cycles(self, curve: int) -> int:
        """Cycles of a point multiplication that are there for blinding."""
        scalars = self.scalars
        rounds = scalars.rounds[curve] - scalars.rounds_unblinded(curve)
        return rounds * self.step_cycles(curve) + scalars.blinding_passes(curve)

    def _loops(self, curve: int) -> dict[str, int]:
        """The routines that a point multiplication repeats, and how often."""
        flow = self.operations[curve][Operation.X_MULTIPLY]
        runs = [i for i in flow if isinstance(i, Run) and i.rounds != 1]
        return {run.routine: run.rounds or self.scalars.rounds[curve] for run in runs}

    @cached_property
    def operation_codes(self) -> set[Operation]:
        """Operations that at least one curve has."""
        return {operation for group in self.operations for operation in group}

    @cached_property
    def controller(self) -> ControllerDesign:
        """The controller's program."""
        store = self.blocks
        blocks: Mapping[str, tuple[Block, ...]] = {
            name: tuple(
                store.get(self.routines.variant(name, curve), next(iter(store.values())))
                for curve in range(len(self.curves))
            )
            for name in {*store, *GROUP_ROUTINES}
        }
        self.check_pauses()
        rounds = self.scalars.rounds if self.signed else None
        program = ControlProgram(
            self.operations, self.inversions, blocks, rounds, self.status_codes
        )
        return ControllerDesign(
            program,
            self.scalars.rounds,
            self.checks_scalars,
            self.watches_random,
            self.checks_residues,
        )
