"""Point multiplications on coprocessors whose field unit is SBMM, and steps of the ladder."""

import random
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from residua.cores.bus.driver.client import CoreError
from residua.cores.coprocessor.driver.client import Client
from residua.curves import affine
from residua.curves.parameters import WeierstrassCurve, parameters_of
from residua.evidence.bus_drivers import cycles_cell, drivers, extremes
from residua.evidence.campaign import Campaign, Figures, Request
from residua.evidence.pages import RowTable, commit, table_page
from residua.evidence.subjects import Sources, Subject, core
from residua.explore.half_base_curve import half_base_curve
from residua.papers.sbmm.ladder_comparison import SCHEDULED, ladder_step

SEED = 1
MOST_FAILURES = 5

CORES: dict[str, tuple[int, tuple[int, int]]] = {
    "192 (12, 16)": (100, (12, 16)),
    "512 (16, 32)": (20, (16, 32)),
}
"""Multiplications, and n and w, by the names of the rows."""

STEPS = {
    f"step of ({n}, {w}), c = {c}": (n, w, c)
    for c in (1, 2)
    for n, w in ((12, 16), (16, 32), (24, 16), (32, 16))
}
"""n, w and c of the ladder steps that are compared, by the names of the rows."""

INTRODUCTION = """\
The Verilog of coprocessors with `algorithm = "sbmm"` and their AXI buses, simulated with Verilator
and operated by the Python driver: complete multiplications k P of random points by random, blinded
scalars, compared with affine arithmetic on Python integers. The first scalars are 1, 2 and those
next to the order; the order itself has to give the neutral element. Every second multiplication
runs with random stalls. The curves are over primes P = M_a^2 - 2 that Residua generates, by complex
multiplication, with the (X, Z) ladder. Cycles are those without stalls, host included. A + after
the commit says that the sources differed from it. `make campaign-sbmm-ladders` writes this
page."""

STEP_TEXT = """\
Cycles of one bit of the (X, Z) ladder (SBMM Table 6), any a and b, on both field units with n/2
rowers each: SBMM with moduli of w bits and the narrow rower, RNS Montgomery with w + 1 bits.
Compress is how many elements a step compresses, with the fewest bits of m_gamma (g) for which that
is least. c = 2 has hierarchical extensions over rows of two moduli on both. In brackets: slots of
all sequences, the least that a schedule could have, where it has more."""


def subject(name: str) -> Subject:
    """Find the core of a row; the cycles of a step follow from the schedules."""
    if name in STEPS:
        return Sources(SCHEDULED)
    return core(specified(half_base_curve(*CORES[name][1])))


def measure(request: Request) -> Figures:
    """Multiply points on the core of a row, or count the cycles of a step."""
    if request.name in STEPS:
        step = ladder_step(*STEPS[request.name])
        return {**asdict(step), "saved": round(step.saved, 6), "count": 0}
    curve = half_base_curve(*CORES[request.name][1])
    directory = request.directory()
    operated = drivers(directory, SEED)
    failures, cycles = [], set()
    for index, (k, point) in enumerate(cases(curve, request.amount)):
        simulator, driver = operated[index % 2]
        before = simulator.cycles
        found = _multiplied(driver, k, point)
        if index % 2 == 0 and isinstance(found, tuple) and found:
            cycles.add(simulator.cycles - before)
        if found != (affine.multiply(curve, k, point) or ()):
            failures.append(f"k = {k:#x}, P = {point}")
    parameters = directory.manifest["parameters"]
    return {
        "core": directory.top,
        "prime_bits": curve.field_bits,
        "extra_bits": parameters["extra_bits"],
        "blinding": parameters["blinding"][0],
        "step": directory.manifest["cycles"]["ladder_step"],
        "count": request.amount,
        "mismatches": len(failures),
        "failures": failures[:MOST_FAILURES],
        "cycles": extremes(cycles),
    }


def specified(curve: WeierstrassCurve) -> dict[str, Any]:
    """The specification of a row's core."""
    return {
        "algorithm": "sbmm",
        "curve": [parameters_of(curve)],
        "formula": "xz-ladder",
        "bus": "axi",
    }


def cases(curve: WeierstrassCurve, count: int) -> Iterator[tuple[int, tuple[int, int]]]:
    """Draw scalars and points, the exceptional ones first."""
    draw = random.Random(f"{SEED} {curve.name}")
    special = [1, 2, curve.order - 1, curve.order, curve.order + 1]
    for index in range(count):
        point = affine.multiply(curve, draw.randrange(1, curve.order), curve.base_point)
        assert point is not None
        bits = max(curve.order_bits, curve.field_bits)
        yield special[index] if index < len(special) else draw.getrandbits(bits), point


def _multiplied(driver: Client, k: int, point: tuple[int, int]) -> tuple[int, ...] | str:
    """The coordinates of k P, none of the neutral element, or the status of a refusal."""
    try:
        return tuple(driver.execute("point_multiply", 0, (k, *point), 2))
    except CoreError as error:
        return () if error.status == "neutral" else error.status


def _cycles(taken: int, full: int) -> str:
    return str(taken) if taken == full else f"{taken} ({full})"


MULTIPLICATIONS = RowTable(
    {
        "Prime bits (n, w)": lambda row: row.name,
        "Core": lambda row: f"`{row['core']}`",
        "g": lambda row: row["extra_bits"],
        "Blinding bits": lambda row: row["blinding"],
        "Multiplications": lambda row: row["count"],
        "Mismatches": lambda row: row["mismatches"],
        "Cycles a bit": lambda row: row["step"],
        "Cycles of k P": lambda row: cycles_cell(row["cycles"]),
        "Commit": commit,
    },
    texts=2,
    lines=lambda row: [row] if row.name in CORES else [],
)

STEP_TABLE = RowTable(
    {
        "n": lambda row: row["channels"],
        "w": lambda row: row["width"],
        "c": lambda row: row["columns"],
        "Rowers": lambda row: row["rowers"],
        "g": lambda row: row["extra_bits"],
        "Compress": lambda row: row["compressions"],
        "SBMM": lambda row: _cycles(row["sbmm"], row["sbmm_full"]),
        "RNS Montgomery": lambda row: _cycles(row["montgomery"], row["montgomery_full"]),
        "Saved": lambda row: f"{100 * row['saved']:.1f} %",
        "Commit": commit,
    },
    title="A step of the ladder",
    introduction=STEP_TEXT,
    texts=0,
    lines=lambda row: [row] if row.name in STEPS else [],
)

CAMPAIGN = Campaign(
    table_page(
        "sbmm_ladder",
        "Point multiplication on SBMM",
        INTRODUCTION,
        (MULTIPLICATIONS, STEP_TABLE),
    ),
    {name: count for name, (count, _) in CORES.items()} | dict.fromkeys(STEPS, 0),
    subject,
    measure,
)
