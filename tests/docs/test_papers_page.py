"""The page of the papers: made from the sources, complete, and right about what is a model only."""

import ast
from pathlib import Path

import pytest

from residua.papers.contents import page
from residua.papers.contents.citations import cited, docstrings, numbers, places
from residua.papers.contents.items import (
    ABSENT,
    ECPM,
    HARDWARE,
    HBE,
    IDDMM,
    MODEL,
    PAPERS,
    PM,
    SBMM,
)

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "residua"

CONTENTS = {
    "SBMM": {"Algorithm": 5, "Table": 7, "Figure": 4},
    "HBE": {"Algorithm": 3, "Table": 3, "Figure": 6},
    "ECPM": {"Algorithm": 3, "Table": 1, "Figure": 7},
    "PM": {},
    "IDDMM": {"Algorithm": 2, "Table": 7, "Figure": 14},
}
"""How many algorithms, tables and figures the papers have."""

ROMAN = {"I": 1, "II": 2, "III": 3}


@pytest.fixture(scope="module")
def found():
    return places(SOURCE)


def test_the_page_is_what_the_sources_give():
    assert (ROOT / page.PAGE).read_text(encoding="utf-8") == page.text(ROOT)


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.short)
def test_every_paper_is_there_from_beginning_to_end(paper):
    counted = {}
    for item in paper.items:
        if item.kind:
            counted.setdefault(item.kind, []).append(ROMAN.get(item.number) or int(item.number))
    expected = {kind: list(range(1, n + 1)) for kind, n in CONTENTS[paper.short].items()}
    assert counted == expected


def test_what_is_reproduced_is_cited(found):
    uncited = [
        (paper.short, item.label)
        for paper in PAPERS
        for item in paper.items
        if item.status != ABSENT and not found.get((paper.short, item))
    ]
    assert uncited == []


def imports(packages):
    """What modules of these packages import of the package, and the modules it is in."""
    names = set()
    for package in packages:
        for file in (SOURCE / package).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("residua."):
                    module = node.module.removeprefix("residua.")
                    names |= {module, *(f"{module}.{alias.name}" for alias in node.names)}
    return names


def test_no_core_has_what_is_a_model_only(found):
    used = imports(("hardware", "cores", "curves"))
    models = {
        str(place)
        for paper in PAPERS
        for item in paper.items
        if item.status == MODEL
        for place in found[paper.short, item]
        if place.name
    }
    assert {
        "algorithms.digits.digit_montgomery.imm",
        "algorithms.base_extension.mixed_radix",
    } <= models
    assert models & used == set()


def test_cores_use_what_is_hardware(found):
    """Some module that an item names is one of cores, or imported by what leads to them."""
    used = imports(("hardware", "cores", "curves", "algorithms"))
    for paper in PAPERS:
        for item in paper.items:
            if item.status == HARDWARE:
                modules = {place.module for place in found[paper.short, item]}
                inside = {m for m in modules if m.startswith(("hardware.", "cores."))}
                assert inside or modules & used, item.label


def test_citations():
    def labels(text, about=None):
        return {(paper.short, item.label) for paper, item in cited(text, about)}

    assert labels("(SBMM Algorithm 1 line 1, HBE Algorithm 2 line 3)") == {
        ("SBMM", "Algorithm 1"),
        ("HBE", "Algorithm 2"),
    }
    assert labels("Tables 5 to 7", IDDMM) == {("IDDMM", f"Table {n}") for n in "567"}
    assert labels("HBE Table\nII, figures 5 and 6") == {
        ("HBE", label) for label in ("Table II", "Figure 5", "Figure 6")
    }
    assert labels("Algorithm 1") == set()
    assert labels("Algorithm 9", SBMM) == set()
    assert labels("(CHES 2013 slides, algorithm\n(4/4))") == {
        (PM.short, "Algorithm (4/4): hat form")
    }
    assert labels("equations (1) to (4)", ECPM) == {("ECPM", "Extended RNS, (1) to (4)")}


def test_lists_of_numbers():
    assert numbers("5 to 7") == ["5", "6", "7"]
    assert numbers("2, 4, 5 and 6") == ["2", "4", "5", "6"]
    assert numbers("I and III") == ["I", "III"]


def test_docstrings_have_public_names(tmp_path):
    file = tmp_path / "module.py"
    file.write_text(
        '"""One."""\n\nWORD = 1\n"""Two."""\n\n_OWN = 2\n"""Three."""\n\n\n'
        'class Thing:\n    """Four."""\n\n    def _part(self):\n        """Five."""\n\n\n'
        'def _hidden():\n    """Six."""\n'
    )
    assert [each for each in docstrings(file) if each[1]] == [
        ("", "One."),
        ("WORD", "Two."),
        ("Thing", "Four."),
        ("Thing", "Five."),
        ("", "Six."),
    ]


def test_headings_are_found(tmp_path):
    file = tmp_path / "page.md"
    file.write_text(
        "# Title\n\n## Tables 4 and 5 on an ECP5\n\n## Figure 2: a / b, n=4\n\n## Other\n"
    )
    assert page.headings(file) == {
        "Table 4": "tables-4-and-5-on-an-ecp5",
        "Table 5": "tables-4-and-5-on-an-ecp5",
        "Figure 2": "figure-2-a-b-n4",
        "Other": "other",
    }


def test_particular_places_come_first(found):
    item = next(item for item in HBE.items if item.label == "Algorithm 1")
    first = page.particular(found["HBE", item])[0]
    assert str(first).startswith("algorithms.base_extension.")
