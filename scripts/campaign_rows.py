"""What campaigns share: rows of results that are kept from run to run, and a page made of them."""

import hashlib
import json
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing import active_children
from pathlib import Path
from typing import Any

from rich.console import Console

from residua.cores.directory import Directory, build
from residua.cores.specification.reading import check_any
from residua.cores.verification import verify_directory

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "docs" / "results"

TINY = {
    "form": "weierstrass", "name": "tiny", "prime": 65521, "a": -3, "b": 3,
    "x": 0, "y": 627, "order": 65563, "cofactor": 1,
}  # fmt: skip
"""The smallest curve."""

Row = dict[str, Any]
Rows = dict[str, Row]
Task = Callable[[], Row]
Requests = Mapping[str, tuple[int, Mapping[str, Any]]]
More = Callable[[Directory, int], Row]
Columns = Mapping[str, Callable[[Row], object]]


@dataclass(frozen=True)
class Page:
    """Rows in ``name``.json, and a page ``name``.md with a table of them.

    ``columns`` give the cells by their headings, see `table`. ``key`` is what the name of a row is
    kept as. The table has the rows that ``tabled`` accepts; ``closing`` follows it, made of all.
    """

    name: str
    title: str
    introduction: str
    columns: Columns
    texts: int = 1
    key: str = "configuration"
    tabled: Callable[[Row], bool] = lambda row: True
    closing: Callable[[list[Row]], str] = lambda rows: ""
    directory: Path = RESULTS

    def rows(self) -> Rows:
        """All rows by name, those of other commits among them."""
        path = self.directory / f"{self.name}.json"
        rows = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
        return {row[self.key]: row for row in rows}

    def write(self, rows: Rows, order: Iterable[str]) -> None:
        """Write both files, with the rows of ``order``."""
        ordered = [rows[name] for name in order if name in rows]
        self.directory.mkdir(parents=True, exist_ok=True)
        text = json.dumps(ordered, indent=2) + "\n"
        (self.directory / f"{self.name}.json").write_text(text, encoding="utf-8")
        (self.directory / f"{self.name}.md").write_text(self.markdown(ordered), encoding="utf-8")

    def markdown(self, rows: list[Row]) -> str:
        """The page."""
        lines = table(self.columns, filter(self.tabled, rows), self.texts)
        return f"# {self.title}\n\n{self.introduction}\n\n{lines}\n{self.closing(rows)}"


def table(columns: Columns, rows: Iterable[Row], texts: int = 1, ends: int = 1) -> str:
    """A table in Markdown, without the last line's end.

    The first ``texts`` columns and the last ``ends`` ones are aligned to the left, as texts are.
    """
    numbers = len(columns) - texts - ends
    lines = [
        "| " + " | ".join(columns) + " |",
        "|---" * texts + "|--:" * numbers + "|---" * ends + "|",
    ]
    for row in rows:
        cells = [str(cell(row)) for cell in columns.values()]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def current_commit() -> str:
    """The commit that the sources are at, with a + if they differ from it."""
    commit, changes = (
        subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout
        for words in (
            ["rev-parse", "--short=12", "HEAD"],
            ["status", "--porcelain", "--", "src", "scripts"],
        )
    )
    return commit.strip() + ("+" if changes else "")


def made(row: Row | None, commit: str, count: str, least: int) -> bool:
    """Whether a row was made at exactly this commit, with at least so many of what it counts."""
    if row is None or row["commit"] != commit or commit.endswith("+"):
        return False
    return bool(row[count] >= least)


def prepare(name: str, keys: Mapping[str, Any], work: Path) -> Directory:
    """Build the core of a row in ``work``, in place of what was there."""
    return build(check_any(dict(keys)), emptied(name, work))


def emptied(name: str, work: Path) -> Path:
    """The path in ``work`` of what belongs to a row, without what was there."""
    path = work / "".join(c if c.isalnum() else "_" for c in name)
    shutil.rmtree(path, ignore_errors=True)
    return path


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


