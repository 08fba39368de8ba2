import re
import tomllib
from fractions import Fraction
from pathlib import Path

import pytest

from residua.cores.coprocessor.specification import CoprocessorSpecification
from residua.cores.rns_montgomery.specification import RnsMontgomerySpecification
from residua.cores.specification.reading import PLANNED, check, check_any, keys, load, load_any
from residua.curves.catalogue import find_curve
from residua.curves.parameters import parameters_of
from residua.errors import SpecificationError
from residua.numbers.catalogue import find_modulus

DOCUMENT = Path(__file__).parents[2] / "docs" / "specification.md"


def refusal(**values):
    with pytest.raises(SpecificationError) as caught:
        check(RnsMontgomerySpecification, values)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_defaults():
    specification = check(RnsMontgomerySpecification, {"modulus": "P-256"})
    assert specification.modulus == find_modulus("P-256").value
    assert (specification.algorithm, specification.width) == ("rns-montgomery", 17)
    assert specification.channels is None
    assert specification.schedule == "latency"


def test_text_and_toml_values_mean_the_same():
    text = check(
        RnsMontgomerySpecification,
        {"modulus": "0xfffb", "width": "16", "base_a": "3,5", "base_b": "7, 11"}.copy()
        | {"modulus": "0x1000b", "sigma0": "1/2"},
    )
    typed = check(
        RnsMontgomerySpecification,
        {"modulus": 0x1000B, "width": 16, "base_a": [3, 5], "base_b": [7, "11"], "sigma0": 0.5},
    )
    assert text.items() == typed.items()
    assert typed.sigma0 == Fraction(1, 2)


def test_toml_round_trip():
    specification = check(
        RnsMontgomerySpecification,
        {"modulus": "P-192", "base_a": [3, 5], "base_b": [7, 11], "sigma0": "3/8"},
    )
    assert (
        check(RnsMontgomerySpecification, tomllib.loads(specification.toml())).items()
        == specification.items()
    )


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {},
            (
                "modulus is missing: a name such as P-256, a decimal or 0x number, or @ and the "
                "name of a file that holds one"
            ),
        ),
        (
            {"modulus": 65538},
            (
                "modulus: the modulus 0x10002 is even: Montgomery multiplication needs "
                "an odd modulus"
            ),
        ),
        (
            {"modulus": 12345},
            ("modulus: the modulus 12345 is too small: it must be at least 2^16 = 65536"),
        ),
        (
            {"modulus": "P-256", "width": 7},
            ("width = 7: expected 8 to 64 (bits w of a channel modulus)"),
        ),
        (
            {"modulus": "P-256", "width": "x"},
            ("width = 'x': expected 8 to 64 (bits w of a channel modulus)"),
        ),
        (
            {"modulus": "P-256", "width": True},
            ("width = True: expected 8 to 64 (bits w of a channel modulus)"),
        ),
        (
            {"modulus": "P-256", "weight": 2.5},
            ("weight = 2.5: expected 1 to 64 (most signed digits of h in sparse bases)"),
        ),
        (
            {"modulus": "P-256", "chanels": 3},
            "unknown key 'chanels' (did you mean channels or lanes?)",
        ),
        (
            {"modulus": "P-256", "base-a": "3"},
            "unknown key 'base-a' (did you mean base_a or bases or base_b?)",
        ),
        (
            {"modulus": "P-256", "algorithm": "mwr2kmm"},
            (
                "algorithm = 'mwr2kmm': not available in this version; available: rns-montgomery, "
                "base-extension, sbmm, iddmm, r2mm, mwr2mm, modexp, rsa-crt, inversion, ecpm-2006"
            ),
        ),
        (
            {"modulus": "P-256", "form": "plain"},
            (
                "form = 'plain': a model only, not built in "
                "hardware; one of quadratic, reordered, auto"
            ),
        ),
        (
            {"modulus": "P-256", "sigma0": "3/2"},
            (
                "sigma0 = '3/2': expected a fraction in [0, 1) such "
                "as 1/2, a multiple of 2^-t (start value of the Cox)"
            ),
        ),
        ({"modulus": "P-256", "base_a": [3]}, "base_b is missing: bases are given in pairs"),
        (
            {"modulus": "P-256", "base_a": [3], "base_b": [5, 7]},
            "base_a has 1 moduli and base_b 2: both need the same number, at least 1",
        ),
        (
            {"modulus": "P-256", "base_a": [3], "base_b": [5], "channels": 2},
            "channels = 2, but base_a has 1 moduli: leave out channels or give as many",
        ),
        (
            {"modulus": "P-256", "channels": 16, "rowers": 5},
            "rowers = 5 cannot share n = 16 channels evenly: 1, 2, 4, 8, 16 can",
        ),
    ],
)
def test_refusals_name_key_value_and_remedy(values, message):
    assert refusal(**values) == message


