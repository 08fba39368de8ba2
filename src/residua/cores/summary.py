"""Rows that the command line prints of a core and of its results, for kinds without their own."""

from collections.abc import Callable, Mapping
from typing import Any

from residua.cores.simulation.runs import STALLED

LOADED = "loaded at run time, up to "
"""The words before the bits of such a modulus."""

Rows = list[tuple[str, str]]
"""Labels and texts."""

_STALLS = {
    True: "with stalls",
    False: "with no stalls",
    None: f"one in {STALLED} with stalls",
}


def rows(manifest: Mapping[str, Any]) -> Rows:
    """Latency and interval of the core with this manifest."""
    return [*core_rows(manifest), *timing_rows(manifest)]


def core_rows(manifest: Mapping[str, Any]) -> Rows:
    """The core's name, and its bus if there is one."""
    parameters = manifest["parameters"]
    bus = [("bus", parameters["bus"])] if "bus" in parameters else []
    return [("core", manifest["name"]), *bus]


def timing_rows(manifest: Mapping[str, Any]) -> Rows:
    """Latency and interval."""
    cycles, utilisation = manifest["cycles"], manifest["utilisation"]
    used = "" if utilisation is None else f", utilisation {utilisation:.1%}"
    return [
        ("latency", f"{cycles['latency']} cycles"),
        ("interval", f"{cycles['interval']} cycles{used}"),
    ]


def verified(found: Mapping[str, Any]) -> Rows:
    """The outcome of a verification."""
    cycles = {
        name: "not measured" if count is None else f"{count} cycles"
        for name, count in found["cycles"].items()
    }
    return [
        ("core", found["name"]),
        ("results compared", f"{found['vectors']}, {stalls_text(found)}"),
        *primitive_rows(found),
        *([("through the bus", str(found["bus_operations"]))] if "bus_operations" in found else []),
        ("mismatches", str(found["mismatches"])),
        ("resets in mid-run", str(found["resets"])),
        ("judged by plain integers", str(found["oracle_checks"])),
        ("latency measured", cycles["latency"]),
        ("interval measured", cycles["interval"]),
        ("time", f"{found['seconds']:.1f} s, {found['vectors_per_minute']} results a minute"),
        *verdict_rows(found),
    ]


def logic(resources: Mapping[str, int]) -> tuple[int, str]:
    """The size of a core's logic, and its unit: look-up tables, or gates of standard cells."""
    return (resources["lut"], "LUT") if "lut" in resources else (resources["gates"], "gate")


def timed(found: Mapping[str, Any]) -> Rows:
    """The times that follow from the clock of a placed core; none without a clock."""
    if not found["fmax_mhz"]:
        return []
    return [
        ("clock", f"{found['fmax_mhz']} MHz"),
        ("latency", f"{found['cycles']['latency']} cycles, {found['latency_ns']} ns"),
        ("interval", f"{found['cycles']['interval']} cycles, {found['interval_ns']} ns"),
        ("area x time", f"{found['area_time']} {logic(found['resources'])[1]} us"),
    ]


def cycle_columns(found: Mapping[str, Any]) -> Mapping[str, Mapping[str, int]]:
    """Measured cycles that make a table, by column and row; of most kinds there are none."""
    del found
    return {}


def stalls_text(found: Mapping[str, Any]) -> str:
    """The runs of a verification in which the streams paused, in words."""
    return _STALLS[found["stalls"]]


def verdict_rows(found: Mapping[str, Any]) -> Rows:
    """Whether a verification passed, and every failure."""
    verdict = "passed" if found["passed"] else "FAILED"
    return [("verdict", verdict), *(("", failure) for failure in found["failures"])]


def primitive_rows(found: Mapping[str, Any]) -> Rows:
    """How many primitives were compared with their form for a device, if they have one."""
    count = found.get("device_primitives")
    return [("primitives for the ECP5", f"{count} compared")] if count else []


def form_row(parameters: Mapping[str, Any]) -> tuple[str, str]:
    """The form of a multiplication and its Cox."""
    return "form", f"{parameters['form']}, {cox_text(parameters)}"


def cox_text(parameters: Mapping[str, Any]) -> str:
    """Truncation and start value of the Cox."""
    return f"t = {parameters['t']}, sigma0 = {parameters['sigma0']}"


def modulus_text(parameters: Mapping[str, Any]) -> str:
    """Bits and name of the modulus."""
    name = parameters["modulus_name"]
    return f"{parameters['modulus_bits']} bits" + (f", {name}" if name else "")


def bases_text(parameters: Mapping[str, Any]) -> str:
    """Description of both bases in a line."""
    largest = max(map(abs, [*parameters["h_a"], *parameters["h_b"]]))
    return (
        f"{parameters['bases']}, n = {parameters['n']} moduli 2^{parameters['w']} - h, "
        f"|h| <= {largest} of at most {parameters['h_weight']} signed digits"
    )


def engine_rows(
    manifest: Mapping[str, Any],
    form: Callable[[Mapping[str, Any]], tuple[str, str]] = form_row,
) -> Rows:
    """Choices and cycles of a core that is one engine with one program of this form."""
    parameters = manifest["parameters"]
    return [
        *core_rows(manifest),
        *([("modulus", modulus_text(parameters))] if parameters["modulus"] else []),
        ("bases", bases_text(parameters)),
        form(parameters),
        ("rowers", f"{parameters['rowers']}, reduction by {parameters['reduction']}"),
        *timing_rows(manifest),
    ]
