"""The standard curves, and finding them by name."""

import random

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from residua.curves.affine import multiply
from residua.curves.catalogue import find_curve
from residua.curves.parameters import MontgomeryCurve, check_curve
from residua.curves.standard import CATALOGUE
from residua.errors import SpecificationError
from residua.evidence.campaigns.key_agreements import WEIERSTRASS as OPENSSL

NAMES = [
    *("P-192", "P-224", "P-256", "P-384", "P-521"),
    *("secp112r1", "secp112r2", "secp128r1", "secp128r2", "secp160k1", "secp160r1", "secp160r2"),
    *("secp192k1", "secp224k1", "secp256k1"),
    *(f"brainpoolP{bits}r1" for bits in (160, 192, 224, 256, 320, 384, 512)),
    *("Curve25519", "Curve448"),
]


def test_the_catalogue_is_complete_and_without_repetition():
    assert [entry.name for entry in CATALOGUE] == NAMES
    names = [name.lower() for entry in CATALOGUE for name in (entry.name, *entry.aliases)]
    assert len(set(names)) == len(names)
    assert len({entry.curve for entry in CATALOGUE}) == len(CATALOGUE)


@pytest.mark.parametrize("entry", CATALOGUE, ids=lambda entry: entry.name)
def test_every_entry_is_a_curve(entry):
    check_curve(entry.curve)
    for name in (entry.name, *entry.aliases, entry.name.swapcase()):
        assert find_curve(name) is entry.curve


@pytest.mark.parametrize("name", OPENSSL)
def test_multiples_are_those_of_openssl(name):
    """The base point with its sign, k G, and the shared secret of an exchange."""
    curve, other = find_curve(name), OPENSSL[name]
    generator = random.Random(name)
    for k in (1, 2, curve.order - 1, generator.randrange(1, curve.order)):
        numbers = ec.derive_private_key(k, other).public_key().public_numbers()
        assert multiply(curve, k, curve.base_point) == (numbers.x, numbers.y)
    mine = ec.generate_private_key(other)
    peer = ec.generate_private_key(other).public_key()
    numbers = peer.public_numbers()
    shared = multiply(curve, mine.private_numbers().private_value, (numbers.x, numbers.y))
    secret = mine.exchange(ec.ECDH(), peer)
    assert shared[0] == int.from_bytes(secret, "big")
    assert len(secret) == (curve.field_bits + 7) // 8


@pytest.mark.parametrize(
    ("name", "sign", "x"),
    [
        ("secp112r1", 2, "09487239"),
        ("secp112r2", 3, "4ba30ab5"),
        ("secp128r1", 3, "161ff752"),
        ("secp128r2", 2, "7b6aa5d8"),
        ("secp160k1", 2, "3b4c382c"),
        ("secp160r1", 2, "4a96b568"),
        ("secp160r2", 2, "52dcb034"),
        ("secp192k1", 3, "db4ff10e"),
        ("secp224k1", 3, "a1455b33"),
        ("secp256k1", 2, "79be667e"),
    ],
)
def test_base_points_have_the_sign_of_sec_2(name, sign, x):
    """Sign byte and first digits of SEC 2's compressed base points: check_curve takes -G too."""
    curve = find_curve(name)
    assert curve.y % 2 == sign - 2
    assert f"{curve.x:0{(curve.field_bits + 7) // 8 * 2}x}".startswith(x)


@pytest.mark.parametrize(
    ("bits", "y"),
    [(160, "1667cb47"), (192, "14b69086"), (224, "58aa56f7"), (320, "14fdd055")],
)
def test_base_points_have_the_sign_of_rfc_5639(bits, y):
    curve = find_curve(f"brainpoolP{bits}r1")
    assert f"{curve.y:0{bits // 4}x}".startswith(y)


def test_montgomery_base_points():
    """RFC 7748 prints the coordinates in decimal."""
    assert find_curve("X25519").base_point == (
        9,
        14781619447589544791020593568409986887264606134616475288964881837755586237401,
    )
    assert find_curve("X448").base_point == (
        5,
        int(
            "35529392678556817526412750206378333480897639938771427183188089843"
            "5169088786967410002932673765864550910142774147268105838985595290606362"
        ),
    )


def test_forms():
    montgomery = {e.name for e in CATALOGUE if isinstance(e.curve, MontgomeryCurve)}
    assert montgomery == {"Curve25519", "Curve448"}
    minus_3 = {e.name for e in CATALOGUE if getattr(e.curve, "has_a_minus_3", False)}
    assert minus_3 == {
        *("P-192", "P-224", "P-256", "P-384", "P-521"),
        *("secp112r1", "secp128r1", "secp160r1", "secp160r2"),
    }
    assert {e.name for e in CATALOGUE if e.curve.a == 0} == {n for n in NAMES if "k1" in n}
    cofactors = {e.name: e.curve.cofactor for e in CATALOGUE if e.curve.cofactor != 1}
    assert cofactors == {"secp112r2": 4, "secp128r2": 4, "Curve25519": 8, "Curve448": 4}


@pytest.mark.parametrize(
    ("name", "field_bits", "order_bits"),
    [
        ("secp112r2", 112, 110),
        ("secp160r1", 160, 161),
        ("secp224k1", 224, 225),
        ("Curve25519", 255, 253),
        ("Curve448", 448, 446),
        ("P-521", 521, 521),
    ],
)
def test_bits(name, field_bits, order_bits):
    curve = find_curve(name)
    assert (curve.field_bits, curve.order_bits) == (field_bits, order_bits)


@pytest.mark.parametrize(
    "name", ["P256", "p-256", " P_256 ", "secp256r1", "SECP256R1", "prime256v1", "NIST P-256"]
)
def test_lookup_is_tolerant(name):
    assert find_curve(name).name == "P-256"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("P-255", "unknown curve 'P-255' (did you mean P-256"),
        ("brainpool256r1", "did you mean brainpoolP256r1"),
        ("Ed25519", "did you mean Curve25519"),
        ("secp256r2", "did you mean P-256"),
        ("nothing like it", "unknown curve 'nothing like it'; a curve is a name"),
        ("", "unknown curve ''; a curve is a name of the catalogue, or a table"),
        ("BLS12-381", "with the keys form, name, prime, a, b, x, y, order, cofactor"),
    ],
)
def test_unknown_names(name, message):
    with pytest.raises(SpecificationError) as error:
        find_curve(name)
    assert message in str(error.value)
