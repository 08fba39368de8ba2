"""The device forms of primitives, proved equal to their behaviour for all inputs and all time.

Both forms are emitted as Verilog, the cells taken from the models that Yosys brings (the multiplier
from our own, as it brings none), and compared in one module by SymbiYosys. The multipliers of
both forms multiply the same extended words, so the solver need not look inside a multiplication.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from amaranth.hdl import Module
from amaranth.lib.wiring import Component, Flow

from residua.hardware.primitives import (
    MULTIPLIER_LATENCY,
    Behavioural,
    Ecp5,
    Multiplier,
    Primitive,
)
from residua.toolchain.formal import ProofResult, prove
from residua.toolchain.yosys import cell_model_directories, cell_models, run_script
from residua.verilog.writer import to_verilog


class Bundle(Component):
    """Primitives side by side; port p of the i-th one is p_<i>."""

    def __init__(self, primitives: Sequence[Primitive]) -> None:
        self.primitives = tuple(primitives)
        super().__init__(
            {
                f"{port}_{index}": member
                for index, primitive in enumerate(primitives)
                for port, member in primitive.signature.members.items()
            }
        )

    def elaborate(self, platform: Any) -> Module:  # noqa: ANN401, ARG002 - Amaranth's
        """Wires."""
        m = Module()
        for index, primitive in enumerate(self.primitives):
            m.submodules[f"{primitive.module_name}_{index}"] = primitive
            for port, member in primitive.signature.members.items():
                inner, outer = getattr(primitive, port), getattr(self, f"{port}_{index}")
                m.d.comb += inner.eq(outer) if member.flow is Flow.In else outer.eq(inner)
        return m


def prove_primitives(
    primitives: Sequence[Primitive],
    *,
    out_dir: Path,
    engine: str = "smtbmc z3",
    timeout: float | None = None,
) -> ProofResult:
    """Prove that the ECP5 form of every one of the primitives equals its behaviour.

    Args:
        primitives: of `residua.hardware.primitives`, of any width.
        out_dir: takes sources, netlist and log; made if absent.
        engine: see `residua.toolchain.formal.prove`.
        timeout: seconds.

    Raises:
        SpecificationError: the solver is not installed.
        ToolError: a tool failed.
    """
    out_dir.mkdir(parents=True, exist_ok=True)
    bundle, files, equal = Bundle(primitives), [], "equal.il"
    for name, platform in {"behaviour": Behavioural(), "device": Ecp5()}.items():
        text = to_verilog(bundle, name=name, platform=platform)
        files.append(f"{name}.v")
        (out_dir / files[-1]).write_text(text, encoding="utf-8")
    includes = " ".join(f'-I"{path}"' for path in cell_model_directories("ecp5"))
    models = " ".join(f'"{path}"' for path in cell_models("ecp5"))
    script = [
        # The models include those of other families, with modules of the same names, and own ones
        # come before empty ones.
        f"read_verilog -nooverwrite -DNO_INCLUDES {includes} {models}",
        f"read_verilog {' '.join(files)}",
        "hierarchy",
        "proc",
        "flatten behaviour device",
        "miter -equiv -flatten -make_assert behaviour device equal",
        "hierarchy -top equal",
        "opt_clean",
        f"write_rtlil {equal}",
    ]
    run_script(script, reads=[*files, *cell_models("ecp5")], writes=[equal], out_dir=out_dir)
    depth = max(map(_depth, primitives))
    return prove(
        out_dir / equal, "equal", out_dir=out_dir, depth=depth, engine=engine, timeout=timeout
    )


def _depth(primitive: Primitive) -> int:
    """Cycles that an induction has to look at: from a register that is no output to the outputs."""
    if isinstance(primitive, Multiplier):
        return MULTIPLIER_LATENCY + 1
    return 2 if primitive.clocked else 1
