"""Spaces of cores: keys with alternatives, what they have to meet, and what is best."""

import math
from collections.abc import Mapping, Sequence
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
from residua.toolchain.targets import PLACED_TARGETS, YOSYS_TARGETS

DEFAULT = "default"
"""Among the alternatives of a key: leave the key out."""

MOST_POINTS = 100_000
"""Points that are enumerated, and numbers that a range has at most."""

MOST_COMBINATIONS = 100 * MOST_POINTS
"""Combinations of alternatives that conditions choose from."""

TARGET = "ecp5"
"""The device family if a space names none."""

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
        found = range(value["from"], value["to"] + 1, value.get("step", 1))
    except (KeyError, TypeError, ValueError):
        found = range(0)
    if not found:
        raise ValueError(
            "a range has whole numbers, the first not above the last: "
            "{ from = 15, to = 36, step = 1 }"
        )
    if found[MOST_POINTS:]:
        raise ValueError(
            f"the range from {found[0]} to {found[-1]} has more than {MOST_POINTS} numbers: "
            "give a larger step"
        )
    return list(found)


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
        seeds: placements of a core, if the target has them.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    keys: Annotated[tuple[dict[str, list[Any]], ...], BeforeValidator(_parts)]
    where: tuple[str, ...] = ()
    objectives: Annotated[tuple[str, ...], Field(min_length=1)] = ("ms", "lut")
    limits: tuple[str, ...] = ()
    target: str = TARGET
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
                f"objective '{timed[0]}' needs a clock, which target '{self.target}' has not, but "
                f"{', '.join(PLACED_TARGETS)}"
            )
        conditions.filtered([], COLUMNS, self.limits)
        return self

    @property
    def is_placed(self) -> bool:
        """Whether cores are placed, and have clocks."""
        return self.target in PLACED_TARGETS

    @property
    def size(self) -> int:
        """Combinations of alternatives, those among them that ``where`` excludes."""
        return sum(math.prod(map(len, part.values())) for part in self.keys)

    @cached_property
    def points(self) -> list[Keys] | None:
        """The keys of each point, in order: part by part, the last key changes first.

        None if they are too many to be enumerated: more than `MOST_POINTS`, or chosen by conditions
        among more than `MOST_COMBINATIONS`.

        Raises:
            SpecificationError: a condition is none, or there are no points.
        """
        if self.size > (MOST_COMBINATIONS if self.where else MOST_POINTS):
            self.excluded([])
            return None
        types = self._types()
        whole = [{name: part.get(name, [DEFAULT]) for name in types} for part in self.keys]
        numbers = [_numbers(part, types, self.where) for part in whole]
        found = sum(map(len, numbers))
        if not found:
            raise SpecificationError(
                f"the space is empty: none of its {self.size} combinations is "
                + " and ".join(f"'{one}'" for one in self.where)
            )
        if found > MOST_POINTS:
            return None
        return [
            _point(part, number) for part, own in zip(whole, numbers, strict=True) for number in own
        ]

    def excluded(self, points: Sequence[Keys]) -> set[int]:
        """The places of the points that do not meet the conditions.

        Raises:
            SpecificationError: a condition is none.
        """
        rows = [{name: _column(value) for name, value in point.items()} for point in points]
        return {*range(len(points))} - {*conditions.filtered(rows, self._types(), self.where)}

    def _types(self) -> dict[str, str]:
        """The SQL types of all keys; a part that leaves a key out has the type of the others."""
        names = dict.fromkeys(name for part in self.keys for name in part)
        return {
            name: conditions.sql_type(
                _column(value) for part in self.keys for value in part.get(name, ())
            )
            for name in names
        }


def _point(alternatives: Mapping[str, list[Any]], number: int) -> Keys:
    """The keys of the combination of alternatives with a number."""
    places = np.unravel_index(number, [len(values) for values in alternatives.values()])
    chosen = zip(alternatives, alternatives.values(), places, strict=True)
    return without_defaults({name: own[place] for name, own, place in chosen})


def without_defaults(values: Keys) -> Keys:
    """Leave out the keys that are left out of a specification."""
    return {name: value for name, value in values.items() if value != DEFAULT}


def _numbers(
    alternatives: Mapping[str, list[Any]], types: Mapping[str, str], where: Sequence[str]
) -> list[int]:
    """The numbers of combinations that meet all conditions: one more than enumerated at most."""
    with conditions.database().connect() as connection:
        number = "0"
        for name, values in alternatives.items():
            columns = f'"at_{name}" HUGEINT, "{name}" {types[name]}'
            connection.execute(f'CREATE TABLE "of_{name}" ({columns})')
            rows = [[index, _column(value)] for index, value in enumerate(values)]
            conditions.insert(connection, f'"of_{name}"', rows)
            number = f'({number}) * {len(values)} + "at_{name}"'
        tables = ", ".join(f'"of_{name}"' for name in alternatives)
        every = f"(SELECT * FROM {tables}) AS every_one"
        return conditions.held(connection, every, where, number, MOST_POINTS + 1)


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
