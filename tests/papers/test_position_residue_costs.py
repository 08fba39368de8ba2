"""Costs of position-residue products, measured and published."""

from fractions import Fraction

import pytest

from residua.errors import SpecificationError
from residua.papers.hbe.position_residue_costs import (
    CHANNELS,
    position_residue_costs,
    position_residue_table,
    published_cost,
    weighted,
)


@pytest.mark.parametrize("n", [8, 32, 64])
def test_published_formulas(n):
    """HBE Table II as printed."""
    assert published_cost(n, 2) == n * n + 8 * n
    assert published_cost(n, 4) == Fraction(n * n, 2) + 12 * n
    assert published_cost(n, 2, 2, 2) == Fraction(3 * n * n, 4) + 10 * n
    assert published_cost(n, 4, 2, 2) == Fraction(3 * n * n, 8) + 14 * n
    assert published_cost(n, 2, 2, 4) == Fraction(5 * n * n, 8) + 10 * n
    assert published_cost(n, 4, 2, 4) == Fraction(5 * n * n, 16) + 14 * n


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize(("n", "d"), [(8, 2), (16, 2), (32, 4), (24, 3)])
def test_short_form_costs_what_is_published(n, d, columns):
    """Schoolbook products and the short form are Table II's algorithm: the same count."""
    counts = position_residue_costs(n, d, columns, form="short", multiplication="schoolbook")
    for ratio in (2, 4):
        assert weighted(counts, ratio) == published_cost(n, d, columns, ratio)


def test_table_is_below_the_published_one():
    table = position_residue_table()
    assert len(table) == len(CHANNELS) * 2 * 2
    for row in table:
        n, d = row.channels, row.degree
        saved = n + (d - 1) * n
        for ratio in (2, 4):
            if n // d > row.columns:
                assert row.measured[ratio] == row.published[ratio] - saved
            else:
                # One row alone: its super-residue is the value, without a product.
                assert row.measured[ratio] < row.published[ratio] - saved
        if row.columns == 1:
            assert row.product.emm == 2 * n * n // d + 3 * n + (d + 1) * n
            # All but the products; the multiple c of K is a constant product more or less.
            assert row.normalisation.emm == 2 * n * n // d + 3 * n


@pytest.mark.parametrize(("n", "d"), [(9, 2), (2, 4), (14, 4)])
def test_uneven_coefficients_are_refused(n, d):
    with pytest.raises(SpecificationError, match=f"n = {n} moduli do not make d = {d} equal"):
        position_residue_costs(n, d)


def test_uneven_rows_are_refused():
    with pytest.raises(SpecificationError, match="5 moduli do not make rows of c = 2"):
        position_residue_costs(10, 2, 2)
