"""What there is to tell of a coprocessor on a terminal."""

from collections.abc import Mapping
from typing import Any

from residua.cores.summary import Rows, bases_text


def rows(manifest: Mapping[str, Any]) -> Rows:
    """Its choices and its cycles."""
    parameters, cycles = manifest["parameters"], manifest["cycles"]
    return [
        ("core", manifest["top"]),
        ("curves", ", ".join(curve["name"] for curve in parameters["curves"])),
        ("bus", parameters["bus"]),
        ("scalars", _blinding(manifest["blinding"])),
        ("inversion", parameters["inversion"]),
        *_field_unit(parameters),
        (
            "step of the ladder",
            f"{cycles['ladder_step']} cycles, utilisation {manifest['utilisation']:.1%}",
        ),
        (
            "ladder",
            ", ".join(
                f"{count} cycles ({bits} steps)"
                for count, bits in zip(cycles["ladder"], cycles["ladder_steps"], strict=True)
            ),
        ),
    ]


def _blinding(rows: list[dict[str, Any]]) -> str:
    """By how much scalars are blinded, and what it costs."""
    if not any(row["bits"] for row in rows):
        return "not blinded: every k P goes through the bits of k as they are"
    return "; ".join(
        f"{row['curve']}: blinded by {row['bits']} random bits ({row['multiple']} has a run of "
        f"{row['run']} equal bits), {row['cycles']} cycles more than without"
        for row in rows
    )


def _field_unit(parameters: Mapping[str, Any]) -> list[tuple[str, str]]:
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
        ("bases", bases_text(parameters)),
        ("Cox", f"t = {parameters['t']}, sigma0 = {parameters['sigma0']}"),
        ("rowers", f"{parameters['rowers']}, reduction by {parameters['reduction']}"),
    ]
