"""Measure coprocessors: cycles to multiply a point, against the bits of the field.

Writes docs/results/coprocessors.md, .json and .svg. Rows that are in the .json for the same commit
are kept, so that an interrupted run goes on where it stopped; ``--rows`` limits it to some of them.
"""

import argparse
import random
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import matplotlib as mpl
from kept_rows import Row, measured
from matplotlib.figure import Figure
from rich.console import Console

from residua.cores.coprocessor.rns_montgomery import EccCore
from residua.cores.coprocessor.simulator import build_coprocessor_simulator
from residua.cores.coprocessor.verification import outcome, point_operation
from residua.curves import affine
from residua.curves.blinding import needed_bits
from residua.curves.catalogue import find_curve
from residua.curves.inversion import Inversion
from residua.curves.parameters import MontgomeryCurve
from residua.hardware.coprocessor.coprocessor import Coprocessor
from residua.hardware.rtl import PRIMITIVE_FILE, emit

RESULTS = Path(__file__).parent.parent / "docs" / "results"
MULTIPLIER_BITS = 18
TOLERANCE = 0.10
"""How far cycles may be from the law that they grow with the square of the field's bits."""


@dataclass(frozen=True)
class Core:
    """A core to measure: a curve, and what differs from the default."""

    curve: str
    keys: dict[str, Any] = field(default_factory=dict)

    def make(self, **more: Any) -> EccCore:
        """The core."""
        return EccCore([find_curve(self.curve)], **self.keys, **more)


FASTEST = {"columns": 2, "inversion": Inversion.DIVISION_STEPS, "levels_per_register": 2}
"""Hierarchical extensions, division steps, reducers of few registers."""

CORES = {
    **{name: Core(name) for name in ("P-192", "Curve25519", "P-256", "P-384", "P-521")},
    **{f"{name}, HBE": Core(name, FASTEST) for name in ("P-192", "Curve25519", "P-256")},
    "P-384, HBE": Core("P-384", FASTEST),
}


