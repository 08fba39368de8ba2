"""Designs mapped to standard cells by Yosys and ABC."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from residua.toolchain.standard_cells.libraries import Library
from residua.toolchain.yosys import gather, run_script

_PERIOD_PS = 1
"""Shorter than any path, so that ABC makes all of them as short as it can."""

_FANOUT = 16
"""Inputs that a cell drives, at most, before a buffer does."""

_ABC = (
    "+strash;ifraig;scorr;dc2;dch,-f;map,-B,0.9,-D,{period};topo;"
    "buffer,-c,-N,{fanout};upsize,-D,{period};dnsize,-D,{period}"
)

_COARSE = (
    "proc",
    "flatten",
    "opt_clean",
    "opt -nodffe -nosdff",
    "wreduce",
    "peepopt",
    "opt_clean",
    "alumacc",
    "share",
    "opt -nodffe -nosdff",
    "memory -nomap",
    "opt_clean",
)
"""Up to word-wide cells, with memories in one piece."""

# Flip-flops of cells have no initial values: nothing may be simplified by them.
_NO_INITIAL_VALUES = "setattr -unset init w:*"

_LEFT_OUT = ("expose -evert t:$mem_v2", "opt_clean")
"""Takes memories out of the design, which gets ports in place of theirs."""

_LIBRARY, _NETLIST, _BITS = "cells.lib", "netlist.v", "bits.v"
_STATISTICS, _MEMORIES, _MODELS = "cells.json", "memories.json", "models.v"
_WRITE = "write_verilog -noattr -noexpr -nohex"


@dataclass(frozen=True)
class MappedCells:
    """A design of standard cells.

    Attributes:
        gates: its area in gate equivalents.
        area: in the library's unit, which is a square micrometre in those of `LIBRARIES`.
        cells: every kind of cell with its number.
        ff: flip-flops.
        memory_bits: of memories that were left out, or became flip-flops and logic.
        netlist: its Verilog, flat.
        bits: the same with ports of single bits, for OpenSTA.
    """

    gates: int
    area: float
    cells: Mapping[str, int]
    ff: int
    memory_bits: int
    netlist: Path
    bits: Path


def map_to_cells(
    sources: Sequence[Path],
    top: str,
    library: Library,
    *,
    memories: bool,
    out_dir: Path,
    timeout: float | None = None,
) -> MappedCells:
    """Map a design to standard cells.

    Args:
        sources: Verilog files.
        top: name of the top module.
        library: of the cells.
        memories: whether memories become flip-flops and logic, or are left out, as macros would
            take their places.
        out_dir: takes netlist, log and statistics; made if absent.
        timeout: seconds.

    Raises:
        SpecificationError: the library is not installed.
        ToolError: Yosys failed.
    """
    library.check()
    files = gather(sources, out_dir)
    (out_dir / _LIBRARY).write_text(library.text, encoding="utf-8")
    abc = _ABC.format(period=_PERIOD_PS, fanout=_FANOUT)
    script = [
        *(f"read_verilog {file}" for file in files),
        f"hierarchy -check -top {top}",
        *_COARSE,
        _NO_INITIAL_VALUES,
        f"select -none; select t:$mem_v2; write_json -selected {_MEMORIES}; select -clear",
        *(["memory_map", _NO_INITIAL_VALUES] if memories else _LEFT_OUT),
        "opt -full -nodffe -nosdff",
        "techmap",
        "opt -nodffe -nosdff",
        "dfflegalize -cell $_DFF_P_ x",
        f"dfflibmap -liberty {_LIBRARY}",
        "opt -nodffe -nosdff",
        f"abc -liberty {_LIBRARY} -D {_PERIOD_PS} -script {abc}",
        "setundef -zero",
        "opt_clean -purge",
        f"tee -q -o {_STATISTICS} stat -json -liberty {_LIBRARY}",
        f"{_WRITE} {_NETLIST}",
        # OpenSTA reads no assignments to several bits.
        "splitnets -ports",
        "opt_clean -purge",
        f"{_WRITE} {_BITS}",
    ]
    run_script(
        script,
        reads=[*files, _LIBRARY],
        writes=[_NETLIST, _BITS, _STATISTICS, _MEMORIES],
        out_dir=out_dir,
        timeout=timeout,
    )
    return _mapped(out_dir, library)


def _mapped(out_dir: Path, library: Library) -> MappedCells:
    found = json.loads((out_dir / _STATISTICS).read_text(encoding="utf-8"))["design"]
    kinds: dict[str, int] = found["num_cells_by_type"]
    area = float(found["area"])
    return MappedCells(
        gates=round(area / library.gate_area),
        area=area,
        cells=dict(sorted(kinds.items())),
        ff=sum(count for kind, count in kinds.items() if kind.startswith(library.register)),
        memory_bits=_memory_bits(out_dir / _MEMORIES),
        netlist=out_dir / _NETLIST,
        bits=out_dir / _BITS,
    )


def _memory_bits(path: Path) -> int:
    """Bits of the memories of a netlist."""
    modules = json.loads(path.read_text(encoding="utf-8"))["modules"].values()
    cells = [cell for module in modules for cell in module["cells"].values()]
    sizes = [[int(cell["parameters"][name], 2) for name in ("SIZE", "WIDTH")] for cell in cells]
    return sum(words * width for words, width in sizes)


def cell_models(library: Library, *, out_dir: Path) -> Path:
    """Write Verilog that models a library's cells by the functions that it has of them.

    Args:
        library: of the cells.
        out_dir: takes the models; made if absent.

    Raises:
        SpecificationError: the library is not installed.
        ToolError: Yosys failed.
    """
    library.check()
    out_dir.mkdir(parents=True, exist_ok=True)
    (out_dir / _LIBRARY).write_text(library.text, encoding="utf-8")
    script = [f"read_liberty {_LIBRARY}", "proc", f"write_verilog -noattr {_MODELS}"]
    run_script(script, reads=[_LIBRARY], writes=[_MODELS], out_dir=out_dir, name="models")
    return out_dir / _MODELS