@pytest.mark.parametrize("name", ["module", "entity", "1x", "a-b", "a b", "", "primitives"])
def test_names_that_no_module_can_have(name):
    assert refusal(modulus="P-256", name=name).startswith(f"name = {name!r}: expected letters,")


def test_unknown_key_far_from_any_lists_all():
    assert refusal(modulus="P-256", zzz=1) == f"unknown key 'zzz': the keys are {', '.join(keys())}"


def test_everything_wrong_is_told_at_once():
    text = refusal(modulus=4, width=99, bases="dense", zzz="red")
    assert text.split("; ") == [
        "modulus: the modulus 4 is too small: it must be at least 2^16 = 65536",
        "width = 99: expected 8 to 64 (bits w of a channel modulus)",
        (
            "bases = 'dense': expected one of auto, sparse, any (moduli 2^w - h to choose "
            "from: with h of few signed digits, which reduce by a few additions, or with any h)"
        ),
        "unknown key 'zzz': the keys are " + ", ".join(keys()),
    ]


@pytest.mark.parametrize("name", PLANNED)
def test_planned_algorithms_are_refused_by_name(name):
    assert "not available in this version" in refusal(modulus="P-256", algorithm=name)


def test_flags_override_the_file(tmp_path):
    path = tmp_path / "spec.toml"
    path.write_text('modulus = "P-192"\nwidth = 17\nchannels = 12\n')
    specification = load(RnsMontgomerySpecification, path, {"width": "20", "channels": None})
    assert (specification.width, specification.channels) == (20, 12)


def test_modulus_file_is_sought_next_to_the_specification(tmp_path):
    (tmp_path / "p.txt").write_text("0x1000b\n")
    path = tmp_path / "spec.toml"
    path.write_text('modulus = "@p.txt"\n')
    assert load(RnsMontgomerySpecification, path, {}).modulus == 0x1000B


def test_file_errors_name_the_file(tmp_path):
    missing = tmp_path / "no.toml"
    with pytest.raises(SpecificationError, match=r"no\.toml: No such file or directory$"):
        load(RnsMontgomerySpecification, missing, {})
    broken = tmp_path / "broken.toml"
    broken.write_text("width = 17\nmodulus = \n")
    with pytest.raises(SpecificationError, match=r"broken\.toml is no TOML: .*line 2"):
        load(RnsMontgomerySpecification, broken, {})
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe")
    with pytest.raises(SpecificationError, match="is not a text file"):
        load(RnsMontgomerySpecification, binary, {})
    wrong = tmp_path / "wrong.toml"
    wrong.write_text('modulus = "P-256"\nwidht = 17\n')
    with pytest.raises(
        SpecificationError, match=r"wrong\.toml: unknown key 'widht' \(did you mean"
    ):
        load(RnsMontgomerySpecification, wrong, {})


def test_documentation_has_every_key_as_described():
    rows = re.findall(
        r"^\| `(\w+)` \| (.*) \| (.*) \| (.*) \|$", DOCUMENT.read_text(), re.MULTILINE
    )
    described = [(name, key.meaning, key.allowed, key.default) for name, key in keys().items()]
    assert rows == described


def coprocessor_refusal(**values):
    with pytest.raises(SpecificationError) as caught:
        check_any(values)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_defaults_of_a_coprocessor():
    specification = check(CoprocessorSpecification, {"curve": "p256, curve25519"})
    assert [curve.name for curve in specification.curve] == ["P-256", "Curve25519"]
    assert (specification.bus, specification.width) == ("axi", 17)
    assert specification.blinding == "auto"


