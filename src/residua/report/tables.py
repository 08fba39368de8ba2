"""Results as tables for a terminal."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rich.box import SIMPLE
from rich.console import RenderableType
from rich.table import Table

from residua.cores.simulation.runs import STALLED

Result = dict[str, Any]
Text = list[RenderableType]

_LOADED = "loaded at run time, up to "
"""What stands before the bits of such a modulus."""

_STALLS = {
    True: "with stalls",
    False: "with no stalls",
    None: f"one in {STALLED} with stalls",
}


def built(found: Result, path: Path) -> Text:
    """What ``build`` made."""
    if found.get("kind") == "coprocessor":
        return _built_coprocessor(found, path)
    if "digits" in found["parameters"]:
        return _built_digit(found, path)
    if "unit" in found["parameters"]:
        return _built_exponentiator(found, path)
    if "inversion" in found["parameters"]:
        return _built_inverter(found, path)
    if found.get("kind") == "ecpm":
        return _built_ecpm(found, path)
    parameters, cycles = found["parameters"], found["cycles"]
    rows = [
        ("core", found["name"]),
        *([("modulus", _modulus(parameters))] if parameters["modulus"] else []),
        ("bases", _bases(parameters)),
        _form(parameters),
        ("rowers", f"{parameters['rowers']}, reduction by {parameters['reduction']}"),
        ("latency", f"{cycles['latency']} cycles"),
        ("interval", f"{cycles['interval']} cycles, utilisation {found['utilisation']:.1%}"),
        ("directory", str(path)),
    ]
    return [_pairs(rows)]


def _built_digit(found: Result, path: Path) -> Text:
    parameters, cycles = found["parameters"], found["cycles"]
    loaded = _LOADED if not parameters["modulus"] else ""
    names = ("architecture", "pipeline", "multiplier", "lanes", "inverse", "window", "exponent")
    choices = [f"{name} {parameters[name]}" for name in names if parameters[name] is not None]
    bound = "p" if parameters["variant"] == "subtract" else "2 p"
    rows = [
        ("core", found["name"]),
        ("modulus", loaded + _modulus(parameters)),
        ("digits", f"{parameters['digits']} of {parameters['digit']} bits"),
        *([("datapath", ", ".join(choices))] if choices else []),
        ("results", f"{parameters['variant']}, below {bound}"),
        ("latency", f"{cycles['latency']} cycles"),
        ("interval", f"{cycles['interval']} cycles, utilisation {found['utilisation']:.1%}"),
        (
            ("products", f"{cycles['products']} of {cycles['product_cycles']} cycles")
            if "products" in cycles
            else ("powers", f"{cycles['compute']} cycles modulo a prime")
            if parameters["algorithm"] == "rsa-crt"
            else ("iterations", f"{cycles['iterations']}, {cycles['compute']} cycles")
        ),
        ("directory", str(path)),
    ]
    return [_pairs(rows)]


def _built_exponentiator(found: Result, path: Path) -> Text:
    parameters, cycles = found["parameters"], found["cycles"]
    windows = f"{parameters['exponent_bits']} bits, windows of {parameters['window']}"
    rows = [
        ("core", found["name"]),
        ("modulus", ("" if parameters["modulus"] else _LOADED) + _modulus(parameters)),
        ("exponent", parameters["exponent"] or windows),
        ("bases", _bases(parameters)),
        _form(parameters),
        ("rowers", f"{parameters['rowers']}, reduction by {parameters['reduction']}"),
        ("latency", f"{cycles['latency']} cycles, {cycles['products']} products"),
        ("interval", f"{cycles['interval']} cycles, utilisation {found['utilisation']:.1%}"),
        ("directory", str(path)),
    ]
    return [_pairs(rows)]


def _built_ecpm(found: Result, path: Path) -> Text:
    parameters, cycles = found["parameters"], found["cycles"]
    held = f"values of {parameters['range_bits']} bits in a range of {parameters['product_bits']}"
    rows = [
        ("core", found["name"]),
        ("operation", f"{parameters['operation']}, {parameters['curve']}"),
        ("moduli", f"{parameters['n']} of {parameters['w']} bits, and {parameters['redundant']}"),
        ("range", f"{held}, and a sign"),
        ("control", parameters["control"]),
        ("latency", f"{cycles['latency']} cycles"),
        ("interval", f"{cycles['interval']} cycles, utilisation {found['utilisation']:.1%}"),
        ("directory", str(path)),
    ]
    return [_pairs(rows)]


def _built_inverter(found: Result, path: Path) -> Text:
    parameters, cycles = found["parameters"], found["cycles"]
    variable = parameters["timing"] == "variable"
    channels = [("channels", f"{parameters['n']} of {parameters['w']} bits")]
    rows = [
        ("core", found["name"]),
        ("modulus", _modulus(parameters)),
        ("inversion", f"{parameters['inversion']}, {parameters['timing']} time"),
        *(channels if parameters["n"] else []),
        ("latency", f"{'at most ' if variable else ''}{cycles['latency']} cycles"),
        *([("average", f"{cycles['average']} cycles")] if variable else []),
        ("directory", str(path)),
    ]
    return [_pairs(rows)]


def verified(found: Result) -> Text:
    """What ``verify`` found."""
    if found.get("kind") == "coprocessor":
        return _verified_coprocessor(found)
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
    if found.get("kind") == "coprocessor":
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


def _built_coprocessor(found: Result, path: Path) -> Text:
    parameters, cycles = found["parameters"], found["cycles"]
    rows = [
        ("core", found["top"]),
        ("curves", ", ".join(curve["name"] for curve in parameters["curves"])),
        ("bus", parameters["bus"]),
        ("scalars", _blinding(found["blinding"])),
        ("inversion", parameters["inversion"]),
        *_field_unit(parameters),
        (
            "step of the ladder",
            f"{cycles['ladder_step']} cycles, utilisation {found['utilisation']:.1%}",
        ),
        (
            "ladder",
            ", ".join(
                f"{count} cycles ({bits} steps)"
                for count, bits in zip(cycles["ladder"], cycles["ladder_steps"], strict=True)
            ),
        ),
        ("directory", str(path)),
    ]
    return [_pairs(rows)]


def _blinding(rows: list[Result]) -> str:
    """By how much scalars are blinded, and what it costs."""
    if not any(row["bits"] for row in rows):
        return "not blinded: every k P goes through the bits of k as they are"
    return "; ".join(
        f"{row['curve']}: blinded by {row['bits']} random bits ({row['multiple']} has a run of "
        f"{row['run']} equal bits), {row['cycles']} cycles more than without"
        for row in rows
    )


def _field_unit(parameters: Result) -> list[tuple[str, str]]:
    """What a coprocessor computes with."""
    if "digits" in parameters:
        lanes, levels = parameters["lanes"], parameters["pipeline"]
        datapath = f"pipeline {levels}" if lanes is None else f"lanes {lanes}"
        return [
            ("digits", f"{parameters['digits']} of {parameters['digit']} bits"),
            ("multipliers", f"{parameters['multipliers']} of digits, {datapath}"),
            ("product", f"{parameters['product_cycles']} cycles"),
        ]
    return [
        ("bases", _bases(parameters)),
        ("Cox", f"t = {parameters['t']}, sigma0 = {parameters['sigma0']}"),
        ("rowers", f"{parameters['rowers']}, reduction by {parameters['reduction']}"),
    ]


def _verified_coprocessor(found: Result) -> Text:
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
        ("modulus", _modulus(parameters)),
        ("bases", _bases(parameters)),
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


def _form(parameters: Result) -> tuple[str, str]:
    """How a multiplier or base extension works, under its name."""
    cox = f"t = {parameters['t']}, sigma0 = {parameters['sigma0']}"
    if "form" in parameters:
        return "form", f"{parameters['form']}, {cox}"
    rows = f", rows of {parameters['columns']}" if parameters["columns"] > 1 else ""
    quotient = cox if parameters["t"] else "no quotient"
    return "extension", f"{parameters['extension']}{rows}, {quotient}"


def _modulus(parameters: Result) -> str:
    name = parameters["modulus_name"]
    return f"{parameters['modulus_bits']} bits" + (f", {name}" if name else "")


def _bases(parameters: Result) -> str:
    largest = max(map(abs, [*parameters["h_a"], *parameters["h_b"]]))
    return (
        f"{parameters['bases']}, n = {parameters['n']} moduli 2^{parameters['w']} - h, "
        f"|h| <= {largest} of at most {parameters['h_weight']} signed digits"
    )


def _pairs(rows: Iterable[tuple[str, str]]) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(name, value)
    return table
