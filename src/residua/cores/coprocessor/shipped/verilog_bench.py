"""A test bench in Verilog that comes with a coprocessor and runs without Python."""

from typing import TYPE_CHECKING, Any

from residua.cores.coprocessor.shipped.bench_vectors import END, HEADER, hex_file, vectors
from residua.cores.manifest import modules
from residua.curves.operations import Status
from residua.hardware.bus.register_map import RegisterMap
from residua.hardware.coprocessor.durations import patience

if TYPE_CHECKING:
    from residua.cores.coprocessor.core import CoprocessorCore

BENCH = "sim/bench.v"
VECTORS = "sim/vectors.hex"

_FIELDS = {
    "axi": ("busy",),
    "wishbone": ("busy", "operand_ready", "random_ready", "result_valid"),
}
"""Bits of STATUS that a bench looks at."""


def bench_files(made: "CoprocessorCore", manifest: dict[str, Any]) -> tuple[dict[str, str], int]:
    """The bench for the coprocessor's bus, its vectors and a makefile; how many vectors there are.

    ``manifest`` is that of the core, so far.
    """
    design, bus = made.core.design, made.request.bus
    found = vectors(design)
    text, size = hex_file(found, design.words)
    names: dict[str, object] = {
        "size": size,
        "header": HEADER,
        "end": END,
        "most_results": max(len(vector.results) for vector in found) * design.words,
        "patience": patience(design),
        "status_ok": design.status_codes.of(Status.OK),
    }
    if bus != "stream":
        names |= {"registers": RegisterMap(made.capabilities), "fields": _FIELDS[bus]}
    files = {
        BENCH: made.rendered(f"bench_{bus}.v", manifest, **names),
        VECTORS: text,
        "sim/Makefile": made.rendered("bench.mk", manifest, modules=modules(manifest)),
    }
    return files, len(found)
