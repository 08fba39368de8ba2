"""Synthesis of a system on its board, and what has to hold before an hour of placements."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from residua.errors import SpecificationError
from residua.systems.boards.board import Board
from residua.systems.soc_directory import BOARD_TARGET, SocDirectory
from residua.toolchain import yosys
from residua.toolchain.process import ToolError
from residua.toolchain.utilisation import Utilisation


def synthesise_board(directory: SocDirectory, board: Board, work: Path) -> yosys.SynthesisResult:
    """Map a system and what is around it on its board to the cells of an ECP5.

    Args:
        directory: of a system for the board.
        board: its board.
        work: takes what Yosys reads and writes.

    Raises:
        SpecificationError: the system has no board, or needs more of something than its device has.
        ToolError: Yosys failed, or did not leave the rings of the random source as they are.
    """
    mapped = yosys.synthesise(
        directory.board_sources,
        directory.board["top"],
        BOARD_TARGET,
        out_dir=work,
        data=[directory.path / "firmware.hex"],
        parameters=True,
    )
    check_room(mapped.used, board)
    check_rings(mapped, directory.board["rings"])
    return mapped


def check_room(used: Utilisation, board: Board) -> None:
    """Refuse a design that needs more than the device has.

    Raises:
        SpecificationError: it does.
    """
    totals = board.part.totals
    short = [
        f"{needed} {name.upper()} of {totals[name]}"
        for name, needed in asdict(used).items()
        if needed > totals.get(name, needed)
    ]
    if short:
        raise SpecificationError(
            f"the system is too large for {board.name} ({board.part.device}): it needs "
            f"{', '.join(short)}; take a smaller core, less --ram or a larger board"
        )


def check_rings(mapped: yosys.SynthesisResult, rings: Mapping[str, int]) -> None:
    """Refuse a netlist in which synthesis changed the rings of the random source.

    Args:
        mapped: the netlist.
        rings: inverters by the path of each ring.

    Raises:
        ToolError: it did.
    """
    by_instance = mapped.by_instance
    for path, length in rings.items():
        left = by_instance[path].lut if path in by_instance else 0
        if left != length:
            raise ToolError(
                f"synthesis left {left} of the {length} inverters of {path}: the random source "
                "is missing from the netlist",
                ["yosys"],
                mapped.log,
                "",
            )
