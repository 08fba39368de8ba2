"""What the page on coprocessors says of combs is what a build makes, without the solver."""

import re
from pathlib import Path

import pytest

from residua.cores.kinds import core_of
from residua.cores.specification.reading import check_any
from residua.numbers import solver

PAGE = Path(__file__).parents[2] / "docs" / "coprocessor.md"
KEYS = {
    "extension": "hierarchical", "inversion": "plus-minus-ct", "fixed_base": "comb",
    "formula": "difference-ladder",
}  # fmt: skip
"""A comb does not depend on the loop that multiplies other points: this one is built soonest."""

BLOCK_WORDS = 1024
"""Words of 18 bits in a block memory of an ECP5."""


@pytest.mark.parametrize(("column", "name"), [(1, "P-256"), (2, "secp256k1")])
def test_the_table_of_combs(column, name, monkeypatch, tmp_path):
    """If the solver is asked: `make answers`."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(solver, "_search", None)
    made = core_of(check_any({"curve": name} | KEYS))
    (comb,) = made.cycles["comb"]
    text = PAGE.read_text(encoding="utf-8")
    table = text[text.index(f"| comb of {comb['teeth']} teeth |") :]
    rows = [line.split("|")[1 + column].strip() for line in table.splitlines()[:6]]
    assert rows == [
        name,
        "--:",
        f"{comb['tables']}, {comb['points']}",
        str(comb["words"]),
        f"{comb['additions']}, {comb['addition']}",
        str(comb["doublings"]),
    ]
    blocks = made.core.design.options.rowers * -(-comb["words"] // BLOCK_WORDS)
    found = re.search(r"these are (\d+) and (\d+) block memories", text)
    assert found is not None
    assert int(found[column]) == blocks
