"""RSA's public operation as a core: specification, directory, verification, OpenSSL."""

import random

import pytest

from residua import cli
from residua.cores.directory import Directory, build
from residua.cores.exponentiation.core import ExponentiationCore
from residua.cores.exponentiation.public_key import PublicKeyCore
from residua.cores.specification.reading import check_any, load_any
from residua.cores.verification import verify_directory
from residua.errors import SpecificationError
from residua.numbers.digits import join_digits
from residua.numbers.rsa import RsaPublicKey
from residua.report import page

pytestmark = pytest.mark.usefixtures("quick", "few_model_powers")

SMALL = {"algorithm": "modexp", "unit": "rns-montgomery", "bits": 64, "exponent": "loaded"}


def core(**values):
    return ExponentiationCore.of(check_any({**SMALL, **values}))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"bits": None, "modulus": 2**64 - 59}, "the modulus of a public key is loaded, too; give"),
        ({"window": 2}, "window = 2: a public exponent has no windows; leave it out"),
        ({"exponent_bits": 1}, "exponent_bits = 1: public exponents that are loaded have 2 to 256"),
        ({"exponent_bits": 257, "bits": 512}, "exponent_bits = 257: public exponents that are"),
        ({"exponent_bits": 69}, "exponent_bits = 69: the words of an operand hold 1 to 68"),
        ({"output_multipliers": 9}, "output_multipliers = 9: n = 5 channels have use"),
        ({"exponent": "public"}, "exponent = 'public': expected 2 to 2^256 - 1, of RSA an odd"),
        ({"exponent": 3, "output_multipliers": 2}, "output_multipliers = 2: only exponent = 'lo"),
        ({"algorithm": "rsa-crt"}, "algorithm = 'modexp' takes any public key"),
        ({"blinding": 64}, "blinding = 64: private exponents of RSA are blinded alone"),
        ({"unit": "iddmm"}, "exponent = 'loaded': expected 2 to 2^256 - 1"),
        ({"channels": 4}, "the base of 4 moduli of 17 bits is 1 bit too narrow"),
    ],
)
def test_refusals(values, message):
    with pytest.raises(SpecificationError) as caught:
        core(**values)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "values", [{}, {"exponent_bits": 20, "output_multipliers": 3}, {"channels": 6, "rowers": 2}]
)
def test_choices_are_written_down(values):
    made = core(**values)
    assert isinstance(made, PublicKeyCore)
    again = PublicKeyCore(made.specification)
    assert again.specification == made.specification
    assert (again.parameters, again.cycles) == (made.parameters, made.cycles)
    assert made.parameters["exponent"] == "loaded"
    assert made.cycles["interval"] == made.cycles["latency"] + made.design.words + 1


def test_cycles_follow_the_exponent():
    """A squaring for each bit but the highest, a product for each 1 but two; 14 of overhead."""
    design = core().design
    square, multiply = (
        next(w for w, run in zip(design.instructions[3:], design.runs, strict=True)
             if run.routine == name)
        for name in ("square", "multiply")
    )  # fmt: skip
    latency = design.latency_of
    assert latency(5) - latency(3) == square["length"] + 1
    assert latency(7) - latency(5) == multiply["length"] + square["pause"] + multiply["pause"] + 9
    assert design.products_of(65537) == 18
    assert core().cycles["latency"] == latency(65537)
    assert core(exponent_bits=16).cycles["latency"] == latency(3)
    assert core(exponent_bits=16).cycles["exponent"] == 3


def test_more_multipliers_take_less_time():
    slow, fast = (core(output_multipliers=count).design for count in (1, 5))
    assert fast.latency_of(3) < slow.latency_of(3)
    assert core(bits=256).parameters["output_multipliers"] == 2


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    rows = {"channels": 6, "extension": "hierarchical", "columns": 3, "rowers": 3}
    values = SMALL | {"exponent_bits": 20, "output_multipliers": 2} | rows
    return build(check_any(values), tmp_path_factory.mktemp("public") / "core")


def test_verification(built):
    """Every result with all keys, and the same cycles for all x of one; in rows of three moduli."""
    found = verify_directory(built, vectors=200, seed=2)
    assert found["failures"] == []
    assert (found["vectors"], found["oracle_checks"]) == (200, 200)
    assert found["model_checks"] >= 5
    assert found["cycles"] == {k: built.manifest["cycles"][k] for k in ("latency", "interval")}
    text = page.render(Directory.open(built.path))
    assert "public keys with odd e of up to 20 bits" in text


def test_keys(built):
    """The longest N, a short one, and all kinds of exponents."""
    keys = [one.key for one in built.made.keys(random.Random(3))]
    assert [key.modulus.bit_length() for key in keys] == [64, 64, 64, 64, 16]
    assert [key.e for key in keys[:3]] == [65537, 2**20 - 1, 3]
    assert all(key.e % 2 for key in keys)


def test_directory(built):
    assert built.kind.name == "exponentiation"
    assert built.manifest["ranges"]["e"] == ["3", str(2**20 - 1)]
    interface = built.manifest["interface"]
    example = interface["example"]
    n, e, x = (int(example[name]) for name in ("modulus", "e", "x"))
    assert int(example["result"]) == pow(x, e, n)
    assert interface["public"] == ["modulus"]
    factor = int(built.manifest["parameters"]["montgomery_factor"])
    words = [int(word) for word in example["modulus_words"]]
    counts = [part["words"] for part in interface["key"]]
    assert join_digits(words[: counts[0]], 17) == n
    assert join_digits(words[-counts[3] :], 17) == e
    assert join_digits(words[-counts[3] - counts[2] : -counts[3]], 17) == factor**2 % n
    readme = (built.path / "README.md").read_text()
    assert "**The key is public**: how many cycles an operation takes follows from e" in readme
    assert load_any(built.path / "spec.toml", {}) == built.made.specification


def test_keys_that_are_refused():
    for n, e, message in (
        (2**16, 3, "the modulus of an RSA key is odd"),
        (65537, 1, "the public exponent 1: it is odd and at least 3"),
        (65537, 4, "the public exponent 4: it is odd and at least 3"),
    ):
        with pytest.raises(SpecificationError, match=message):
            RsaPublicKey(n, e)
    made = core(exponent_bits=16)
    with pytest.raises(SpecificationError, match="odd numbers from 3 to 2\\^16 - 1"):
        _ = made.operations(RsaPublicKey(65539, 65537)).modulus_words


def test_command_line(tmp_path, monkeypatch, capsys):
    def run(*more):
        flags = [f"--{name.replace('_', '-')}={value}" for name, value in SMALL.items()]
        monkeypatch.setattr("sys.argv", ["residua", "build", *flags, *more])
        with pytest.raises(SystemExit) as caught:
            cli.main()
        return caught.value.code

    assert run("-o", str(tmp_path / "core")) == 0
    assert "loaded at run time, up to 64 bits" in capsys.readouterr().out
    assert run("-o", str(tmp_path / "other"), "--window=2") == 2
    assert not (tmp_path / "other").exists()
