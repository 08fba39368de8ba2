"""RSA as a core: specification, directory, verification, and signatures of OpenSSL."""

import random
from math import prod

import pytest
from tests.cores.planted import replaced

from residua.cores.digit.core import DigitCore
from residua.cores.digit.rsa_crt import RsaCrtCore
from residua.cores.directory import Directory, build
from residua.cores.specification.reading import check_any
from residua.cores.verification import verify_directory
from residua.errors import SpecificationError
from residua.numbers.digits import DigitDomain
from residua.numbers.rsa import RsaKey
from residua.report import page

SMALL = {"algorithm": "rsa-crt", "bits": 32, "digit": 8, "exponent": 17}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return build(check_any(SMALL), tmp_path_factory.mktemp("rsa") / "core")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"modulus": "P-256", "bits": None}, "modulus = "),
        ({"operand_check": "flag"}, "operand_check = 'flag': RSA checks its results; leave it out"),
        ({"exponent_bits": 17}, "exponent_bits = 17: private exponents are as long as the primes"),
        ({"exponent": 4}, "exponent = 4: the public exponent of RSA is odd"),
        ({"exponent": 1}, "exponent = 1: expected 2 to 2^256 - 1"),
        ({"variant": "closed"}, "variant = 'closed': an exponentiator has numbers below p"),
        ({"algorithm": "modexp", "window": 2}, "window = 2: exponent = 17 is the only exponent"),
        ({"algorithm": "iddmm"}, "exponent = 17: algorithm = 'iddmm' has no exponents"),
    ],
)
def test_refusals(values, message):
    chosen = {name: value for name, value in {**SMALL, **values}.items() if value is not None}
    with pytest.raises(SpecificationError) as caught:
        DigitCore.of(check_any(chosen))
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("bits", [16, 17, 33])
def test_short_keys(bits):
    made = DigitCore.of(check_any({**SMALL, "bits": bits, "exponent": 3}))
    for operations in (made.products(), *made.keys(random.Random(bits))):
        for message in (operations.largest_x // 3, *operations.edges):
            root = operations.expected(message, 0)
            assert operations.modelled(message) == root
            assert pow(root, 3, operations.domain.modulus) == message or operations.wrong
        assert operations.expected(operations.largest_x // 3, 0) != 0 or operations.wrong
        assert operations.domain.modulus.bit_length() <= bits


def test_exponents_without_keys():
    """Each prime of 8 bits less one has a factor in common with this one."""
    exponent = prod(p for p in range(3, 128, 2) if all(p % d for d in range(3, p, 2)))
    message = "^no key of 16 bits was found for the public exponent"
    with pytest.raises(SpecificationError, match=message):
        DigitCore.of(check_any({**SMALL, "bits": 16, "exponent": exponent})).products()


def test_choices_are_written_down():
    values = {"algorithm": "rsa-crt", "bits": 2048, "digit": 17, "lanes": 8}
    made = DigitCore.of(check_any(values))
    assert isinstance(made, RsaCrtCore)
    assert made.parameters["exponent"] == "65537"
    assert made.specification.items()["exponent"] == 65537
    assert made.parameters["multipliers"] == 3 * 17
    # The halves take about an eighth each of what one exponentiation takes, side by side.
    whole = DigitCore.of(check_any({**values, "algorithm": "modexp"}))
    assert made.cycles["compute"] < made.cycles["latency"] < whole.cycles["latency"] // 4
    assert 0 < made.utilisation < 1


def test_public_exponents_are_short_cuts():
    values = {"algorithm": "modexp", "bits": 2048, "digit": 17, "lanes": 8}
    public = DigitCore.of(check_any({**values, "exponent": 65537}))
    assert public.cycles["products"] == 19
    assert public.parameters["window"] is None


def test_verification(built, measured_interval):
    """Several keys; the cycles are the same for all keys and messages."""
    found = verify_directory(built, vectors=60, seed=2, resets=12)
    assert found["failures"] == []
    assert (found["vectors"], found["passed"]) == (60, True)
    cycles, key = built.manifest["cycles"], built.made.keys(random.Random(1))[0]
    assert found["cycles"]["latency"] == cycles["latency"]
    assert measured_interval(built, key) == cycles["interval"]
    assert "Z = X<sup>d</sup> modulo N" in page.render(built)
    assert "Z^17 ≡ X modulo N" in (built.path / "README.md").read_text()
    example = built.manifest["interface"]["example"]
    assert int(example["p"]) * int(example["q"]) == int(example["modulus"])
    root = pow(int(example["result"]), 17, int(example["modulus"]))
    assert root == int(example["x"])
    lengths = [part["words"] for part in built.manifest["interface"]["key"]]
    assert sum(lengths) == len(example["modulus_words"])


def test_verification_finds_wrong_results(built, monkeypatch):
    directory = Directory(built.path, built.manifest)
    assert directory.made
    monkeypatch.setattr(RsaKey, "root", lambda key, message: message * 3 % key.modulus)
    found = verify_directory(directory, vectors=24, seed=2)
    assert not found["passed"]
    assert found["mismatches"] > 0


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("result_payload[9] = n132;", "result_payload[9] = 1'b0;", "no error tells"),
        ("assign n130 = withholds ? 8'h00 : root;", "assign n130 = root;", "expected 0, obtained"),
    ],
)
def test_verification_finds_that_nothing_is_withheld(tmp_path, monkeypatch, old, new, message):
    """Some of its keys have wrong numbers: of most messages no root may come out then."""
    made = build(check_any(SMALL), tmp_path / "core")
    changed = replaced(monkeypatch, made.path, f"rtl/{made.name}.v", old, new)
    found = verify_directory(changed, vectors=60, seed=2)
    assert message in found["failures"][0]


def test_keys_of_a_verification():
    """One number of each wrong one, and messages for a subtraction modulo both primes."""
    made = DigitCore.of(check_any({"algorithm": "rsa-crt", "bits": 64, "digit": 11}))
    keys = made.keys(random.Random(1))
    assert [len(one.wrong) for one in keys] == [0, 0, 0, 1, 1, 1]
    unit, low = made.design.half, 1 << 11 * made.design.low_words
    for one in keys[:2]:
        numbers = made.design.numbers(one.key)
        for name, prime in (("p", one.key.p), ("q", one.key.q)):
            domain = DigitDomain(prime, unit.shape)
            sums = [domain.sum(x // low, numbers[f"shift_{name}"]) for x in one.edges]
            assert sum(found >= prime for found in sums) >= 3


def test_public_exponent_verification(tmp_path):
    values = {"algorithm": "modexp", "modulus": 2**17 - 1, "digit": 8, "exponent": 5}
    found = verify_directory(build(check_any(values), tmp_path / "core"), vectors=80, seed=2)
    assert found["failures"] == []
    assert found["passed"]


def test_even_public_exponents_are_for_powers_only():
    made = DigitCore.of(check_any({"algorithm": "modexp", "bits": 64, "exponent": 2}))
    assert made.products(2**61 - 1).expected(5, 0) == 25
