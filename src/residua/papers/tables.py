"""Papers with tables here, by the names of ``residua tables``."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from residua.errors import SpecificationError
from residua.evidence.campaign import Campaign
from residua.evidence.catalogue import campaign
from residua.evidence.pages import write
from residua.evidence.rows import PUBLISHED_SEEDS, Store
from residua.output import Progress, check_directory
from residua.report.documents import Document
from residua.toolchain.process import ToolError

PAPERS = ("hbe", "sbmm", "iddmm", "inversion", "ecpm")
"""A new paper is a word here, and a folder."""


def campaign_of(paper: str) -> Campaign:
    """Load what the tables of a paper measure.

    Raises:
        SpecificationError: there is no such paper.
    """
    if paper not in PAPERS:
        raise SpecificationError(f"there are no tables of '{paper}': one of {', '.join(PAPERS)}")
    return campaign(f"tables-{paper}")


def make(
    paper: str,
    store: Store,
    pages: Path,
    *,
    seeds: int = PUBLISHED_SEEDS,
    synthesis: bool = True,
    only: Iterable[str] = (),
    jobs: int = 1,
    progress: Progress = lambda step: None,
) -> tuple[Document, dict[str, Any]]:
    """Make and write the tables of a paper; the page, and where it is with its data.

    Args:
        paper: one of `PAPERS`.
        store: of the rows of earlier runs, which are taken over as far as the Verilog of their
            designs is the same; what is measured is kept there as it comes.
        pages: takes the page and its figures.
        seeds: placements of each design on an ECP5; 0 for none.
        synthesis: whether to measure with tools at all, or only to take over.
        only: parts of the names of the rows to measure; none for all.
        jobs: rows at once.
        progress: called as rows are done.

    Raises:
        SpecificationError: there is no such paper, no row with such a part in its name, or fewer
            than 0 seeds.
        ToolError: a tool is missing or failed.
    """
    if seeds < 0:
        raise SpecificationError(f"seeds = {seeds}: give 0 for no placement, or a number of them")
    asked = campaign_of(paper)
    check_directory(pages)
    if synthesis:
        outcome = asked.run(
            store,
            pages,
            parts=only,
            most=seeds,
            jobs=jobs,
            work=store.directory,
            progress=progress,
        )
        for name, error in outcome.lost.items():
            if isinstance(error, ToolError):
                error.args = (f"{name}: {error.args[0]}", *error.args[1:])
            raise error
        rows, document, files = outcome.rows, outcome.document, outcome.files
    else:
        rows = store.add(asked.name, {}, asked.ordered)
        document = asked.page.document(list(rows.values()))
        files = [store.path(asked.name), *write(document, pages)]
    paths = sorted(str(path) for path in files)
    found = [row.model_dump() for row in rows.values()]
    return document, {"files": paths, "rows": found, **document.data}
