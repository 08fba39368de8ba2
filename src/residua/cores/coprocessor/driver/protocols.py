"""Key agreement and signatures with a coprocessor, as in the C driver."""

from residua.cores.bus.driver.client import CoreError
from residua.cores.coprocessor.driver.client import Client
from residua.errors import SpecificationError


class RetryError(RuntimeError):
    """A nonce that makes no signature: another one has to be taken."""


def public_key(client: Client, curve: int, private_key: bytes) -> bytes:
    """The public key of a private key: a point's byte string."""
    entry = client.curves[curve]
    if entry.montgomery:
        generator = entry.x.to_bytes(entry.field_size, "little")
        return client.x_multiply(curve, private_key, generator)
    return client.base_multiply(curve, private_key)


def ecdh(client: Client, curve: int, private_key: bytes, other: bytes) -> bytes:
    """The shared secret of a private key and the other side's public key.

    Raises:
        CoreError: the public key is not valid, or the secret is zero.
    """
    secret = client.x_multiply(curve, private_key, other)
    if client.curves[curve].montgomery and not any(secret):
        raise CoreError("neutral", "the shared secret is zero")
    return secret


def ecdsa_sign(
    client: Client, curve: int, private_key: bytes, digest: bytes, nonce: bytes
) -> bytes:
    """The signature r || s (FIPS 186-5), with all arithmetic done by the core.

    Args:
        client: the core.
        curve: number of a Weierstrass curve.
        private_key: in [1, n - 1].
        digest: of any hash function.
        nonce: in [1, n - 1]; secret, uniform, and never used before.

    Raises:
        SpecificationError: a number is out of its range, or the core computes nothing modulo the
            order.
        RetryError: r or s is zero.
    """
    client.check_supported("order_multiply", curve)
    order, size = client.curves[curve].order, client.curves[curve].order_size
    for name, number in (("private key", private_key), ("nonce", nonce)):
        if not 0 < int.from_bytes(number) < order:
            raise SpecificationError(f"the {name} is not in [1, n - 1], n the order of the group")
    r = _x_modulo_order(client, curve, client.base_multiply(curve, nonce))
    if not any(r):
        raise RetryError("r = 0")
    s = _second_half(client, curve, nonce, private_key, r, _digest(client, curve, digest))
    if s == bytes(size):
        raise RetryError("s = 0")
    return r + s


def _second_half(client: Client, curve: int, k: bytes, d: bytes, r: bytes, z: bytes) -> bytes:
    """(z + r d) / k: in one operation under a random factor, if the core has that."""
    if client.has("order_sign"):
        return client.sign_numbers(curve, k, d, r, z)
    total = client.order("multiply_add", curve, r, d, z)
    return client.order("multiply", curve, total, client.order("invert", curve, k))


def ecdsa_verify(client: Client, curve: int, key: bytes, digest: bytes, signature: bytes) -> bool:
    """Whether r || s is a signature of the digest (FIPS 186-5).

    Raises:
        SpecificationError: the core computes nothing modulo the order.
        CoreError: the public key is not valid.
    """
    client.check_supported("order_multiply", curve)
    entry = client.curves[curve]
    r, s = signature[: entry.order_size], signature[entry.order_size :]
    in_range = len(signature) == 2 * entry.order_size and all(
        0 < int.from_bytes(number) < entry.order for number in (r, s)
    )
    if in_range and client.has("ecdsa_verify"):
        try:
            return client.verify_numbers(curve, _digest(client, curve, digest), r, s, key) == r
        except CoreError as error:
            if error.status == "invalid":
                return False
            if error.status != "bad_operation":
                raise
    client.validate(curve, key)
    return in_range and _sum_has_x(client, curve, key, digest, r, s)


def _sum_has_x(client: Client, curve: int, key: bytes, digest: bytes, r: bytes, s: bytes) -> bool:
    """Whether x of z/s G + r/s Q is r modulo the order, one operation after the other."""
    entry = client.curves[curve]
    inverse = client.order("invert", curve, s)
    u = client.order("multiply", curve, _digest(client, curve, digest), inverse)
    v = client.order("multiply", curve, r, inverse)
    size = entry.field_size
    generator = b"\x04" + entry.x.to_bytes(size) + entry.y.to_bytes(size)
    try:
        point = client.double_multiply(curve, u, v, generator, key)
    except CoreError as error:
        if error.status == "neutral":
            return False
        raise
    return _x_modulo_order(client, curve, point) == r


def _digest(client: Client, curve: int, digest: bytes) -> bytes:
    """The leftmost bits of the digest, as many as the order has, modulo the order."""
    entry = client.curves[curve]
    excess = max(0, 8 * len(digest) - entry.order_bits)
    number = int.from_bytes(digest) >> excess
    return (number % entry.order).to_bytes(entry.order_size)


def _x_modulo_order(client: Client, curve: int, point: bytes) -> bytes:
    entry = client.curves[curve]
    x = int.from_bytes(point[1 : 1 + entry.field_size])
    return (x % entry.order).to_bytes(entry.order_size)
