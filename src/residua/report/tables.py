"""Results as tables for a terminal."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rich.box import SIMPLE
from rich.console import RenderableType
from rich.table import Table

from residua.cores.kinds import kind_asked
from residua.cores.simulation.runs import STALLED
from residua.cores.summary import bases_text, modulus_text

Result = dict[str, Any]
Text = list[RenderableType]

_STALLS = {
    True: "with stalls",
    False: "with no stalls",
    None: f"one in {STALLED} with stalls",
}


def built(found: Result, path: Path) -> Text:
    """What ``build`` made."""
    kind = kind_asked(found["specification"])
    return [_pairs([*kind.rows(found), ("directory", str(path))])]


def verified(found: Result) -> Text:
    """What ``verify`` found."""
    if "operations" in found:
        return _verified_operations(found)
    cycles = {
        name: "not measured" if count is None else f"{count} cycles"
        for name, count in found["cycles"].items()
    }
    rows = [
        ("core", found["name"]),
        (
            "results compared",
            f"{found['vectors']}, {_STALLS[found['stalls']]}",
        ),
        *([("in ECP5 cells", str(found["ecp5_vectors"]))] if found.get("ecp5_vectors") else []),
        ("mismatches", str(found["mismatches"])),
        ("resets in mid-run", str(found["resets"])),
        ("judged by plain integers", str(found["oracle_checks"])),
        ("latency measured", cycles["latency"]),
        ("interval measured", cycles["interval"]),
        ("time", f"{found['seconds']:.1f} s, {found['vectors_per_minute']} results a minute"),
        ("verdict", "passed" if found["passed"] else "FAILED"),
        *(("", failure) for failure in found["failures"]),
    ]
    return [_pairs(rows)]


def synthesised(found: Result) -> Text:
    """What ``synth`` found."""
    resources = found["resources"]
    rows = [
        ("core", found["name"]),
        ("target", f"{found['target']} ({found.get('device', 'synthesis only')}), {found['tool']}"),
        ("resources", ", ".join(f"{count} {kind.upper()}" for kind, count in resources.items())),
    ]
    if "points" in found:
        rows += [("clock", f"{found['fmax_mhz']} MHz")] if found["fmax_mhz"] else []
        rows += [
            (f"{one['operation']} on {one['curve']}", _duration(one)) for one in found["points"]
        ]
    elif found["fmax_mhz"]:
        rows += [
            ("clock", f"{found['fmax_mhz']} MHz"),
            ("latency", f"{found['cycles']['latency']} cycles, {found['latency_ns']} ns"),
            ("interval", f"{found['cycles']['interval']} cycles, {found['interval_ns']} ns"),
            ("area x time", f"{found['area_time']} LUT us"),
        ]
    if "seeds" in found:
        each = ", ".join(str(seed["mhz"]) for seed in found["seeds"])
        rows.insert(4, ("by seed", f"{each}; best {found['fmax_best_mhz']} MHz"))
    if found["kept"]:
        rows.append(("kept", "from an earlier run on these files; --force runs the tools again"))
    return [_pairs(rows)]


def _verified_operations(found: Result) -> Text:
    constant = {True: "cycles depend on nothing secret", False: "NO", None: "not compared"}
    rows = [
        ("core", found["name"]),
        (
            "operations compared",
            f"{found['operations']}, {_STALLS[found['stalls']]}",
        ),
        ("points multiplied", f"{found['vectors']} random ones on each curve"),
        *([("through the bus", str(found["bus_operations"]))] if found["bus_operations"] else []),
        ("resets in mid-run", str(found["resets"])),
        ("mismatches", str(found["mismatches"])),
        ("constant time", constant[found["constant_time"]]),
        ("time", f"{found['seconds']:.1f} s"),
        ("verdict", "passed" if found["passed"] else "FAILED"),
        *(("", failure) for failure in found["failures"]),
    ]
    measured = {name: own for name, own in found["cycles"].items() if own}
    if not measured:
        return [_pairs(rows)]
    table = Table(box=SIMPLE)
    table.add_column("cycles")
    for name in measured:
        table.add_column(name, justify="right")
    for operation in dict.fromkeys(name for own in measured.values() for name in own):
        table.add_row(operation, *(str(own.get(operation, "")) for own in measured.values()))
    return [_pairs(rows), table]


def _duration(one: Result) -> str:
    timed = one["microseconds"] is not None
    return f"{one['cycles']} cycles" + (
        f", {one['microseconds']} us, {one['area_time']} LUT ms" if timed else ""
    )


def reported(found: Result) -> Text:
    """Where ``report`` wrote."""
    return [_pairs([("report", found["report"])])]


def bases(found: Result) -> Text:
    """The moduli of two bases and what holds for them."""
    parameters = found["parameters"]
    table = Table(box=SIMPLE)
    for column in ("channel", "base a", "h", "base b", "h", "weight g"):
        table.add_column(column, justify="right")
    columns = (parameters[name] for name in ("base_a", "h_a", "base_b", "h_b", "weights"))
    for channel, cells in enumerate(zip(*columns, strict=True)):
        table.add_row(str(channel), *map(str, cells))
    slack = f"{parameters['slack_a']} and {parameters['slack_b']} bits"
    rows = [
        ("modulus", modulus_text(parameters)),
        ("bases", bases_text(parameters)),
        ("form", parameters["form"]),
        ("Cox", f"t = {parameters['t']}, sigma0 = {parameters['sigma0']}"),
        ("slack of base a and b", slack),
    ]
    return [_pairs(rows), table]


def cost(found: Result) -> Text:
    """Counted operations beside the formulas."""
    table = Table(box=SIMPLE, title=f"n = {found['n']}", title_justify="left")
    table.add_column("algorithm")
    for column in ("EMM, formula", "", "EMM, counted", "EMA", "Cox additions", "stored words"):
        table.add_column(column, justify="right")
    for row in found["algorithms"]:
        counted = f"{row['emm']}" if row["agrees"] else f"{row['emm']} (differs)"
        numbers = (row["formula_emm"], counted, row["ema"], row["cox"], row["emw"])
        table.add_row(row["name"], row["formula"], *map(str, numbers))
    return [table]


def _pairs(rows: Iterable[tuple[str, str]]) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(name, value)
    return table
