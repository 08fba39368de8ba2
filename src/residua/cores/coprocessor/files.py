"""The files of a coprocessor's directory."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from residua.cores.bus.export import register_files
from residua.cores.bus.meanings import bus_meaning
from residua.cores.coprocessor.driver.files import c_driver
from residua.cores.coprocessor.shipped.verilog_bench import bench_files
from residua.cores.core import BENCH, VECTORS
from residua.cores.integration import integration_files
from residua.cores.manifest import (
    SPECIFICATION,
    begun,
    commented,
    completed,
    modules,
    ports,
)
from residua.hardware.bus.register_map import RegisterMap
from residua.hardware.rtl import emit

if TYPE_CHECKING:
    from residua.cores.coprocessor.core import CoprocessorCore

_RAW_MEANINGS = {
    "clk": "clock, rising edge",
    "rst": "synchronous reset, active high",
    "command_payload": "operation in bits 0 to 7, number of the curve in bits 8 to 15",
    "command_valid": "the payload is a command",
    "command_ready": "the command is taken in this cycle",
    "operands_payload": "a word of the operands",
    "operands_valid": "the payload is a word",
    "operands_ready": "the word is taken in this cycle",
    "random_payload": "a word of fresh randomness",
    "random_valid": "the payload is a word",
    "random_ready": "the word is taken in this cycle",
    "result_payload": "a word of the results in bits 0 to 31; bit 32 is 1 with the last one",
    "result_valid": "the payload is a word",
    "result_ready": "the word is taken in this cycle",
    "status": "how the last operation ended; valid with done",
    "done": "an operation ends, for one cycle",
    "busy": "an operation is under way",
    "zeroise": "abort, and wipe registers, memories and results",
}


def coprocessor_files(made: "CoprocessorCore", progress: Callable[[str], None]) -> dict[str, str]:
    """All files by name, the manifest last.

    Raises:
        SpecificationError: the request cannot be met.
    """
    specification = made.specification.toml()
    progress("Verilog")
    rtl = emit(made.component(), made.name)
    manifest: dict[str, Any] = {
        **begun(made.name, made.top, specification),
        **made.facts,
        "raw_ports": ports(rtl[f"rtl/{made.name}.v"], made.name, _RAW_MEANINGS.__getitem__),
    }
    files: dict[str, str] = {}
    if made.top != made.name:
        progress("bus and driver")
        # The bus has no primitives: those of the core complete both.
        rtl = emit(made.bus_component(), made.top, prefix=made.name) | rtl
        files = _driver(made)
    top = rtl[f"rtl/{made.top}.v"]
    manifest["ports"] = ports(
        top, made.top, _RAW_MEANINGS.__getitem__ if made.top == made.name else bus_meaning
    )
    for name in modules(manifest):
        path = f"rtl/{name}.v"
        own = manifest["raw_ports"] if name == made.name else manifest["ports"]
        header = made.rendered("header.txt", manifest, module=name, module_ports=own)
        rtl[path] = commented(header) + rtl[path]
    progress("test bench")
    names = ", ".join(curve.name for curve in made.core.curves)
    bench, runs = bench_files(made, manifest)
    field_bits = [curve.field_bits for curve in made.core.curves]
    readme = made.rendered(
        "README.md", manifest, field_bits=field_bits, bench=BENCH, bench_runs=runs
    )
    files = {
        SPECIFICATION: specification,
        "README.md": readme,
        **rtl,
        **files,
        **bench,
        **integration_files(
            manifest,
            f"{made.title} for {names}",
            made.ecp5_mhz,
            bench=BENCH,
            vectors=VECTORS,
        ),
    }
    return completed(manifest, files)


def _driver(made: "CoprocessorCore") -> dict[str, str]:
    """The files for software: C sources, a page of the registers, and their description."""
    files = c_driver(made.name, made.capabilities, made.driver_curves)
    registers = RegisterMap(made.capabilities)
    return {
        **{f"driver/{name}": text for name, text in files.items()},
        **register_files(registers, made.top),
    }
