"""Rows that the command line prints of an exponentiator on an engine."""

from collections.abc import Mapping
from typing import Any

from residua.cores.exponentiation.specification import LOADED as LOADED_EXPONENT
from residua.cores.summary import LOADED, Rows, bases_text, core_rows, form_row, modulus_text


def rows(manifest: Mapping[str, Any]) -> Rows:
    """Choices and cycles of the core with this manifest."""
    parameters, cycles = manifest["parameters"], manifest["cycles"]
    is_loaded = parameters["exponent"] == LOADED_EXPONENT
    loaded = f"{LOADED}{parameters['exponent_bits']} bits"
    windows = f"{parameters['exponent_bits']} bits, windows of {parameters['window']}"
    return [
        *core_rows(manifest),
        ("modulus", ("" if parameters["modulus"] else LOADED) + modulus_text(parameters)),
        ("exponent", loaded if is_loaded else parameters["exponent"] or windows),
        *([("blinding", f"{parameters['blinding']} bits")] if "blinding" in parameters else []),
        ("bases", bases_text(parameters)),
        form_row(parameters),
        ("rowers", f"{parameters['rowers']}, reduction by {parameters['reduction']}"),
        ("latency", f"{cycles['latency']} cycles, {cycles['products']} products"),
        ("interval", f"{cycles['interval']} cycles, utilisation {manifest['utilisation']:.1%}"),
    ]
