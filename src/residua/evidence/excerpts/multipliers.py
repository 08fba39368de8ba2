"""Tables of multipliers, exponentiators and inverters."""

from collections.abc import Callable

from residua.evidence.benchmarks.multipliers import CORES
from residua.evidence.campaigns import powers
from residua.evidence.excerpts.chosen import DASH, Cells, flags, large, row_table
from residua.evidence.pages import clock, commit, resources
from residua.evidence.rows import Row, Store
from residua.report.documents import Table

UNITS = {
    "192 12x17 on 6": "P-192 in 12 × 17 on 6 rowers",
    "192 12x17 on 4": "on 4",
    "192 12x17 on 3": "on 3",
    "192 12x17 on 2": "on 2",
    "192 7x29 on 2": "P-192 in 7 × 29 on 2 rowers",
    "384 18x22 on 9": "P-384 in 18 × 22 on 9 rowers",
    "384 18x22 on 6": "on 6",
    "384 18x22 on 3": "on 3",
}
"""Units of plus-minus inversion, by the ends of the names of their rows."""

NO_BLOCKS = " without DSP"


def multipliers(store: Store) -> Table:
    """Multipliers from residues to residues, with the flags that make them."""
    columns = {
        "Latency": lambda row: row["cycles"]["latency"],
        "Interval": lambda row: row["cycles"]["interval"],
        "xc7 LUT / FF / DSP48E1": lambda row: resources(row, "xc7"),
        "ECP5 MHz": lambda row: clock(row, limited=False),
        "ns at 225 MHz at most": _nanoseconds,
        "Commit": commit,
    }
    names = {name: (name, flags(keys)) for name, keys in CORES.items()}
    heads = ("Bits (n, w)", "`residua build`")
    return row_table(store.read("measured"), names, columns, heads, closing_texts=1)


def _nanoseconds(row: Row) -> str:
    placed = row.get("ecp5")
    return f"{placed['latency_ns']:.0f}" if placed else DASH


def exponentiators(store: Store) -> Table:
    """Exponentiators on an engine."""
    columns = {
        "Exponent": powers.exponent,
        "Bases": lambda row: f"{row['parameters']['n']} × {row['parameters']['w']}",
        "Window": lambda row: row["parameters"]["window"] or DASH,
        "Latency": lambda row: large(row["cycles"]["latency"]),
        "Step": lambda row: row["step"],
        "Rowers busy": lambda row: f"{row['utilisation']:.0%}",
    }
    names = {name: (name,) for name in powers.CORES}
    return row_table(store.read("powers"), names, columns, ("N",))


def signatures(store: Store) -> Table:
    """Exponentiators on digits for RSA of 1024 bits."""
    columns = {
        "Digit, lanes": lambda row: f"{row['digit']}, {row['lanes']}",
        "Cycles": lambda row: large(row["cycles"]),
        "Multiplier blocks": lambda row: row["multipliers"],
    }
    names = {
        "1024 bits, private": ("`modexp`",),
        "1024 bits, private, CRT": ("`rsa-crt`",),
    }
    return row_table(store.read("rsa"), names, columns, ("Core",))


def plus_minus_units(store: Store) -> Table:
    """Units of plus-minus inversion beside the multiplier that they serve."""
    rows = store.read("inversion")

    def share(kind: str, target: str) -> Callable[[Row], str]:
        def cell(row: Row) -> str:
            size = row.name.removeprefix("plus-minus unit ").split(" on ")[0]
            multiplier = rows.get(f"MM {size}")
            if target not in row.figures or multiplier is None:
                return DASH
            own, other = (each[target][kind] for each in (row, multiplier))
            return f"{own} ({own / other:.0%})"

        return cell

    columns: Cells = {
        "Cycles": lambda row: row["cycles"]["latency"],
        "LUT": share("lut", "xc7"),
        "FF": share("ff", "xc7"),
        "LUT without DSP": share("lut", f"xc7{NO_BLOCKS}"),
        "FF without DSP": share("ff", f"xc7{NO_BLOCKS}"),
    }
    names = {f"plus-minus unit {name}": (title,) for name, title in UNITS.items()}
    return row_table(rows, names, columns, ("Unit",))
