"""Default names: what a core is, and no two alike where both may be in one design."""

import re

from residua.cores.base_extension.core import BaseExtensionCore
from residua.cores.coprocessor.naming import curves_part
from residua.cores.digit.core import DigitCore
from residua.cores.kinds import core_of
from residua.cores.naming import modulus_part
from residua.cores.rns_montgomery.core import RnsMontgomeryCore
from residua.cores.specification.reading import check_any
from residua.curves.parameters import parameters_of
from residua.curves.standard import CATALOGUE as CURVES
from residua.numbers.catalogue import CATALOGUE as MODULI
from residua.verilog.names import legal_name

TINY = {"curve": "secp112r1", "algorithm": "iddmm", "formula": "xz-ladder"}
FOREIGN = parameters_of(next(e.curve for e in CURVES if e.name == "secp112r1")) | {
    "name": "My-Curve"
}

COPROCESSORS = {
    "ecc_iddmm_secp112r1_7x17": {**TINY, "formula": "auto"},
    "ecc_iddmm_secp112r1_7x17_lanes_2": {**TINY, "formula": "auto", "lanes": 2},
    "ecc_iddmm_secp112r1_7x17_?": TINY,
    "ecc_iddmm_secp112r1_7x17_? unblinded": {**TINY, "blinding": 0},
    "ecc_iddmm_secp112r1_secp112r2_7x17_?": {**TINY, "curve": "secp112r1,secp112r2"},
    "ecc_iddmm_mycurve_7x17_?": {**TINY, "curve": [FOREIGN]},
}

MULTIPLIERS = {
    "rns_montgomery_p192_12x17": {"modulus": "P-192"},
    "rns_montgomery_p192_12x17_words": {"modulus": "P-192", "interface": "words"},
    "rns_montgomery_4x17_?": {"modulus": 2**61 - 1},
    "rns_montgomery_4x17_? another": {"modulus": 2**61 - 31},
}


def check(names):
    """Compare names with what is expected, where ``?`` stands for a digest; no two are alike."""
    assert len(set(names.values())) == len(names)
    for expected, name in names.items():
        pattern = expected.partition(" ")[0].replace("?", "[0-9a-f]{8}")
        assert re.fullmatch(pattern, name)
        assert legal_name(name) == name


def test_coprocessors():
    check({key: core_of(check_any(values)).name for key, values in COPROCESSORS.items()})


def test_multipliers():
    check({key: RnsMontgomeryCore(check_any(values)).name for key, values in MULTIPLIERS.items()})


def test_a_default_that_is_spelled_out_changes_nothing():
    plain = check_any({"modulus": 2**61 - 1})
    spelled = check_any({"modulus": 2**61 - 1, "weight": 3, "channels": 4, "width": 17})
    assert RnsMontgomeryCore(plain).name == RnsMontgomeryCore(spelled).name


def test_the_name_is_kept_in_the_specification():
    core = RnsMontgomeryCore(check_any({"modulus": 2**61 - 1}))
    again = RnsMontgomeryCore(core.specification)
    assert again.name == core.name == core.specification.name


def test_exponentiators_on_digits():
    powers = {"algorithm": "modexp", "modulus": "P-192"}
    asked = {
        "rsa_crt_64x16": {"algorithm": "rsa-crt", "bits": 64},
        "modexp_p192_192x16": powers,
        "modexp_p192_192x16_?": {**powers, "exponent": 3},
    }
    check({key: DigitCore.of(check_any(values)).name for key, values in asked.items()})


def test_base_extensions():
    flags = {"algorithm": "base-extension", "channels": 4, "width": 12}
    asked = {
        "base_extension_4x12": flags,
        "base_extension_4x12_?": {**flags, "extension": "hierarchical"},
    }
    check({key: BaseExtensionCore(check_any(values)).name for key, values in asked.items()})


def test_parts_tell_standard_curves_and_moduli_apart():
    curves = [curves_part([entry.curve]) for entry in CURVES]
    assert len(set(curves)) == len(curves)
    moduli = [modulus_part(entry.value) for entry in MODULI]
    assert len(set(moduli)) == len({entry.value for entry in MODULI})
    assert all(part.isalnum() for part in curves + moduli)


def test_many_curves():
    assert curves_part([entry.curve for entry in CURVES[:4]]) == "4_curves"
