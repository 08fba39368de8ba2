"""The Montgomery-curve ladder: RFC 7748, OpenSSL, and everything over tiny fields."""

import random

import pytest
from cryptography.hazmat.primitives.asymmetric.x448 import X448PrivateKey, X448PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from curves.plain import Ladder, PlainCurve, Prefixes, costs, inverse
from residua.curves import montgomery_ladder
from residua.errors import SpecificationError

P25519, A25519 = 2**255 - 19, 486662
P448, A448 = 2**448 - 2**224 - 1, 156326


FINAL, RESULT = montgomery_ladder.final_select(), montgomery_ladder.u_result()


def begun(prime: int, a: int, u: int, seed: int = 1) -> Prefixes:
    """The ladder of a point, in random coordinates."""
    rng = random.Random(seed)
    runner = Ladder(
        prime,
        montgomery_ladder.constants(prime, a),
        u=u,
        l=rng.randrange(1, prime),
        m=rng.randrange(1, prime),
    )
    runner.run(montgomery_ladder.initial_state())
    return Prefixes(runner, montgomery_ladder.step())


def multiple(ladder: Prefixes, k: int, bits: int) -> int:
    runner, u = ladder.after(f"{k:0{bits}b}"), ladder.begun.state["u"]
    runner.run(FINAL, last=k % 2 == 1)
    assert (runner.state["x0"], runner.state["z0"]) != (0, 0) or u == 0
    runner.state["inverse"] = inverse(runner.state["z0"], runner.prime)
    runner.run(RESULT)
    return runner.state["u"]


def multiply(prime: int, a: int, k: int, u: int, bits: int) -> int:
    return multiple(begun(prime, a, u), k, bits)


def x25519(k: bytes, u: bytes) -> bytes:
    scalar = int.from_bytes(k, "little") & ((1 << 254) - 8) | 1 << 254
    coordinate = int.from_bytes(u, "little") & ((1 << 255) - 1)
    return multiply(P25519, A25519, scalar, coordinate, 255).to_bytes(32, "little")


def x448(k: bytes, u: bytes) -> bytes:
    scalar = int.from_bytes(k, "little") & ((1 << 447) - 4) | 1 << 447
    coordinate = int.from_bytes(u, "little")
    return multiply(P448, A448, scalar, coordinate, 448).to_bytes(56, "little")


def test_rfc_7748_iterated() -> None:
    k = u = (9).to_bytes(32, "little")
    k, u = x25519(k, u), k
    assert k.hex() == "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079"
    k = u = (5).to_bytes(56, "little")
    assert x448(k, u).hex() == (
        "3f482c8a9f19b01e6c46ee9711d9dc14fd4bf67af30765c2ae2b846a"
        "4d23a8cd0db897086239492caf350b51f833868b9bc2b3bca9cf4113"
    )


def test_rfc_7748_single() -> None:
    k = bytes.fromhex("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4")
    u = bytes.fromhex("e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c")
    expected = "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"
    assert x25519(k, u).hex() == expected


def test_against_openssl() -> None:
    rng = random.Random(7748)
    for _ in range(3):
        k, other = rng.randbytes(32), X25519PrivateKey.from_private_bytes(rng.randbytes(32))
        u = other.public_key().public_bytes_raw()
        shared = X25519PrivateKey.from_private_bytes(k).exchange(
            X25519PublicKey.from_public_bytes(u)
        )
        assert x25519(k, u) == shared
    k, goldilocks = rng.randbytes(56), X448PrivateKey.from_private_bytes(rng.randbytes(56))
    u = goldilocks.public_key().public_bytes_raw()
    shared = X448PrivateKey.from_private_bytes(k).exchange(X448PublicKey.from_public_bytes(u))
    assert x448(k, u) == shared


@pytest.mark.parametrize("u", [0, 1, P25519 - 1])
def test_small_orders_of_curve25519_come_out_as_zero(u: int) -> None:
    assert multiply(P25519, A25519, 8 * (2**251 + 12345), u, 255) == 0


@pytest.mark.parametrize("prime", [7, 11, 13, 17])
def test_every_scalar_point_and_curve(prime: int) -> None:
    for a in range(prime):
        if (a * a - 4) % prime == 0:
            continue
        curve = PlainCurve(prime, 1, 0, a)
        for seed, point in enumerate(curve.points):
            ladder = begun(prime, a, point[0], seed)
            for k in range(2 * curve.order_of(point) + 4):
                expected = curve.multiply(k, point)
                assert multiple(ladder, k, 8) == (0 if expected is None else expected[0])


@pytest.mark.parametrize(("prime", "a"), [(23, 5), (29, 7)])
def test_twist(prime: int, a: int) -> None:
    d = next(d for d in range(2, prime) if pow(d, prime // 2, prime) == prime - 1)
    twist = PlainCurve(prime, d * d % prime, 0, a * d % prime)  # its x-coordinates are d u
    for seed, point in enumerate(twist.points):
        ladder = begun(prime, a, point[0] * inverse(d, prime) % prime, seed)
        for k in range(twist.order_of(point) + 3):
            expected = twist.multiply(k, point)
            result = 0 if expected is None else expected[0] * inverse(d, prime) % prime
            assert multiple(ladder, k, 8) == result


def test_costs() -> None:
    assert costs(montgomery_ladder.step()) == (10, 15, 0, 2)
    assert costs(montgomery_ladder.initial_state()) == (1, 1, 3, 0)
    assert costs(montgomery_ladder.final_select()) == (0, 0, 0, 2)
    assert costs(montgomery_ladder.u_result()) == (1, 1, 0, 0)


def test_singular_curves_are_refused() -> None:
    with pytest.raises(SpecificationError, match=r"A\^2 - 4 must be a unit"):
        montgomery_ladder.constants(P25519, P25519 - 2)
