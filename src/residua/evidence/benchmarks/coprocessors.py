"""Cycles of point multiplications on coprocessors, against the bits of the field."""

import random
from dataclasses import dataclass
from statistics import mean
from typing import Any

from matplotlib.figure import Figure as Drawing

from residua.cores.coprocessor.core import CoprocessorCore
from residua.cores.coprocessor.curve_core import CurveCore, EngineCurveCore
from residua.cores.coprocessor.digits.curve_core import DigitEccCore
from residua.cores.coprocessor.outcomes import given_operands, given_outcome, outcome, signature
from residua.cores.coprocessor.simulator import CoprocessorSimulator, build_coprocessor_simulator
from residua.cores.coprocessor.simulator import Request as SimulatedRequest
from residua.cores.directory import Directory
from residua.curves import affine
from residua.curves.operations.codes import Operation, point_operation
from residua.curves.parameters import Curve, MontgomeryCurve, WeierstrassCurve
from residua.evidence.campaign import Campaign, Figures, Request
from residua.evidence.pages import RowTable, commit, table_page
from residua.evidence.rows import Row
from residua.evidence.subjects import Cores
from residua.report.documents import Figure
from residua.report.drawings import svg

MULTIPLIER_BITS = 18
TOLERANCE = 0.10
"""Tolerance of the law that cycles grow with the square of the field's bits."""

FASTEST = {
    "extension": "hierarchical",
    "inversion": "division-steps",
}
"""Hierarchical extensions, division steps."""

PLUS_MINUS = FASTEST | {"inversion": "plus-minus-ct"}
"""Residues inverted as they are."""

FEWEST: dict[str, Any] = PLUS_MINUS | {"levels_per_register": 2}
"""Two adders between the registers of reducers, too: fewer cycles, and a slower clock."""

ROWS_OF_FOUR = FEWEST | {"columns": 4}
"""Extensions over rows of four moduli, which have the fewest cycles of all."""

COMB = PLUS_MINUS | {"fixed_base": "comb"}

VERIFIES = FEWEST | {"ecdsa": "verify"}

SIGNATURES = 16
"""Signatures that a core verifies, half of which are not valid."""

_CURVES = ("P-192", "Curve25519", "P-256", "P-384", "P-521")

FORMULAS = ("xz-ladder", "difference-ladder", "fixed-window")

COMPARED = ("P-256", "secp256k1", "brainpoolP256r1")
"""Curves on which the formulas are compared."""

CORES: dict[str, dict[str, Any]] = {
    **{name: {"curve": name} for name in _CURVES},
    **{f"{name}, HBE": {"curve": name} | FASTEST for name in _CURVES[:-1]},
    "P-256, plus-minus": {"curve": "P-256", "inversion": "plus-minus-ct"},
    "P-256, HBE, plus-minus": {"curve": "P-256"} | PLUS_MINUS,
    "P-256, HBE, plus-minus, block memory": {
        "curve": "P-256",
        **PLUS_MINUS,
        "register_memory": "block",
    },
    "P-256, HBE, plus-minus, least area-time": {
        "curve": "P-256",
        **PLUS_MINUS,
        "register_memory": "block",
        "inverter_rowers": 4,
    },
    **{
        f"{name}, HBE over 4, plus-minus": {"curve": name} | ROWS_OF_FOUR
        for name in ("Curve25519", "P-256", "P-384", "P-521")
    },
    "P-256, G by a comb": {"curve": "P-256"} | COMB,
    # A comb takes whole scalars.
    "secp256k1, G by a comb": {"curve": "secp256k1", "formula": "difference-ladder"} | COMB,
    "secp256k1, window, HBE, plus-minus": {
        "curve": "secp256k1",
        "formula": "fixed-window",
        **FEWEST,
    },
    **{
        f"secp256k1, halves{name}": {"curve": "secp256k1", "formula": "endomorphism"} | keys
        for name, keys in (
            (", HBE, plus-minus", FEWEST),
            (", HBE over 4, plus-minus", ROWS_OF_FOUR),
        )
    },
    "P-256, signatures": {"curve": "P-256"} | VERIFIES,
    "secp256k1, signatures": {"curve": "secp256k1", "formula": "fixed-window"} | VERIFIES,
    "secp256k1, signatures by halves": {"curve": "secp256k1", "formula": "endomorphism"} | VERIFIES,
    "P-256, digits": {"curve": "P-256", "algorithm": "iddmm"},
    **{
        f"{curve}, {formula}": {"curve": curve, "formula": formula}
        for curve in COMPARED
        for formula in FORMULAS
    },
}
"""Specifications by the names of the rows."""

