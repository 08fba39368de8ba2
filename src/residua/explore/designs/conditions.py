"""Conditions such as ``lut <= 20000``, in SQL, on rows whose columns are keys or figures."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from residua.errors import SpecificationError, library

if TYPE_CHECKING:
    import duckdb


def database() -> Any:  # noqa: ANN401 - a module that may be missing
    """DuckDB, which is loaded where it is needed.

    Raises:
        SpecificationError: it is not installed.
    """
    return library("duckdb", "DuckDB", "exploring cores", "explore")


def sql_type(values: Iterable[object]) -> str:
    """The SQL type of a column with these values, of which some may be None."""
    kinds = {type(value) for value in values if value is not None}
    if kinds and kinds <= {bool}:
        return "BOOLEAN"
    if kinds and kinds <= {int, float}:
        return "DOUBLE" if float in kinds else "HUGEINT"
    return "VARCHAR"


def held(
    connection: "duckdb.DuckDBPyConnection",
    table: str,
    conditions: Sequence[str],
    place: str,
    most: int | None = None,
) -> list[int]:
    """The places, in order, of the rows of a table for which all conditions are true.

    Args:
        connection: to the database with the table.
        table: what follows FROM.
        conditions: in SQL.
        place: the column, or expression of columns, by which a row is known.
        most: rows that are listed; by default all of them.

    Raises:
        SpecificationError: a condition is none, or names a column that is not there.
    """
    for condition in conditions:
        _check(connection, table, condition)
    where = " AND ".join(f"({condition}\n)" for condition in conditions) or "TRUE"
    query = f"SELECT {place} AS place FROM {table} WHERE {where} ORDER BY place"
    if most is not None:
        query += f" LIMIT {most}"
    return [found for (found,) in connection.execute(query).fetchall()]


def _check(connection: "duckdb.DuckDBPyConnection", table: str, condition: str) -> None:
    """Try a condition, which has to be one expression, on no row."""
    query = f"SELECT 1 FROM {table} WHERE ({condition}\n) AND FALSE"
    try:
        database().SQLExpression(condition)
        connection.execute(query)
    except database().Error as error:
        reason = str(error).split("\n\n")[0].replace("\n", " ")
        raise SpecificationError(f"'{condition}' is no condition here: {reason}") from None


def filtered(
    rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str], conditions: Sequence[str]
) -> list[int]:
    """The places, in order, of the rows for which all conditions are true.

    Args:
        rows: values by column; a column that a row does not have is NULL there.
        columns: the SQL types of all that conditions may name.
        conditions: in SQL.

    Raises:
        SpecificationError: a condition is none, or names a column that is not there.
    """
    if not conditions:
        return [*range(len(rows))]
    with database().connect() as connection:
        own = ", ".join(f'"{name}" {kind}' for name, kind in columns.items())
        connection.execute(f"CREATE TABLE own ({_PLACE} BIGINT, {own})")
        lines = [
            [place, *(_plain(row.get(name), kind) for name, kind in columns.items())]
            for place, row in enumerate(rows)
        ]
        insert(connection, "own", lines)
        return held(connection, "own", conditions, _PLACE)


_PLACE = "place_of_row"

_AT_ONCE = 500
"""Rows that are inserted at once, which is much faster than one by one."""


def insert(
    connection: "duckdb.DuckDBPyConnection",
    table: str,
    rows: Sequence[Sequence[object]],
    *,
    replace: bool = False,
) -> None:
    """Insert rows into a table, perhaps in place of those of the same key."""
    into = f"INSERT {'OR REPLACE ' if replace else ''}INTO {table}"
    for first in range(0, len(rows), _AT_ONCE):
        part = rows[first : first + _AT_ONCE]
        marks = ", ".join(f"({', '.join('?' * len(row))})" for row in part)
        values = [value for row in part for value in row]
        connection.execute(f"{into} VALUES {marks}", values)


def _plain(value: object, kind: str) -> object:
    return str(value) if kind == "VARCHAR" and value is not None else value
