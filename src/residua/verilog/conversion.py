"""RTLIL out of Amaranth components."""

from typing import Any

from amaranth.back import rtlil
from amaranth.hdl import Fragment
from amaranth.hdl._ast import SignalDict
from amaranth.hdl._ir import PortDirection, build_netlist
from amaranth.hdl._nir import Memory, Value
from amaranth.lib.wiring import Component, Flow


def to_rtlil(component: Component, name: str, platform: object | None = None) -> str:
    """What ``amaranth.back.rtlil.convert`` gives without places in sources, in less time.

    Args:
        component: its signature gives the ports.
        name: of the top module.
        platform: handed to every ``elaborate``.
    """
    netlist = build_netlist(Fragment.get(component, platform), ports=_ports(component), name=name)
    names = SignalDict()
    empty = rtlil.EmptyModuleChecker(netlist)
    design = rtlil.Design(emit_src=False)
    for index, module in enumerate(netlist.modules):
        if empty.is_empty(index):
            continue
        builder = design.module(".".join(module.name), src_loc=module.src_loc)
        if index == 0:
            builder.attribute("top", 1)
        _Emitter(builder, netlist, module, names, empty_checker=empty).emit()
    return str(design)


def _ports(component: Component) -> dict[str, tuple[Any, PortDirection]]:
    ports = {}
    for path, member, value in component.signature.flatten(component):
        plain = value if not hasattr(value, "as_value") else value.as_value()
        inward = member.flow is Flow.In
        direction = PortDirection.Input if inward else PortDirection.Output
        ports["__".join(map(str, path))] = (plain, direction)
    return ports


class _Emitter(rtlil.ModuleEmitter):  # type: ignore[misc]
    """Writes what a memory holds word by word; Amaranth makes a net of each bit first."""

    def emit_memory(self, cell_idx: int, cell: Memory) -> None:
        memory = self.memories[cell_idx]
        words = (word % (1 << cell.width) for word in reversed(cell.init))
        bits = "".join(format(word, f"0{cell.width}b") for word in words)
        if not cell.width * cell.depth:
            super().emit_memory(cell_idx, cell)
            return
        self.builder.cell(
            "$meminit_v2",
            ports={
                "ADDR": self.sigspec(),
                "DATA": f"{len(bits)}'{bits}",
                "EN": self.sigspec(Value.ones(cell.width)),
            },
            parameters={
                "MEMID": memory.memid,
                "ABITS": 0,
                "WIDTH": cell.width,
                "WORDS": cell.depth,
                "PRIORITY": 0,
            },
            src_loc=cell.src_loc,
        )
