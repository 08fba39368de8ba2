"""Named moduli and the reading of moduli from text."""

import gmpy2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from residua.errors import SpecificationError
from residua.numbers.catalogue import (
    CATALOGUE,
    check_modulus,
    find_modulus,
    modulus_name,
    parse_modulus,
)

BITS = {
    "P-192": 192,
    "P-224": 224,
    "P-256": 256,
    "P-384": 384,
    "P-521": 521,
    "secp160k1": 160,
    "secp160r1": 160,
    "secp192k1": 192,
    "secp224k1": 224,
    "secp256k1": 256,
    **{f"brainpoolP{bits}r1": bits for bits in (160, 192, 224, 256, 320, 384, 512)},
    "25519": 255,
    "448": 448,
    "BLS12-381": 381,
    "BN254": 254,
    **{f"MODP-{bits}": bits for bits in (1024, 1536, 2048, 3072, 4096, 6144, 8192)},
    **{f"ffdhe{bits}": bits for bits in (2048, 3072, 4096, 6144, 8192)},
}


@pytest.mark.parametrize("entry", CATALOGUE, ids=lambda entry: entry.name)
def test_every_entry_is_a_prime_of_its_length(entry):
    assert gmpy2.is_prime(entry.value)
    assert entry.value.bit_length() == BITS[entry.name]
    assert modulus_name(entry.value) == entry.name
    for name in (entry.name, *entry.aliases):
        assert find_modulus(name) is entry
    check_modulus(entry.value)


