"""Rows that the command line prints of a coprocessor."""

from collections.abc import Mapping
from typing import Any

from residua.cores.summary import (
    Rows,
    bases_text,
    cox_text,
    logic,
    primitive_rows,
    stalls_text,
    verdict_rows,
)


def rows(manifest: Mapping[str, Any]) -> Rows:
    """Choices and cycles of the core with this manifest."""
    parameters, cycles = manifest["parameters"], manifest["cycles"]
    return [
        ("core", manifest["top"]),
        ("curves", ", ".join(curve["name"] for curve in parameters["curves"])),
        ("bus", parameters["bus"]),
        *_several(parameters),
        ("scalars", _blinding(manifest["blinding"])),
        ("inversion", parameters["inversion"]),
        ("protections", ", ".join(parameters["protections"]) or "nothing"),
        *_field_unit(parameters),
        (
            "step of the ladder",
            f"{cycles['ladder_step']} cycles, utilisation {manifest['utilisation']:.1%}",
        ),
        (
            "k P",
            ", ".join(
                f"{operations.get('POINT_MULTIPLY', operations['X_MULTIPLY'])} cycles ({n} steps)"
                for operations, n in zip(cycles["operations"], cycles["ladder_steps"], strict=True)
            ),
        ),
        *_halves(parameters),
        *_combs(parameters, cycles),
        *_windows(parameters, cycles),
    ]


def verified(found: Mapping[str, Any]) -> Rows:
    """The outcome of a verification, without its table of cycles."""
    constant = {True: "cycles depend on nothing secret", False: "NO", None: "not compared"}
    bus = [("through the bus", str(found["bus_operations"]))] if found["bus_operations"] else []
    if pace := found.get("cycles_in_flight"):
        bus.append(("k P with all at work", f"one in {pace} cycles"))
    return [
        ("core", found["name"]),
        ("operations compared", f"{found['operations']}, {stalls_text(found)}"),
        ("points multiplied", f"{found['vectors']} random ones on each curve"),
        *primitive_rows(found),
        *bus,
        ("resets in mid-run", str(found["resets"])),
        ("mismatches", str(found["mismatches"])),
        ("constant time", constant[found["constant_time"]]),
        ("time", f"{found['seconds']:.1f} s"),
        *verdict_rows(found),
    ]


def cycle_columns(found: Mapping[str, Any]) -> Mapping[str, Mapping[str, int]]:
    """The measured cycles of operations, by curve."""
    return {curve: own for curve, own in found["cycles"].items() if own}


def timed(found: Mapping[str, Any]) -> Rows:
    """The clock of a placed coprocessor, and the time of a multiplication on each curve."""
    clock = [("clock", f"{found['fmax_mhz']} MHz")] if found["fmax_mhz"] else []
    unit = logic(found["resources"])[1]
    points = [
        (f"{one['operation']} on {one['curve']}", _duration(one, unit)) for one in found["points"]
    ]
    return clock + points


def _duration(one: Mapping[str, Any], unit: str) -> str:
    cycles = f"{one['cycles']} cycles"
    if one["microseconds"] is None:
        return cycles
    rate = f", {one['per_second']} a second" if "per_second" in one else ""
    return f"{cycles}, {one['microseconds']} us, {one['area_time']} {unit} ms{rate}"


def _several(parameters: Mapping[str, Any]) -> list[tuple[str, str]]:
    """How many coprocessors there are, if there are several."""
    count = parameters.get("instances")
    return [("coprocessors", f"{count} behind the bus")] if count else []


def _blinding(rows: list[dict[str, Any]]) -> str:
    """Blinding of scalars, and its cost, in a line."""
    if not any(row["bits"] for row in rows):
        return "not blinded: every k P goes through the bits of k as they are"
    return "; ".join(
        f"{row['curve']}: blinded by {row['bits']} random bits ({row['multiple']} has a run of "
        f"{row['run']} equal bits), {row['cycles']} cycles more than without"
        for row in rows
    )


def _halves(parameters: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The halves of scalars that an endomorphism makes, if there are any."""
    return [
        (f"endomorphism of {curve['name']}", f"scalars in two halves of {own['bits']} bits")
        for curve, own in zip(
            parameters["curves"], parameters.get("endomorphism", ()), strict=False
        )
        if own
    ]


def _combs(parameters: Mapping[str, Any], cycles: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The combs of base points, if there are any."""
    return [
        (f"comb of {curve['name']}", _comb(comb))
        for curve, comb in zip(parameters["curves"], cycles.get("comb", ()), strict=False)
        if comb
    ]


def _windows(parameters: Mapping[str, Any], cycles: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The windows of verifications, if there are any."""
    return [
        (f"ECDSA on {curve['name']}", _window(own))
        for curve, own in zip(parameters["curves"], cycles.get("windows", ()), strict=False)
        if own
    ]


def _window(own: Mapping[str, int]) -> str:
    halves = ", by halves of scalars" if "half_bits" in own else ""
    return (
        f"verified{halves}, in a time that depends on the signature: doublings of "
        f"{own['doubling']} cycles, additions of {own['addition']}"
    )


def _comb(comb: Mapping[str, int]) -> str:
    return (
        f"{comb['additions']} additions of {comb['addition']} cycles, {comb['doublings']} "
        f"doublings, tables of {comb['words']} words in each rower"
    )


def _field_unit(parameters: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Rows of the field unit."""
    if "digits" in parameters:
        lanes, levels = parameters["lanes"], parameters["pipeline"]
        datapath = f"pipeline {levels}" if lanes is None else f"lanes {lanes}"
        return [
            ("digits", f"{parameters['digits']} of {parameters['digit']} bits"),
            ("multipliers", f"{parameters['multipliers']} of digits, {datapath}"),
            ("product", f"{parameters['product_cycles']} cycles"),
        ]
    return [
        ("bases", bases_text(parameters)),
        ("Cox", cox_text(parameters)),
        ("rowers", f"{parameters['rowers']}, reduction by {parameters['reduction']}"),
    ]
