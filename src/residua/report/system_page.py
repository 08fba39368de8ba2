"""What is shown of a system on a chip and its bitstream: in its directory, in a terminal."""

import json
from collections.abc import Mapping
from typing import Any

from residua.cores.templating import grouped
from residua.errors import SpecificationError
from residua.output import check_directory, write_whole
from residua.report.documents import Document, Figure, Table, html
from residua.report.floor_plan import floor_plan
from residua.report.standalone import standalone
from residua.report.system_blocks import keys_of_cores, system_blocks
from residua.systems.boards.bitstream import RESULT, RESULT_SCHEMA
from residua.systems.boards.top import SYSTEM
from residua.systems.soc_directory import SocDirectory

FILE = "report.html"

_DEVICES = {
    "ram": "program and data",
    "uart": "serial port",
    "random": "random words",
}
_RESOURCES = ("lut", "ff", "carry", "dsp", "bram")
_DEPTH = 1
"""Dots in the names of the modules that are shown: the devices of a system."""


def write(directory: SocDirectory) -> dict[str, Any]:
    """Write the report into the directory; the same directory gives the same bytes.

    Raises:
        SpecificationError: a bitstream's figures are not what this version leaves, or the directory
            cannot be written.
    """
    check_directory(directory.path)
    target = directory.path / FILE
    found = bitstream_of(directory)
    write_whole(target, html(document(directory.manifest, found)))
    results = [] if found is None else [RESULT]
    return {"name": directory.name, "report": str(target), "results": results}


def bitstream_of(directory: SocDirectory) -> dict[str, Any] | None:
    """What ``residua bitstream`` left in the directory; None if it was not run.

    Raises:
        SpecificationError: it is not what this version leaves.
    """
    path = directory.path / RESULT
    if not path.is_file():
        return None
    try:
        found: dict[str, Any] = json.loads(path.read_bytes())
        complete = found["schema"] == RESULT_SCHEMA
    except (ValueError, KeyError, TypeError):
        complete = False
    if not complete:
        raise SpecificationError(f"{path} is not of this version: residua bitstream makes it again")
    return found


def document(system: Mapping[str, Any], bitstream: Mapping[str, Any] | None) -> Document:
    """Make the page.

    Args:
        system: the manifest of the directory.
        bitstream: what ``residua bitstream`` found.
    """
    cores = len(system["cores"])
    introduction = (
        f"A system on a chip: {system['cpu']}, {grouped(system['ram_bytes'])} bytes of memory, of "
        f"which the program takes {grouped(system['program_bytes'])}, and {cores} "
        f"core{'s' * (cores > 1)}."
    )
    parts: list[Table | Figure] = [blocks("Blocks", system, "blocks.svg"), addresses(system)]
    if bitstream is not None:
        parts += [*tables(system, bitstream), plan("Floor plan", system, bitstream, "plan.svg")]
    return Document("report", system["name"], introduction, tuple(parts))


def blocks(title: str, system: Mapping[str, Any], file: str) -> Figure:
    """The blocks of a system."""
    return Figure(title, file, standalone(system_blocks(system)))


def plan(title: str, system: Mapping[str, Any], bitstream: Mapping[str, Any], file: str) -> Figure:
    """Where the devices of a system lie."""
    shown = bitstream["floor_plan"]
    names = dict(_named(system))
    families = {letter: names.get(name, name) for letter, name in shown["families"].items()}
    device = bitstream["device"]["device"]
    drawn = floor_plan(families, shown["rows"], f"{system['name']} on {device}")
    return Figure(title, file, standalone(drawn))


def addresses(system: Mapping[str, Any]) -> Table:
    """Where each device is, and what the cores compute."""
    cores = zip(_named(system), keys_of_cores(system), strict=True)
    told = _DEVICES | {device: f"{name}: {own}" for (device, name), own in cores}
    rows = [
        (f"{region['base']:#010x}", told[device], grouped(region["size"]))
        for device, region in system["regions"].items()
    ]
    return Table("Addresses", ("address", "device", "bytes"), tuple(rows), texts=2)


def tables(system: Mapping[str, Any], bitstream: Mapping[str, Any]) -> tuple[Table, ...]:
    """What a bitstream takes, and the clocks that it reaches."""
    shown = (modules("Modules", system, bitstream), _resources(bitstream), _clocks(bitstream))
    return (*shown, _crossings(bitstream)) if bitstream["crossings"] else shown


def _named(system: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The devices that are cores, with the names of these."""
    return [(f"core_{number}", name) for number, name in enumerate(system["cores"])]


def modules(title: str, system: Mapping[str, Any], bitstream: Mapping[str, Any]) -> Table:
    """What the devices of a system take, and the parts of its board."""
    names = {f"{SYSTEM}.{device}": name for device, name in _named(system)}
    rows = [
        (names.get(one["name"], one["name"]), *(grouped(one[kind]) for kind in _RESOURCES))
        for one in bitstream["modules"]
        if one["name"].count(".") <= _DEPTH
    ]
    return Table(title, ("module", *map(str.upper, _RESOURCES)), tuple(rows))


def _resources(bitstream: Mapping[str, Any]) -> Table:
    used, available = bitstream["resources"], bitstream["available"]
    rows = [
        (kind.upper(), grouped(used[kind]), grouped(total), f"{100 * used[kind] / total:.1f} %")
        for kind, total in available.items()
    ]
    device = bitstream["device"]
    title = f"{bitstream['board']}: {device['device']}, speed {device['speed']}"
    return Table(title, ("resource", "used", "available", "share"), tuple(rows))


def _clocks(bitstream: Mapping[str, Any]) -> Table:
    rows = [
        (net, *(f"{one[f'{name}mhz']:g}" for name in ("wanted_", "", "lowest_", "highest_")))
        for net, one in bitstream["clocks"].items()
    ]
    verdict = "The clock is not reached: there is no bitstream."
    if bitstream["met"]:
        verdict = f"{bitstream['program']} loads it."
    return Table(
        "Clocks in MHz", ("clock", "wanted", "median", "lowest", "highest"), tuple(rows), (verdict,)
    )


def _crossings(bitstream: Mapping[str, Any]) -> Table:
    rows = [
        (one["from"], one["to"], f"{one['ns']:g}", f"{one['allowed_ns']:g}")
        for one in bitstream["crossings"]
    ]
    return Table(
        "Longest paths between clocks in ns", ("from", "to", "longest", "allowed"), tuple(rows),
        texts=2,
    )  # fmt: skip
