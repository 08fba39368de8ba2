"""Exponentiators as cores: specification, verification, and RSA against OpenSSL."""

from dataclasses import replace
from math import isqrt

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from gmpy2 import next_prime

from residua.cores.digit.core import DigitCore
from residua.cores.digit.products import DigitPowers
from residua.cores.directory import build
from residua.cores.simulation.words import build_word_simulator, simulate
from residua.cores.specification.reading import check_any
from residua.cores.verification import verify_directory
from residua.errors import SpecificationError
from residua.report import page

SMALL = {"algorithm": "modexp", "bits": 24, "digit": 8, "window": 2, "exponent_bits": 9}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return build(check_any(SMALL), tmp_path_factory.mktemp("modexp") / "core")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"variant": "closed"}, "variant = 'closed': an exponentiator has numbers below p"),
        ({"operand_check": "flag"}, "operand_check = 'flag': any base and exponent will do; leave"),
        ({"window": 9}, "window = 9: expected 1 to 8 (bits of the exponent that"),
        ({"exponent_bits": 25}, "exponent_bits = 25: the words of an operand hold 1 to 24"),
        ({"algorithm": "iddmm"}, "window = 2: algorithm = 'iddmm' has no exponents; leave it out"),
    ],
)
def test_refusals(values, message):
    with pytest.raises(SpecificationError) as caught:
        DigitCore.of(check_any({**SMALL, **values}))
    assert str(caught.value).startswith(message)


def test_choices_are_written_down():
    made = DigitCore.of(check_any({"algorithm": "modexp", "bits": 2048, "lanes": 4}))
    assert made.parameters["window"] == 5
    assert made.cycles["products"] == 33 + 2048 + 410 + 1
    assert made.cycles["compute"] == made.cycles["products"] * made.cycles["product_cycles"]
    # A public exponent is short, and its window narrow.
    public = DigitCore.of(
        check_any({"algorithm": "modexp", "bits": 2048, "lanes": 4, "exponent_bits": 17})
    )
    assert public.cycles["products"] < made.cycles["products"] // 60
    assert public.specification.items()["exponent_bits"] == 17


def test_verification(built):
    """Several moduli; the cycles are the same for all bases and exponents."""
    found = verify_directory(built, vectors=260, seed=2)
    assert found["failures"] == []
    assert (found["vectors"], found["passed"]) == (260, True)
    assert found["cycles"] == {k: built.manifest["cycles"][k] for k in ("latency", "interval")}
    assert "Z = X<sup>Y</sup> modulo p" in page.render(built)
    assert "then the words of R^2 modulo p" in (built.path / "README.md").read_text()
    assert built.manifest["ranges"]["y"] == ["0", str(2**9 - 1)]


@pytest.mark.slow
def test_halves_of_a_signature_of_openssl(tmp_path):
    """RSA by the Chinese remainder theorem: both halves by the core, together as OpenSSL has it."""
    p, q = (int(next_prime(isqrt(i << 1022))) for i in (2, 3))
    n, e = p * q, 65537
    d = pow(e, -1, (p - 1) * (q - 1))
    halves = [(p, rsa.rsa_crt_dmp1(d, p)), (q, rsa.rsa_crt_dmq1(d, q))]
    crt = halves[0][1], halves[1][1], rsa.rsa_crt_iqmp(p, q)
    key = rsa.RSAPrivateNumbers(p, q, d, *crt, rsa.RSAPublicNumbers(e, n)).private_key()
    signature = int.from_bytes(key.sign(b"text", padding.PKCS1v15(), hashes.SHA256()), "big")
    message = pow(signature, e, n)
    keys = {"algorithm": "modexp", "bits": 512, "digit": 17, "lanes": 2}
    directory = build(check_any(keys), tmp_path / "core")
    simulator = build_word_simulator(
        directory.made.products(p),
        directory.sources(),
        top=directory.name,
        modulus=directory.made.products(p).modulus_words,
    )

    class Half(DigitPowers):
        def expected(self, x, y):
            assert (x, y) == (message % self.domain.modulus, dict(halves)[self.domain.modulus])
            return signature % self.domain.modulus

    for prime, exponent in halves:
        products = directory.made.products(prime)
        judged = replace(
            simulator,
            design=Half(products.design, products.domain),
            modulus=products.modulus_words,
        )
        report = simulate(judged, [(message % prime, exponent)], 1, stalls=False)
        assert (report["vectors"], report["mismatches"], report["failure"]) == (1, 0, "")
        assert report["latency"] == [products.latency] * 2
