"""Signatures to verify at full size."""

from residua.curves import affine


def operands_for(curve, draw, u, v):
    """A valid signature with these multiples of the base point and of the key."""
    n = curve.order
    point = affine.multiply(curve, draw.randrange(1, n), curve.base_point)
    r = point[0] % n
    s = r * pow(v, -1, n) % n
    rest = affine.add(curve, point, affine.multiply(curve, -u, curve.base_point))
    return (u * s % n, r, s, *affine.multiply(curve, pow(v, -1, n), rest))
