"""The synthesised netlist of a core against its model, by the same simulation as the RTL.

What Yosys mapped to cells is compiled together with models of these cells, those that Yosys brings
and our own of blocks of the ECP5. It checks synthesis and the device forms of the primitives,
beside all that the check of the RTL covers.
"""

from dataclasses import dataclass
from pathlib import Path

from residua.cores.core import Core
from residua.hardware.rtl import emit
from residua.toolchain.targets import primitive_file
from residua.toolchain.yosys import SynthesisResult, cell_model_text, synthesise


@dataclass(frozen=True)
class Netlist:
    """A mapped core.

    Attributes:
        synthesis: what it was mapped to.
        sources: its Verilog and that of the cells, for `Core.simulate`.
    """

    synthesis: SynthesisResult
    sources: tuple[Path, ...]


def map_core(core: Core, target: str, *, out_dir: Path) -> Netlist:
    """Map a core, without its bus, to a device family.

    Args:
        core: any core.
        target: a target with cell models, see `residua.toolchain.yosys.cell_models`.
        out_dir: takes Verilog, netlist and models; made if absent.

    Raises:
        SpecificationError: no such target, or none with models.
        ToolError: synthesis failed.
    """
    text = cell_model_text(target)
    out_dir.mkdir(parents=True, exist_ok=True)
    models = out_dir / "cells.v"
    models.write_text(text, encoding="utf-8")
    files, sources = emit(core.component(), core.name), []
    # A core without primitives has no file of them.
    for name in (f"rtl/{core.name}.v", primitive_file(target)):
        if name in files:
            sources.append(out_dir / name)
            sources[-1].parent.mkdir(parents=True, exist_ok=True)
            sources[-1].write_text(files[name], encoding="utf-8", newline="\n")
    synthesis = synthesise(sources, core.name, target, out_dir=out_dir)
    return Netlist(synthesis, (synthesis.netlist, models))
