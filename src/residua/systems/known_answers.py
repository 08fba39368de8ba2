"""Known answers of a self-test: two keys of each curve, and a key of each core for RSA.

By plain integers, from keys that the name of the curve, or of the core, chooses.
"""

import random
from dataclasses import dataclass

from residua.cores.coprocessor.driver.curves import DriverCurve
from residua.curves import affine
from residua.curves.parameters import Curve, MontgomeryCurve
from residua.numbers.rsa import RsaKey
from residua.systems.cores import RsaKeys


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


@dataclass(frozen=True)
class KnownRoot:
    """An operation of a core for RSA, as byte strings of the host.

    Attributes:
        key: as the commands of the system take it.
        number: whose root is taken, or whose power.
        result: the root or the power.
    """

    key: bytes
    number: bytes
    result: bytes


def known_root(name: str, keys: RsaKeys) -> KnownRoot:
    """Compute an operation with a key of full length, for the core of a name."""
    draw = random.Random(f"self-test {name}")
    exponent = keys.exponent or (65537 if keys.exponent_bits >= 17 else 3)
    key = RsaKey.generate(keys.bits, exponent, draw)
    size, n = -(-keys.bits // 8), key.modulus
    number = draw.randrange(2, n)
    result = key.root(number) if keys.exponent else pow(number, exponent, n)
    loaded = private_key(key) if keys.exponent else public_key(n, exponent)
    return KnownRoot(loaded, number.to_bytes(size), result.to_bytes(size))


def private_key(key: RsaKey) -> bytes:
    """A private key as the commands of a system take it: five numbers of one size."""
    numbers = (key.p, key.q, *key.exponents, key.coefficient)
    size = max(-(-number.bit_length() // 8) for number in numbers)
    return b"".join(number.to_bytes(size) for number in numbers)


def public_key(n: int, e: int) -> bytes:
    """A public key as the commands of a system take it: the size of n, n, e."""
    sizes = [-(-number.bit_length() // 8) for number in (n, e)]
    return sizes[0].to_bytes(2, "little") + n.to_bytes(sizes[0]) + e.to_bytes(sizes[1])
