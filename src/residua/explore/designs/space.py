"""Spaces of cores: keys with alternatives, what they have to meet, and what is best."""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Self

import numpy as np
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from residua.cores.specification import reading
from residua.errors import SpecificationError
from residua.evidence.rows import PUBLISHED_SEEDS
from residua.explore.designs import conditions
from residua.explore.designs.figures import COLUMNS, FIGURES
from residua.toolchain.targets import YOSYS_TARGETS

DEFAULT = "default"
"""Among the alternatives of a key: leave the key out."""

MOST_POINTS = 100_000
"""Points that are enumerated."""

MOST_COMBINATIONS = 100 * MOST_POINTS
"""Combinations of alternatives that conditions choose from."""

PLACED_TARGET = "ecp5"
"""The device family with clocks."""

Keys = dict[str, Any]
"""The keys of a specification."""


def _alternatives(value: object) -> list[Any]:
    """The alternatives of a key: a list of them, ranges of numbers among them, or the only one."""
    values = value if isinstance(value, list) else [value]
    return [one for own in values for one in (_range(own) if _is_range(own) else [own])]


def _is_range(value: object) -> bool:
    return isinstance(value, dict) and value.keys() <= {"from", "to", "step"}


def _range(value: Any) -> list[int]:  # noqa: ANN401 - a table of a TOML file
    try:
        found = list(range(value["from"], value["to"] + 1, value.get("step", 1)))
    except (KeyError, TypeError, ValueError):
        found = []
    if not found:
        raise ValueError("a range has whole numbers: { from = 15, to = 36, step = 1 }")
    return found


def _parts(value: object) -> object:
    """Read the tables of keys; one of them need not be in a list."""
    parts = value if isinstance(value, list) else [value]
    if not parts or not all(isinstance(part, dict) for part in parts):
        raise ValueError("tables [[keys]] with the alternatives of each key are needed")
    return tuple(map(_part, parts))


def _part(part: dict[str, Any]) -> dict[str, list[Any]]:
    known = reading.keys()
    for name in part:
        if name not in known:
            raise ValueError(reading.unknown(name))
    if "name" in part:
        raise ValueError("name: each core of a space has a name of its own; leave it out")
    found = {name: _alternatives(own) for name, own in part.items()}
    if empty := [name for name, own in found.items() if not own]:
        raise ValueError(f"{empty[0]} has no alternatives: give one, or leave the key out")
    return found


