"""The synthesised netlist against the model: the same harness and operands as for the RTL.

What Yosys mapped to cells is compiled together with models of these cells, those that Yosys brings
and our own of the ECP5 multiplier. It checks synthesis and the device forms of the primitives,
beside all that the check of the RTL covers.
"""

import time
from dataclasses import dataclass
from pathlib import Path

from residua.cores.engine.core import AnyEngineCore
from residua.cores.simulation.engine import Simulator, harness_source
from residua.hardware.rtl import emit
from residua.toolchain import verilator
from residua.toolchain.targets import primitive_file
from residua.toolchain.yosys import (
    SynthesisResult,
    cell_model_directories,
    cell_models,
    synthesise,
)


@dataclass(frozen=True)
class Netlist:
    """A mapped core and its simulator, ready for `residua.cores.simulation.engine.verify`."""

    synthesis: SynthesisResult
    simulator: Simulator
    synthesis_seconds: float


def netlist_simulator(
    core: AnyEngineCore,
    target: str,
    *,
    out_dir: Path,
    seed: int = 1,
    optimise: bool = True,
) -> Netlist:
    """Map a core to a device family and compile what comes out.

    Args:
        core: a core with residues as its interface.
        target: a target with cell models, see `residua.toolchain.yosys.cell_models`.
        out_dir: takes Verilog, netlist and harness; made if absent.
        seed: of the random operands.
        optimise: compile for long runs.

    Raises:
        SpecificationError: no such target, or none with models.
        ToolError: a tool failed.
    """
    models = cell_models(target)
    files = emit(core.component(), core.name)
    sources = []
    for name in (f"rtl/{core.name}.v", primitive_file(target)):
        path = out_dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(files[name], encoding="utf-8", newline="\n")
        sources.append(path)
    start = time.monotonic()
    synthesis = synthesise(sources, core.name, target, out_dir=out_dir)
    mapped = time.monotonic()
    workload = core.workload(seed)
    harness = out_dir / "harness.cpp"
    harness.write_text(harness_source(core.design, workload, core.name), encoding="utf-8")
    executable = verilator.build(
        [synthesis.netlist, *models],
        core.name,
        harness,
        includes=cell_model_directories(target),
        optimise=optimise,
    )
    built = time.monotonic() - mapped
    simulator = Simulator(core.design, workload, executable, built)
    return Netlist(synthesis, simulator, mapped - start)
