"""The bounds interpreter: exact worst cases of every accumulator and every residue word.

Works channel by channel with the constants that a program really has, for redundant residues: a
product of two words of w + 1 bits, a constant times a word whose range is known, a quotient whose
range the Cox fixes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from residua.algorithms.program import Program, ProgramError
from residua.algorithms.terms import (
    Broadcast,
    Correction,
    Gated,
    Held,
    HeldBroadcast,
    HeldCorrection,
    Known,
    Product,
    Quotient,
    Reduction,
    Residues,
    Rotated,
    Rows,
    Scaled,
    Stored,
    Words,
)
from residua.machines.scheduling.rows import broadcast_rows, rows_of
from residua.numbers.bases import Base
from residua.numbers.cox import Range, redundant_ranges, row_offsets, super_ranges
from residua.numbers.folding import LARGEST_FOLD_COUNT, Folding, fits_word, folds_needed
from residua.numbers.moduli import Modulus
from residua.numbers.residues import Redundant


@dataclass(frozen=True)
class Bounds:
    """Worst cases of a program on redundant residues.

    ``accumulators`` has the range of the unreduced sum for each step and channel, ``residues`` that
    of the reduced word, ``quotients`` those of the Cox by the name of the quotient. ``folds`` is
    the number of folds that keeps every word in w + 1 signed bits. ``row_folds`` is the same for
    super-residues, whose range is ``super_residues``; 0 and None if there are none.
    """

    folds: int
    accumulators: tuple[tuple[Range, ...], ...]
    residues: tuple[tuple[Range, ...], ...]
    quotients: dict[str, Range]
    row_folds: int = 0
    super_residues: Range | None = None

    @property
    def representation(self) -> Redundant:
        """Representation of residues that these folds reduce."""
        return Redundant(self.folds, self.row_folds or 1)

    def accumulator(self, program: Program, modulus: Modulus) -> Range:
        """The range of all sums that a program reduces modulo ``modulus``."""
        ranges = [
            self.accumulators[index][step.result.base.moduli.index(modulus)]
            for index, step in enumerate(program.steps)
            if modulus in step.result.base.moduli
        ]
        return min(low for low, _ in ranges), max(high for _, high in ranges)


def analyse(
    program: Program,
    folds: int | None = None,
    row_folds: int = 0,
    held: Mapping[str, tuple[Range, ...]] | None = None,
) -> Bounds:
    """The bounds of ``program`` with ``folds`` folds, or with the fewest that work.

    Super-residues are reduced by at least ``row_folds`` folds. Words of inputs have the ranges of
    ``held``, by their names, or any.

    Raises ProgramError, naming the step and the channel, if a residue outgrows w + 1 bits.
    """
    for count in [folds] if folds else range(1, LARGEST_FOLD_COUNT + 1):
        try:
            return _analyse(program, count, row_folds, held or {})
        except ProgramError as error:
            failure = error
    raise failure


def _analyse(
    program: Program, folds: int, least_row_folds: int, held: Mapping[str, tuple[Range, ...]]
) -> Bounds:
    words: dict[int, tuple[Range, ...]] = {}
    rows = _super_residues(program)
    row_folds = max(_row_folds(program, rows), least_row_folds)
    for source in program.inputs:
        words[id(source)] = held.get(source.name, _input_ranges(source))
    accumulators, residues = [], []
    quotients: dict[str, Range] = {}
    for step in program.steps:
        sums = _accumulate(step, words, quotients, row_folds)
        accumulators.append(sums)
        residues.append(_fold(program, step, sums, folds))
        words[id(step.result)] = residues[-1]
    return Bounds(folds, tuple(accumulators), tuple(residues), quotients, row_folds, rows)


def _super_residues(program: Program) -> Range | None:
    """The range of all super-residues."""
    ranges = [
        r
        for rows in broadcast_rows(program)
        for r in super_ranges(_full(rows.source.base), rows.multipliers, rows.columns)
    ]
    return (min(low for low, _ in ranges), max(high for _, high in ranges)) if ranges else None


def _row_folds(program: Program, rows: Range | None) -> int:
    """The fewest folds that bring every super-residue to w + 1 signed bits in every channel."""
    if rows is None:
        return 0
    moduli = {m for step in program.steps if rows_of(step.terms) for m in step.result.base}
    return max(folds_needed(modulus, rows) for modulus in moduli)


def _fold(
    program: Program, step: Reduction, sums: tuple[Range, ...], folds: int
) -> tuple[Range, ...]:
    results = []
    for modulus, total in zip(step.result.base, sums, strict=True):
        result = Folding(modulus, folds).result(total)
        if not fits_word(result, modulus.width + 1):
            raise ProgramError(
                f"{program.name}, step {step.result.name}: the word left by folding "
                f"(folds: {folds}) is outside {modulus.width + 1} signed bits modulo {modulus}; "
                "a smaller |h|, a larger width or another fold is needed"
            )
        results.append(result)
    return tuple(results)


def _input_ranges(source: Residues | Words) -> tuple[Range, ...]:
    if isinstance(source, Words):
        return ((0, (1 << source.width) - 1),) * source.count
    return _full(source.base)


def _full(base: Base) -> tuple[Range, ...]:
    return tuple(redundant_ranges(base))


def _accumulate(
    step: Reduction,
    words: dict[int, tuple[Range, ...]],
    quotients: dict[str, Range],
    row_folds: int,
) -> tuple[Range, ...]:
    totals = [(0, 0)] * len(step.result.base)
    for term in step.terms:
        found = (
            _held_amounts(step, term, words, quotients)
            if isinstance(term, Held)
            else _amounts(step, term, words, quotients, row_folds)
        )
        for channel, amount in enumerate(found):
            low, high = totals[channel]
            totals[channel] = (low + amount[0], high + amount[1])
    return tuple(totals)


def _amounts(
    step: Reduction,
    term: Known,
    words: dict[int, tuple[Range, ...]],
    quotients: dict[str, Range],
    row_folds: int,
) -> list[Range]:
    """The range of what one term adds in each channel."""
    moduli = step.result.base.moduli
    match term:
        case Product(left, right, sign):
            pairs = zip(_read(left, words), _read(right, words), strict=True)
            return [_multiple(_times(x, y), sign) for x, y in pairs]
        case Stored(constants):
            return [(m.centre(c), m.centre(c)) for m, c in zip(moduli, constants, strict=True)]
        case Gated(value, _, _, sign):
            return [_times(_multiple(r, sign), (0, 1)) for r in _read(value, words)]
        case Scaled(value, constants, _):
            ranges = _read(value, words)
            return [
                _multiple(r, m.centre(c)) for r, m, c in zip(ranges, moduli, constants, strict=True)
            ]
        case Correction(quotient, constants):
            seen = quotient.source
            known = word_ranges(seen) if isinstance(seen, Rows) else _read(seen, words)
            q = quotient_range(quotient, known)
            quotients[quotient.name] = q
            return [_multiple(q, m.centre(c)) for m, c in zip(moduli, constants, strict=True)]
        case Broadcast(source, matrix, _):
            return [
                _sum([_multiple(r, m.centre(row[i])) for r, row in zip(own, matrix, strict=True)])
                for i, (m, own) in enumerate(
                    zip(moduli, _broadcast_ranges(source, moduli, words, row_folds), strict=True)
                )
            ]


def _held_amounts(
    step: Reduction,
    term: Held,
    words: dict[int, tuple[Range, ...]],
    quotients: dict[str, Range],
) -> list[Range]:
    """The same of a term whose constants are held; other channels may have either modulus."""
    match term:
        case Rotated():
            return [(0, 1)] * len(step.result.base)
        case HeldBroadcast(source, turns):
            return _turned(_full(source.base), [_read(turn, words) for turn in turns])
        case HeldCorrection(quotient, value):
            q = quotient_range(quotient, word_ranges(quotient.source))
            quotients[quotient.name] = q
            return [_times(q, r) for r in _read(value, words)]


def _turned(ranges: Sequence[Range], turns: Sequence[Sequence[Range]]) -> list[Range]:
    """What a broadcast adds whose matrix residues hold."""
    count = len(ranges)
    return [
        _sum([_times(ranges[(i + turn) % count], own[i]) for turn, own in enumerate(turns)])
        for i in range(count)
    ]


def _broadcast_ranges(
    source: Residues | Words | Rows,
    moduli: Sequence[Modulus],
    words: dict[int, tuple[Range, ...]],
    row_folds: int,
) -> list[list[Range]]:
    """The ranges of a source's words as each channel multiplies them."""
    if not isinstance(source, Rows):
        return [list(_read(source, words))] * len(moduli)
    supers = super_ranges(_full(source.source.base), source.multipliers, source.columns)
    return [[Folding(m, row_folds).result(r) for r in supers] for m in moduli]


