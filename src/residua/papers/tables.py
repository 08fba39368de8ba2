"""Which papers have tables here, by the name that ``residua tables`` knows them by."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from residua.errors import SpecificationError
from residua.output import check_directory
from residua.papers.ecpm import tables as ecpm_tables
from residua.papers.hbe import tables as hbe_tables
from residua.papers.iddmm import tables as iddmm_tables
from residua.papers.inversion import tables as inversion_tables
from residua.papers.measured import Run
from residua.papers.sbmm import tables as sbmm_tables
from residua.report import documents
from residua.report.documents import Document
from residua.toolchain.commit import source_commit

PAPERS: dict[str, Callable[[Run], Document]] = {
    "hbe": hbe_tables.make,
    "sbmm": sbmm_tables.make,
    "iddmm": iddmm_tables.make,
    "inversion": inversion_tables.make,
    "ecpm": ecpm_tables.make,
}
"""A new paper is a line here."""

SEEDS = 3
"""Placements of one design by default."""


def make(
    paper: str,
    directory: Path,
    *,
    seeds: int = SEEDS,
    synthesis: bool = True,
    only: Iterable[str] = (),
    progress: Callable[[str], None] = lambda step: None,
) -> tuple[Document, dict[str, Any]]:
    """Make and write the tables of a paper; the page, and where it is with its data.

    Arguments but ``paper`` are those of `residua.papers.measured.Run`.

    Raises:
        SpecificationError: there is no such paper, no row with such a part in its name, or fewer
            than 0 seeds.
        ToolError: a tool is missing or failed.
    """
    if paper not in PAPERS:
        raise SpecificationError(f"there are no tables of '{paper}': one of {', '.join(PAPERS)}")
    if seeds < 0:
        raise SpecificationError(f"seeds = {seeds}: give 0 for no placement, or a number of them")
    check_directory(directory)
    made = Run(directory, seeds, synthesis, tuple(only), source_commit(), progress)
    document = PAPERS[paper](made)
    paths = documents.write(document, directory)
    return document, {"files": [str(path) for path in paths], **document.data}
