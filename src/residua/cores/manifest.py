"""Manifest of a core's directory."""

import hashlib
import importlib.metadata
import json
import re
from collections.abc import Callable
from typing import Any

from residua import __version__
from residua.cores.templating import environment

SCHEMA = 2
"""Version of the manifest's format."""

MANIFEST = "manifest.json"
SPECIFICATION = "spec.toml"

_PORT = re.compile(r"\b(input|output) (?:wire|reg) (?:signed )?(?:\[(\d+):0\] )?(\w+)")


def tools() -> dict[str, str]:
    """The versions of what a core depends on."""
    return {"residua": __version__, "amaranth": importlib.metadata.version("amaranth")}


def begun(name: str, top: str, specification: str) -> dict[str, Any]:
    """Begin a manifest, of any core."""
    return {
        "schema": SCHEMA,
        "name": name,
        "top": top,
        "configuration": digest(specification),
        "tools": tools(),
    }


def modules(manifest: dict[str, Any]) -> list[str]:
    """The modules that have a file rtl/<module>.v: the top module, and the core inside a bus."""
    return list(dict.fromkeys((manifest["top"], manifest["name"])))


def completed(manifest: dict[str, Any], files: dict[str, str]) -> dict[str, str]:
    """The files of a directory with its manifest, which has their hashes then."""
    manifest["files"] = {name: digest(text) for name, text in sorted(files.items())}
    return {**files, MANIFEST: to_json(manifest)}


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


def render(template: str, manifest: dict[str, Any], package: str = "", **names: object) -> str:
    """A template of a package, or of this one, with a manifest and further names."""
    found = environment(package, "residua.cores").get_template(template)
    return found.render(manifest, hex=hex, hexes=_hexes, **names)


def _hexes(words: list[str]) -> str:
    return " ".join(f"{int(word):x}" for word in words)


def commented(header: str) -> str:
    """A header as comments of Verilog, and an empty line."""
    return "".join(f"// {line}".rstrip() + "\n" for line in header.splitlines()) + "\n"


def to_json(value: dict[str, Any]) -> str:
    """JSON text, the same for the same value."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def digest(text: str) -> str:
    """SHA-256 of a text, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()
