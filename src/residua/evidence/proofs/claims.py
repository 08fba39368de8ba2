"""Claims that are proved: those of `make test`, and more."""

import time
from collections.abc import Callable, Sequence

from residua import cache
from residua.cores.proofs.integers import NotProvedError
from residua.cores.specification.keys import MOST_BITS
from residua.evidence.campaign import Campaign, Figures, Request
from residua.evidence.pages import RowTable, commit, table_page, tools_notes
from residua.evidence.proofs import arithmetic
from residua.evidence.proofs.arithmetic import TIMEOUT, Proof, chains, reducers
from residua.evidence.proofs.cores import CoreProof, constant_time, fresh, reset
from residua.evidence.small_curves import TINY
from residua.evidence.subjects import Cores, Sources, Subject
from residua.toolchain.process import ToolError

SMALL = {"modulus": "0x1000b", "width": 12}
POINTS = {"curve": [TINY], "bus": "stream", "blinding": 0}
COPROCESSOR = {"bus": "stream", "blinding": 0}
BLINDED = {"bus": "stream", "blinding": "auto"}
DIGITS = {"bus": "stream", "blinding": "auto", "algorithm": "iddmm", "digit": 17}
RNS_EXPONENTIATION = {"algorithm": "modexp", "unit": "rns-montgomery"}

DIVISION_STEPS = f"division steps of inversion, moduli of up to {MOST_BITS} bits"
PLUS_MINUS_STEPS = "plus-minus steps of inversion, moduli of any length"

CLAIMS: dict[str, Callable[[], Sequence[Proof]]] = {
    "one fold, every h, every range, w = 8 to 64": arithmetic.single_folds,
    "all folds, every h, w = 8 to 16": lambda: chains(range(8, 17)),
    "all folds, chosen h, w = 17 to 64": lambda: chains(range(17, 65)),
    "reducer RTL, class included, w = 8": lambda: reducers(
        8, [*arithmetic.SMALL_H, *arithmetic.HEAVY_H]
    ),
    "reducer RTL, w = 9": lambda: reducers(9, arithmetic.SMALL_H),
    "reducer RTL, w = 10": lambda: reducers(10, arithmetic.SMALL_H[1:4]),
    "reducer RTL, h of 4 signed digits, w = 12": lambda: reducers(12, arithmetic.FOUR_DIGIT_H),
    "ECP5 adders that select, w = 1 to 40": arithmetic.select_adders,
    "ECP5 adder-subtractors, w = 1 to 40": arithmetic.adder_subtractors,
    "ECP5 accumulators": arithmetic.accumulators,
    DIVISION_STEPS: arithmetic.division_steps,
    PLUS_MINUS_STEPS: arithmetic.plus_minus_steps,
    "multipliers on an engine, one cycle of reset": lambda: [
        reset(modulus="P-256", width=17),
        reset(modulus="P-256", width=17, rowers=4),
        reset(modulus="P-521", width=33, extension="hierarchical"),
        reset(interface="words", modulus="P-256", width=17),
        reset(interface="words", modulus="brainpoolP320r1", width=31),
        reset(interface="words", modulus=2**96 - 1, width=23, rowers=1),
        reset(interface="words", modulus="P-256", width=17, result="plain"),
    ],
    "base extensions and SBMM, one cycle of reset": lambda: [
        reset(algorithm="base-extension", modulus="P-256", width=17),
        *(
            reset(algorithm="sbmm", channels=12, width=17, rowers=rowers, compress=True)
            for rowers in ("half", "full")
        ),
    ],
    "plus-minus inverters, one cycle of reset": lambda: [
        reset(algorithm="inversion", modulus="P-192", inversion=inversion, width=17)
        for inversion in ("plus-minus", "plus-minus-ct")
    ],
    "point multipliers of 2006, one cycle of reset": lambda: [
        reset(algorithm="ecpm-2006", curve="secp160r1", operation=operation)
        for operation in ("add", "multiply")
    ],
    "coprocessors in constant time, one cycle of reset": lambda: [
        constant_time(curve="P-256", **COPROCESSOR),
        constant_time(curve="P-256", **BLINDED),
        constant_time(curve="P-256", **BLINDED, extension="hierarchical", columns=2),
        constant_time(curve=["P-256", "secp256k1"], **BLINDED),
        constant_time(curve="Curve25519", **COPROCESSOR),
        constant_time(curve="P-521", **BLINDED),
    ],
    "coprocessors with random bases in constant time, one cycle of reset": lambda: [
        constant_time(curve="P-256", **BLINDED, protections="random-bases"),
        constant_time(curve=["P-256", "Curve25519"], **BLINDED, protections="random-bases"),
    ],
    "coprocessors with a redundant residue in constant time, one cycle of reset": lambda: [
        constant_time(curve="P-256", **BLINDED, protections="redundant-residue"),
        constant_time(curve=["P-256", "Curve25519"], **BLINDED, protections="redundant-residue"),
    ],
    "exponentiators on an engine in constant time, one cycle of reset": lambda: [
        constant_time(**RNS_EXPONENTIATION, modulus="P-256"),
        constant_time(**RNS_EXPONENTIATION, modulus="P-256", extension="hierarchical"),
        constant_time(**RNS_EXPONENTIATION, modulus="P-521", width=33, exponent=65537),
        constant_time(**RNS_EXPONENTIATION, bits=256),
    ],
    "inverters in constant time, one cycle of reset": lambda: [
        constant_time(algorithm="inversion", modulus=modulus, inversion=method)
        for modulus in ("P-192", "P-256", "P-521")
        for method in ("division-steps", "fermat")
    ],
    "coprocessors on digits in constant time, one cycle of reset": lambda: [
        constant_time(curve="P-256", **DIGITS),
        constant_time(curve=["P-256", "Curve25519"], **DIGITS, lanes=2),
    ],
    "digit multipliers in constant time, one cycle of reset": lambda: [
        constant_time(algorithm="r2mm", bits=256),
        constant_time(algorithm="mwr2mm", bits=256, digit=16),
        *(
            constant_time(
                algorithm="iddmm", bits=1024, digit=64, architecture=architecture, version=3
            )
            for architecture in (1, 2)
        ),
        constant_time(algorithm="iddmm", modulus="P-256", digit=16, operand_check="flag"),
        constant_time(algorithm="iddmm", bits=2048, digit=17, lanes=8, variant="closed"),
    ],
    "exponentiators on digits and RSA in constant time, one cycle of reset": lambda: [
        constant_time(algorithm="modexp", bits=1024, digit=34, lanes=3),
        constant_time(algorithm="modexp", bits=1024, digit=34, lanes=3, exponent=65537),
        constant_time(algorithm="rsa-crt", bits=1024, digit=17, lanes=8),
        constant_time(algorithm="rsa-crt", bits=2048, digit=17, lanes=8),
    ],
    "no word from before a reset in a result, engines": lambda: [
        fresh(**SMALL),
        fresh(**SMALL, interface="words"),
        fresh(**SMALL, interface="words", rowers=1),
        fresh(**SMALL, channels=4, extension="hierarchical"),
        fresh(algorithm="base-extension", channels=4, width=12),
        fresh(algorithm="sbmm", channels=4, width=12),
        fresh(**RNS_EXPONENTIATION, **SMALL),
    ],
    "no word from before a reset in a result, digits": lambda: [
        fresh(algorithm="r2mm", modulus="0x1000b"),
        fresh(algorithm="mwr2mm", modulus="0x1000b", digit=5),
        *(
            fresh(algorithm="iddmm", bits=24, digit=5, architecture=architecture)
            for architecture in (1, 2)
        ),
        fresh(algorithm="modexp", modulus="0x1000b", digit=5),
        fresh(algorithm="rsa-crt", bits=64, digit=11),
    ],
    "no word from before a reset in a result, inverters": lambda: [
        *(
            fresh(algorithm="inversion", inversion=method, **SMALL)
            for method in ("plus-minus", "plus-minus-ct")
        ),
        fresh(algorithm="inversion", inversion="fermat", modulus="0x10001", width=12),
        fresh(algorithm="inversion", inversion="division-steps", modulus="0x10001"),
    ],
    "no word from before a reset in a result, points": lambda: [
        fresh(algorithm="ecpm-2006", curve=TINY, operation="add"),
        fresh(**POINTS),
        fresh(**POINTS, inversion="division-steps"),
        fresh(**POINTS, inversion="plus-minus-ct"),
        fresh(**POINTS, inversion="plus-minus-ct", ecdsa="verify", register_memory="block"),
        fresh(**POINTS, algorithm="iddmm", digit=16),
    ],
    "ECP5 multipliers": arithmetic.multipliers,
}
"""The proofs of each claim, by the names of the rows."""

