"""The flags that ask for a core, as a user types them."""

import shlex
from collections.abc import Mapping
from typing import Any


def flags(keys: Mapping[str, Any]) -> str:
    """Write keys of a specification as flags of ``residua build``."""
    return " ".join(f"--{name.replace('_', '-')} {_value(value)}" for name, value in keys.items())


def _value(value: object) -> str:
    return shlex.quote(",".join(map(str, value)) if isinstance(value, list) else str(value))