def measure(name: str) -> Row:
    """The figures of one core."""
    wanted = CORES[name]
    core = wanted.make()
    (curve,) = core.curves
    row = {
        "core": name,
        "bits": curve.field_bits,
        "channels": core.channels,
        "width": core.width,
        "step": core.step_cycles,
        "utilisation": round(core.utilisation, 4),
        "cycles": point_cycles(core),
        "blinding": needed_bits(curve),
        "blinded": point_cycles(wanted.make(blinding="auto")),
    }
    # A word is signed: it has one bit more than a modulus.
    row["multipliers"] = core.design.multipliers * (-(-(core.width + 1) // MULTIPLIER_BITS)) ** 2
    return row


def point_cycles(core: EccCore) -> int:
    """Cycles of one multiplication of a point, simulated and compared with plain integers."""
    (curve,), design = core.curves, core.design
    draw = random.Random(curve.name)
    scalar, other = (draw.randrange(1, curve.order) for _ in range(2))
    if isinstance(curve, MontgomeryCurve):
        point: tuple[int, ...] = (affine.multiply_x(curve, other, curve.x),)
    else:
        point = affine.multiply(curve, other, curve.base_point) or ()
    operation, operands = point_operation(curve), (scalar, *point)
    with TemporaryDirectory() as work:
        sources = []
        for name, text in emit(Coprocessor(design), core.name).items():
            if name in (f"rtl/{core.name}.v", PRIMITIVE_FILE):
                sources.append(Path(work) / Path(name).name)
                sources[-1].write_text(text)
        simulator = build_coprocessor_simulator(sources, core.name, design.words)
    answer = simulator.operate(operation, *operands)
    expected = outcome(curve, design.scalar_bits[0], operation, operands)
    if (answer.status, answer.results) != expected:
        raise RuntimeError(f"{curve.name}: {answer} instead of {expected}")
    return answer.cycles


def table(rows: list[Row], commit: str) -> str:
    """The rows as a Markdown page."""
    lines = [
        "# Measured coprocessors",
        "",
        f"Made by `make bench` at commit `{commit}`: cycles of one multiplication of a point",
        "(POINT_MULTIPLY, X_MULTIPLY on Montgomery curves), operands to results, coordinates",
        "randomised; with the scalar as it is and blinded by so many bits. The Verilog was",
        "simulated and its result compared with plain integers. Multipliers are those of the",
        f"rowers, the converter and the inverter, of {MULTIPLIER_BITS} x {MULTIPLIER_BITS} bits.",
        "HBE: hierarchical extensions over rows of two moduli, inversion by division steps, two",
        "adders between the registers of reducers.",
        "",
        (
            "| core | (n, w) | step | utilisation | cycles | blinded | cycles / bits² "
            "| cycles × multipliers |"
        ),
        "|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    for row in rows:
        cells = [
            row["core"],
            f"({row['channels']}, {row['width']})",
            row["step"],
            f"{row['utilisation']:.1%}",
            row["cycles"],
            f"{row['blinded']} ({row['blinding']})",
            f"{_share(row):.3f}",
            f"{row['cycles'] * row['multipliers'] / 1e6:.2f} M",
        ]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    picture = "![Cycles against the bits of the field](coprocessors.svg)"
    return "\n".join([*lines, "", picture, ""])


def _share(row: Row) -> float:
    return float(row["cycles"] / row["bits"] ** 2)


def plot(rows: list[Row], path: Path) -> None:
    """Cycles against bits beside the law of squares, which goes through P-256 or the first row."""
    mpl.rcParams["svg.hashsalt"] = "residua"
    base = next((row for row in rows if row["core"] == "P-256"), rows[0])
    bits = range(min(row["bits"] for row in rows) - 20, max(row["bits"] for row in rows) + 21)
    law = [_share(base) * b * b for b in bits]
    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    axes = figure.subplots()
    axes.plot(bits, law, color="#5b6675", label=f"{_share(base):.2f} bits² ({base['core']})")
    axes.fill_between(
        bits,
        [(1 - TOLERANCE) * y for y in law],
        [(1 + TOLERANCE) * y for y in law],
        color="#d3d9e2",
        label=f"within {TOLERANCE:.0%}",
    )
    for key, colour in (("cycles", "#0072b2"), ("blinded", "#d55e00")):
        name = "scalar as it is" if key == "cycles" else "scalar blinded"
        points = [row["bits"] for row in rows], [row[key] for row in rows]
        axes.scatter(*points, color=colour, zorder=3, label=name)
    for row in rows:
        axes.annotate(
            row["core"],
            (row["bits"], row["cycles"]),
            # 255 and 256 bits are one place.
            xytext=(-6, 5) if row["core"] == "Curve25519" else (6, -11),
            ha="right" if row["core"] == "Curve25519" else "left",
            textcoords="offset points",
        )
    axes.set(xscale="log", yscale="log", xlabel="bits of the field", ylabel="cycles")
    bit_ticks = sorted({row["bits"] for row in rows} - {255})
    axes.set_xticks(bit_ticks, [str(tick) for tick in bit_ticks])
    cycle_ticks = [50_000, 100_000, 200_000, 400_000, 800_000]
    axes.set_yticks(cycle_ticks, [f"{tick:,}" for tick in cycle_ticks])
    axes.set(xlim=(bits[0], bits[-1] + 60), ylim=(0.8 * law[0], 1.4 * law[-1]))
    axes.minorticks_off()
    axes.legend()
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    """Measure what is missing, write the table after each row."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", nargs="*", default=list(CORES), choices=list(CORES))
    parser.add_argument("--output", type=Path, default=RESULTS, help="directory of the tables")
    arguments = parser.parse_args()
    console, output = Console(), arguments.output

    def with_status(name: str) -> Row:
        with console.status(name):
            return measure(name)

    store = output / "coprocessors.json"
    for rows, commit in measured(store, arguments.rows, with_status, console):
        ordered = [rows[key] for key in CORES if key in rows]
        (output / "coprocessors.md").write_text(table(ordered, commit))
        if plain := [row for row in ordered if not CORES[row["core"]].keys]:
            plot(plain, output / "coprocessors.svg")


if __name__ == "__main__":
    main()
