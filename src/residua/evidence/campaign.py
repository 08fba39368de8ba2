"""Campaigns: measurements of many cores, resumed where they stopped."""

import hashlib
import shutil
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing import active_children
from pathlib import Path
from typing import Any

from residua.cores.directory import Directory, build
from residua.cores.specification.reading import check_any
from residua.errors import SpecificationError
from residua.evidence.rows import Page, Row, Rows
from residua.output import Progress, check_directory
from residua.toolchain.commit import source_commit


@dataclass(frozen=True)
class Request:
    """What is asked for of a row.

    Attributes:
        name: of the row.
        amount: how much is to be run; of what, the campaign says.
        counted: what the row calls this amount.
        commit: the commit of the sources.
        known: the row as an earlier run left it, of whatever commit.
        work: takes the core and whatever else is made.
    """

    name: str
    amount: int
    counted: str
    commit: str
    known: Row | None
    work: Path

    def directory(self, keys: Mapping[str, Any], part: str = "") -> Directory:
        """Build a core of the row, in place of what was there."""
        return build(check_any(dict(keys)), self.folder(part))

    def folder(self, part: str = "") -> Path:
        """A path of the row's own, without what was there."""
        name = "".join(c if c.isalnum() else "_" for c in f"{self.name} {part}".strip())
        path = self.work / name
        shutil.rmtree(path, ignore_errors=True)
        return path

    def kept(self, hardware: str) -> Row | None:
        """The known row, if it tells of hardware with this `digest` and of this amount."""
        if self.known is None or self.known["commit"].endswith("+"):
            return None
        same = self.known.get("verilog") == hardware
        return self.known if same and self._is_enough(self.known) else None

    @property
    def is_met(self) -> bool:
        """Whether the known row was measured on these very sources."""
        if self.known is None or self.commit.endswith("+"):
            return False
        return self.known["commit"] == self.commit and self._is_enough(self.known)

    def _is_enough(self, known: Row) -> bool:
        return bool(known.get(self.counted, 0) >= self.amount) and not known.get("failures")

    def row(self, hardware: str = "", **values: object) -> Row:
        """A new row with these values, of hardware with this `digest`."""
        verilog = {"verilog": hardware} if hardware else {}
        return {"name": self.name, **values, "commit": self.commit, **verilog}


def _failures(row: Row) -> list[str]:
    return list(row.get("failures", ()))


