"""RTL: a component as Verilog files, its primitives apart, in every form that a target needs."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from amaranth.hdl import ClockSignal, Instance, ResetSignal
from amaranth.lib.wiring import Component, Flow

from residua.hardware.primitives import Behavioural, Ecp5, Primitive
from residua.toolchain.targets import PRIMITIVE_FILE, primitive_file
from residua.verilog.writer import SEVERAL_MODULES, to_verilog

TARGET_FORMS = {PRIMITIVE_FILE: Behavioural(), primitive_file("ecp5"): Ecp5()}
"""Files that hold the same primitives, one of which goes with the core."""


_Parameters = tuple[tuple[str, Any], ...]

_ANY_NAME = "arithmetic"


class _Collector:
    """A platform that turns primitives into instances of named modules, and remembers them.

    Args:
        prefix: what the names of the modules begin with.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self.primitives: dict[str, tuple[Callable[..., Primitive], _Parameters]] = {}

    def primitive(self, primitive: Primitive) -> Instance:
        """An instance of the module that ``primitive`` becomes."""
        name = f"{self._prefix}_{primitive.module_name}"
        self.primitives[name] = type(primitive), tuple(primitive.parameters.items())
        ports: dict[str, Any] = {}
        for port, member in primitive.signature.members.items():
            direction = "i" if member.flow is Flow.In else "o"
            ports[f"{direction}_{port}"] = getattr(primitive, port)
        if primitive.clocked:
            ports |= {"i_clk": ClockSignal(), "i_rst": ResetSignal()}
        return Instance(name, **ports)


def emit(
    component: Component, name: str, header: str = "", prefix: str | None = None
) -> dict[str, str]:
    """Verilog texts of ``component`` as module ``name``, by their paths within a core's directory.

    The core itself is `rtl/<name>.v`; exactly one of the files in `TARGET_FORMS` completes it. All
    names of modules begin with that of the core, so that several cores fit into one design.

    Args:
        component: the core.
        name: of its module.
        header: a comment for the top of the core's file.
        prefix: what the primitives' names begin with, by default ``name``; a core and what
            surrounds it share primitives, and a prefix.
    """
    collector = _Collector(prefix or name)
    files = {f"rtl/{name}.v": to_verilog(component, name=name, platform=collector, header=header)}
    primitives = sorted(collector.primitives.items())
    for path, form in TARGET_FORMS.items():
        texts = [_module(name, _primitive(*made, form)) for name, made in primitives]
        files[path] = "\n".join([SEVERAL_MODULES, *(texts or [""])])
    return files


@lru_cache(maxsize=512)  # cores have the same ones, but for the names
def _primitive(
    kind: Callable[..., Primitive], parameters: _Parameters, form: Behavioural | Ecp5
) -> str:
    """Verilog of a primitive in one of its forms, as module `_ANY_NAME`."""
    return to_verilog(kind(**dict(parameters)), name=_ANY_NAME, platform=form)


def _module(name: str, text: str) -> str:
    """The Verilog of a primitive as module ``name``."""
    head = f"module {_ANY_NAME} ("
    assert text.startswith(head)
    return f"module {name} ({text.removeprefix(head)}"
