"""The test bench of a coprocessor: its vectors, on its bus or its streams."""

from typing import TYPE_CHECKING, Any

from residua.cores.bus import verilog_bench
from residua.cores.coprocessor.shipped.bench_vectors import vectors
from residua.curves.operations.codes import Status
from residua.hardware.bus.register_map import RegisterMap
from residua.hardware.coprocessor.durations import patience
from residua.hardware.coprocessor.traffic import coprocessor_traffic

if TYPE_CHECKING:
    from residua.cores.coprocessor.core import CoprocessorCore


def bench_files(made: "CoprocessorCore", manifest: dict[str, Any]) -> tuple[dict[str, str], int]:
    """The bench for the coprocessor's bus, its vectors and a makefile; how many vectors there are.

    ``manifest`` is that of the core, so far.
    """
    design, bus = made.core.design, made.request.bus
    found = vectors(design)
    files = verilog_bench.bench_files(
        made,
        manifest,
        bus,
        found,
        words=design.words,
        patience=patience(design),
        status_ok=design.status_codes.of(Status.OK),
        registers=None if bus == "stream" else RegisterMap(made.capabilities),
        packet=coprocessor_traffic(design).packet if made.request.instances else 0,
        operations={one["name"]: one["code"] for one in manifest["interface"]["operations"]},
    )
    return files, len(found)