def holds(row: Row, hardware: str, count: str, least: int) -> bool:
    """Whether a row, of whatever commit, tells of hardware with this digest, and of so many."""
    if row["commit"].endswith("+") or row["failures"]:
        return False
    return row.get("verilog") == hardware and row[count] >= least


def simulate(name: str, directory: Directory, *, vectors: int, seed: int, commit: str) -> Row:
    """Verify a core, half of the vectors back to back, half with stalls."""
    half = -(-vectors // 2)
    runs = [
        verify_directory(directory, vectors=half, seed=seed + int(stalls), stalls=stalls)
        for stalls in (False, True)
    ]
    return {
        "configuration": name,
        **{count: sum(run[count] for run in runs) for count in _COUNTS},
        "failures": [failure for run in runs for failure in run["failures"]],
        "cycles": {
            key: count or runs[1]["cycles"][key] for key, count in runs[0]["cycles"].items()
        },
        "seconds": round(sum(run["seconds"] for run in runs), 1),
        "build_seconds": round(runs[0]["build_seconds"], 1),
        "commit": commit,
        "verilog": verilog(directory),
    }


_COUNTS = ("vectors", "mismatches", "oracle_checks", "model_checks")


def mismatches(row: Row) -> str:
    """The cell of a row that `simulate` made."""
    return f"{row['mismatches']}, FAILED" if row["failures"] else str(row["mismatches"])


def campaign(
    page: Page,
    requests: Requests,
    order: Sequence[str],
    *,
    work: Path,
    seed: int,
    jobs: int,
    more: More | None = None,
) -> Rows:
    """Simulate the cores of rows that are missing.

    Args:
        page: where the rows go, in this ``order``.
        requests: vectors and keys by the name of the row.
        work: takes the cores.
        seed: of the operands.
        jobs: rows at once.
        more: adds what only these rows have, a function of a module.

    Returns:
        All rows of the page, by name.
    """
    commit, rows = current_commit(), page.rows()
    tasks = {
        name: partial(_renewed, name, *request, rows.get(name), seed, commit, work, more)
        for name, request in requests.items()
        if not made(rows.get(name), commit, "vectors", request[0])
    }
    complete(page, rows, order, tasks, jobs)
    return rows


def _renewed(
    name: str,
    vectors: int,
    keys: Mapping[str, Any],
    known: Row | None,
    seed: int,
    commit: str,
    work: Path,
    more: More | None,
) -> Row:
    """What is known of a row if it holds, or else a simulation."""
    directory = prepare(name, keys, work)
    if known is not None and holds(known, verilog(directory), "vectors", vectors):
        return known
    row = simulate(name, directory, vectors=vectors, seed=seed, commit=commit)
    return row | more(directory, vectors) if more else row


def complete(
    page: Page, rows: Rows, order: Sequence[str], tasks: Mapping[str, Task], jobs: int
) -> Console:
    """Add a row for each task, ``jobs`` at once; the page is written after each.

    Raises:
        SystemExit: tasks raised; the rows of the others were made.
    """
    console, lost = Console(), []
    with workers(jobs) as pool:
        futures = {pool.submit(task): name for name, task in tasks.items()}
        for future in as_completed(futures):
            if error := future.exception():
                lost.append(futures[future])
                console.print(f"{lost[-1]}: {error!r}", style="red", markup=False)
                continue
            row = future.result()
            if rows.get(row[page.key]) == row:
                console.print(f"{row[page.key]}: the same Verilog as at {row['commit']}, kept")
                continue
            rows[row[page.key]] = row
            page.write(rows, order)
            console.print(f"{row[page.key]}: {row['mismatches']} mismatches")
            for failure in row["failures"]:
                console.print(f"  {failure}", style="red", markup=False)
    if lost:
        raise SystemExit(f"no row was made of: {', '.join(lost)}")
    return console


@contextmanager
def workers(count: int) -> Iterator[ProcessPoolExecutor]:
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
