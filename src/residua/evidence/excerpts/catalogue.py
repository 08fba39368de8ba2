"""All tables of rows in pages of prose, by the names that their markers have."""

from residua.evidence.excerpts import coprocessors, multipliers
from residua.evidence.excerpts.markers import Excerpt

PAGES = ("README.md", "docs/*.md")
"""Pages that may have such tables, from the root of the repository on."""

EXCERPTS: dict[str, Excerpt] = {
    "multipliers": multipliers.multipliers,
    "powers on the engine": multipliers.exponentiators,
    "powers on digits": multipliers.signatures,
    "plus-minus units": multipliers.plus_minus_units,
    "coprocessors": coprocessors.field_units,
    "formulas": coprocessors.formulas,
    "halves of scalars": coprocessors.halves,
    "signatures": coprocessors.signatures,
    "inversions of coprocessors": coprocessors.inversions,
    "fast coprocessor": coprocessors.fast,
    "coprocessor on digits": coprocessors.on_digits,
    "steps on SBMM": coprocessors.single_base_steps,
}
"""A new table is a line here."""
