"""Verilog without initial values, for simulations that begin in any state."""

import re

_MODULE = re.compile(r"(?m)^(?=module )")
_BLOCK = re.compile(r"^( *)initial begin\n(.*?)^\1end\n", re.MULTILINE | re.DOTALL)
_VALUE = re.compile(r"^ *(\w+)(\[\d+\])? = [^;]*;\n", re.MULTILINE)
_ASSIGNED = re.compile(r"\] <= ")
_NAME = re.compile(r"\w+$")


def without_initial_values(verilog: str) -> str:
    """Our Verilog, in which a simulator may choose what is held before the first reset.

    That is what registers hold, and memories that are written. Constant memories keep their words.
    """
    return "".join(map(_stripped, _MODULE.split(verilog)))


def _stripped(module: str) -> str:
    """A module without initial values."""
    written = {_target(module, found.start() + 1) for found in _ASSIGNED.finditer(module)}

    def kept(value: re.Match[str]) -> str:
        constant = value[2] is not None and value[1] not in written
        return value[0] if constant else ""

    return _BLOCK.sub(lambda block: _VALUE.sub(kept, block[0]), module)


def _target(module: str, end: int) -> str:
    """The name of what is assigned to; its indices, which may have some within, end at ``end``."""
    while module[end - 1] == "]":
        depth = 0
        while True:
            end -= 1
            depth += (module[end] == "]") - (module[end] == "[")
            if depth == 0:
                break
    name = _NAME.search(module[:end][-200:])
    return name[0] if name else ""
