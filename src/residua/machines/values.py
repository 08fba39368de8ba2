"""The values interpreter: the bit-exact model of a program.

Runs on plain integers, with the representation of residues that the program names, so that every
word equals the one in hardware, the Cox's truncation errors included.
"""

from collections.abc import Mapping, Sequence

from residua.algorithms.program import Program
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
from residua.errors import SpecificationError
from residua.numbers.cox import row_offsets
from residua.numbers.moduli import Modulus

State = dict[object, tuple[int, ...]]
"""Words by the identity of a vector, bits by their names."""


def run(program: Program, inputs: Mapping[str, Sequence[int]]) -> dict[str, tuple[int, ...]]:
    """The outputs of ``program`` by name, for its inputs by name.

    A residue vector is one word a channel, in the program's representation; a `Words` input is its
    words, the lowest first; a bit is one word, 0 or 1.

    Raises:
        SpecificationError: an input is missing or has another number of words.
    """
    words = outputs(program, inputs)
    return {value.name: own for value, own in zip(program.outputs, words, strict=True)}


def outputs(program: Program, inputs: Mapping[str, Sequence[int]]) -> list[tuple[int, ...]]:
    """The outputs of ``program`` in their order, also if names are there twice; see `run`."""
    state: State = {id(value): _words(value, inputs) for value in program.inputs}
    for bit in program.bits:
        state[bit.name] = tuple(inputs[bit.name])
    for step in program.steps:
        state[id(step.result)] = _reduce(program, step, state)
    return [_read(value, state) for value in program.outputs]


def _words(value: Residues | Words, inputs: Mapping[str, Sequence[int]]) -> tuple[int, ...]:
    words = tuple(inputs.get(value.name, ()))
    wanted = value.count if isinstance(value, Words) else len(value.base)
    if len(words) != wanted:
        raise SpecificationError(f"{value.name} has {wanted} words, not {len(words)}")
    return words


def _reduce(program: Program, step: Reduction, state: State) -> tuple[int, ...]:
    sums = [0] * len(step.result.base)
    for term in step.terms:
        found = (
            _held_amounts(program, term, state)
            if isinstance(term, Held)
            else _amounts(program, step, term, state)
        )
        for channel, amount in enumerate(found):
            sums[channel] += amount
    reduce = program.representation.reduce
    return tuple(
        reduce(modulus, total) for modulus, total in zip(step.result.base, sums, strict=True)
    )


def _amounts(program: Program, step: Reduction, term: Known, state: State) -> list[int]:
    """Summands of one term in the accumulators of all channels."""
    moduli = step.result.base.moduli
    constant = program.representation.constant
    match term:
        case Product(left, right, sign):
            pairs = zip(_read(left, state), _read(right, state), strict=True)
            return [sign * x * y for x, y in pairs]
        case Stored(constants):
            return [constant(m, c) for m, c in zip(moduli, constants, strict=True)]
        case Gated(value, bit, inverted, sign):
            chosen = state[bit.name] != (int(inverted),)
            return [sign * x * chosen for x in _read(value, state)]
        case Scaled(value, constants, _):
            words = _read(value, state)
            return [x * constant(m, c) for x, m, c in zip(words, moduli, constants, strict=True)]
        case Correction(quotient, constants):
            q = estimate(quotient, _estimated(program, quotient, state))
            return [q * constant(m, c) for m, c in zip(moduli, constants, strict=True)]
        case Broadcast(source, matrix, _):
            columns = zip(*matrix, strict=True)
            return [
                sum(x * constant(m, c) for x, c in zip(words, column, strict=True))
                for m, words, column in zip(
                    moduli, _broadcast_words(program, source, moduli, state), columns, strict=True
                )
            ]


def _held_amounts(program: Program, term: Held, state: State) -> list[int]:
    """The same of a term whose constants are held."""
    match term:
        case Rotated(value):
            first, *others = _read(value, state)
            return [*others, first]
        case HeldBroadcast(source, turns):
            return _turned(_read(source, state), [_read(turn, state) for turn in turns])
        case HeldCorrection(quotient, value):
            q = estimate(quotient, _estimated(program, quotient, state))
            return [q * x for x in _read(value, state)]


def _turned(words: Sequence[int], turns: Sequence[Sequence[int]]) -> list[int]:
    """The sums of a broadcast whose matrix residues hold."""
    count = len(words)
    return [
        sum(words[(channel + turn) % count] * own[channel] for turn, own in enumerate(turns))
        for channel in range(count)
    ]


def _broadcast_words(
    program: Program, source: Residues | Words | Rows, moduli: Sequence[Modulus], state: State
) -> list[tuple[int, ...]]:
    """The words of a source as each channel multiplies them."""
    if not isinstance(source, Rows):
        return [_read(source, state)] * len(moduli)
    words = super_residues(source, _read(source.source, state))
    reduce = program.representation.reduce_row
    return [tuple(reduce(modulus, word) for word in words) for modulus in moduli]


def super_residues(rows: Rows, residues: Sequence[int]) -> tuple[int, ...]:
    """The super-residue of every row, for the residues of its source."""
    terms = [x * multiplier for x, multiplier in zip(residues, rows.multipliers, strict=True)]
    return tuple(sum(terms[i : i + rows.columns]) for i in range(0, len(terms), rows.columns))


def estimate(quotient: Quotient, words: Sequence[int]) -> int:
    """The Cox's quotient for the words that it sees."""
    return quotient.cox.quotient(words, quotient.weights, quotient.widths)


def _estimated(program: Program, quotient: Quotient, state: State) -> tuple[int, ...]:
    """Words that the Cox adds: residues, or super-residues with the constant that they include."""
    source = quotient.source
    if isinstance(source, Rows):
        base = source.source.base
        offsets = row_offsets(base, source.columns, program.representation.row_offset(base.width))
        words = super_residues(source, _read(source.source, state))
        return tuple(word + offset for word, offset in zip(words, offsets, strict=True))
    return _read(source, state)


def _read(value: Residues | Words, state: State) -> tuple[int, ...]:
    if isinstance(value, Words):
        return state[id(value)]
    stored, first = value.root()
    return state[id(stored)][first : first + len(value.base)]
