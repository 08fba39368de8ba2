"""Counted operations of all algorithms that have counts."""

import pytest

from residua.errors import SpecificationError
from residua.papers.cost import cost_table
from residua.papers.inversion.costs import costs
from residua.report import tables


@pytest.mark.parametrize(
    ("channels", "algorithms"), [(4, 15), (12, 19), (9, 12), (16, 17), (7, 10)]
)
def test_counts_are_those_of_the_formulas(channels, algorithms):
    found = cost_table({"channels": str(channels), "width": "17"})
    assert len(found["algorithms"]) == algorithms
    assert all(row["agrees"] for row in found["algorithms"])
    assert len(tables.cost(found)) == (3 if found["inversions"] else 2)


def test_counts_are_those_of_the_papers_tables():
    found = cost_table({"channels": "12", "width": "17"})
    rows = {row["name"]: row for row in found["algorithms"]}
    assert rows["SBMM, product"]["emm"] == 216
    assert rows["extension, hierarchical, c = 2"]["cmr"] == 72
    digits = {row["algorithm"]: row for row in found["digits"]}
    assert (digits["IDDMM 1"]["steps"], digits["IDDMM 1"]["products"]) == (12 * 13, 2 * 144 + 12)
    assert [row["algorithm"] for row in found["inversions"]] == [
        "Fermat, P-192",
        "plus-minus, P-192",
    ]
    slides = {(row["algorithm"], row["n"]): row["counted"] for row in costs() if row["bits"] == 192}
    own = {row["algorithm"].split(",")[0]: row for row in found["inversions"]}
    assert own["Fermat"]["emm"] == slides["NIST", 12]["emm"]
    assert own["plus-minus"]["emm"] == slides["PM", 12]["emm"]


def test_inversions_are_counted_for_the_primes_that_fit():
    def primes(channels):
        found = cost_table({"channels": channels, "width": "33"})["inversions"]
        return [row["algorithm"].split(", ")[1] for row in found]

    assert primes("4") == []
    assert primes("12") == ["P-192", "P-192", "P-384", "P-384"]


def test_too_few_channels():
    with pytest.raises(SpecificationError, match="counts need a few more channels"):
        cost_table({"channels": "1", "width": "17"})