INTRODUCTION = f"""\
What each one claims is told in [Proofs](../proofs.md); `make proofs` makes this page. A proof that
does not end within {TIMEOUT} s is not counted as proved."""


ARITHMETIC = ("numbers", "hardware/primitives.py", "hardware/engine/reducer.py", "cores/proofs")
"""The modules that proofs of arithmetic units follow from."""

_STEPS = {
    DIVISION_STEPS: ("division_steps.py", "step_bounds/division_steps.py", "step_bounds/shapes.py"),
    PLUS_MINUS_STEPS: ("plus_minus.py", "step_bounds/plus_minus.py", "step_bounds/shapes.py"),
}
"""The modules of `algorithms` that proofs of numbers of steps follow from."""


def subject(name: str) -> Subject:
    """Find the cores of a claim, or what else it is about."""
    proofs = [proof for proof in CLAIMS[name]() if isinstance(proof, CoreProof)]
    if not proofs:
        steps = tuple(f"algorithms/{module}" for module in _STEPS.get(name, ()))
        return Sources(steps or ARITHMETIC)
    return Cores({str(number): proof.keys for number, proof in enumerate(proofs, 1)})


def measure(request: Request) -> Figures:
    """Prove all cases of a claim."""
    start, proofs = time.monotonic(), CLAIMS[request.name]()
    with cache.anew():
        failures = [
            text for number, proof in enumerate(proofs, 1) if (text := _tried(number, proof))
        ]
    return {
        "cases": len(proofs),
        "mismatches": len(failures),
        "failures": failures,
        "seconds": round(time.monotonic() - start),
    }


def _tried(number: int, proof: Proof) -> str:
    """Try a case, and return what is wrong with it; nothing if it is proved."""
    try:
        return "" if proof() else f"case {number} is not proved"
    except (NotProvedError, ToolError) as error:
        return f"case {number}: {error}"


TABLE = RowTable(
    {
        "Claim": lambda row: row.name,
        "Cases": lambda row: f"{row['cases']:,}",
        "Proved": lambda row: f"{row['cases'] - row['mismatches']:,}",
        "Seconds": lambda row: row["seconds"],
        "Commit": commit,
    },
    notes=tools_notes,
)

CAMPAIGN = Campaign(
    table_page("proofs", "Proofs, as last run", INTRODUCTION, (TABLE,)),
    dict.fromkeys(CLAIMS, 1),
    subject,
    measure,
)
