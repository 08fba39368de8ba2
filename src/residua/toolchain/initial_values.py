"""Verilog without initial values, for simulations that begin in any state."""

import math
import re

_MODULE = re.compile(r"(?m)^(?=module )")
_BLOCK = re.compile(r"^( *)initial begin\n(.*?)^\1end\n", re.MULTILINE | re.DOTALL)
_VALUE = re.compile(r"^ *(\w+)(\[\d+\])? = [^;]*;\n", re.MULTILINE)
_ASSIGNED = re.compile(r"\] <= ")
_SHORT = re.compile(r"\[\{\d+'[bh]0+, (\w+)\}\]$")
_NAME = re.compile(r"\w+$")


def without_initial_values(verilog: str) -> str:
    """Our Verilog, in which a simulator may choose what is held before the first reset.

    That is what registers hold, and memories that are written. Constant memories keep their words,
    and so do others where they lie behind all that the address of a write can reach.
    """
    return "".join(map(_stripped, _MODULE.split(verilog)))


def _stripped(module: str) -> str:
    """A module without initial values."""
    reached: dict[str, float] = {}
    for found in _ASSIGNED.finditer(module):
        end = found.start() + 1
        name = _target(module, end)
        reached[name] = max(reached.get(name, 0), _reach(module, end))

    def kept(value: re.Match[str]) -> str:
        constant = value[2] is not None and int(value[2][1:-1]) >= reached.get(value[1], 0)
        return value[0] if constant else ""

    return _BLOCK.sub(lambda block: _VALUE.sub(kept, block[0]), module)


def _reach(module: str, end: int) -> float:
    """Below which word a write to a memory stays, by an index of zeros above a register's bits."""
    index = _SHORT.search(module, max(end - 200, 0), end)
    width = index and re.search(rf"^ *reg \[(\d+):0\] {index[1]};", module, re.MULTILINE)
    return 2 << int(width[1]) if width else math.inf


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
