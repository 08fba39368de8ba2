"""The kinds of cores: those of this package, and those that others add.

Another package adds one by an entry point of the group ``residua.kinds`` that names its `Kind`; see
docs/adding-a-core.md.
"""

import warnings
from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from residua.cores.kind import Kind
from residua.cores.specification.base import CoreSpecification

if TYPE_CHECKING:
    from residua.cores.core import Core

GROUP = "residua.kinds"

_OWN = (
    "residua.cores.rns_montgomery:KIND",
    "residua.cores.base_extension:KIND",
    "residua.cores.single_base:KIND",
    "residua.cores.digit:KIND",
    "residua.cores.exponentiation:KIND",
    "residua.cores.inversion:KIND",
    "residua.cores.ecpm:KIND",
    "residua.cores.coprocessor:KIND",
    "residua.cores.coprocessor:ON_DIGITS",
)


def _kinds() -> tuple[Kind, ...]:
    own: list[Kind] = [resolve_name(name) for name in _OWN]
    others = sorted(entry_points(group=GROUP), key=lambda entry: entry.name)
    return (*own, *filter(None, map(_other, others)))


def _other(entry: EntryPoint) -> Kind | None:
    """The kind of another package; None, with a warning, if it has none that can be taken."""
    try:
        found = entry.load()
    except Exception as error:  # noqa: BLE001 - whatever it does, all other kinds stay
        reason = f"{type(error).__name__}: {error}"
    else:
        if isinstance(found, Kind):
            return found
        reason = "it is no residua.cores.kind.Kind"
    warnings.warn(f"no kind of core '{entry.name}' from {entry.value}: {reason}", stacklevel=2)
    return None


KINDS = _kinds()
"""Kinds in the order of the help; where two are asked for, the later one is meant."""

DEFAULT_ALGORITHM = "rns-montgomery"


def algorithms() -> tuple[str, ...]:
    """Values that ``algorithm`` may have."""
    return tuple(dict.fromkeys(name for kind in KINDS for name in kind.specification.algorithms))


def core_of(specification: CoreSpecification) -> "Core":
    """The core that a specification asks for.

    Raises:
        SpecificationError: the request cannot be met.
    """
    kind = next(kind for kind in KINDS if kind.specification is type(specification))
    return kind.core_class.of(specification)


def kind_asked(values: Mapping[str, Any]) -> Kind:
    """The kind that the values of a specification ask for, in whatever else they may be wrong."""
    algorithm = values.get("algorithm")
    if not isinstance(algorithm, str) or algorithm not in algorithms():
        algorithm = DEFAULT_ALGORITHM
    asked = {**values, "algorithm": algorithm}
    return next(kind for kind in reversed(KINDS) if kind.specification.asked_by(asked))
