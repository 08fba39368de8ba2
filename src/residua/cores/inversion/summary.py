"""Rows that the command line prints of an inverter."""

from collections.abc import Mapping
from typing import Any

from residua.cores.summary import Rows, core_rows, modulus_text


def rows(manifest: Mapping[str, Any]) -> Rows:
    """Choices and cycles of the core with this manifest."""
    parameters, cycles = manifest["parameters"], manifest["cycles"]
    variable = parameters["timing"] == "variable"
    channels = [("channels", f"{parameters['n']} of {parameters['w']} bits")]
    return [
        *core_rows(manifest),
        ("modulus", modulus_text(parameters)),
        ("inversion", f"{parameters['inversion']}, {parameters['timing']} time"),
        *(channels if parameters["n"] else []),
        ("latency", f"{'at most ' if variable else ''}{cycles['latency']} cycles"),
        *([("average", f"{cycles['average']} cycles")] if variable else []),
    ]
