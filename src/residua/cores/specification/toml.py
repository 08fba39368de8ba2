"""Specifications as tables of TOML."""

from fractions import Fraction
from typing import Any

from pydantic import BaseModel


def plain_items(specification: BaseModel) -> dict[str, Any]:
    """The keys that have a value, in order, in the types that TOML and JSON have."""
    return {
        name: _plain(name, value)
        for name in type(specification).model_fields
        if (value := getattr(specification, name)) is not None
    }


def toml_text(items: dict[str, Any]) -> str:
    """Keys and values as a TOML file."""
    lines = []
    for name, value in items.items():
        if isinstance(value, list):
            rows = "".join(f"    {number},\n" for number in value)
            lines.append(f"{name} = [\n{rows}]\n")
        else:
            lines.append(_line(name, value))
    return "".join(lines)


def _line(name: str, value: bool | int | str) -> str:
    if isinstance(value, bool):
        return f"{name} = {str(value).lower()}\n"
    return f"{name} = {value}\n" if isinstance(value, int) else f'{name} = "{value}"\n'


def _plain(name: str, value: object) -> object:
    if name == "modulus":
        return f"{value:#x}"
    if isinstance(value, tuple):
        return list(value)
    return str(value) if isinstance(value, Fraction) else value