PLACED = (
    "P-256",
    "P-256, HBE",
    "P-256, HBE, plus-minus",
    "P-256, HBE, plus-minus, block memory",
    "P-256, HBE, plus-minus, least area-time",
    "P-256, digits",
    "Curve25519",
)
"""Cores that are placed on a device, too."""

INTRODUCTION = f"""\
Made by `make bench`: cycles of one multiplication of a point (POINT_MULTIPLY, X_MULTIPLY on
Montgomery curves), operands to results, coordinates randomised. Bare: the scalar is not blinded,
and nothing is protected; default: it is blinded by so many bits, with the default level of
protections. The Verilog was simulated and its result compared with plain integers.
G by a comb: of the base point instead (BASE_MULTIPLY), from tables.
Inverse: cycles of FIELD_INVERT. Multipliers are those of the rowers, the converter and the
inverter, of {MULTIPLIER_BITS} x {MULTIPLIER_BITS} bits. HBE: hierarchical extensions over rows of
two moduli unless a number is named, inversion by division steps unless another way is named; block
memory: of the rowers' registers; base points by a comb are of such cores with plus-minus inversion.
Halves: of scalars, by an endomorphism; they, the window beside them and extensions over 4 have two
adders between the registers of reducers. Digits: n digits of w bits in place of n channels."""

VERIFICATION = f"""\
Cores as those of halves above that have ECDSA_VERIFY, from digest, signature and
key to an answer, whose cycles depend on all of these: means of {SIGNATURES // 2} random signatures
that are valid, and of as many that are not. Sum: cycles of DOUBLE_MULTIPLY."""


BARE = {"blinding": 0, "protections": "none"}


def keys(name: str, *, bare: bool) -> dict[str, Any]:
    """The keys of the core of a row, on plain streams."""
    return {**CORES[name], "bus": "stream"} | (BARE if bare else {})


@dataclass(frozen=True)
class Placed:
    """A core that is placed, as it is built by default or bare."""

    name: str
    is_bare: bool

    @property
    def keys(self) -> dict[str, Any]:
        """The keys of the core."""
        return keys(self.name, bare=self.is_bare)

    @property
    def title(self) -> str:
        """How tables call it: a core that is built by default needs no remark."""
        return f"{self.name}, bare" if self.is_bare else self.name


PLACED_ROWS = {
    f"{name}{part}": Placed(name, not part) for name in PLACED for part in (", by default", "")
}
"""Such cores by the names of the rows of their clocks."""


def subject(name: str) -> Cores:
    """Find the core of a row, bare and by default."""
    return Cores({part: keys(name, bare=part == "bare") for part in ("bare", "default")})


def measure(request: Request) -> Figures:
    """Simulate the core of a row, bare and by default."""
    bare, default = (request.directory(part) for part in ("bare", "default"))
    core = _curve_core(bare)
    (curve,) = core.curves
    channels, width, tiles = _size(core)
    simulator, default_core = _simulator(bare), _curve_core(default)
    return {
        "bits": curve.field_bits,
        "channels": channels,
        "width": width,
        "step": core.step_cycles,
        "utilisation": round(core.utilisation, 4),
        "cycles": point_cycles(simulator, core),
        "inverse": inverse_cycles(simulator, curve),
        "blinding": default_core.design.blinding[0],
        "default": point_cycles(_simulator(default), default_core),
        "multipliers": core.design.multipliers * tiles,
        **(verification_cycles(simulator, core) if any(core.design.verified) else {}),
    }


