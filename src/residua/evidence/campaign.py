"""Campaigns: measurements of many cores, resumed where they stopped."""

import json
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor, as_completed
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from residua.cores.directory import Directory, build
from residua.cores.specification.reading import check_any
from residua.errors import SpecificationError
from residua.evidence.pages import Page, write
from residua.evidence.rows import Row, Rows, Store
from residua.evidence.subjects import Cores, Subject
from residua.output import Progress, check_directory
from residua.report.documents import Document
from residua.toolchain import executors
from residua.toolchain.commit import source_commit
from residua.toolchain.process import versions

Figures = dict[str, Any]
"""What was measured, by name; ``failures`` among them are texts of what is wrong."""


@dataclass(frozen=True)
class Task:
    """A row to be made, as any process can be told of it.

    Attributes:
        name: of the row.
        amount: how much is to be run; of what, the campaign says.
        commit: the commit of the sources.
        known: the row as an earlier run left it.
        work: takes the core and whatever else is made.
    """

    name: str
    amount: int
    commit: str
    known: Row | None
    work: Path

    def is_enough(self, known: Row) -> bool:
        """Whether a row has what is asked for, if its hardware is the same."""
        return known.amount >= self.amount and not known.failures


@dataclass(frozen=True)
class Request:
    """What is to be measured of a row.

    Attributes:
        name, amount, work: see `Task`.
        known: an earlier row of the same hardware, with less than is asked for.
        subject: what is measured.
        earlier: the row as it was, whatever its hardware.
    """

    name: str
    amount: int
    known: Row | None
    work: Path
    subject: Subject
    earlier: Row | None = None

    def directory(self, part: str = "") -> Directory:
        """Build a core of the row, in place of what was there."""
        assert isinstance(self.subject, Cores)
        return build(check_any(dict(self.subject.parts[part])), self.folder(part))

    def folder(self, part: str = "") -> Path:
        """Name a path of the row's own, and clear it."""
        name = "".join(c if c.isalnum() else "_" for c in f"{self.name} {part}".strip())
        path = self.work / name
        shutil.rmtree(path, ignore_errors=True)
        return path


def _failures(row: Row) -> list[str]:
    return row.failures


