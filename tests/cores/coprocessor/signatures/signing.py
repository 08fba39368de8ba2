"""Signatures to verify at full size, and what the page on coprocessors says of their cycles."""

import re
from pathlib import Path

from residua.curves import affine

PAGE = Path(__file__).parents[4] / "docs" / "coprocessor.md"


def operands_for(curve, draw, u, v):
    """A valid signature with these multiples of the base point and of the key."""
    n = curve.order
    point = affine.multiply(curve, draw.randrange(1, n), curve.base_point)
    r = point[0] % n
    s = r * pow(v, -1, n) % n
    rest = affine.add(curve, point, affine.multiply(curve, -u, curve.base_point))
    return (u * s % n, r, s, *affine.multiply(curve, pow(v, -1, n), rest))


def told(row):
    """The number in a row of the page's tables."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    (line,) = (line for line in lines if row in line and line.startswith("| "))
    return int(re.sub(r"\D", "", line.split("|")[-2]))