def _size(core: CurveCore) -> tuple[int, int, int]:
    """Channels or digits, their bits, and the multiplier blocks that a product of two takes."""
    if isinstance(core, EngineCurveCore):
        # A word is signed: it has one bit more than a modulus.
        return core.channels, core.width, (-(-(core.width + 1) // MULTIPLIER_BITS)) ** 2
    assert isinstance(core, DigitEccCore)
    field = core.design.field
    return field.digits, field.digit, 1


def _simulator(directory: Directory) -> CoprocessorSimulator:
    design = _curve_core(directory).design
    return build_coprocessor_simulator(directory.sources(), directory.name, design)


def point_cycles(simulator: CoprocessorSimulator, core: CurveCore) -> int:
    """Simulate one multiplication of a point, compared with plain integers; its cycles.

    With a comb it is the base point.

    Raises:
        RuntimeError: the result is wrong.
    """
    (curve,), design = core.curves, core.design
    draw = random.Random(curve.name)
    scalar, other = (draw.randrange(1, curve.order) for _ in range(2))
    if isinstance(curve, MontgomeryCurve):
        point: tuple[int, ...] = (affine.multiply_x(curve, other, curve.x),)
    else:
        point = affine.multiply(curve, other, curve.base_point) or ()
    operation, operands = point_operation(curve), (scalar, *point)
    if core.design.fixed_base is not None:
        operation, operands = Operation.BASE_MULTIPLY, (scalar,)
    given = given_operands(design, 0, operation, operands, draw)
    answer = simulator.operate(operation, *given)
    expected = given_outcome(design, 0, operation, given)
    if (answer.status, answer.results) != expected:
        raise RuntimeError(f"{curve.name}: {answer} instead of {expected}")
    return answer.cycles


def verification_cycles(simulator: CoprocessorSimulator, core: CurveCore) -> dict[str, float]:
    """Verify random signatures and add two multiples, compared with plain integers; the cycles.

    Raises:
        RuntimeError: a result is wrong.
    """
    (curve,), (bits,) = core.curves, core.design.scalars.bits
    assert isinstance(curve, WeierstrassCurve)
    draw, requests = random.Random(curve.name), []
    for _ in range(SIGNATURES // 2):
        secret, digest = (draw.randrange(1, curve.order) for _ in range(2))
        key, e, r, s = signature(curve, draw, secret, digest)
        wrong = (e + 1) % curve.order
        requests += [SimulatedRequest(Operation.ECDSA_VERIFY, (d, r, s, *key)) for d in (e, wrong)]
    scalars = (draw.randrange(1, curve.order) for _ in range(2))
    operands = (*scalars, *curve.base_point, *key)
    requests.append(SimulatedRequest(Operation.DOUBLE_MULTIPLY, operands))
    answers = simulator.run(requests)
    for request, answer in zip(requests, answers, strict=True):
        expected = outcome(curve, bits, Operation(request.operation), request.operands)
        if (answer.status, answer.results) != expected:
            raise RuntimeError(f"{curve.name}: {answer} instead of {expected}")
    *verified, total = (answer.cycles for answer in answers)
    return {"valid": mean(verified[::2]), "invalid": mean(verified[1::2]), "sum": total}


def inverse_cycles(simulator: CoprocessorSimulator, curve: Curve) -> int:
    """Simulate one inversion of a field element, compared with plain integers; its cycles.

    Raises:
        RuntimeError: the result is wrong.
    """
    element = random.Random(curve.name).randrange(1, curve.prime)
    answer = simulator.operate(Operation.FIELD_INVERT, element)
    if answer.results != (pow(element, -1, curve.prime),):
        raise RuntimeError(f"{curve.name}: {answer} for the inverse of {element}")
    return answer.cycles


def _curve_core(directory: Directory) -> CurveCore:
    made = directory.made
    assert isinstance(made, CoprocessorCore)
    return made.core


def _share(row: Row) -> float:
    """Cycles by the square of the field's bits."""
    return float(row["cycles"] / row["bits"] ** 2)


def _figures(rows: list[Row]) -> tuple[Figure, ...]:
    plain = [row for row in rows if row.name in _CURVES]
    if not plain:
        return ()
    return (Figure("Cycles against the bits of the field", "coprocessors.svg", _plot(plain)),)


def _plot(rows: list[Row]) -> str:
    """Cycles against bits beside the law of squares, which goes through P-256 or the first row."""
    base = next((row for row in rows if row.name == "P-256"), rows[0])
    sizes = [row["bits"] for row in rows]
    bits = range(max(min(sizes) - 20, 1), max(sizes) + 21)
    law = [_share(base) * b * b for b in bits]
    drawing = Drawing(figsize=(6.4, 4.2), layout="constrained")
    axes = drawing.subplots()
    axes.plot(bits, law, color="#5b6675", label=f"{_share(base):.2f} bits² ({base.name})")
    axes.fill_between(
        bits,
        [(1 - TOLERANCE) * y for y in law],
        [(1 + TOLERANCE) * y for y in law],
        color="#d3d9e2",
        label=f"within {TOLERANCE:.0%}",
    )
    for key, colour in (("cycles", "#0072b2"), ("default", "#d55e00")):
        name = "bare" if key == "cycles" else "by default"
        points = sizes, [row[key] for row in rows]
        axes.scatter(*points, color=colour, zorder=3, label=name)
    for row in rows:
        # 255 and 256 bits are one place.
        left = row.name == "Curve25519"
        axes.annotate(
            row.name,
            (row["bits"], row["cycles"]),
            xytext=(-6, 5) if left else (6, -11),
            ha="right" if left else "left",
            textcoords="offset points",
        )
    axes.set(xscale="log", yscale="log", xlabel="bits of the field", ylabel="cycles")
    bit_ticks = sorted(set(sizes) - {255})
    axes.set_xticks(bit_ticks, [str(tick) for tick in bit_ticks])
    cycle_ticks = [50_000, 100_000, 200_000, 400_000, 800_000]
    axes.set_yticks(cycle_ticks, [f"{tick:,}" for tick in cycle_ticks])
    axes.set(xlim=(bits[0], bits[-1] + 60), ylim=(0.8 * law[0], 1.4 * law[-1]))
    axes.minorticks_off()
    axes.legend()
    return svg(drawing)


def _multiplications(row: Row) -> list[Row]:
    return [] if _verifications(row) else [row]


def _verifications(row: Row) -> list[Row]:
    return [row] if row.get("valid") else []


TABLE = RowTable(
    {
        "Core": lambda row: row.name,
        "(n, w)": lambda row: f"({row['channels']}, {row['width']})",
        "Step": lambda row: row["step"],
        "Utilisation": lambda row: f"{row['utilisation']:.1%}",
        "Bare": lambda row: row["cycles"],
        "Default": lambda row: f"{row['default']} ({row['blinding']})",
        "Inverse": lambda row: row.get("inverse", "–"),
        "Cycles / bits²": lambda row: f"{_share(row):.3f}",
        "Cycles × multipliers": lambda row: f"{row['cycles'] * row['multipliers'] / 1e6:.2f} M",
        "Commit": commit,
    },
    texts=2,
    lines=_multiplications,
)

SIGNATURE_TABLE = RowTable(
    {
        "Core": lambda row: row.name,
        "Valid": lambda row: round(row["valid"]),
        "Invalid": lambda row: round(row["invalid"]),
        "Sum": lambda row: row["sum"],
        "Commit": commit,
    },
    "Verification of signatures",
    VERIFICATION,
    lines=_verifications,
)

CAMPAIGN = Campaign(
    table_page(
        "coprocessors", "Measured coprocessors", INTRODUCTION, (TABLE, SIGNATURE_TABLE), _figures
    ),
    dict.fromkeys(CORES, 1),
    subject,
    measure,
)