@dataclass(frozen=True)
class Campaign:
    """Says how the rows of a page are measured.

    Attributes:
        page: where the rows go.
        amounts: how much is run, by the names of the rows in their order.
        measure: makes the row of a request, in a process of its own; a function of a module.
        counted: what a row calls the amount.
        alone: whether one row at a time is measured, since times are taken.
        faults: what is wrong, by a row.
    """

    page: Page
    amounts: Mapping[str, int]
    measure: Callable[[Request], Row]
    counted: str = "vectors"
    alone: bool = False
    faults: Callable[[Row], list[str]] = _failures

    def rows(self, directory: Path) -> Rows:
        """Read the rows of an earlier run, in order; see `Page.rows`."""
        return self._ordered(self.page.rows(directory))

    def run(
        self,
        directory: Path,
        *,
        parts: Iterable[str] = (),
        most: int | None = None,
        jobs: int = 2,
        work: Path,
        progress: Progress = lambda step: None,
    ) -> "Outcome":
        """Measure the rows that are missing, those that hold are kept; write them as they come.

        Args:
            directory: of rows and page, an earlier run's among them.
            parts: measure only rows with one of these in their names.
            most: run no more than this of each row.
            jobs: rows at once.
            work: takes what is made on the way.
            progress: called as rows are done.

        Returns:
            What came of it, rows that were there among it.

        Raises:
            SpecificationError: no row has such a part in its name, or there are rows of another
                form in the directory.
        """
        names = self._names(list(parts))
        check_directory(directory)
        rows, sources = self.rows(directory), source_commit()
        requests = [
            Request(
                name,
                self.amounts[name] if most is None else min(most, self.amounts[name]),
                self.counted,
                sources,
                rows.get(name),
                work,
            )
            for name in names
        ]
        missing = [request for request in requests if not request.is_met]
        progress(f"{len(missing)} of {len(requests)} rows to be measured")
        lost: dict[str, BaseException] = {}
        for name, row in _done(self.measure, missing, 1 if self.alone else jobs):
            if isinstance(row, BaseException):
                lost[name] = row
                progress(f"{name}: no row was made: {row}")
                continue
            rows = self._ordered(rows | {name: row})
            self.page.write(rows, directory)
            progress(self._told(row, sources))
        files = self.page.write(rows, directory)
        faults = {name: found for name, row in rows.items() if (found := self.faults(row))}
        faults |= {name: [f"no row was made: {error}"] for name, error in lost.items()}
        return Outcome(rows, files, faults, lost)

    def _ordered(self, rows: Rows) -> Rows:
        """Rows in the campaign's order, after them those that it has no more."""
        names = dict.fromkeys([*self.amounts, *rows])
        return {name: rows[name] for name in names if name in rows}

    def _names(self, parts: list[str]) -> list[str]:
        """The names of the rows with one of these parts, all of them if there are none."""
        for part in parts:
            if not any(part in name for name in self.amounts):
                raise SpecificationError(
                    f"no row has '{part}' in its name: {'; '.join(self.amounts)}"
                )
        return [name for name in self.amounts if not parts or any(part in name for part in parts)]

    def _told(self, row: Row, sources: str) -> str:
        """What is said of a row as it comes."""
        if row["commit"] != sources:
            return f"{row['name']}: the same Verilog as at {row['commit']}, kept"
        faults = self.faults(row)
        return "\n  ".join([f"{row['name']}: {len(faults)} faults", *faults])


@dataclass(frozen=True)
class Outcome:
    """What came of a campaign.

    Attributes:
        rows: all of them, by name.
        files: in which they are.
        faults: what is wrong with which row.
        lost: why some rows could not be made.
    """

    rows: Rows
    files: list[Path]
    faults: Mapping[str, list[str]]
    lost: Mapping[str, BaseException]


def verilog(directory: Directory) -> str:
    """The `digest` of the hardware of a core."""
    names = [name for name in directory.manifest["files"] if name.startswith("rtl/")]
    return digest({name: (directory.path / name).read_text(encoding="utf-8") for name in names})


def digest(files: Mapping[str, str]) -> str:
    """A digest of Verilog texts by their paths: rows of one digest tell of the same hardware.

    Comments do not count: the headers of the files name the specification.
    """
    found = hashlib.sha256()
    for name, text in sorted(files.items()):
        code = [line for line in text.splitlines() if not line.lstrip().startswith("//")]
        found.update("\n".join([name, *code, ""]).encode())
    return found.hexdigest()


def _done(
    measure: Callable[[Request], Row], requests: list[Request], jobs: int
) -> Iterator[tuple[str, Row | BaseException]]:
    """Rows, or why there is none, as they come; one at a time is made in this process."""
    if jobs == 1:
        for request in requests:
            try:
                yield request.name, measure(request)
            except Exception as error:  # noqa: BLE001 - a row that is lost is told of
                yield request.name, error
        return
    with _workers(jobs) as pool:
        futures = {pool.submit(partial(measure, one)): one.name for one in requests}
        for future in as_completed(futures):
            yield futures[future], future.exception() or future.result()


@contextmanager
def _workers(count: int) -> Iterator[ProcessPoolExecutor]:
    """Processes for rows; what stops the campaign stops them and what they run."""
    _end_cleanly()
    with ProcessPoolExecutor(count, initializer=_end_cleanly) as pool:
        try:
            yield pool
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for worker in active_children():
                worker.terminate()
            raise


def _end_cleanly() -> None:
    """Take SIGTERM as an interrupt, which leaves no simulator behind."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
