"""Reading of specifications from TOML files and flags; clear refusals of wrong ones."""

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from residua.cores.coprocessor.specification import CoprocessorSpecification, CurveSpecification
from residua.cores.kinds import DEFAULT_ALGORITHM, KINDS, algorithms, kind_asked
from residua.cores.rns_montgomery.specification import RnsMontgomerySpecification
from residua.cores.specification.base import CoreSpecification
from residua.cores.specification.keys import Key, described, shown, unmarked
from residua.errors import SpecificationError
from residua.numbers.names import suggestion

PLANNED = ("mwr2kmm",)
"""Algorithms that have a name and are not built yet."""

S = TypeVar("S", bound=CoreSpecification)


@cache
def keys() -> dict[str, Key]:
    """The description of every key of every kind of core, in order: the most wanted ones first."""
    multiplier, coprocessor = (
        described(RnsMontgomerySpecification),
        described(CoprocessorSpecification),
    )
    known = ", ".join(f"`{name}`" for name in algorithms())
    first = {
        "algorithm": replace(multiplier["algorithm"], allowed=known),
        "modulus": multiplier["modulus"],
        "curve": coprocessor["curve"],
        "bus": multiplier["bus"],
    }
    found = {name: key for name, key in coprocessor.items() if name not in multiplier}
    found = first | found | {name: key for name, key in multiplier.items() if name not in first}
    others: dict[str, Key] = {}
    for kind in KINDS:
        others |= described(kind.specification)
    return found | {name: key for name, key in others.items() if name not in found}


def load(kind: type[S], path: Path | None, flags: Mapping[str, Any]) -> S:
    """A specification of this kind, of a TOML file (if any) with flags on top of it.

    Args:
        kind: of the specification.
        path: the file. A modulus ``@name`` in it is sought next to the file.
        flags: values as text; those that are None are not given.

    Raises:
        SpecificationError: one paragraph with everything that is wrong.
    """
    values, source = asked(path, flags)
    return check(kind, values, source)


def load_any(path: Path | None, flags: Mapping[str, Any]) -> CoreSpecification:
    """The specification of what a TOML file (if any) with flags on top of it asks for.

    See `check_any`. Arguments and errors are those of `load`.
    """
    return check_any(*asked(path, flags))


def check_any(values: Mapping[str, Any], source: str = "") -> CoreSpecification:
    """The specification with these values of the kind of core that they ask for.

    Raises:
        SpecificationError: one paragraph with everything that is wrong, after ``source``.
    """
    kind = kind_asked(values).specification
    if kind is RnsMontgomerySpecification and "modulus" not in values:
        raise SpecificationError(
            f"{source}modulus or curve is missing: a modulus makes a multiplier, a curve an "
            "elliptic-curve coprocessor; a name such as P-256 serves for both"
        )
    return check(kind, values, source)


def check(kind: type[S], values: Mapping[str, Any], source: str = "") -> S:
    """The specification of this kind with these values.

    Raises:
        SpecificationError: one paragraph with everything that is wrong, after ``source``.
    """
    try:
        return kind(**values)
    except ValidationError as error:
        faults = [_fault(dict(item), kind, values) for item in error.errors()]
        # A union reports each of its members.
        raise SpecificationError(source + "; ".join(dict.fromkeys(faults))) from None


def asked(path: Path | None, flags: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """The values of file and flags, and what messages begin with; see `load`."""
    values = {} if path is None else _read(path)
    values.update({name: value for name, value in flags.items() if value is not None})
    return values, "" if path is None else f"{path}: "


def tables(path: Path, noun: str) -> dict[str, Any]:
    """Read a TOML file; messages call what is in it by ``noun``.

    Raises:
        SpecificationError: it cannot be read, or is none.
    """
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise SpecificationError(
            f"cannot read the {noun} {path}: {error.strerror or error}"
        ) from error
    except UnicodeDecodeError as error:
        raise SpecificationError(f"the {noun} {path} is not a text file") from error
    except ValueError as error:
        raise SpecificationError(f"the {noun} {path} is no TOML: {error}") from error


def _read(path: Path) -> dict[str, Any]:
    values = tables(path, "specification")
    modulus = values.get("modulus")
    if isinstance(modulus, str) and modulus.startswith("@"):
        values["modulus"] = f"@{path.parent / modulus[1:]}"
    return values


def _fault(
    error: Mapping[str, Any], kind: type[CoreSpecification], values: Mapping[str, Any]
) -> str:
    """One fault of a specification, in words."""
    cause = error.get("ctx", {}).get("error")
    reason = str(cause) if isinstance(cause, ValueError) else ""
    if not error["loc"]:
        return reason
    name = str(error["loc"][0])
    if error["type"] == "extra_forbidden":
        return _foreign(name, kind, values) if name in keys() else unknown(name)
    if name == "algorithm":
        return f"algorithm = {shown(error['input'])}{_other_algorithm(error['input'])}"
    key = keys()[name]
    if error["type"] == "missing":
        return f"{name} is missing: {unmarked(key.allowed)}"
    if isinstance(cause, SpecificationError):
        return f"{name}: {reason}"
    return f"{name} = {shown(error['input'])}: {_expectation(name, error['input'])}"


def _other_algorithm(value: object) -> str:
    """Message on a wrong algorithm."""
    if value in algorithms():
        return " is no algorithm of this kind of core"
    if value in PLANNED:
        return f": not available in this version; available: {', '.join(algorithms())}"
    return f": {_expectation('algorithm', value)}"


def _expectation(name: str, value: object) -> str:
    """Values that would be right in place of ``value``, in words."""
    key = keys()[name]
    if name == "form" and value == "plain":
        return "a model only, not built in hardware; one of quadratic, reordered, auto"
    several = key.allowed.startswith("`") and key.allowed.count("`") > 2
    allowed = f"one of {key.allowed}" if several else key.allowed
    meaning = unmarked(key.meaning).rstrip(".")
    return f"expected {unmarked(allowed)} ({meaning[0].lower()}{meaning[1:]})"


def _foreign(name: str, kind: type[CoreSpecification], values: Mapping[str, Any]) -> str:
    """A key that only other kinds of core have."""
    if name == "modulus" and issubclass(kind, CurveSpecification):
        return (
            "modulus and curve are both given: a modulus makes a multiplier, a curve an "
            "elliptic-curve coprocessor; leave out one of them"
        )
    algorithm = values.get("algorithm", DEFAULT_ALGORITHM)
    others = [
        other.specification.asked_with
        for other in KINDS
        if "curve" not in values
        and algorithm in other.specification.algorithms
        and name in other.specification.model_fields
        and other.specification.asked_with
    ]
    remedy = f"leave it out, or give {others[0]}" if others else "leave it out"
    return f"{name} means nothing for {kind.called(values)}: {remedy}"


def unknown(name: str) -> str:
    """Message on a name that is no key of any kind of core."""
    known = list(keys())
    near = suggestion(name, dict(zip(known, known, strict=True)))
    return f"unknown key '{name}'{near or ': the keys are ' + ', '.join(known)}"
