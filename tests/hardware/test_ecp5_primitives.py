"""The ECP5 forms of all primitives equal their behaviour: proved for all inputs and all time."""

from itertools import product

import pytest

from residua.cores.proofs.primitives import prove_primitives
from residua.hardware import primitives
from residua.hardware.primitives import Accumulator, AddSubtract, Multiplier, SelectAdder

SIGNS = list(product([False, True], repeat=2))

KINDS = {
    "adders": lambda: [
        *(AddSubtract(width) for width in (1, 2, 7, 8)),
        *(
            SelectAdder(width, negate_first=first, negate_second=second)
            for width in (1, 2, 9)
            for first, second in SIGNS
        ),
    ],
    "accumulator": lambda: [
        Accumulator(5, 8),
        Accumulator(10, 13, start=5),
        Accumulator(5, 10, start=-3),
        Accumulator(4, 9, subtracts=True),
        Accumulator(9, 12, start=-3, subtracts=True),
        Accumulator(9, 12, start=-3, plains=True),
        Accumulator(9, 12, start=1 << 6, subtracts=True, plains=True),
    ],
    "multiplier": lambda: [Multiplier(18, 18), Multiplier(18, 17), Multiplier(5, 4)],
}


@pytest.mark.parametrize("kind", KINDS)
def test_forms_agree(kind, tmp_path):
    result = prove_primitives(KINDS[kind](), out_dir=tmp_path)
    assert result.passed, result.log.read_text()


def test_a_wrong_cell_is_found(monkeypatch, tmp_path):
    # The tables of all cells, rotated by a quarter.
    init = primitives._Cell.init.fget
    monkeypatch.setattr(
        primitives._Cell, "init", property(lambda cell: init(cell) >> 4 | (init(cell) & 15) << 12)
    )
    result = prove_primitives([AddSubtract(7)], out_dir=tmp_path)
    assert result.verdict == "FAIL"
    assert result.trace is not None


def test_registers_are_needed(monkeypatch, tmp_path):
    # A multiplier that comes a cycle early.
    monkeypatch.setattr(Multiplier, "behaviour", _early)
    assert prove_primitives([Multiplier(5, 4)], out_dir=tmp_path).verdict == "FAIL"


def _early(multiplier):
    from amaranth.hdl import Module

    m = Module()
    m.d.sync += multiplier.product.eq(multiplier.left * multiplier.right)
    return m
