"""The bitstream of a system on its board: synthesis, placements, and what timing allows."""

import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from residua.cores.simulation.runs import SEEDS
from residua.errors import SpecificationError
from residua.output import Progress, check_directory, write_whole
from residua.systems.boards.board import Board, find_board
from residua.systems.boards.netlist import simulated_netlist_host
from residua.systems.boards.synthesis import synthesise_board
from residua.systems.boards.top import SYSTEM
from residua.systems.frames import FrameError
from residua.systems.host import HostError
from residua.systems.soc_directory import SocDirectory
from residua.toolchain import executors
from residua.toolchain.ecp5.bitstream import Placement, pack, place
from residua.toolchain.process import side_by_side
from residua.toolchain.utilisation import families, family
from residua.toolchain.yosys import SynthesisResult

RESULT, RESULT_SCHEMA = "bitstream.json", 1

SELF_TEST_SECONDS = 3600.0
"""What a simulated system may take for its self-test."""


def make_bitstream(
    directory: SocDirectory,
    *,
    seeds: int = SEEDS,
    self_test: bool = False,
    progress: Progress = lambda step: None,
) -> dict[str, Any]:
    """Place a system on its board, and write its bitstream if a placement meets the clock.

    Writes ``bitstream.json`` into the directory, and ``NAME.bit``, of the placement with the most
    room, if its clocks reach what they have to; an earlier bitstream goes otherwise. What the tools
    say stays under ``synth/``.

    Args:
        directory: of a system with a board.
        seeds: placements, numbered from 1.
        self_test: boot the netlist in a simulation before, see `residua.systems.boards.netlist`.
        progress: called at each step.

    Returns:
        What is in ``bitstream.json``: whether the clocks were ``met``; ``clocks`` by net, each with
        what is ``wanted_mhz``, the median, the lowest and the highest of the placements;
        ``crossings`` between clocks and ``floor_plan`` by device, both of the placement with the
        most room; the ``seed`` of the bitstream; ``resources`` of the design, and of its
        ``modules``; how many known answers the netlist gave in its ``self_test``, if it was asked.

    Raises:
        SpecificationError: the system has no board, or needs more of something than its device has,
            or its netlist fails the self-test.
        ToolError: a tool is missing or failed, or synthesis left no rings.
    """
    facts = directory.board
    board = find_board(facts["name"])
    check_directory(directory.path)
    work = directory.path / "synth" / board.name
    progress("synthesis")
    mapped = synthesise_board(directory, board, work)
    answers = None
    if self_test:
        progress("self-test of the netlist")
        answers = _self_test(directory, mapped, work)
    placements = _placed(directory, board, mapped, work, range(1, seeds + 1), progress)
    wanted: Mapping[str, float] = facts["clocks"]
    best = max(placements, key=lambda one: _room(one, wanted))
    met = _room(best, wanted) >= 1
    found = {
        "schema": RESULT_SCHEMA,
        "board": board.name,
        "device": asdict(board.part),
        "met": met,
        "clocks": {net: _clock(net, mhz, placements) for net, mhz in wanted.items()},
        "crossings": _crossings(best, wanted),
        "seed": best.seed if met else None,
        "resources": asdict(mapped.used),
        "available": dict(board.part.totals),
        "modules": [one.figures for one in families(mapped.by_instance, _module)],
        "floor_plan": asdict(best.floor_plan),
        "self_test": answers,
        "program": facts["program"] if met else None,
    }
    _write(directory, found, pack(best, board.packing) if met else None)
    return found


def _placed(
    directory: SocDirectory,
    board: Board,
    mapped: SynthesisResult,
    work: Path,
    seeds: Sequence[int],
    progress: Progress,
) -> list[Placement]:
    """A placement of each seed, as many at a time as there are processors."""
    progress(f"place and route, {len(seeds)} seeds")
    facts = directory.board
    constraints = (directory.path / facts["constraints"]).read_text(encoding="utf-8")

    def placed(seed: int) -> Placement:
        found = place(
            mapped.json,
            facts["top"],
            part=board.part,
            constraints=constraints,
            instances=mapped.instances,
            owner=_device,
            seed=seed,
            out_dir=work / f"seed{seed}",
        )
        clocks = ", ".join(f"{net} {mhz:.1f} MHz" for net, mhz in found.clocks.items())
        progress(f"seed {seed}: {clocks}")
        return found

    with side_by_side(min(len(seeds), executors.cores())) as pool:
        return list(pool.map(placed, seeds))


def _module(path: str) -> str:
    """The family of an instance; the devices of a system are of none."""
    names = path.split(".")
    depth = 2 if names[0] == SYSTEM else 0
    inside = family(".".join(names[depth:]))
    return ".".join([*names[:depth], *([inside] if inside else [])])


def _device(path: str) -> str:
    """The device of a system that an instance is a part of, or the part of the board."""
    names = path.split(".")
    return names[1] if names[0] == SYSTEM and len(names) > 1 else names[0]


def _self_test(directory: SocDirectory, mapped: SynthesisResult, work: Path) -> int:
    """How many known answers the netlist gives.

    Raises:
        SpecificationError: it does not answer, or not with the known answers.
    """
    try:
        with simulated_netlist_host(directory, mapped, work, SELF_TEST_SECONDS) as host:
            return host.self_test()
    except (FrameError, HostError, OSError) as error:
        raise SpecificationError(f"the netlist fails its self-test: {error}") from error


def _room(placement: Placement, wanted: Mapping[str, float]) -> float:
    """The least ratio of what a clock reaches to what it has to, crossings included.

    What crosses is kept for two cycles of the other clock before it is used there; it has one.
    """
    clocks = [placement.clocks[net] / mhz for net, mhz in wanted.items()]
    crossings = [
        1000 / wanted[end] / delay for (_, end), delay in placement.crossings.items() if delay
    ]
    return min(clocks + crossings)


def _clock(net: str, wanted: float, placements: Sequence[Placement]) -> dict[str, Any]:
    reached = [placement.clocks[net] for placement in placements]
    return {
        "wanted_mhz": wanted,
        "mhz": round(statistics.median(reached), 1),
        "lowest_mhz": round(min(reached), 1),
        "highest_mhz": round(max(reached), 1),
        "seeds": {one.seed: round(one.clocks[net], 1) for one in placements},
    }


def _crossings(placement: Placement, wanted: Mapping[str, float]) -> list[dict[str, Any]]:
    """The longest path between each pair of clocks, of one placement."""
    return [
        {
            "from": start,
            "to": end,
            "ns": round(delay, 2),
            "allowed_ns": round(1000 / wanted[end], 2),
        }
        for (start, end), delay in sorted(placement.crossings.items())
    ]


def _write(directory: SocDirectory, found: Mapping[str, Any], bitstream: bytes | None) -> None:
    """The bitstream before the result that tells of it."""
    path: Path = directory.path / f"{directory.name}.bit"
    (directory.path / RESULT).unlink(missing_ok=True)
    if bitstream is None:
        path.unlink(missing_ok=True)
    else:
        draft = path.with_suffix(".bit.part")
        draft.write_bytes(bitstream)
        draft.replace(path)
    write_whole(directory.path / RESULT, json.dumps(found, indent=2) + "\n")
