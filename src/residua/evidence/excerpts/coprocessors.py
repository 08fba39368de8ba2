"""Tables of coprocessors: field units, formulas, inversions."""

from collections.abc import Callable, Mapping

from residua.evidence.benchmarks import coprocessors
from residua.evidence.excerpts.chosen import DASH, flags, large, milliseconds
from residua.evidence.pages import clock, resources
from residua.evidence.rows import Row, Store
from residua.report.documents import Table

Rows = Mapping[str, Row]

FAST = {"P-256": "default", "P-256, HBE": "this one"}

INVERSIONS = {
    "P-256": "`fermat`",
    "P-256, plus-minus": "`plus-minus-ct`",
    "P-256, HBE": "`division-steps`, rows of two moduli",
    "P-256, HBE, plus-minus": "`plus-minus-ct` on the same",
}
"""Ways to invert, by the names of the rows."""

HALVES = {
    "secp256k1, window, HBE, plus-minus": "`fixed-window`",
    "secp256k1, halves, HBE, plus-minus": "`endomorphism`",
}
"""Whole scalars and halves, by the names of the rows."""

SIGNATURES = {
    "P-256, signatures": "P-256",
    "secp256k1, signatures": "secp256k1",
    "secp256k1, signatures by halves": "secp256k1, by halves",
}
"""Cores that verify signatures, by the names of the rows."""

STEPS = {(12, 16): "n = 12", (16, 32): "n = 16", (24, 16): "n = 24", (32, 16): "n = 32"}


def field_units(store: Store) -> Table:
    """Coprocessors for P-256 on each field unit, with the flags that make them."""
    rows, placed = store.read("coprocessors"), store.read("measured")
    lines = []
    for name, core in coprocessors.PLACED_ROWS.items():
        row, clocked = rows.get(core.name), placed.get(name)
        cycles = row["cycles" if core.is_bare else "default"] if row else None
        lines.append(
            (
                core.title,
                flags(core.keys),
                large(cycles),
                resources(clocked),
                clock(clocked),
                milliseconds(cycles, clocked),
            )
        )
    heads = ("Core", "`residua build`", "Cycles", "ECP5 LUT4 / FF / MULT18", "MHz", "ms")
    return Table("", heads, tuple(lines), texts=2)


def formulas(store: Store) -> Table:
    """Formulas for points on three curves: cycles of the loop, and of a multiplication."""
    rows = store.read("coprocessors")
    lines = []
    for formula in coprocessors.FORMULAS:
        found = [rows.get(f"{curve}, {formula}") for curve in coprocessors.COMPARED]
        bits = 4 if formula == "fixed-window" else 1
        steps = (f"{row['step'] / bits:g}" if row else DASH for row in found)
        products = (large(row["cycles"]) if row else DASH for row in found)
        lines += [(f"`{formula}`", "cycles a bit", *steps), ("", "k P", *products)]
    return Table("", ("Formula", "", *coprocessors.COMPARED), tuple(lines), texts=2)


def halves(store: Store) -> Table:
    """Whole scalars and halves of them on secp256k1."""
    cells: dict[str, Callable[[str, Row], str]] = {
        "a step, for four bits": lambda _, row: str(row["step"]),
        "k P, bare": lambda _, row: large(row["cycles"]),
        "k P": lambda _, row: large(row["default"]),
    }
    return _transposed("secp256k1, cycles", store.read("coprocessors"), HALVES, cells)


def signatures(store: Store) -> Table:
    """Signatures that are verified, and sums of two multiples."""
    cells: dict[str, Callable[[str, Row], str]] = {
        "ECDSA_VERIFY, a valid signature": lambda _, row: large(round(row["valid"])),
        "a signature that is not valid": lambda _, row: large(round(row["invalid"])),
        "DOUBLE_MULTIPLY": lambda _, row: large(row["sum"]),
    }
    return _transposed("Cycles", store.read("coprocessors"), SIGNATURES, cells)


def inversions(store: Store) -> Table:
    """Ways to invert on P-256."""
    rows = store.read("coprocessors")
    lines = [
        (text, *(large(row.get(key)) if row else DASH for key in ("inverse", "cycles")))
        for name, text in INVERSIONS.items()
        for row in (rows.get(name),)
    ]
    return Table("", ("P-256, bare", "FIELD_INVERT", "k P"), tuple(lines))


def fast(store: Store) -> Table:
    """The default beside the coprocessor of the fewest cycles."""
    rows, placed = store.read("coprocessors"), store.read("measured")
    cells: dict[str, Callable[[str, Row], str]] = {
        "a step of the ladder, cycles": lambda _, row: str(row["step"]),
        "k P, cycles": lambda _, row: large(row["cycles"]),
        "multipliers": lambda _, row: str(row["multipliers"]),
        "cycles × multipliers": lambda _, row: f"{row['cycles'] * row['multipliers'] / 1e6:.2f} M",
        "ECP5 LUT4 / FF / MULT18": lambda name, _: resources(placed.get(name)),
        "MHz": lambda name, _: clock(placed.get(name)),
        "k P, ms": lambda name, row: milliseconds(row["cycles"], placed.get(name)),
    }
    return _transposed("P-256, bare, plain streams", rows, FAST, cells)


def on_digits(store: Store) -> Table:
    """The coprocessor on digits for P-256."""
    rows, placed = store.read("coprocessors"), store.read("measured")
    cells: dict[str, Callable[[str, Row], str]] = {
        "a step of the ladder": lambda _, row: f"{row['step']} cycles",
        "k P": lambda _, row: f"{large(row['default'])} cycles",
        "k P with `--blinding 0 --protections none`": lambda _, row: (
            f"{large(row['cycles'])} cycles"
        ),
        "ECP5 LUT4 / FF / MULT18": lambda name, _: resources(placed.get(name)),
        "MHz": lambda name, _: clock(placed.get(name)),
    }
    return _transposed("P-256, plain streams", rows, {"P-256, digits": "digits of 17 bits"}, cells)


def _transposed(
    head: str,
    rows: Rows,
    names: Mapping[str, str],
    cells: Mapping[str, Callable[[str, Row], str]],
) -> Table:
    """Make a table with a column for each row."""
    lines = tuple(
        (text, *(cell(name, rows[name]) if name in rows else DASH for name in names))
        for text, cell in cells.items()
    )
    return Table("", (head, *names.values()), lines)


def single_base_steps(store: Store) -> Table:
    """Cycles of a step of the ladder on SBMM and on RNS Montgomery."""
    rows = store.read("sbmm_ladder")
    found = [rows.get(f"step of ({n}, {w}), c = 1") for n, w in STEPS]
    lines = (
        ("RNS Montgomery", *(str(row["montgomery"]) if row else DASH for row in found)),
        ("SBMM", *(str(row["sbmm"]) if row else DASH for row in found)),
        ("saved", *(f"{row['saved']:.1%}" if row else DASH for row in found)),
    )
    return Table("", ("Cycles of a step", *STEPS.values()), lines)
