"""The table of the page on blinding is what the code says."""

import re
from pathlib import Path

from residua.curves.blinding import longest_run, needed_bits
from residua.curves.formulas import admitted
from residua.curves.standard import CATALOGUE
from residua.hardware.coprocessor.digit_design import DigitCoprocessorDesign

PAGE = Path(__file__).parents[2] / "docs" / "blinding.md"


def test_every_curve_with_its_random_bits_and_steps():
    expected = []
    for curve in (entry.curve for entry in CATALOGUE):
        formula = admitted(curve, needed_bits(curve))[0]
        design = DigitCoprocessorDesign([curve], [formula], digit=17, blinding="auto")
        without, blinded = design.scalars.rounds_unblinded(0), design.scalars.rounds[0]
        numbers = (longest_run(curve), needed_bits(curve), without, blinded)
        expected.append((curve.name, *map(str, numbers), f"{blinded / without:.2f}"))
    row = r"^\| ([\w-]+)" + r" \| (\d+)" * 4 + r" \| (\d\.\d\d) \|$"
    assert re.findall(row, PAGE.read_text(encoding="utf-8"), re.MULTILINE) == expected
