"""Known answers of a self-test: two keys of each curve, their public keys and their secret.

By plain integers, from keys that the name of the curve chooses.
"""

import random
from dataclasses import dataclass

from residua.cores.coprocessor.driver.curves import DriverCurve
from residua.curves import affine
from residua.curves.parameters import Curve, MontgomeryCurve


@dataclass(frozen=True)
class KnownAnswers:
    """Key agreement on one curve, as byte strings of the driver.

    Attributes:
        own: private key of one side.
        other: that of the other side.
        own_public: public key of one side.
        other_public: that of the other side.
        secret: what both come to.
    """

    own: bytes
    other: bytes
    own_public: bytes
    other_public: bytes
    secret: bytes


def known_answers(curve: Curve) -> KnownAnswers:
    """Compute key agreement on a curve."""
    draw = random.Random(f"self-test {curve.name}")
    if isinstance(curve, MontgomeryCurve):
        return _montgomery(curve, draw)
    entry, size = DriverCurve.of(curve), DriverCurve.of(curve).field_size
    first, second = (draw.randrange(1, curve.order) for _ in range(2))

    def point(k: int) -> tuple[int, int]:
        found = affine.multiply(curve, k, curve.base_point)
        assert found is not None
        return found

    def public(k: int) -> bytes:
        return b"\x04" + b"".join(part.to_bytes(size, "big") for part in point(k))

    own, other = (k.to_bytes(entry.order_size, "big") for k in (first, second))
    shared = point(first * second % curve.order)[0].to_bytes(size, "big")
    return KnownAnswers(own, other, public(first), public(second), shared)


def _montgomery(curve: MontgomeryCurve, draw: random.Random) -> KnownAnswers:
    entry = DriverCurve.of(curve)
    size = entry.field_size
    own, other = draw.randbytes(size), draw.randbytes(size)

    def multiple(key: bytes, x: int) -> int:
        return affine.multiply_x(curve, entry.clamped(int.from_bytes(key, "little")), x)

    first, second = multiple(own, curve.x), multiple(other, curve.x)
    values = (one.to_bytes(size, "little") for one in (first, second, multiple(own, second)))
    return KnownAnswers(own, other, *values)