class Space(BaseModel):
    """A space of cores.

    Attributes:
        keys: the parts of the space, each with the alternatives of each key of a specification;
            `DEFAULT` leaves the key out.
        where: conditions on keys, in SQL; a key that is left out is NULL.
        objectives: figures of `FIGURES` of which the best are sought.
        limits: conditions on figures, in SQL.
        target: a device family that synthesis knows.
        seeds: placements of a core on an ECP5.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    keys: Annotated[tuple[dict[str, list[Any]], ...], BeforeValidator(_parts)]
    where: tuple[str, ...] = ()
    objectives: Annotated[tuple[str, ...], Field(min_length=1)] = ("ms", "lut")
    limits: tuple[str, ...] = ()
    target: str = PLACED_TARGET
    seeds: Annotated[int, Field(ge=1)] = PUBLISHED_SEEDS

    @model_validator(mode="after")
    def _is_measurable(self) -> Self:
        if self.target not in YOSYS_TARGETS:
            raise ValueError(f"target '{self.target}' is unknown: {', '.join(YOSYS_TARGETS)}")
        if unknown := [name for name in self.objectives if name not in FIGURES]:
            raise ValueError(f"objective '{unknown[0]}' is no figure: {', '.join(FIGURES)}")
        if len(set(self.objectives)) < len(self.objectives):
            raise ValueError("an objective is there twice: give it once")
        timed = [name for name in self.objectives if "mhz" in (name, *FIGURES[name].needs)]
        if timed and not self.is_placed:
            raise ValueError(
                f"objective '{timed[0]}' needs a clock, which only target '{PLACED_TARGET}' has"
            )
        conditions.filtered([], COLUMNS, self.limits)
        return self

    @property
    def is_placed(self) -> bool:
        """Whether cores are placed, and have clocks."""
        return self.target == PLACED_TARGET

    @property
    def size(self) -> int:
        """Combinations of alternatives, those among them that ``where`` excludes."""
        return sum(math.prod(map(len, part.values())) for part in self.keys)

    @cached_property
    def points(self) -> list[Keys]:
        """The keys of each point, in order: part by part, the last key changes first.

        Raises:
            SpecificationError: a condition is none, there are no points, or more than
                `MOST_POINTS`.
        """
        if self.size > MOST_COMBINATIONS:
            raise SpecificationError(
                f"the space has {self.size} combinations, and {MOST_COMBINATIONS} are looked "
                "through: give fewer alternatives"
            )
        types = self._types()
        whole = [{name: part.get(name, [DEFAULT]) for name in types} for part in self.keys]
        found = [point for part in whole for point in _points(part, types, self.where)]
        if not found:
            raise SpecificationError(
                f"the space is empty: none of its {self.size} combinations is "
                + " and ".join(f"'{one}'" for one in self.where)
            )
        if len(found) > MOST_POINTS:
            raise SpecificationError(
                f"the space has {len(found)} points, and at most {MOST_POINTS} are enumerated: "
                "give fewer alternatives, or a condition in where"
            )
        return found

    def _types(self) -> dict[str, str]:
        """The SQL types of all keys; a part that leaves a key out has the type of the others."""
        names = dict.fromkeys(name for part in self.keys for name in part)
        return {
            name: conditions.sql_type(
                _column(value) for part in self.keys for value in part.get(name, ())
            )
            for name in names
        }


def _points(
    alternatives: Mapping[str, list[Any]], types: Mapping[str, str], where: Sequence[str]
) -> Iterator[Keys]:
    """List the combinations of alternatives that meet all conditions."""
    sizes = [len(values) for values in alternatives.values()]
    for number in _numbers(alternatives, types, where):
        places = np.unravel_index(number, sizes)
        chosen = zip(alternatives, alternatives.values(), places, strict=True)
        values = {name: own[place] for name, own, place in chosen}
        yield {name: value for name, value in values.items() if value != DEFAULT}


def _numbers(
    alternatives: Mapping[str, list[Any]], types: Mapping[str, str], where: Sequence[str]
) -> list[int]:
    """The numbers of the combinations that meet all conditions."""
    with conditions.database().connect() as connection:
        number = "0"
        for name, values in alternatives.items():
            columns = f'"at_{name}" HUGEINT, "{name}" {types[name]}'
            connection.execute(f'CREATE TABLE "of_{name}" ({columns})')
            rows = [[index, _column(value)] for index, value in enumerate(values)]
            conditions.insert(connection, f'"of_{name}"', rows)
            number = f'({number}) * {len(values)} + "at_{name}"'
        tables = ", ".join(f'"of_{name}"' for name in alternatives)
        return conditions.held(connection, f"(SELECT * FROM {tables}) AS every_one", where, number)


def _column(value: object) -> object:
    """A value as conditions see it; a list of several, or a table, as text."""
    if value == DEFAULT:
        return None
    return str(value) if isinstance(value, list | dict) else value


def read(path: Path) -> Space:
    """Read a space from a TOML file.

    Raises:
        SpecificationError: it cannot be read, or something in it is wrong.
    """
    return check(reading.tables(path, "space"), f"{path}: ")


def check(values: Mapping[str, Any], source: str = "") -> Space:
    """Make a space of these values.

    Raises:
        SpecificationError: something is wrong; the message begins with ``source``.
    """
    try:
        return Space.model_validate(values)
    except ValidationError as error:
        faults = [_fault(dict(item)) for item in error.errors()]
        raise SpecificationError(source + "; ".join(dict.fromkeys(faults))) from None


def _fault(error: Mapping[str, Any]) -> str:
    name = ".".join(map(str, error["loc"]))
    if error["type"] == "extra_forbidden":
        known = ", ".join(Space.model_fields)
        return f"unknown key '{name}': those of a space are {known}; keys of cores are in [keys]"
    if error["type"] == "missing":
        return f"{name} is missing: tables with the alternatives of each key"
    own = error.get("ctx", {}).get("error")
    return str(own) if own else f"{name}: {error['msg'].lower()}"
