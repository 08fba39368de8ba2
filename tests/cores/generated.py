"""What small specifications of every kind of core give: a digest of each generated file.

`make digests` writes them anew, for a change that is meant to change generated files.
"""

import json
from pathlib import Path
from typing import Any

from tests.schedules import quick_schedules
from tests.small_curves import EVEN, MONTGOMERY, SQUARE, TINY, WITHOUT_A

from residua.cores.kept_files import kept_files
from residua.cores.manifest import digest
from residua.cores.specification.base import CoreSpecification
from residua.cores.specification.reading import check_any

DIGESTS = Path(__file__).with_suffix(".json")
EFFORT = 0.1
"""Deterministic seconds of the solver for a routine: how short it gets is no matter here."""

ENGINE = {"modulus": 0x1000B, "width": 12}
EXTENSION = {"algorithm": "base-extension", "width": 12}
SINGLE = {"algorithm": "sbmm", "channels": 4, "width": 12}
IDDMM = {"algorithm": "iddmm", "modulus": 0x1000B, "digit": 5}
LOADED = {"algorithm": "iddmm", "bits": 17, "digit": 5}
EXPONENTIATION = {"algorithm": "modexp", "modulus": 0x1000B, "digit": 5}
ENGINE_EXPONENTIATION = {
    "algorithm": "modexp",
    "unit": "rns-montgomery",
    "modulus": 0x1000B,
    "width": 12,
}
PUBLIC_KEYS = {
    "algorithm": "modexp", "unit": "rns-montgomery", "bits": 24, "width": 12, "exponent": "loaded",
}  # fmt: skip
RSA = {"algorithm": "rsa-crt", "bits": 64, "digit": 11}
ENGINE_RSA = {"algorithm": "rsa-crt", "unit": "rns-montgomery", "bits": 36}
BLINDED_RSA = ENGINE_RSA | {"width": 12, "exponent": 17, "window": 2, "blinding": 64}
INVERSE = {"algorithm": "inversion", "modulus": 0x10001, "width": 12}
POINT = {"algorithm": "ecpm-2006", "curve": [TINY], "channels": 3}
COPROCESSOR = {"curve": [TINY], "bus": "stream"}
LADDER = COPROCESSOR | {"formula": "xz-ladder"}
ON_DIGITS = COPROCESSOR | {"algorithm": "iddmm"}
ON_SBMM = {"algorithm": "sbmm", "curve": [SQUARE], "bus": "stream"}

BASES = {"base_a": [4096, 4093, 4091], "base_b": [4079, 4073, 4057]}
HIERARCHICAL = {"channels": 6, "extension": "hierarchical", "columns": 3}
DEEP = {"product_registers": 2, "levels_per_register": 2}

