"""Design of an elliptic-curve coprocessor whose field unit works on digits."""

from collections.abc import Sequence
from functools import cached_property

from residua.algorithms.fields import digit_field
from residua.algorithms.fields.digit_field import DigitField, DigitProgram
from residua.algorithms.program import ProgramError
from residua.curves.blinding import BlindingChoice
from residua.curves.formulas import Formula
from residua.curves.operations.instructions import NUMBER
from residua.curves.parameters import Curve
from residua.curves.protections.protection import NONE, Protections
from residua.errors import SpecificationError
from residua.hardware.converters.result_buffer import ResultBuffer
from residua.hardware.coprocessor.design import CurveDesign
from residua.hardware.coprocessor.loops import LOOPS, check_pause
from residua.hardware.digit.field.design import DigitProcessorDesign
from residua.hardware.digit.field.processor import DigitProcessor
from residua.hardware.unbuilt import unbuilt
from residua.machines.digit_passes import RAW

FEWEST_DIGITS = 2
"""Digits of a number, at least."""

MOST_SPARE = 48
"""Bits, besides a digit, that numbers may have more than the largest modulus."""


class DigitCoprocessorDesign(CurveDesign):
    """Design that follows from curves, digits and the multiplier.

    Numbers have the fewest digits of ``digit`` bits that hold every sum of every program.
    ``lanes`` and ``pipeline`` are those of `DigitProcessorDesign`, ``protections`` those of
    `CurveDesign`. Elements are inverted by
    Fermat's theorem.

    Raises:
        SpecificationError: a modulus is even, a curve does not admit its formula, or there is no
            such multiplier.
    """

    def __init__(
        self,
        curves: Sequence[Curve],
        formulas: Sequence[Formula],
        digit: int,
        lanes: int = 1,
        pipeline: int | None = None,
        blinding: BlindingChoice = 0,
        protections: Protections = NONE,
    ) -> None:
        super().__init__(curves, formulas, blinding, protections=protections)
        self.digit, self.lanes, self.pipeline = digit, lanes, pipeline
        for curve in curves:
            if curve.order % 2 == 0:
                raise SpecificationError(
                    f"the order {curve.order} of {curve.name} is even: Montgomery multiplication "
                    "modulo it needs an odd one"
                )

    @property
    def moduli(self) -> tuple[int, ...]:
        """The prime and the order of each curve."""
        return tuple(m for curve in self.curves for m in (curve.prime, curve.order))

    @property
    def width(self) -> int:
        """k, bits of a digit."""
        return self.digit

    @property
    def number_words(self) -> int:
        """n, digits of a number."""
        return self.field.digits

    @property
    def multipliers(self) -> int:
        """Products of digits in a cycle."""
        return self.processor.multipliers

    def field_unit(self, most_rounds: int) -> DigitProcessor:
        """A new field processor."""
        return DigitProcessor(self.processor, most_rounds, traced=self.signed)

    @cached_property
    def field(self) -> DigitField:
        """The digits of all numbers."""
        return self._lowered[0]

    @cached_property
    def _lowered(self) -> tuple[DigitField, list[tuple[DigitProgram, bool]]]:
        """The fewest digits that hold all programs, and the programs; True for loops."""
        bits = max(modulus.bit_length() for modulus in self.moduli)
        least = max(-(-(bits + 2) // self.digit), FEWEST_DIGITS)
        most = least + 1 + MOST_SPARE // self.digit
        failure: ProgramError | None = None
        for digits in range(least, most + 1):
            try:
                field = DigitField(self.moduli, self.digit, digits)
                return field, self._lower(field)
            except ProgramError as error:
                failure = error
        assert failure is not None
        raise failure

    def _lower(self, field: DigitField) -> list[tuple[DigitProgram, bool]]:
        found = []
        for name, pages in self._programs.items():
            source = next(page for page in pages if page is not None)
            found.append((digit_field.lower(source, field, name), name.startswith(LOOPS)))
        ends = digit_field.load(NUMBER, RAW), digit_field.unload(NUMBER)
        return [*found, *((program, False) for program in ends)]

    @cached_property
    def processor(self) -> DigitProcessorDesign:
        """The field processor."""
        field, programs = self._lowered
        return DigitProcessorDesign(
            field, tuple(programs), tuple(self._constants), self.lanes, self.pipeline
        )

    def check_pauses(self) -> None:
        """Refuse loops whose rounds are too short for the next bit or digit of the scalar.

        Raises:
            SpecificationError: the routine, and what it would take.
        """
        for name, routine in self.processor.store.routines.items():
            if name.startswith(LOOPS) and routine.pause is not None:
                pause = routine.pause * self.processor.timing.length
                check_pause(name, routine.flags, pause)

    def ladder_cycles(self, curve: int) -> int:
        """Cycles of the loops in which a curve's points are multiplied by secret scalars."""
        routines = self.processor.store.routines
        return sum(
            rounds * routines[self.routines.variant(name, curve)].cycles
            for name, rounds in self._loops(curve).items()
        )

    def least_cycles(self, curve: int) -> int:
        """A number that `ladder_cycles` is not below, which takes no schedule to tell."""
        return 0

    def routine_cycles(self, name: str, curve: int, rounds: int) -> int:
        """Cycles from the start of a routine to the instruction after it."""
        return self.processor.run_cycles(self.routines.variant(name, curve), rounds)

    @cached_property
    def number_cycles(self) -> int:
        """Cycles from the start of "unload" to the one in which its number has been taken."""
        results = unbuilt(ResultBuffer(self.width, self.number_words, self.words))
        return self.processor.emission_cycles("unload") + results.gearbox.rest

    @property
    def reciprocal_cycles(self) -> int:
        """Cycles of a unit that inverts; there is none."""
        return 0

    @property
    def wipe_cycles(self) -> int:
        """Cycles in which the field unit wipes what it holds."""
        return self.processor.clearing_cycles

    def step_cycles(self, curve: int) -> int:
        """Cycles of a round of a curve's loop, for a bit or a digit of the scalar."""
        return self.processor.store.routines[self.routines.variant("ladder_step", curve)].cycles
