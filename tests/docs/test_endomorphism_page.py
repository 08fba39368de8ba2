"""What the pages say of scalars in halves is what the code says."""

import re
from pathlib import Path

from residua.curves.blinding import longest_run, needed_bits
from residua.curves.catalogue import find_curve
from residua.curves.endomorphism.lattice import refusal
from residua.curves.formulas import Formula
from residua.curves.standard import CATALOGUE
from residua.hardware.coprocessor.digit_design import DigitCoprocessorDesign
from residua.hardware.coprocessor.scalars.split_program import SplitProgram

DOCS = Path(__file__).parents[2] / "docs"
HALVES = Formula.ENDOMORPHISM
CURVES = [entry.curve for entry in CATALOGUE if not refusal(entry.curve)]


def design(curve, formula=HALVES, blinding="auto"):
    return DigitCoprocessorDesign([curve], [formula], digit=17, blinding=blinding)


def test_random_bits_and_steps_of_every_curve():
    expected = []
    for curve in CURVES:
        made = design(curve)
        rounds = made.scalars.rounds_unblinded(0), made.scalars.rounds[0]
        numbers = (longest_run(curve, HALVES), needed_bits(curve, HALVES), *rounds)
        expected.append((curve.name, *map(str, numbers)))
    text = (DOCS / "blinding.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| (\w+)" + r" \| (\d+)" * 4 + r" \|$", text, re.MULTILINE) == expected


def test_curves_and_steps():
    text = (DOCS / "coprocessor.md").read_text(encoding="utf-8")
    *others, last = (curve.name for curve in CURVES)
    assert f"of the catalogue {', '.join(others)} and {last} have them" in text
    curve = find_curve("secp256k1")
    counts = [design(curve, blinding=blinding) for blinding in (0, "auto")]
    products = [len(SplitProgram(made.scalars.splits, made.words).steps) for made in counts]
    assert "one a cycle: {} for secp256k1, {} blinded".format(*products) in text
