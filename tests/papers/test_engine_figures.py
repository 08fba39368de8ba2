"""Block diagrams of engines: what is drawn is what the design has."""

from residua.papers.hbe import architecture as hbe
from residua.papers.sbmm import architecture as sbmm


def test_figure_1_of_sbmm_has_half_the_rowers_and_the_narrow_one():
    text = sbmm.figure().svg
    assert all(part in text for part in ("narrow rower", "rower 3", "6 bits", ">ring<"))
    assert "rower 4" not in text
    assert ">row 0<" not in text


def test_figure_3_of_hbe_has_two_rows_of_two():
    text = hbe.figure().svg
    assert all(part in text for part in (">row 1<", "rower 3", ">ring of rows<", "w = 17"))
    assert ">row 2<" not in text
    assert "narrow rower" not in text
