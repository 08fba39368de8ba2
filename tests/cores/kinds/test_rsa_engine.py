"""RSA on an engine as a core: specification, directory, verification, signatures of OpenSSL."""

import random

import pytest
from tests.cores.kinds.openssl_rsa import signed

from residua.cores.digit.rsa_crt import RsaCrtCore
from residua.cores.directory import Directory, build
from residua.cores.exponentiation.core import ExponentiationCore
from residua.cores.exponentiation.rsa_crt import RsaEngineCore, RsaEngineOperations
from residua.cores.kinds import core_of
from residua.cores.specification.reading import check_any
from residua.cores.verification import verify_directory
from residua.errors import SpecificationError
from residua.numbers.rsa import RsaKey
from residua.report import page

pytestmark = pytest.mark.usefixtures("quick", "few_model_powers")

RSA = {"algorithm": "rsa-crt", "unit": "rns-montgomery", "bits": 64}
SMALL = {**RSA, "bits": 36, "exponent": 17, "window": 2}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return build(check_any(SMALL), tmp_path_factory.mktemp("rsa") / "core")


def core(**values):
    return ExponentiationCore.of(check_any({**RSA, **values}))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"bits": None}, "bits is missing: RSA loads its key"),
        ({"modulus": "P-256"}, "modulus = "),
        ({"exponent_bits": 17}, "exponent_bits = 17: private exponents are as long as the primes"),
        ({"exponent": 4}, "exponent = 4: the public exponent of RSA is odd; "),
        ({"bits": 30}, "bits = 30: primes of 16 bits, the shortest, make 31 bits or more"),
        ({"bits": 33, "width": 34, "channels": 2}, "bits = 33: a message has two words at least"),
        (
            {"digit": 8},
            "digit means nothing for an RSA core on an engine: leave it out, or give unit = ",
        ),
        ({"channels": 4, "rowers": 3}, "rowers = 3 cannot share n = 4 channels evenly"),
        ({"channels": 2}, "the base of 2 moduli of 17 bits is 1 bit too narrow"),
    ],
)
def test_refusals(values, message):
    chosen = {name: value for name, value in {**RSA, **values}.items() if value is not None}
    with pytest.raises(SpecificationError) as caught:
        core_of(check_any(chosen))
    assert message.rstrip("; ") in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_digit_multiplier_is_the_default():
    plain = {"algorithm": "rsa-crt", "bits": 64}
    assert isinstance(core_of(check_any(plain)), RsaCrtCore)
    assert isinstance(core_of(check_any({**plain, "unit": "iddmm"})), RsaCrtCore)
    assert isinstance(core_of(check_any(RSA)), RsaEngineCore)


@pytest.mark.parametrize(
    "values",
    [{}, {"channels": 4, "rowers": 2, "extension": "hierarchical", "columns": 2}, {"bits": 77}],
)
def test_choices_are_written_down(values):
    made = core(**values)
    again = ExponentiationCore.of(made.specification)
    assert again.specification == made.specification
    assert (again.parameters, again.cycles) == (made.parameters, made.cycles)
    assert made.parameters["exponent"] == "65537"
    assert made.parameters["window"] == 4
    assert 0 < made.utilisation < 1


def test_halves_fill_each_others_waits():
    """Two products take hardly longer than one, and much less than one after the other."""
    pair = core(bits=512).design.processor.routines["square"].length
    alone = core(algorithm="modexp", bits=256, exponent=3)
    assert pair < 1.4 * alone.design.processor.routines["square"].length


@pytest.mark.parametrize("bits", [31, 36, 61, 128])
def test_keys(bits):
    """Random ones, short primes on either side, and wrong ones; all of them can be loaded."""
    made = core(bits=bits, exponent=17)
    keys = made.keys(random.Random(bits))
    right = [own for own in keys if not own.wrong]
    assert [own.key.modulus.bit_length() for own in right[:2]] == [bits, bits]
    if bits > 60:
        assert right[2].key.p > right[2].key.q << bits // 8
        assert right[3].key.q > right[3].key.p << bits // 8
    assert len(keys) - len(right) == 4
    for own in keys:
        words = own.modulus_words
        assert len(words) == sum(made.design.load_lengths)
        assert all(word < 1 << own.width for word in words)
        assert all(words[place] & 1 for place in own.tested_words)
    for own in right:
        for place, prime in zip(own.tested_words, (own.key.p, own.key.q), strict=True):
            assert own.modulus_words[place] == prime % (1 << own.width)
        assert pow(own.expected(4711, 0), 17, own.modulus) == 4711


def test_verification(built, measured_interval):
    """Several keys; the cycles are the same for all keys and messages."""
    found = verify_directory(built, vectors=80, seed=2, resets=4)
    assert found["failures"] == []
    assert (found["vectors"], found["passed"]) == (80, True)
    assert found["model_checks"] >= 8
    assert found["resets"] > 0
    cycles, key = built.manifest["cycles"], built.made.keys(random.Random(1))[0]
    assert found["cycles"]["latency"] == cycles["latency"]
    assert measured_interval(built, key) == cycles["interval"]


def test_texts(built):
    assert "Z = X<sup>d</sup> modulo N" in page.render(built)
    assert "Z^17 ≡ X modulo N" in (built.path / "README.md").read_text()
    assert "with e = 17, 0 with error" in (built.path / f"rtl/{built.name}.v").read_text()
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
    found = verify_directory(directory, vectors=16, seed=2)
    assert not found["passed"]
    assert found["mismatches"] > 0


def test_verification_finds_that_nothing_is_withheld(built, monkeypatch):
    """If what wrong keys lead to were right, the core would be wrong to withhold it."""
    directory = Directory(built.path, built.manifest)
    assert directory.made
    monkeypatch.setattr(RsaEngineOperations, "expected", lambda own, x, _y: own.key.root(x))
    found = verify_directory(directory, vectors=70, seed=2)
    assert not found["passed"]
    assert "the root of" not in "".join(found["failures"])
    assert any("a right result is an error" in text for text in found["failures"])


def test_numbers_of_openssl():
    """What is loaded of a key is what OpenSSL has of it, and the root is its signature."""
    numbers, key, signature, message = signed()
    operations = core(bits=512, width=34).operations(key)
    right = operations.numbers
    assert operations.expected(message, 0) == signature
    assert (right["d_p"], right["d_q"], right["coefficient"]) == (
        numbers.dmp1,
        numbers.dmq1,
        numbers.iqmp,
    )
