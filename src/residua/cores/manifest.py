"""What the manifest of a core's directory is made of."""

import hashlib
import importlib.metadata
import json
import re
from collections.abc import Callable
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

SCHEMA = 1
"""Version of the manifest's format."""

MANIFEST = "manifest.json"
SPECIFICATION = "spec.toml"

_PORT = re.compile(r"\b(input|output) (?:wire|reg) (?:signed )?(?:\[(\d+):0\] )?(\w+)")


def version() -> str:
    """The version of Residua."""
    try:
        return importlib.metadata.version("residua")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


def tools() -> dict[str, str]:
    """The versions of what a core depends on."""
    return {"residua": version(), "amaranth": importlib.metadata.version("amaranth")}


def ports(text: str, name: str, meaning: Callable[[str], str]) -> list[dict[str, Any]]:
    """The ports of a module, as they stand in its Verilog."""
    start = text.index(f"module {name} (")
    declarations = _PORT.findall(text, start, text.index(");", start))
    return [
        {
            "name": port,
            "direction": direction,
            "width": int(top or 0) + 1,
            "meaning": meaning(port),
        }
        for direction, top, port in declarations
    ]


def render(template: str, manifest: dict[str, Any], **names: object) -> str:
    """A template of this package, with a manifest and further names."""
    environment = Environment(
        loader=PackageLoader("residua.cores"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - Markdown and Verilog, not HTML
    )
    return environment.get_template(template).render(manifest, hex=hex, **names)


def commented(header: str) -> str:
    """A header as comments of Verilog, and an empty line."""
    return "".join(f"// {line}".rstrip() + "\n" for line in header.splitlines()) + "\n"


def to_json(value: dict[str, Any]) -> str:
    """JSON text, the same for the same value."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def digest(text: str) -> str:
    """SHA-256 of a text, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()
