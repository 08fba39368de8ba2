"""Rows that the command line prints of a digit core."""

from collections.abc import Mapping
from typing import Any

from residua.cores.summary import LOADED, Rows, core_rows, modulus_text, timing_rows


def rows(manifest: Mapping[str, Any]) -> Rows:
    """Choices and cycles of the core with this manifest."""
    parameters, cycles = manifest["parameters"], manifest["cycles"]
    loaded = LOADED if not parameters["modulus"] else ""
    names = ("architecture", "pipeline", "multiplier", "lanes", "inverse", "window", "exponent")
    choices = [f"{name} {parameters[name]}" for name in names if parameters[name] is not None]
    bound = "p" if parameters["variant"] == "subtract" else "2 p"
    return [
        *core_rows(manifest),
        ("modulus", loaded + modulus_text(parameters)),
        ("digits", f"{parameters['digits']} of {parameters['digit']} bits"),
        *([("datapath", ", ".join(choices))] if choices else []),
        ("results", f"{parameters['variant']}, below {bound}"),
        *timing_rows(manifest),
        (
            ("products", f"{cycles['products']} of {cycles['product_cycles']} cycles")
            if "products" in cycles
            else ("powers", f"{cycles['compute']} cycles modulo a prime")
            if parameters["algorithm"] == "rsa-crt"
            else ("iterations", f"{cycles['iterations']}, {cycles['compute']} cycles")
        ),
    ]
