"""A test bench in Verilog that comes with a core and runs without Python."""

from collections.abc import Mapping, Sequence
from typing import Any

from residua.cores.bus.vectors import END, HEADER, Vector, hex_file
from residua.cores.core import BENCH, VECTORS, Core
from residua.cores.manifest import modules
from residua.hardware.bus.register_map import RegisterMap
from residua.hardware.bus.tops import BUSES

_WORDS = ("operand_ready", "random_ready", "result_valid")
"""Bits of STATUS that a bench looks at where words go through registers."""


def bench_files(
    made: Core,
    manifest: dict[str, Any],
    bus: str,
    found: Sequence[Vector],
    *,
    words: int,
    patience: int,
    status_ok: int,
    registers: RegisterMap | None,
    operations: Mapping[str, int],
    packet: int = 0,
) -> dict[str, str]:
    """The bench for a core on a bus, or on plain streams; its vectors and a makefile.

    Args:
        made: the core.
        manifest: its manifest, so far.
        bus: ``stream`` or the bus.
        found: the vectors.
        words: of a number.
        patience: cycles after which an operation hangs.
        status_ok: code of the status with which a result comes.
        registers: of the bus, if there is one.
        operations: codes of the operations by name.
        packet: words of each result, of several cores behind the bus.
    """
    text, size = hex_file(found, words)
    names: dict[str, object] = {
        "size": size,
        "header": HEADER,
        "end": END,
        "most_results": max(len(vector.results) for vector in found) * words,
        "patience": patience,
        "status_ok": status_ok,
        "operations": operations,
        "random": registers is None or registers.capabilities.takes_random,
    }
    names["several"] = None
    if registers is not None:
        streams = BUSES[bus].streams
        fields = ("busy", *(() if streams else _WORDS), *(("ready",) if packet else ()))
        names |= {"registers": registers, "fields": fields, "streams": streams}
        if packet:
            names["several"] = _of_several(registers, packet)
    template = BUSES[bus].protocol if bus in BUSES else bus
    return {
        BENCH: made.rendered(f"bench_{template}.v", manifest, **names),
        VECTORS: text,
        "sim/Makefile": made.rendered("bench.mk", manifest, modules=modules(manifest)),
    }


def _of_several(registers: RegisterMap, packet: int) -> dict[str, object]:
    """What the bench of several cores knows of them."""
    key = registers["ZEROISE_CORES"].fields["key"]
    instances = registers["CAPABILITY"].fields["instances"].reset
    return {"instances": instances, "words": packet, "key": key.codes["zeroise_cores"]}