@pytest.mark.parametrize("curves", ["P-256", ["P-256", "secp256k1"], "table", ["P-256", "table"]])
def test_toml_round_trip_of_a_coprocessor(curves):
    table = parameters_of(find_curve("P-192")) | {"name": "mine"}
    entries = [curves] if isinstance(curves, str) else curves
    values = [table if entry == "table" else entry for entry in entries]
    specification = check(
        CoprocessorSpecification, {"curve": values, "blinding": 0, "bus": "stream"}
    )
    again = check(CoprocessorSpecification, tomllib.loads(specification.toml()))
    assert again == specification
    assert again.toml() == specification.toml()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {"curve": "P-256", "blinding": 1025},
            (
                "blinding = 1025: expected auto, or a number of bits from 0 to 1024; of RSA 0, or "
                "64 and more (random bits that blind each scalar of a coprocessor, besides its "
                "random coordinates, by a multiple of the number of points, or each private "
                "exponent of RSA on an engine by a multiple of p - 1 or q - 1, beside messages by "
                "a random factor; fewer than hide every bit are refused, 0 is for no blinding; "
                "needs curve, or algorithm rsa-crt on the unit rns-montgomery)"
            ),
        ),
        (
            {"curve": "brainpoolP256r1, secp256k1", "blinding": "96"},
            (
                "blinding = 96: on secp256k1 31 bits of every scalar would stay bare, as the order "
                "has a run of 127 equal bits: take 'auto', or at least 191, or 0 for no blinding"
            ),
        ),
        (
            {"curve": "Curve25519", "algorithm": "iddmm", "blinding": 64},
            (
                "blinding = 64: on Curve25519 255 bits of every scalar would be hidden by fewer "
                "than 64 random bits, as the least common multiple of the numbers of points of "
                "curve and twist has a run of 17 equal bits: take 'auto', or at least 81, or 0 for "
                "no blinding"
            ),
        ),
        (
            {"curve": "P-256", "formula": "window"},
            (
                "formula = 'window': expected one of auto, xz-ladder, difference-ladder (curves of "
                "prime order), fixed-window (curves of odd order), endomorphism (curves of prime "
                "order with a = 0) (method that multiplies points of short Weierstrass curves by "
                "secret scalars; needs curve)"
            ),
        ),
        ({"curve": "P-256,P256"}, "curve: 'P-256' is there 2 times: give it once"),
        (
            {"curve": "P-256", "modulus": "P-256"},
            (
                "modulus and curve are both given: a modulus makes a multiplier, a curve an "
                "elliptic-curve coprocessor; leave out one of them"
            ),
        ),
        (
            {"curve": "P-256", "interface": "words"},
            "interface means nothing for a coprocessor: leave it out",
        ),
        (
            {"curve": "P-256", "chanels": 16},
            "unknown key 'chanels' (did you mean channels or lanes?)",
        ),
        (
            {"curve": "P-256", "channels": 16, "rowers": 5},
            "rowers = 5 cannot share n = 16 channels evenly: 1, 2, 4, 8, 16 can",
        ),
    ],
)
def test_refusals_of_a_coprocessor(values, message):
    assert coprocessor_refusal(**values) == message


def test_curves_are_checked():
    table = parameters_of(find_curve("P-192"))
    even = coprocessor_refusal(curve={**table, "prime": 2**192})
    assert even.startswith("curve: curve 'P-192': prime = ")
    assert "order is missing" in coprocessor_refusal(curve={k: table[k] for k in ("form", "name")})
    assert "did you mean P-256 or" in coprocessor_refusal(curve="P-265")
    assert coprocessor_refusal(curve="").startswith("curve = '': expected names such as P-256")


def test_a_bus_is_for_words():
    assert load_any(None, {"modulus": "P-256", "bus": "axi"}).interface == "words"
    assert load_any(None, {"modulus": "P-256", "bus": "stream"}).interface == "residues"
    single_base = {"algorithm": "sbmm", "channels": "4"}
    assert load_any(None, {**single_base, "bus": "wishbone"}).interface == "words"
    assert load_any(None, {**single_base, "bus": "stream"}).interface == "residues"
    with pytest.raises(SpecificationError, match="bus means nothing for a base extension"):
        load_any(None, {"algorithm": "base-extension", "channels": "4", "bus": "axi"})


def test_what_is_asked_for_decides():
    assert load_any(None, {"modulus": "P-256", "curve": None}).modulus
    assert load_any(None, {"curve": "P-256"}).curve
    with pytest.raises(SpecificationError, match=r"^modulus or curve is missing: a modulus makes"):
        load_any(None, {"width": "17"})
