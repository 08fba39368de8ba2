"""The channel reducer's RTL equals the formula for all inputs, at the smallest width."""

import pytest

from residua.cores.proofs.reducer import prove_reducer
from residua.hardware.engine import reducer
from residua.hardware.engine.reducer import plan_folds
from residua.numbers.folding import folds_needed
from residua.numbers.moduli import Modulus


def prove(tmp_path, offsets, terms, *, multiply_first=False, levels_per_register=1, divides=False):
    moduli = [Modulus(8, offset) for offset in offsets]
    ranges = [(-terms << 16, terms << 16)] * len(moduli)
    folds = max(map(folds_needed, moduli, ranges))
    plans = plan_folds(
        moduli, folds, multiply_first=multiply_first, levels_per_register=levels_per_register
    )
    return prove_reducer(moduli, ranges, plans, out_dir=tmp_path, divides=divides, timeout=300)


@pytest.mark.parametrize(
    ("offsets", "terms", "options"),
    [
        ((0,), 16, {"divides": True}),
        ((3,), 1, {"divides": True}),
        ((7, 1, -2), 1, {}),
        ((3, -5), 1, {"levels_per_register": 2}),
        ((3, -5), 1, {"multiply_first": True}),
    ],
)
def test_reducer(tmp_path, offsets, terms, options):
    result = prove(tmp_path, offsets, terms, **options)
    assert result.passed, result.log.read_text()


def test_a_wrong_sign_is_found(monkeypatch, tmp_path):
    # The second modulus takes the signs of the first one.
    monkeypatch.setattr(reducer._Fold, "_signs", lambda self, row: row[0][0] < 0)
    result = prove(tmp_path, (7, 1, -2), 1)
    assert result.verdict == "FAIL"
    assert result.trace is not None


def test_a_range_that_is_too_narrow_is_found(monkeypatch, tmp_path):
    # Registers for sums a quarter as large as those that may come.
    stages = reducer.Folding.stages
    monkeypatch.setattr(
        reducer.Folding, "stages", lambda self, r: [r, *stages(self, (r[0] >> 2, r[1] >> 2))[1:]]
    )
    assert prove(tmp_path, (3,), 1).verdict == "FAIL"