SPECIFICATIONS: dict[str, dict[str, Any]] = {
    "engine": ENGINE,
    "engine, any moduli": ENGINE | {
        "bases": "any", "reduction": "multiply", "schedule": "interval",
    },
    "engine, reordered": ENGINE | DEEP | {"form": "reordered", "weight": 2, "reduction": "shift"},
    "engine, quadratic": ENGINE | {
        "form": "quadratic", "bases": "sparse", "name": "squares", "bus": "stream",
    },
    "engine, given bases": ENGINE | BASES | {"truncation": 8, "sigma0": "1/4"},
    "engine, hierarchical": ENGINE | HIERARCHICAL | {"rowers": 3},
    "engine, words": ENGINE | {"interface": "words", "result": "montgomery"},
    "engine, plain words": ENGINE | {
        "interface": "words", "result": "plain", "output_multipliers": 2,
    },
    "base extension": EXTENSION | {"channels": 4, "schedule": "interval", "quotient": "none"},
    "base extension, exact": EXTENSION | DEEP | BASES | {
        "modulus": 0x1000B, "reduction": "multiply", "truncation": 8, "sigma0": "1/4",
    },
    "base extension, sparse": EXTENSION | {
        "channels": 4, "rowers": 2, "bases": "sparse", "weight": 2, "reduction": "shift",
    },
    "base extension, hierarchical": EXTENSION | HIERARCHICAL | {"bases": "any", "name": "rows"},
    "SBMM": SINGLE,
    "SBMM, bits": {
        "algorithm": "sbmm", "bits": 48, "width": 12, "rowers": "half", "reduction": "shift",
    },
    "SBMM, modulus": {
        "algorithm": "sbmm", "modulus": SQUARE["prime"], "rowers": "full", "skip_quotient": True,
        "bases": "sparse",
    },
    "SBMM, given bases": SINGLE | {
        "base_a": [4095, 4093], "base_b": [4097, 4099], "extra_bits": 7, "reduction": "multiply",
        "interface": "residues", "bus": "stream",
    },
    "SBMM, compressed": SINGLE | DEEP | {"compress": True, "bases": "any", "name": "compressed"},
    "SBMM, hierarchical": SINGLE | HIERARCHICAL | {"schedule": "interval", "weight": 2},
    "R2MM": {"algorithm": "r2mm", "modulus": 0x1000B},
    "R2MM, closed": {"algorithm": "r2mm", "bits": 17, "variant": "closed", "name": "bits"},
    "MWR2MM": {"algorithm": "mwr2mm", "modulus": 0x1000B, "digit": 5},
    "IDDMM": IDDMM,
    "IDDMM, architecture 1": IDDMM | {"architecture": 1, "pipeline": 0},
    "IDDMM, version 3": IDDMM | {"digit": 8, "version": 3},
    "IDDMM, Karatsuba": IDDMM | {"digit": 8, "multiplier": "karatsuba", "pipeline": 2},
    "IDDMM, schoolbook": IDDMM | {"digit": 8, "multiplier": "schoolbook"},
    "IDDMM, tiles": IDDMM | {"digit": 20, "multiplier": "tiles"},
    "IDDMM, inferred": IDDMM | {"multiplier": "inferred", "variant": "closed"},
    "IDDMM, lanes": IDDMM | {"lanes": 2},
    "IDDMM, loaded": LOADED | {"inverse": "supplied", "operand_check": "none"},
    "IDDMM, computed": LOADED | {"inverse": "computed", "operand_check": "flag"},
    "product of words, AXI": ENGINE | {"bus": "axi"},
    "product of words, AXI4-Lite": ENGINE | {"bus": "axi-lite"},
    "single-base product, AXI": SINGLE | {"output_multipliers": 2, "bus": "axi"},
    "single-base product, Wishbone": SINGLE | {"interface": "words", "bus": "wishbone"},
    "IDDMM, AXI4-Lite": IDDMM | {"bus": "axi-lite"},
    "IDDMM, loaded, AXI": LOADED | {"inverse": "supplied", "operand_check": "flag", "bus": "axi"},
    "inversion, composite, AXI": INVERSE | {
        "modulus": 0x1000B * 3, "inversion": "plus-minus", "bus": "axi",
    },
    "inversion, AXI4-Lite": INVERSE | {"bus": "axi-lite"},
    "powers": EXPONENTIATION,
    "powers, streams": EXPONENTIATION | {"exponent_bits": 5, "bus": "stream"},
    "powers, AXI": {"algorithm": "modexp", "bits": 17, "digit": 5, "window": 2, "bus": "axi"},
    "powers, Wishbone": EXPONENTIATION | {
        "exponent": 65537, "unit": "iddmm", "bus": "wishbone",
    },
    "powers on the engine, sparse": ENGINE_EXPONENTIATION | {
        "window": 2, "bases": "sparse", "weight": 2, "reduction": "shift", "bus": "stream",
    },
    "powers on the engine, AXI": {
        "algorithm": "modexp", "unit": "rns-montgomery", "bits": 24, "width": 12, "exponent": 3,
        "bus": "axi",
    },
    "powers on the engine, any moduli": ENGINE_EXPONENTIATION | {
        "window": 3, "exponent_bits": 5, "bases": "any",
    },
    "public keys, hierarchical": PUBLIC_KEYS | HIERARCHICAL | {
        "exponent_bits": 17, "output_multipliers": 2, "rowers": 3,
    },
    "public keys, Wishbone": PUBLIC_KEYS | {"bus": "wishbone"},
    "powers on the engine, given bases": ENGINE_EXPONENTIATION | BASES | {
        "reduction": "multiply", "name": "given",
    },
    "powers on the engine, hierarchical": ENGINE_EXPONENTIATION | HIERARCHICAL | DEEP | {
        "rowers": 3,
    },
    "RSA with CRT": RSA | {"window": 2, "exponent": 3},
    "RSA with CRT, Wishbone": RSA | {"bits": 32, "digit": 8, "bus": "wishbone"},
    "RSA with CRT on the engine": ENGINE_RSA | {"width": 12, "rowers": 2, "channels": 4},
    "RSA with CRT on the engine, blinded, AXI": BLINDED_RSA | {"width": 34, "bus": "axi"},
    "RSA with CRT on the engine, hierarchical": BLINDED_RSA | HIERARCHICAL | {
        "bases": "any", "blinding": "auto",
    },
    "inversion, Fermat": INVERSE | {"inversion": "fermat", "levels_per_register": 2},
    "inversion, division steps": INVERSE | {"name": "steps"},
    "inversion, plus-minus": INVERSE | {
        "inversion": "plus-minus", "cox_registers": 2, "bus": "stream",
    },
    "inversion, constant time": INVERSE | {
        "inversion": "plus-minus-ct", "channels": 4, "truncation": 9,
    },
    "point multiplier": POINT | {"product_digit": 3, "conversion_digit": 3, "scalar_bits": 7},
    "point addition": POINT | {"operation": "add", "width": 24},
    "points, AXI": POINT | {"bus": "axi"},
    "points, Wishbone": POINT | {"operation": "add", "bus": "wishbone"},
    "point doubling": POINT | {"operation": "double", "name": "doubled", "bus": "stream"},
    "coprocessor, AXI4-Lite": COPROCESSOR | {"bus": "axi-lite"},
    "coprocessor, Wishbone": LADDER | {
        "bus": "wishbone", "inversion": "division-steps", "name": "attached",
        "protections": ["random-health", "masked-order", "masked-scalar"],
    },
    "coprocessor, several, signatures, AXI": LADDER | {
        "bus": "axi", "instances": 2, "inversion": "plus-minus-ct", "inverter_rowers": 1,
        "ecdsa": "verify", "channels": 4,
    },
    "coprocessor, several, two curves, Wishbone": COPROCESSOR | {
        "curve": [MONTGOMERY, EVEN], "width": 18, "bases": "sparse", "weight": 2,
        "reduction": "shift", "bus": "wishbone", "instances": 3,
        "protections": [
            "exit-check", "control-signature", "scalar-check", "conversion-check", "status",
        ],
    },
    "coprocessor, fixed window, block registers": COPROCESSOR | DEEP | {
        "formula": "fixed-window", "register_memory": "block",
    },
    "coprocessor, ladder, hierarchical, high": LADDER | HIERARCHICAL | {
        "rowers": 3, "protections": "high",
    },
    "coprocessor, endomorphism, signatures, comb": COPROCESSOR | {
        "curve": [WITHOUT_A], "formula": "endomorphism", "ecdsa": "verify",
        "inversion": "plus-minus-ct", "fixed_base": "comb", "comb_teeth": 2, "comb_tables": 3,
        "protections": "standard",
    },
    "coprocessor, difference ladder": COPROCESSOR | BASES | {
        "formula": "difference-ladder", "blinding": 0, "bases": "any", "reduction": "multiply",
        "protections": "none",
    },
    "coprocessor, random bases": COPROCESSOR | {
        "curve": [MONTGOMERY, EVEN], "protections": ["random-bases"], "inversion": "division-steps",
    },
    "coprocessor, redundant residue": COPROCESSOR | {
        "curve": [MONTGOMERY, EVEN], "protections": ["redundant-residue"],
        "inversion": "division-steps",
    },
    "coprocessor on digits, AXI4-Lite, high": ON_DIGITS | {
        "digit": 11, "pipeline": 2, "formula": "xz-ladder", "bus": "axi-lite",
        "protections": "high",
    },
    "coprocessor on digits, AXI": ON_DIGITS | {
        "lanes": 2, "bus": "axi", "instances": 2, "blinding": 0, "formula": "difference-ladder",
        "protections": "none",
    },
    "coprocessor on digits, Wishbone": ON_DIGITS | {
        "bus": "wishbone", "name": "digits", "formula": "fixed-window",
        "protections": ["scalar-check", "masked-scalar", "masked-order", "random-health", "status"],
    },
    "coprocessor on digits, endomorphism, signed": ON_DIGITS | {
        "curve": [MONTGOMERY, WITHOUT_A], "formula": "endomorphism", "blinding": 0,
        "protections": ["exit-check", "control-signature", "conversion-check"],
    },
    "coprocessor on SBMM": ON_SBMM | {"extra_bits": 7},
}  # fmt: skip
"""Every kind of core, each of its keys and every value among those that a key names."""


def request(name: str) -> CoreSpecification:
    """A checked specification."""
    return check_any(SPECIFICATIONS[name])


def files(name: str) -> dict[str, str]:
    """The files that a specification gives, by their paths."""
    with quick_schedules(EFFORT):
        return kept_files(request(name))


def digests(name: str) -> dict[str, str]:
    """Of each file that a specification gives, by its path."""
    return {path: digest(text)[:16] for path, text in sorted(files(name).items())}


def known() -> dict[str, dict[str, str]]:
    """The digests that are committed, by name of the specification."""
    found: dict[str, dict[str, str]] = json.loads(DIGESTS.read_text(encoding="utf-8"))
    return found


if __name__ == "__main__":
    made = {name: digests(name) for name in SPECIFICATIONS}
    DIGESTS.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
