"""What there is to tell of a core on a terminal: of any, and what several kinds have."""

from collections.abc import Mapping
from typing import Any

LOADED = "loaded at run time, up to "
"""What stands before the bits of such a modulus."""

Rows = list[tuple[str, str]]


def rows(manifest: Mapping[str, Any]) -> Rows:
    """Any core: its latency and its interval."""
    return [("core", manifest["name"]), *timing_rows(manifest)]


def timing_rows(manifest: Mapping[str, Any]) -> Rows:
    """Latency and interval."""
    cycles, utilisation = manifest["cycles"], manifest["utilisation"]
    used = "" if utilisation is None else f", utilisation {utilisation:.1%}"
    return [
        ("latency", f"{cycles['latency']} cycles"),
        ("interval", f"{cycles['interval']} cycles{used}"),
    ]


def form_row(parameters: Mapping[str, Any]) -> tuple[str, str]:
    """How a multiplier or base extension works, under its name."""
    cox = f"t = {parameters['t']}, sigma0 = {parameters['sigma0']}"
    if "form" in parameters:
        return "form", f"{parameters['form']}, {cox}"
    rows = f", rows of {parameters['columns']}" if parameters["columns"] > 1 else ""
    quotient = cox if parameters["t"] else "no quotient"
    return "extension", f"{parameters['extension']}{rows}, {quotient}"


def modulus_text(parameters: Mapping[str, Any]) -> str:
    """Bits and name of the modulus."""
    name = parameters["modulus_name"]
    return f"{parameters['modulus_bits']} bits" + (f", {name}" if name else "")


def bases_text(parameters: Mapping[str, Any]) -> str:
    """Both bases in a line."""
    largest = max(map(abs, [*parameters["h_a"], *parameters["h_b"]]))
    return (
        f"{parameters['bases']}, n = {parameters['n']} moduli 2^{parameters['w']} - h, "
        f"|h| <= {largest} of at most {parameters['h_weight']} signed digits"
    )


def engine_rows(manifest: Mapping[str, Any]) -> Rows:
    """A core that is one engine with one program."""
    parameters = manifest["parameters"]
    return [
        ("core", manifest["name"]),
        *([("modulus", modulus_text(parameters))] if parameters["modulus"] else []),
        ("bases", bases_text(parameters)),
        form_row(parameters),
        ("rowers", f"{parameters['rowers']}, reduction by {parameters['reduction']}"),
        *timing_rows(manifest),
    ]
