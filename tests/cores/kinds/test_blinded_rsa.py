"""RSA on an engine with blinded exponents as a core: choices, texts, verification, OpenSSL."""

import random
from dataclasses import replace

import pytest
from tests.cores.generated import BLINDED_RSA
from tests.cores.kinds.openssl_rsa import signed
from tests.cores.planted import replaced

from residua.cores.directory import build
from residua.cores.exponentiation.rsa_crt import RsaEngineCore
from residua.cores.kinds import core_of
from residua.cores.simulation.words import build_word_simulator, simulate
from residua.cores.specification.reading import check_any
from residua.cores.verification import verify_directory
from residua.curves.blinding import MARGIN
from residua.errors import SpecificationError
from residua.report import page

pytestmark = pytest.mark.usefixtures("quick", "few_model_powers")

RSA = {"algorithm": "rsa-crt", "unit": "rns-montgomery"}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return build(check_any(BLINDED_RSA), tmp_path_factory.mktemp("rsa") / "core")


def core(**values):
    made = core_of(check_any({**RSA, "bits": 64, **values}))
    assert isinstance(made, RsaEngineCore)
    return made


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"blinding": 63}, "blinding = 63: bits of an exponent would be hidden by fewer than 64 "),
        ({"blinding": 1025}, "blinding = 1025: expected auto, or a number of bits from 0 to 1024"),
        ({"blinding": "many"}, "blinding = 'many': expected auto, or a number"),
        (
            {"algorithm": "modexp", "blinding": 64},
            "blinding = 64: private exponents of RSA are blinded alone; leave it out",
        ),
        ({"unit": "iddmm", "blinding": 64}, "blinding means nothing for an RSA core on digits"),
    ],
)
def test_refusals(values, message):
    with pytest.raises(SpecificationError, match=message):
        core_of(check_any({**RSA, "bits": 64, **values}))


@pytest.mark.parametrize(
    ("chosen", "bits"), [(None, 0), (0, 0), (64, 64), ("80", 80), ("auto", MARGIN + 6)]
)
def test_choices_are_written_down(chosen, bits):
    made = core(**({} if chosen is None else {"blinding": chosen}))
    assert made.design.blinding == bits
    assert made.specification.blinding == (None if chosen is None else bits)
    assert made.parameters.get("blinding", 0) == bits
    assert made.parameters["exponent_bits"] == 32
    assert core_of(made.specification).specification == made.specification


def test_what_it_costs():
    """More bits of the exponents, four products, and passes, which come before a message."""
    plain, blinded = core(), core(blinding=64)
    digits = 64 // plain.design.window
    step = plain.cycles["step"]
    assert blinded.cycles["step"] == step
    routines = blinded.design.processor.routines
    factors = sum(routines[name].length for name in ("hide", "reveal"))
    longer = blinded.cycles["latency"] - plain.cycles["latency"] - digits * step
    assert factors < longer < factors + 40
    more = blinded.cycles["interval"] - plain.cycles["interval"] - digits * step - longer
    passes = 2 * 64 * blinded.design.exponent_shape.words
    assert passes < more < passes + 60
    assert blinded.cycles["preparation"] < blinded.cycles["interval"] + passes
    assert "preparation" not in plain.cycles
    # Two multiples for a key and for a message, and a factor.
    assert blinded.commanded.random_words == 4 * -(-64 // 17) + blinded.design.words


def test_verification(built, measured_interval):
    found = verify_directory(built, vectors=40, seed=2, resets=2)
    assert found["failures"] == []
    assert (found["vectors"], found["passed"]) == (40, True)
    assert found["model_checks"] >= 4
    cycles, key = built.manifest["cycles"], built.made.keys(random.Random(1))[0]
    assert found["cycles"]["latency"] == cycles["latency"]
    assert measured_interval(built, key, takes_random=True) == cycles["interval"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # A bit between words of k (p - 1) is lost, or what there was of the last one is not.
        ("{held[10:0], doubled}", "{held[10:0], 1'b0}"),
        ("fresh ? 12'h000 : read_data", "read_data"),
    ],
)
def test_faults_of_the_blinding_are_found(built, tmp_path, monkeypatch, old, new):
    """They withhold roots, which verification tells."""
    made = build(check_any(BLINDED_RSA), tmp_path / "core")
    broken = replaced(monkeypatch, made.path, f"rtl/{built.name}.v", old, new)
    found = verify_directory(broken, vectors=48, seed=2)
    assert not found["passed"]
    assert any("a right result is an error" in text for text in found["failures"])


def test_texts(built):
    readme = (built.path / "README.md").read_text()
    assert "with 64 fresh\nrandom bits for either k" in readme
    assert "`random` takes 15 words after the last word of a key, and 12 before the first" in readme
    assert "`random_payload`" in readme
    assert "q &minus; 1 of 64 bits more, with X blinded by a random factor" in page.render(built)
    text = (built.path / f"rtl/{built.name}.v").read_text()
    assert "of messages, and of each private exponent by 64 random bits" in text


def test_signatures_of_openssl(tmp_path):
    """A signature of OpenSSL's, and nothing at all with one bit of the key wrong."""
    _, key, signature, message = signed()
    chosen = {**RSA, "bits": 512, "width": 34, "blinding": "auto"}
    directory = build(check_any(chosen), tmp_path / "core")
    operations = directory.made.operations(key)
    simulator = build_word_simulator(
        operations,
        directory.sources(),
        top=directory.name,
        modulus=operations.modulus_words,
        takes_random=True,
    )
    assert operations.expected(message, 0) == signature
    bit = 1 << random.Random(1).randrange(1, 250)
    for wrong in ({}, {"d_q": operations.numbers["d_q"] ^ bit}):
        own = replace(operations, wrong=wrong)
        loaded = replace(simulator, design=own, modulus=own.modulus_words)
        report = simulate(loaded, [(message, 0)], 1, stalls=False)
        assert (report["vectors"], report["mismatches"], report["failure"]) == (1, 0, "")
        assert report["latency"] == [operations.latency] * 2
