"""The names that cores get by default: what each is, and what tells it from others in a design.

A name has the kind of core, the standard curves or the standard modulus, and the size. Whatever was
asked for besides, such as another modulus or an option that is not the default, is in a digest.
"""

import json
import re
from collections.abc import Iterable

from residua.cores.manifest import digest
from residua.cores.specification.base import CoreSpecification
from residua.numbers.catalogue import modulus_name

_DIGITS = 8
"""Digits of a digest: two of 50 cores share one with a probability below one in a million."""

_TOLD = ("algorithm", "unit", "name", "bus", "instances", "width", "digit")
"""Keys that every name tells: kind and size. The bus, and how many cores are behind it, are in the
name of the top module."""


def modulus_part(modulus: int | None, bits: int | None = None) -> str:
    """The name of a standard modulus, or the bits of those that are loaded; else nothing."""
    if bits is not None:
        return str(bits)
    name = None if modulus is None else modulus_name(modulus)
    return plain(name or "")


def default_name(parts: Iterable[str], request: CoreSpecification, *told: str) -> str:
    """A name: its parts, and a digest of what they do not tell.

    Args:
        parts: kind, curves or modulus, size; those that are empty are left out.
        request: the specification as given.
        told: further keys that the parts tell.
    """
    own = "_".join(part for part in parts if part)
    known = {*_TOLD, *told, *request.named_keys}
    defaults = type(request).model_fields
    rest = {
        key: value
        for key, value in request.items().items()
        if key not in known and getattr(request, key) != defaults[key].default
    }
    if not rest:
        return own
    return f"{own}_{digest(json.dumps(rest, sort_keys=True))[:_DIGITS]}"


def plain(name: str) -> str:
    """A standard name in small letters and digits."""
    return re.sub(r"[^a-z0-9]+", "", name.lower())