@pytest.mark.parametrize("entry", [e for e in CATALOGUE if e.name.startswith(("MODP", "ffdhe"))])
def test_half_of_a_prime_for_key_agreement_is_a_prime(entry):
    """What the documents seek in their offsets; another number of pi or e would hardly be one."""
    assert gmpy2.is_prime(entry.value // 2)
    assert hex(entry.value).startswith("0x" + "f" * 16)
    assert entry.value % 2**64 == 2**64 - 1


def test_the_catalogue_is_complete_and_without_repetition():
    assert [entry.name for entry in CATALOGUE] == list(BITS)
    assert len({entry.value for entry in CATALOGUE}) == len(CATALOGUE)
    assert modulus_name(2**127 - 1) is None


def test_structured_primes():
    """Written in hexadecimal, as sums of powers, and as polynomials of the curves' seeds."""
    assert parse_modulus("P-256") == int(
        "ffffffff 00000001 00000000 00000000 00000000 ffffffff ffffffff ffffffff".replace(" ", ""),
        16,
    )
    assert parse_modulus("P-384") == int("f" * 63 + "e" + "f" * 8 + "0" * 16 + "f" * 8, 16)
    assert parse_modulus("P-224") == int("f" * 32 + "0" * 23 + "1", 16)
    assert parse_modulus("P-192") == int("f" * 31 + "e" + "f" * 16, 16)
    assert parse_modulus("P-521") == int("1ff" + "f" * 128, 16)
    sparse = {
        "secp160r2": (160, (32, 14, 12, 9, 8, 7, 3, 2, 0)),
        "secp192k1": (192, (32, 12, 8, 7, 6, 3, 0)),
        "secp224k1": (224, (32, 12, 11, 9, 7, 4, 1, 0)),
        "secp256k1": (256, (32, 9, 8, 7, 6, 4, 0)),
        "secp160r1": (160, (31, 0)),
    }
    for name, (bits, terms) in sparse.items():
        assert parse_modulus(name) == 2**bits - sum(2**term for term in terms)
    golden = 2**224
    assert parse_modulus("448") == golden**2 - golden - 1
    seed = 4965661367192848881
    assert parse_modulus("BN254") == 36 * seed**4 + 36 * seed**3 + 24 * seed**2 + 6 * seed + 1
    seed = -0xD201000000010000
    assert parse_modulus("BLS12-381") == (seed - 1) ** 2 * (seed**4 - seed**2 + 1) // 3 + seed


@pytest.mark.parametrize(
    "name", ["P256", "p-256", " P_256 ", "secp256r1", "SECP256R1", "prime256v1"]
)
def test_lookup_is_tolerant(name):
    assert parse_modulus(name) == 2**256 - 2**224 + 2**192 + 2**96 - 1


def test_curve_numbers_are_names():
    assert parse_modulus("25519") == parse_modulus("curve25519") == 2**255 - 19
    assert parse_modulus("448") == parse_modulus("Curve448") == 2**448 - 2**224 - 1


@given(st.integers(1 << 20, 1 << 4000))
def test_numbers(value):
    assert parse_modulus(str(value)) == value
    assert parse_modulus(f"{value:#x}") == value
    assert parse_modulus(f"{value:_}") == value
    assert parse_modulus(f"0X{value:X}") == value


def test_numbers_longer_than_python_converts():
    assert parse_modulus("1" + "0" * 6000) == 10**6000


@pytest.mark.parametrize(
    "content",
    [
        "65537",
        "0x10001\n",
        "0x1\n0001",
        "01:00:01\n",
        "Modulus=10001\n",
        "modulus = 0x10001",
        "6 55\n37 ",
    ],
)
def test_files(tmp_path, content):
    file = tmp_path / "modulus.txt"
    file.write_text(content)
    assert parse_modulus(f"@{file}") == 65537


def test_a_file_of_plain_hexadecimal_lines(tmp_path):
    value = 3**1000
    digits = f"{value:x}"
    file = tmp_path / "rsa"
    file.write_text("\n".join(digits[i : i + 64] for i in range(0, len(digits), 64)))
    assert parse_modulus(f"@{file}") == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("P-255", "unknown modulus 'P-255' (did you mean P-256"),
        ("brainpool256r1", "did you mean brainpoolP256r1"),
        ("nothing like it", "unknown modulus 'nothing like it'; a modulus is a name"),
        ("0xabcg", "unknown modulus '0xabcg'"),
        ("12 34", "unknown modulus '12 34'"),
        ("", "the modulus is empty"),
        ("   ", "the modulus is empty"),
        ("-17", "must be positive, not -17"),
        ("-0x10001", "must be positive, not -0x10001"),
        ("0", "must be positive, not 0"),
        ("@", "@ needs the name of a file"),
        ("@no/such/file", "cannot read the modulus file no/such/file: No such file"),
    ],
)
def test_bad_text(text, message):
    with pytest.raises(SpecificationError) as error:
        parse_modulus(text)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b" \n:\n", "is empty"),
        (b"hello", "holds no number"),
        (b"0x", "holds no number"),
        (b"-5", "must be positive, not -5"),
        (b"\xff\xfe\x00", "is not a text file"),
        (b"1" * (2**20 + 1), "is longer than 1048576 characters"),
    ],
)
def test_bad_files(tmp_path, content, message):
    file = tmp_path / "modulus.txt"
    file.write_bytes(content)
    with pytest.raises(SpecificationError) as error:
        parse_modulus(f"@{file}")
    assert message in str(error.value)
    assert "modulus.txt" in str(error.value) or "positive" in message


def test_a_directory_is_no_modulus_file(tmp_path):
    with pytest.raises(
        SpecificationError, match=r"cannot read the modulus file .*: Is a directory"
    ):
        parse_modulus(f"@{tmp_path}")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (65535, "65535 is too small: it must be at least 2^16 = 65536"),
        (-3, "-3 is too small"),
        (65538, "0x10002 is even: Montgomery multiplication needs an odd modulus"),
        (2**512, "is even"),
    ],
)
def test_refused_moduli(value, message):
    with pytest.raises(SpecificationError) as error:
        check_modulus(value)
    assert message in str(error.value)
    assert len(str(error.value)) < 140
    check_modulus(65537)


def test_the_smallest_modulus_can_be_another():
    check_modulus(32769, 1 << 15)
    with pytest.raises(SpecificationError, match=r"32767 is too small: .* 2\^15 = 32768"):
        check_modulus(32767, 1 << 15)
