"""Test benches of a core: in Verilog, which needs no Python, and for a bus in cocotb."""

from collections.abc import Mapping, Sequence
from typing import Any

from residua.cores.bus.vectors import END, HEADER, Vector, hex_file
from residua.cores.core import BENCH, VECTORS, Core
from residua.cores.manifest import modules
from residua.hardware.bus.register_map import RegisterMap
from residua.hardware.bus.tops import BUSES, Bus

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
    """The benches for a core on a bus, or on plain streams; their vectors and makefiles.

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
    names["modules"] = modules(manifest)
    templates = {BENCH: f"bench_{bus}.v", "sim/Makefile": "bench.mk"}
    if registers is not None:
        names |= _on_bus(BUSES[bus], registers, packet)
        protocol = names["protocol"]
        templates[BENCH] = f"bench_{protocol}.v"
        templates["sim/cocotb_test.py"] = f"cocotb/{protocol}.jinja"
        templates["sim/cocotb.mk"] = "cocotb/makefile.mk"
    files = {
        name: made.rendered(template, manifest, **names) for name, template in templates.items()
    }
    return files | {VECTORS: text}


def _on_bus(bus: Bus, registers: RegisterMap, packet: int) -> dict[str, object]:
    """What the benches know of a bus; see `bench_files`."""
    fields = ("busy", *(() if bus.streams else _WORDS), *(("ready",) if packet else ()))
    return {
        "registers": registers,
        "fields": [name for name in fields if name in registers["STATUS"].fields],
        "nowhere": 4 + max(one.address for one in registers.registers.values()),
        "streams": bus.streams,
        "protocol": bus.protocol,
        "several": _of_several(registers, packet) if packet else None,
    }


def _of_several(registers: RegisterMap, packet: int) -> dict[str, object]:
    """What the bench of several cores knows of them."""
    key = registers["ZEROISE_CORES"].fields["key"]
    instances = registers["CAPABILITY"].fields["instances"].reset
    return {"instances": instances, "words": packet, "key": key.codes["zeroise_cores"]}
