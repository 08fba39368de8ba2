"""Proofs of the arithmetic units: folds over the integers, reducers, the primitives' forms."""

import tempfile
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import product
from pathlib import Path

from residua.algorithms.division_steps import sufficient_steps
from residua.algorithms.step_bounds.division_steps import shrinking_shape
from residua.algorithms.step_bounds.plus_minus import shrinking_shapes
from residua.cores.proofs.integers import prove_chain, prove_step
from residua.cores.proofs.primitives import prove_primitives
from residua.cores.proofs.reducer import prove_reducer
from residua.cores.specification.keys import MOST_BITS
from residua.hardware.engine.reducer import plan_folds
from residua.hardware.primitives import Accumulator, AddSubtract, Multiplier, Primitive, SelectAdder
from residua.numbers.folding import folds_needed
from residua.numbers.moduli import Modulus
from residua.numbers.selection.coprime import MOST_CHANNELS, WIDTHS

Proof = Callable[[], bool]
"""Whether a case is proved."""

TIMEOUT = 900
"""Seconds after which a proof is given up."""

_TERMS = 4 * MOST_CHANNELS + 8
"""Products in the longest sum of any engine."""


def single_folds() -> list[Proof]:
    """One fold, every h and every range of a width."""
    return [partial(_proved_step, width) for width in WIDTHS]


def _proved_step(width: int) -> bool:
    return prove_step(width) > 0


def chains(widths: Iterable[int]) -> list[Proof]:
    """All folds of a modulus, for a single product and for the longest sum."""
    return [
        partial(_proved_chain, Modulus(width, h), terms)
        for width in widths
        for h in _offsets(width)
        for terms in (1, _TERMS)
    ]


def _offsets(width: int) -> Sequence[int]:
    """All |h| < 2^(w/2) up to w = 16; above, small ones, sparse ones and the extremes."""
    limit = 1 << width // 2
    if width <= 16:
        return range(1 - limit, limit)
    sparse = {(1 << exponent) + digit for exponent in range(width // 2) for digit in (-1, 0, 1)}
    chosen = {*range(16), *sparse, limit - 1, limit - 2, limit // 3, 2 * limit // 3}
    return sorted({sign * h for h in chosen for sign in (-1, 1) if abs(h) < limit})


def _proved_chain(modulus: Modulus, terms: int) -> bool:
    value = -terms << 2 * modulus.width, terms << 2 * modulus.width
    return prove_chain(modulus, value, folds_needed(modulus, value)) > 0


def division_steps() -> list[Proof]:
    """As many division steps as an inversion makes, for every length of a modulus."""
    return [_proved_division_steps]


def _proved_division_steps() -> bool:
    shape = shrinking_shape()
    return shape.shrinks and all(
        shape.suffices(bits, sufficient_steps(bits)) for bits in range(1, MOST_BITS + 1)
    )


def plus_minus_steps() -> list[Proof]:
    """As many steps of plus-minus as an inversion makes, for every length of a modulus."""
    return [_proved_plus_minus_steps]


def _proved_plus_minus_steps() -> bool:
    shapes = shrinking_shapes()
    return shapes.shrink and shapes.suffice_always


SMALL_H = [((3,), 16), ((-9, 9), 1), ((3, -5), 1), ((0, 1), 16), ((-1, 0), 1), ((7, 1, -2), 1)]
HEAVY_H = [((11, -13), 1), ((13,), 16)]
FOUR_DIGIT_H = [((43,), 1), ((43, -3), 1)]
"""The h of the moduli that a reducer serves, and the products in its sums."""


def reducers(width: int, cases: Sequence[tuple[tuple[int, ...], int]]) -> list[Proof]:
    """Reducers with both kinds of first fold, and one or two adders between registers."""
    forms = [(False, 1), (False, 2), (True, 1)]
    return [
        partial(_proved_reducer, width, hs, terms, *form) for hs, terms in cases for form in forms
    ]


def _proved_reducer(width: int, hs: Sequence[int], terms: int, multiply: bool, levels: int) -> bool:
    moduli = [Modulus(width, h) for h in hs]
    ranges = [(-terms << 2 * width, terms << 2 * width)] * len(moduli)
    folds = max(map(folds_needed, moduli, ranges))
    plans = plan_folds(moduli, folds, multiply_first=multiply, levels_per_register=levels)
    with tempfile.TemporaryDirectory() as work:
        return prove_reducer(
            moduli, ranges, plans, out_dir=Path(work), divides=width == 8, timeout=TIMEOUT
        ).passed


_ADDERS = (*range(1, 12), 20, 21, 40)
"""Widths of adders that are proved."""


def select_adders() -> list[Proof]:
    """The ECP5 form of adders that select."""
    return [
        partial(
            _proved_forms, [partial(SelectAdder, width, negate_first=first, negate_second=second)]
        )
        for width in _ADDERS
        for first, second in product([False, True], repeat=2)
    ]


def adder_subtractors() -> list[Proof]:
    """The ECP5 form of adders that subtract."""
    return [partial(_proved_forms, [partial(AddSubtract, width) for width in _ADDERS])]


def accumulators() -> list[Proof]:
    """The ECP5 form of accumulators."""
    flags = (False, True)
    return [
        partial(
            _proved_forms,
            [
                partial(
                    Accumulator,
                    bits,
                    bits + growth,
                    start=start,
                    subtracts=subtracts,
                    plains=plains,
                )
            ],
        )
        for bits, growth, start, subtracts, plains in product(
            (17, 20, 36), (1, 6, 9), (0, 1 << 16, -1), flags, flags
        )
    ]


def multipliers() -> list[Proof]:
    """The ECP5 form of multipliers."""
    return [
        partial(_proved_forms, [partial(Multiplier, left, right)])
        for left, right in product((4, 9, 17, 18), repeat=2)
    ]


def _proved_forms(makers: Sequence[Callable[[], Primitive]]) -> bool:
    """Whether the primitives are proved; they are only made here, as cases are also counted."""
    primitives = [make() for make in makers]
    with tempfile.TemporaryDirectory() as work:
        return prove_primitives(primitives, out_dir=Path(work), timeout=TIMEOUT).passed