def quotient_range(quotient: Quotient, ranges: Sequence[Range]) -> Range:
    """The Cox's smallest and largest quotient for words within ``ranges``."""
    cox, low, high = quotient.cox, quotient.cox.start, quotient.cox.start
    for (least, most), weight, width in zip(ranges, quotient.weights, quotient.widths, strict=True):
        ends = [weight * cox.leading(word, width) for word in (least, most)]
        low, high = low + min(ends), high + max(ends)
    return low >> cox.truncation, high >> cox.truncation


def word_ranges(source: Residues | Rows) -> list[Range]:
    """The ranges of what the Cox sees, whatever the residues.

    Super-residues come with the constant that centres the folds.
    """
    if isinstance(source, Residues):
        return list(_full(source.base))
    base = source.source.base
    offsets = row_offsets(base, source.columns, 1 << (base.width - 1))
    supers = super_ranges(_full(base), source.multipliers, source.columns)
    return [(low + own, high + own) for (low, high), own in zip(supers, offsets, strict=True)]


def _read(value: Residues | Words, words: dict[int, tuple[Range, ...]]) -> tuple[Range, ...]:
    if isinstance(value, Words):
        return words[id(value)]
    stored, first = value.root()
    return words[id(stored)][first : first + len(value.base)]


def _sum(ranges: Sequence[Range]) -> Range:
    return sum(low for low, _ in ranges), sum(high for _, high in ranges)


def _times(left: Range, right: Range) -> Range:
    corners = [a * b for a in left for b in right]
    return min(corners), max(corners)


def _multiple(value: Range, factor: int) -> Range:
    low, high = value
    return (low * factor, high * factor) if factor >= 0 else (high * factor, low * factor)
