"""Rows that the command line prints of a base extension."""

from collections.abc import Mapping
from typing import Any

from residua.cores.summary import Rows, cox_text, engine_rows


def rows(manifest: Mapping[str, Any]) -> Rows:
    """Choices and cycles of the core with this manifest."""
    return engine_rows(manifest, _form)


def _form(parameters: Mapping[str, Any]) -> tuple[str, str]:
    """The extension and its quotient."""
    rows = f", rows of {parameters['columns']}" if parameters["columns"] > 1 else ""
    quotient = cox_text(parameters) if parameters["t"] else "no quotient"
    return "extension", f"{parameters['extension']}{rows}, {quotient}"
