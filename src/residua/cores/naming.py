"""The names that cores get by default: what each is, and what tells it from others in a design.

A name has the kind of core, the standard curves or the standard modulus, and the size. Whatever was
asked for besides, such as another modulus or an option that is not the default, is in a digest.
"""

import json
import re
from collections.abc import Iterable, Sequence

from residua.cores.coprocessor.specification import CurveSpecification
from residua.cores.manifest import digest
from residua.cores.specification.reading import AnySpecification
from residua.curves.parameters import Curve
from residua.numbers.catalogue import modulus_name

_MOST_NAMES = 3
"""A core with more curves has their number in its name."""

_DIGITS = 8
"""Of a digest: two of 50 cores have the same one with a probability below one in a million."""

_TOLD = ("algorithm", "unit", "name", "bus", "width", "digit")
"""Keys that every name tells: kind and size. The bus is in the name of the top module."""


def curves_part(curves: Sequence[Curve]) -> str:
    """The names of curves in small letters and digits."""
    if len(curves) > _MOST_NAMES:
        return f"{len(curves)}_curves"
    return "_".join(_plain(curve.name) for curve in curves)


def modulus_part(modulus: int | None, bits: int | None = None) -> str:
    """The name of a standard modulus, or the bits of those that are loaded; else nothing."""
    if bits is not None:
        return str(bits)
    name = None if modulus is None else modulus_name(modulus)
    return _plain(name or "")


def default_name(parts: Iterable[str], request: AnySpecification, *told: str) -> str:
    """A name: its parts, and a digest of what they do not tell.

    Args:
        parts: kind, curves or modulus, size; those that are empty are left out.
        request: the specification as given.
        told: further keys that the parts tell.
    """
    own = "_".join(part for part in parts if part)
    known = {*_TOLD, *told, *_named(request)}
    defaults = type(request).model_fields
    rest = {
        key: value
        for key, value in request.items().items()
        if key not in known and getattr(request, key) != defaults[key].default
    }
    if not rest:
        return own
    return f"{own}_{digest(json.dumps(rest, sort_keys=True))[:_DIGITS]}"


def _named(request: AnySpecification) -> set[str]:
    """The keys of curves or of a modulus whose names tell everything."""
    if isinstance(request, CurveSpecification):
        few = len(request.curve) <= _MOST_NAMES
        return {"curve"} if few and request.catalogued else set()
    return {"modulus"} if modulus_part(request.modulus) else set()


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "", name.lower())