@dataclass(frozen=True)
class Campaign:
    """Says how the rows of a page are measured.

    Attributes:
        page: shows the rows.
        amounts: how much is run, by the names of the rows in their order.
        subject: finds what a row of a name is measured on.
        measure: measures what a request asks for.
        alone: whether one row at a time is measured, since times are taken.
        is_complete: whether a row has all figures that are wanted today.
        faults: finds what is wrong with a row.
    """

    page: Page
    amounts: Mapping[str, int]
    subject: Callable[[str], Subject]
    measure: Callable[[Request], Figures]
    alone: bool = False
    is_complete: Callable[[Row], bool] = lambda row: True
    faults: Callable[[Row], list[str]] = _failures

    @property
    def name(self) -> str:
        """What the rows are kept under."""
        return self.page.name

    def rows(self, store: Store) -> Rows:
        """Read the rows of earlier runs, in order."""
        return self.ordered(store.read(self.name))

    def run(
        self,
        store: Store,
        pages: Path,
        *,
        parts: Iterable[str] = (),
        most: int | None = None,
        jobs: int = 2,
        scheduler: str | None = None,
        work: Path,
        progress: Progress = lambda step: None,
    ) -> "Outcome":
        """Measure the rows that are missing, those that hold are kept; write them as they come.

        Args:
            store: of the rows, an earlier run's among them.
            pages: takes page and figures.
            parts: measure only rows of these names, or with one of these in them.
            most: run no more than this of each row.
            jobs: rows at once.
            scheduler: the address of a Dask scheduler, on whose workers rows are measured instead.
            work: takes what is made on the way.
            progress: called as rows are done.

        Returns:
            What came of it, rows that were there among it.

        Raises:
            SpecificationError: no row has such a part in its name, there is no such scheduler, or
                the store has rows of another form.
        """
        rows = self.rows(store)
        tasks = self.tasks(rows, work, parts=parts, most=most)
        for directory in (store.directory, pages):
            check_directory(directory)
        progress(f"{len(tasks)} rows, those that hold are kept")
        lost: dict[str, BaseException] = {}
        for name, row in _done(self, tasks, 1 if self.alone else jobs, scheduler):
            if isinstance(row, BaseException):
                lost[name] = row
                progress(f"{name}: no row was made: {row}")
                continue
            if row != rows.get(name):
                rows = store.add(self.name, {name: row}, self.ordered)
            progress(self._told(row, tasks[0].commit))
        rows = store.add(self.name, {}, self.ordered)
        document = self.page.document(list(rows.values()))
        files = [store.path(self.name), *write(document, pages)]
        faults = {name: found for name, row in rows.items() if (found := self.faults(row))}
        faults |= {name: [f"no row was made: {error}"] for name, error in lost.items()}
        return Outcome(rows, document, files, faults, lost)

    def row(self, task: Task) -> Row:
        """Measure a row; one that holds is kept as it is."""
        start, subject, known = time.monotonic(), self.subject(task.name), task.known
        hardware = subject.digest()
        if known and known.verilog != hardware:
            known = None
        if known and task.is_enough(known) and self.is_complete(known) and not known.is_dirty:
            return known
        task.work.mkdir(parents=True, exist_ok=True)
        request = Request(task.name, task.amount, known, task.work, subject, task.known)
        figures = dict(self.measure(request))
        if known and task.is_enough(known) and figures == known.figures:
            return known
        row = {
            "name": task.name,
            "specification": subject.specification,
            "verilog": hardware,
            "commit": task.commit,
            "tools": versions(),
            "amount": task.amount,
            "seconds": round(time.monotonic() - start, 1),
            "failures": figures.pop("failures", []),
            "figures": figures,
        }
        return Row.model_validate_json(json.dumps(row))

    def tasks(
        self, rows: Rows, work: Path, *, parts: Iterable[str] = (), most: int | None = None
    ) -> list[Task]:
        """List the rows that are asked for (`_names`), beside those that are known.

        Raises:
            SpecificationError: no row has such a part in its name.
        """
        sources = source_commit()
        return [
            Task(
                name,
                self.amounts[name] if most is None else min(most, self.amounts[name]),
                sources,
                rows.get(name),
                work,
            )
            for name in self._names(list(parts))
        ]

    def ordered(self, rows: Rows) -> Rows:
        """Put rows in the campaign's order, after them those that it has no more."""
        names = dict.fromkeys([*self.amounts, *rows])
        return {name: rows[name] for name in names if name in rows}

    def _names(self, parts: list[str]) -> list[str]:
        """List the rows that are asked for, all of them if none are.

        A part that is the whole name of a row asks for that row alone.
        """
        for part in parts:
            if not any(part in name for name in self.amounts):
                raise SpecificationError(
                    f"no row has '{part}' in its name: {'; '.join(self.amounts)}"
                )

        def asked(part: str, name: str) -> bool:
            return part == name if part in self.amounts else part in name

        return [name for name in self.amounts if not parts or any(asked(p, name) for p in parts)]

    def _told(self, row: Row, sources: str) -> str:
        """Tell of a row as it comes."""
        if row.commit != sources:
            return f"{row.name}: the same hardware as at {row.commit}, kept"
        faults = self.faults(row)
        return "\n  ".join([f"{row.name}: {len(faults)} faults", *faults])


@dataclass(frozen=True)
class Outcome:
    """Outcome of a campaign.

    Attributes:
        rows: all of them, by name.
        document: the page that shows them.
        files: in which they are.
        faults: what is wrong with which row.
        lost: why some rows could not be made.
    """

    rows: Rows
    document: Document
    files: list[Path]
    faults: Mapping[str, list[str]]
    lost: Mapping[str, BaseException]


def _done(
    campaign: Campaign, tasks: list[Task], jobs: int, scheduler: str | None
) -> Iterator[tuple[str, Row | BaseException]]:
    """Yield rows, or why there is none, as they come; one at a time is made in this process."""
    if scheduler is not None:
        with executors.workers(scheduler=scheduler) as (cluster, _):
            assert cluster is not None
            yield from _collected(cluster, partial(_row_elsewhere, campaign), tasks)
    elif jobs == 1:
        for task in tasks:
            try:
                yield task.name, campaign.row(task)
            except Exception as error:  # noqa: BLE001 - a row that is lost is told of
                yield task.name, error
    else:
        with executors.tool_workers(jobs, _begin, (campaign,)) as pool:
            yield from _collected(pool, _row_here, tasks)


def _collected(
    executor: Executor, call: Callable[[Task], Row], tasks: list[Task]
) -> Iterator[tuple[str, Row | BaseException]]:
    futures = {executors.submitted(executor, call, task): task.name for task in tasks}
    for future in as_completed(futures):
        yield futures[future], future.exception() or future.result()


def _row_elsewhere(campaign: Campaign, task: Task) -> Row:
    """Make a row on another machine, which has folders of its own."""
    with tempfile.TemporaryDirectory(prefix="row-") as work:
        return campaign.row(replace(task, work=Path(work)))


_campaigns: list[Campaign] = []
"""The campaign of a worker, which it has from the process that it was forked from."""


def _row_here(task: Task) -> Row:
    return executors.ended_by_interrupts(_campaigns[0].row, task)


def _begin(campaign: Campaign) -> None:
    _campaigns[:] = [campaign]
