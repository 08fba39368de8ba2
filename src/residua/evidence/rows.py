"""Rows: what was measured, on what, with what and where; and the store that keeps them."""

import fcntl
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, NonNegativeFloat, NonNegativeInt, ValidationError

from residua.errors import SpecificationError
from residua.output import write_whole

SCHEMA = 1
"""Of the files of a store."""

PUBLISHED_SEEDS = 5
"""Placements from which a median is taken as a clock; with fewer it is marked."""


class Row(BaseModel):
    """One measurement.

    Attributes:
        name: of the row, one of its campaign's.
        specification: the keys of the core that was measured; of several cores, by part; None for
            what is no core.
        verilog: digest of the hardware that was measured, see `residua.evidence.subjects`.
        commit: of the sources, with a + if they differed from it.
        tools: versions of the tools by name; empty where they were not noted.
        amount: how much was asked for: of what, the campaign says.
        seconds: that it took; None where that was not noted.
        failures: what is wrong; nothing if all is right.
        figures: what was measured; also at ``row[name]``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    specification: dict[str, Any] | None
    verilog: str
    commit: str
    tools: dict[str, str]
    amount: NonNegativeInt
    seconds: NonNegativeFloat | None
    failures: list[str]
    figures: dict[str, Any]

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401
        """Look up a figure.

        Raises:
            KeyError: there is none of this name.
        """
        return self.figures[name]

    def get(self, name: str, default: Any = None) -> Any:  # noqa: ANN401
        """Look up a figure, or another value if there is none of this name."""
        return self.figures.get(name, default)

    @property
    def is_dirty(self) -> bool:
        """Whether the sources differed from the commit."""
        return self.commit.endswith("+")

    @property
    def placements(self) -> int | None:
        """The fewest seeds that any clock of the row is the median of; None without a clock."""
        clocks = [one for one in self.figures.values() if isinstance(one, dict)]
        placed = (one.get("seeds", ()) for one in clocks if one.get("fmax_mhz"))
        return min(map(len, placed), default=None)


Rows = dict[str, Row]
"""Rows by their names."""


@dataclass(frozen=True)
class Store:
    """Keeps the rows of each campaign in a file of a directory, ``<campaign>.json``."""

    directory: Path

    def path(self, campaign: str) -> Path:
        """Name the file of a campaign."""
        return self.directory / f"{campaign}.json"

    def read(self, campaign: str) -> Rows:
        """Read the rows of a campaign, of whatever commit; none if nothing is there.

        Raises:
            SpecificationError: the file is none of a store, or of another schema.
        """
        path = self.path(campaign)
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise SpecificationError(f"cannot read the rows in {path}: {error}") from error
        if not isinstance(found, dict) or "schema" not in found:
            raise SpecificationError(
                f"{path} has no rows of a store: remove it or name another directory"
            )
        if found["schema"] != SCHEMA:
            raise SpecificationError(
                f"{path} has schema {found['schema']}, and this version reads {SCHEMA}: "
                "use the version that wrote it, or measure again in another directory"
            )
        return _checked(path, campaign, found)

    def write(self, campaign: str, rows: Iterable[Row]) -> Path:
        """Write the rows of a campaign in this order, in place of those that were there."""
        found = {
            "schema": SCHEMA,
            "campaign": campaign,
            "rows": [row.model_dump() for row in rows],
        }
        path = self.path(campaign)
        write_whole(path, json.dumps(found, indent=1, ensure_ascii=False) + "\n")
        return path

    def add(self, campaign: str, added: Rows, ordered: Callable[[Rows], Rows]) -> Rows:
        """Add rows to those of a campaign that are there by now, and return all of them.

        Several runs may add to one store at a time: each waits for the other's addition.

        Args:
            campaign: its name.
            added: rows, in place of those of the same names.
            ordered: puts all rows in the campaign's order.

        Raises:
            SpecificationError: what is there cannot be read, or nothing can be written there.
        """
        with self._alone():
            rows = ordered(self.read(campaign) | added)
            self.write(campaign, rows.values())
        return rows

    @contextmanager
    def _alone(self) -> Iterator[None]:
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            place = os.open(self.directory, os.O_RDONLY)
        except OSError as error:
            raise SpecificationError(f"cannot write {self.directory}: {error.strerror}") from None
        try:
            fcntl.flock(place, fcntl.LOCK_EX)
            yield
        finally:
            os.close(place)

    def campaigns(self) -> list[str]:
        """List the campaigns of which there are rows."""
        return sorted(path.stem for path in self.directory.glob("*.json"))


def _checked(path: Path, campaign: str, found: Mapping[str, Any]) -> Rows:
    if found.get("campaign") != campaign or not isinstance(found.get("rows"), list):
        raise SpecificationError(f"{path} has rows of '{found.get('campaign')}', not '{campaign}'")
    rows: Rows = {}
    for place, values in enumerate(found["rows"], 1):
        try:
            row = Row.model_validate(values, strict=True)
        except ValidationError as error:
            first = error.errors()[0]
            key = ".".join(map(str, first["loc"]))
            raise SpecificationError(
                f"row {place} of {path} is none of this schema: {key}: {first['msg']}"
            ) from error
        if row.name in rows:
            raise SpecificationError(f"{path} has two rows of the name '{row.name}'")
        rows[row.name] = row
    return rows


@dataclass(frozen=True)
class Merge:
    """What another store adds to a store.

    Attributes:
        rows: of all campaigns that change, complete.
        added: the names of the rows that come from the other store, by campaign.
        conflicts: what the stores disagree about, in words.
    """

    rows: Mapping[str, list[Row]]
    added: Mapping[str, list[str]]
    conflicts: list[str]


def merge(own: Store, other: Store) -> Merge:
    """Say what another store adds; nothing is written.

    A row is taken over if there is none of its name, or if it is a longer run on the same hardware.
    Where both have the same amount of the same row with other figures, or have measured other
    hardware, they disagree.

    Raises:
        SpecificationError: a file of either is none of a store.
    """
    rows: dict[str, list[Row]] = {}
    added: dict[str, list[str]] = {}
    conflicts: list[str] = []
    for campaign in other.campaigns():
        mine, theirs = own.read(campaign), other.read(campaign)
        taken = {}
        for name, row in theirs.items():
            known = mine.get(name)
            if known is None or _is_longer(row, known):
                taken[name] = row
            elif row != known and not _is_longer(known, row):
                conflicts.append(f"{campaign}: {name}: {_difference(known, row)}")
        if taken:
            rows[campaign] = list((mine | taken).values())
            added[campaign] = list(taken)
    return Merge(rows, added, conflicts)


def _is_longer(row: Row, known: Row) -> bool:
    """Whether a row tells of the same hardware as another one, and of more runs."""
    return row.verilog == known.verilog and row.amount > known.amount


def _difference(known: Row, row: Row) -> str:
    if row.verilog != known.verilog:
        return f"of other hardware at {row.commit} than at {known.commit}"
    names = [key for key in Row.model_fields if getattr(row, key) != getattr(known, key)]
    return f"other {', '.join(names)} at {row.commit} than at {known.commit}"
