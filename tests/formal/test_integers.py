"""The channel reducer's formula over the integers, at every width that can be asked for."""

import pytest

from residua.cores.proofs.integers import NotProvedError, prove_chain, prove_step
from residua.numbers.cox import Range
from residua.numbers.folding import Folding, folds_needed
from residua.numbers.moduli import Modulus
from residua.numbers.selection.coprime import MOST_CHANNELS, WIDTHS

TERMS = 2 * (2 * MOST_CHANNELS) + 8


def longest_sum(width: int) -> Range:
    """What the longest sum of any engine can reach: that many products of two words."""
    return -TERMS << 2 * width, TERMS << 2 * width


@pytest.mark.parametrize("width", range(WIDTHS[0], WIDTHS[-1] + 1))
def test_one_fold_for_every_offset_and_range(width):
    # Two signs of h by two kinds of range: the paths through the code.
    assert prove_step(width) == 4


@pytest.mark.parametrize("width", [8, 9, 17, 33, 64])
def test_all_folds_of_one_modulus(width):
    limit = 1 << width // 2
    for offset in (0, 1, -1, 3, -5, limit // 2 + 1, limit - 1, 1 - limit):
        modulus = Modulus(width, offset)
        value = longest_sum(width)
        assert prove_chain(modulus, value, folds_needed(modulus, value)) == 1


@pytest.mark.parametrize("value", [(0, 0), (-1, 5), (-300, -299), (7, 70000)])
def test_narrow_ranges(value):
    for offset in (-15, -2, 0, 1, 15):
        modulus = Modulus(8, offset)
        prove_chain(modulus, value, folds_needed(modulus, value))


def test_a_range_that_is_too_narrow_is_refuted(monkeypatch):
    stages = Folding.stages

    def narrower(self, value):
        *first, (low, high) = stages(self, value)
        return [*first, (low, high - 1)]

    monkeypatch.setattr(Folding, "stages", narrower)
    with pytest.raises(NotProvedError, match="range of the result"):
        prove_step(8)
    with pytest.raises(NotProvedError, match="range after 1"):
        prove_chain(Modulus(8, 3), (-1000, (1 << 10) - 1 - 128), 2)


def test_a_wrong_class_is_refuted(monkeypatch):
    reduce = Folding.reduce
    monkeypatch.setattr(Folding, "reduce", lambda self, value: reduce(self, value) + 1)
    with pytest.raises(NotProvedError, match="class"):
        prove_chain(Modulus(17, 9), (0, 1 << 40), 2)


def test_a_wrong_word_is_refuted(monkeypatch):
    monkeypatch.setattr("residua.cores.proofs.integers.fits_word", lambda value, bits: True)
    with pytest.raises(NotProvedError, match="word"):
        prove_chain(Modulus(8, 15), (-(1 << 20), 1 << 20), 1)
