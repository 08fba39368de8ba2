"""Scalars of a coprocessor: how they are blinded, split and served on each curve, and by what."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from residua.curves.blinding import needed_bits, neutral_multiple
from residua.curves.comb import Comb, comb_for
from residua.curves.endomorphism.joint import HALVES, half_bits
from residua.curves.endomorphism.lattice import endomorphism
from residua.curves.endomorphism.split import Split, masked_bits
from residua.curves.fixed_window import WINDOW
from residua.curves.formulas import Formula, digit_bits, has_complete_formulas, scalar_bits
from residua.curves.parameters import Curve, WeierstrassCurve
from residua.hardware.coprocessor.scalars.comb_reader import CombReader
from residua.hardware.coprocessor.scalars.digit_recoder import DIGITS_AHEAD, DigitRecoder
from residua.hardware.coprocessor.scalars.half_scalars import HalfScalars
from residua.hardware.coprocessor.scalars.layout import ScalarLayout
from residua.hardware.coprocessor.scalars.reducer import ScalarReducer
from residua.hardware.coprocessor.scalars.split_program import split_shift
from residua.hardware.coprocessor.scalars.unit import ScalarUnit
from residua.hardware.coprocessor.scalars.window_recoder import WindowRecoder
from residua.hardware.unbuilt import unbuilt
from residua.machines.blinded_scalar import ScalarForm

_BITS_BELOW = DIGITS_AHEAD * WINDOW + 1
"""Bits below the lowest one that a loop asks for if it takes digits."""


@dataclass(frozen=True)
class ScalarDesign:
    """What becomes of scalars between the words of a command and the bits of routines.

    Attributes:
        curves: of the core.
        formulas: of the curves.
        words: of 32 bits of every number.
        blinding: the number of random bits that blind a scalar, for each curve; where scalars are
            halved, those of each multiple of a vector.
        comb_blinding: that of a scalar that a comb takes; 0 where there is none.
        fixed_base: teeth and most tables of the combs; None if there are none.
        verifies: whether signatures are verified on any curve.
        checked: whether the bits that a loop takes are held against the scalar.
        shared: whether secret scalars come as two shares.
    """

    curves: tuple[Curve, ...]
    formulas: tuple[Formula, ...]
    words: int
    blinding: tuple[int, ...]
    comb_blinding: tuple[int, ...]
    fixed_base: tuple[int, int] | None
    verifies: bool
    checked: bool
    shared: bool

    @cached_property
    def bits(self) -> tuple[int, ...]:
        """Bits that a scalar may have on each curve."""
        return tuple(map(scalar_bits, self.curves, self.formulas))

    @property
    def digit_bits(self) -> tuple[int, ...]:
        """Bits that a round of the loop takes, for each curve."""
        return tuple(map(digit_bits, self.formulas))

    @property
    def windowed(self) -> list[int]:
        """Curves whose formula takes digits of the scalar."""
        window = Formula.FIXED_WINDOW
        return [curve for curve, formula in enumerate(self.formulas) if formula is window]

    @property
    def lengthened(self) -> list[int]:
        """Curves whose ladder needs scalars of fixed length."""
        ladder = Formula.DIFFERENCE_LADDER
        return [curve for curve, formula in enumerate(self.formulas) if formula is ladder]

    @cached_property
    def halved(self) -> tuple[WeierstrassCurve | None, ...]:
        """The curves, each None unless its scalars are halved by an endomorphism."""
        return tuple(
            curve
            if formula is Formula.ENDOMORPHISM and isinstance(curve, WeierstrassCurve)
            else None
            for curve, formula in zip(self.curves, self.formulas, strict=True)
        )

    @cached_property
    def splits(self) -> tuple[Split | None, ...]:
        """The halves of the scalars of each curve; None where they are not halved."""
        return self._splits(self.blinding)

    @property
    def half_splits(self) -> tuple[Split | None, ...]:
        """The halves of scalars that are not blinded, for each curve."""
        return self._splits([0] * len(self.curves))

    def _splits(self, blinding: Sequence[int]) -> tuple[Split | None, ...]:
        """The halves that so many random bits blind, with those that whole scalars need."""
        wholes = [
            needed_bits(curve) if curve and count else 0
            for curve, count in zip(self.halved, blinding, strict=True)
        ]
        given = list(zip(self.halved, self.bits, blinding, wholes, strict=True))
        longest = max(
            (masked_bits(bits, curve.order, whole) for curve, bits, _, whole in given if curve),
            default=0,
        )
        shift, odd = split_shift(longest), not any(blinding)
        return tuple(
            Split(endomorphism(curve), bits, count, shift, whole, odd) if curve else None
            for curve, bits, count, whole in given
        )

    @cached_property
    def joint_bits(self) -> tuple[int, ...]:
        """Bits of both scalars of a sum of two multiples, or of their halves, for each curve."""
        return tuple(
            half_bits(split) if split else bits
            for split, bits in zip(self.half_splits, self.bits, strict=True)
        )

    @property
    def forms(self) -> tuple[ScalarForm, ...]:
        """Blinding and service of the scalars of each curve, as far as they are whole ones."""
        whole = zip(self.blinding, self.comb_blinding, self.halved, strict=True)
        return self._forms([own if halved else count for count, own, halved in whole])

    @property
    def _unblinded_forms(self) -> tuple[ScalarForm, ...]:
        return self._forms([0] * len(self.curves))

    def _forms(self, blinding: Sequence[int]) -> tuple[ScalarForm, ...]:
        """The forms of scalars that so many random bits blind."""
        digits = [
            1 if halved else digit
            for digit, halved in zip(self.digit_bits, self.halved, strict=True)
        ]
        given = zip(self.curves, self.bits, blinding, digits, strict=True)
        return tuple(
            ScalarForm(
                bits,
                neutral_multiple(curve),
                count,
                number in self.lengthened,
                digit,
                self.shared and count > 0,
            )
            for number, (curve, bits, count, digit) in enumerate(given)
        )

    @cached_property
    def served(self) -> tuple[int, ...]:
        """Bits of a scalar as the loop takes them: blinded, and whole digits; for each curve.

        Of scalars that are halved, those of a half.
        """
        return _served(self.forms, self.splits)

    @property
    def rounds(self) -> tuple[int, ...]:
        """Rounds of the loop for each curve."""
        return tuple(n // digit for n, digit in zip(self.served, self.digit_bits, strict=True))

    def rounds_unblinded(self, curve: int) -> int:
        """Rounds of the loop that a curve would have if scalars were not blinded."""
        served = _served(self._unblinded_forms, self.half_splits)
        return served[curve] // self.digit_bits[curve]

    @cached_property
    def layout(self) -> ScalarLayout:
        """Places and times of a scalar in `unit`, apart from what combs ask for."""
        return ScalarLayout(self.forms, self.words, checked=self._bits_below)

    def blinding_passes(self, curve: int) -> int:
        """Cycles by which a scalar of a curve is there later because it is blinded."""
        if self.halved[curve]:
            halves = self.half_scalars()
            assert halves
            return unbuilt(halves).latency - halves.review - halves.plain_latency
        unblinded = ScalarLayout(self._unblinded_forms, self.words, checked=self._bits_below)
        return self.layout.latencies[curve] - unblinded.latencies[curve]

    @property
    def _bits_below(self) -> tuple[int, ...]:
        """Bits below the lowest one that each curve's loop asks for; none if nobody checks that."""
        if not self.checked:
            return ()
        return tuple(
            _BITS_BELOW if curve in self.windowed else 0 for curve in range(len(self.curves))
        )

    @cached_property
    def combs(self) -> tuple[Comb | None, ...]:
        """The comb of each curve's base point; None where there is none."""
        if self.fixed_base is None:
            return (None,) * len(self.curves)
        return tuple(self._comb(number, *self.fixed_base) for number in range(len(self.curves)))

    def _comb(self, number: int, teeth: int, most_tables: int) -> Comb | None:
        layout = self.layout
        form = layout.forms[number]
        if not has_complete_formulas(self.curves[number]):
            return None
        implied = form.served if form.lengthened and layout.fills(number) else -1
        return comb_for(layout.kept(number), teeth, most_tables, implied)

    @property
    def _sought(self) -> tuple[int, ...]:
        """Bits of a blinded scalar that combs take, for each curve."""
        return tuple(comb.bits if comb else 0 for comb in self.combs)

    def unit(self) -> ScalarUnit | None:
        """The unit that holds a scalar, or the first of two, if one is whole."""
        if all(self.halved) and not any(self.combs):
            return None
        return ScalarUnit(
            self.forms,
            self.words,
            self._sought,
            rewinds=self.verifies and not any(self.halved),
            checked=self._bits_below,
        )

    def second_unit(self) -> ScalarUnit | None:
        """The unit that holds the other scalar of a sum of two multiples, if it is whole."""
        own = zip(self.curves, self.halved, strict=True)
        if not any(has_complete_formulas(curve) for curve, halved in own if not halved):
            return None
        forms = [ScalarForm(bits) for bits in self.bits]
        return ScalarUnit(forms, self.words, rewinds=self.verifies)

    def reducer(self) -> ScalarReducer | None:
        """The unit before `unit` that replaces scalars, if a ladder needs it."""
        if not self.lengthened:
            return None
        orders = [
            curve.order if number in self.lengthened else 0
            for number, curve in enumerate(self.curves)
        ]
        return ScalarReducer(orders, self.bits, self.words)

    def half_scalars(self) -> HalfScalars | None:
        """The unit that halves scalars and makes their digits, if a formula takes halves."""
        if not any(self.splits):
            return None
        below = _BITS_BELOW if self.checked else None
        return HalfScalars(self.splits, self.half_splits, self.words, below)

    def digit_recoder(self) -> DigitRecoder | None:
        """The unit after `unit` that makes digits, if a formula takes them."""
        if not self.windowed:
            return None
        counts = enumerate(self.served)
        return DigitRecoder([n if curve in self.windowed else 0 for curve, n in counts])

    def window_recoder(self) -> WindowRecoder | None:
        """The unit after both scalars or their halves that makes windows, if signatures need it."""
        if not self.verifies:
            return None
        return WindowRecoder(self.joint_bits, HALVES if any(self.halved) else 2)

    def comb_reader(self, entry_words: int) -> CombReader | None:
        """The unit after `unit` that has entries of tables brought, if there are any.

        ``entry_words`` are those of an entry in a rower.
        """
        if not any(self.combs):
            return None
        layout = ScalarLayout(self.forms, self.words, self._sought)
        return CombReader(self.combs, layout.lowest, 32 * layout.depth, entry_words)


def _served(forms: Sequence[ScalarForm], splits: Sequence[Split | None]) -> tuple[int, ...]:
    own = zip(forms, splits, strict=True)
    return tuple(split.served if split else form.served for form, split in own)
