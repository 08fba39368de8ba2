"""What is known of the points of spaces, in a file that an exploration goes on with."""

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path

from residua.cores.kept_files import STATE
from residua.errors import SpecificationError
from residua.evidence.rows import Row
from residua.explore.designs.conditions import database, insert
from residua.explore.designs.figures import FIGURES, Step
from residua.explore.designs.measures import Found, Task
from residua.toolchain.commit import source_commit
from residua.toolchain.process import versions

SCHEMA = 1

FILE = "points.duckdb"

FORMATS = ("csv", "parquet")
"""Of an export."""

_TABLE = """
CREATE TABLE IF NOT EXISTS found (
    keys VARCHAR, step VARCHAR, target VARCHAR, seeds INTEGER, package VARCHAR,
    commit VARCHAR, tools VARCHAR, seconds DOUBLE, outcome VARCHAR,
    PRIMARY KEY (keys, step, target, seeds)
)"""


class Points:
    """A file of a directory with what was found of each core in each step.

    What another state of the package found is kept until it is found anew, and not given out.
    """

    def __init__(self, directory: Path) -> None:
        """Open the file, or make it.

        Raises:
            SpecificationError: it is another program's, of another schema, or in use.
        """
        self.path = directory / FILE
        directory.mkdir(parents=True, exist_ok=True)
        try:
            self._connection = database().connect(str(self.path))
            self._check_schema()
            self._connection.execute(_TABLE)
        except database().Error as error:
            reason = str(error).splitlines()[0]
            raise SpecificationError(f"cannot open the points in {self.path}: {reason}") from None
        self._commit, self._tools = source_commit(), json.dumps(versions(), sort_keys=True)

    def _check_schema(self) -> None:
        tables = {name for (name,) in self._connection.execute("SHOW TABLES").fetchall()}
        if not tables:
            self._connection.execute(f"CREATE TABLE schema_of AS SELECT {SCHEMA} AS number")
            return
        if "schema_of" not in tables:
            raise SpecificationError(f"{self.path} has no points: name another directory")
        (found,) = self._connection.execute("SELECT number FROM schema_of").fetchone()
        if found != SCHEMA:
            raise SpecificationError(
                f"{self.path} has schema {found}, and this version reads {SCHEMA}: use the version "
                "that wrote it, or another directory"
            )

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def known(self) -> dict[tuple[str, Step, str, int], Found]:
        """Read what this state of the package found, by `place`."""
        query = "SELECT keys, step, target, seeds, outcome FROM found WHERE package = ?"
        rows = self._connection.execute(query, [STATE]).fetchall()
        return {
            (keys, Step(step), target, seeds): Found(**json.loads(outcome))
            for keys, step, target, seeds, outcome in rows
        }

    def keep(self, found: Sequence[tuple[Task, Found, float]]) -> None:
        """Write what was found for tasks, and the seconds that each took.

        It takes the place of what another state of the package had found.
        """
        rows = [
            [
                *place(task),
                STATE,
                self._commit,
                self._tools,
                round(seconds, 3),
                json.dumps(dataclasses.asdict(own), ensure_ascii=False),
            ]
            for task, own, seconds in found
        ]
        insert(self._connection, "found", rows, replace=True)


def place(task: Task) -> tuple[str, Step, str, int]:
    """What a result is known by: with the target and the placements where they count."""
    return (
        json.dumps(task.keys, sort_keys=True),
        task.step,
        "" if task.step is Step.MODEL else task.target,
        task.seeds if task.step is Step.PLACEMENT else 0,
    )


def export(rows: Sequence[Row], path: Path) -> None:
    """Write rows of cores as a table, in the format that the name of the file ends with.

    Args:
        rows: see `residua.explore.designs.results.rows`.
        path: of the file, which is replaced.

    Raises:
        SpecificationError: it ends with none of `FORMATS`, or cannot be written.
    """
    check_export(path)
    names = dict.fromkeys(name for row in rows for name in row.specification or ())
    columns = [f'"{name}" VARCHAR' for name in names] + [f"{name} DOUBLE" for name in FIGURES]
    lines = [
        [*(_text((row.specification or {}).get(name)) for name in names), *map(row.get, FIGURES)]
        for row in rows
    ]
    target = str(path).replace("'", "''")
    with database().connect() as connection:
        connection.execute(f"CREATE TABLE points ({', '.join(columns)})")
        insert(connection, "points", lines)
        try:
            connection.execute(f"COPY points TO '{target}' (FORMAT {path.suffix[1:]})")
        except database().Error as error:
            raise SpecificationError(f"cannot write {path}: {error}") from None


def check_export(path: Path) -> None:
    """Refuse a file of an unknown format.

    Raises:
        SpecificationError: its name ends with none of `FORMATS`.
    """
    if path.suffix[1:] not in FORMATS:
        raise SpecificationError(f"{path}: a table's name ends with .{' or .'.join(FORMATS)}")


def _text(value: object) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value)
