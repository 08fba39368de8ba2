"""Drawings that take no time."""

import pytest
from matplotlib.figure import Figure


def blank(_figure, text, **_options):
    """In place of a drawing."""
    text.write("<svg></svg>\n")


@pytest.fixture(autouse=True)
def _quick_drawings(request, monkeypatch):
    """Figures are made, but drawn by those tests alone that look at all files of a page.

    Those of measured rows are drawn by `tests/evidence/test_published.py`.
    """
    of_tables = request.module.__name__.endswith("_tables")
    if of_tables and request.function.__name__ != "test_page_without_tools":
        monkeypatch.setattr(Figure, "savefig", blank)
