"""Systems on boards: the self-test in a simulation, placements on the board's pins, pictures."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from residua.cores.directory import build
from residua.cores.specification.reading import check_any
from residua.evidence.campaign import Campaign, Figures, Request
from residua.evidence.pages import Page, RowTable, commit, tools_notes
from residua.evidence.rows import PUBLISHED_SEEDS, Row
from residua.evidence.subjects import Keys, Subject, digest
from residua.report import system_page
from residua.report.documents import Document, Figure, Table
from residua.systems import soc_directory
from residua.systems.boards.bitstream import SELF_TEST_SECONDS, make_bitstream
from residua.systems.host import simulated_host
from residua.systems.soc_directory import SocRequest

NAME = "systems"

CORES: Mapping[str, Keys] = {
    "p256": {"curve": ["P-256"]},
    "p384": {"curve": ["P-384"]},
    "x25519": {"curve": ["Curve25519"]},
    "p256_digits": {"curve": ["P-256"], "algorithm": "iddmm"},
    "rsa2048": {"algorithm": "rsa-crt", "bits": 2048},
}
"""Cores of the systems by their names; each has `bus = "wishbone"` and its name beside these."""


@dataclass(frozen=True)
class System(Subject):
    """A system on a board.

    Attributes:
        board: its name.
        cores: of `CORES`.
        megahertz: of the system's clock.
        core_megahertz: of the coprocessors' own clock.
        ram_bytes: memory of program and data.
    """

    board: str
    cores: tuple[str, ...]
    megahertz: float
    core_megahertz: float
    ram_bytes: int = 65536

    def request(self, folder: Path) -> SocRequest:
        """What is asked for, with cores that are built in a folder."""
        made = tuple(build(check_any(self._keys[name]), folder / name) for name in self.cores)
        return SocRequest(
            made,
            ram_bytes=self.ram_bytes,
            megahertz=self.megahertz,
            board=self.board,
            core_megahertz=self.core_megahertz,
        )

    def digest(self) -> str:
        """Find the digest of the Verilog of the whole system, and of the board's pins."""
        with TemporaryDirectory() as folder:
            return digest(soc_directory.hardware(self.request(Path(folder))))

    @property
    def specification(self) -> dict[str, Any]:
        """The keys of the cores by their names."""
        return dict(self._keys)

    @cached_property
    def _keys(self) -> dict[str, dict[str, Any]]:
        return {name: {**CORES[name], "bus": "wishbone", "name": name} for name in self.cores}


SYSTEMS = {
    "P-256 on digits": System("ulx3s-25f", ("p256_digits",), 50.0, 100.0),
    "X25519": System("orangecrab-25f", ("x25519",), 50.0, 80.0, 32768),
    "P-256 and X25519": System("ulx3s-85f", ("p256", "x25519"), 50.0, 80.0),
    "P-384 and RSA": System("ecpix-5", ("p384", "rsa2048"), 50.0, 100.0),
}
"""The systems, by the names of their rows."""

INTRODUCTION = f"""\
[Systems on a chip](../systems.md) as `residua soc` makes them, with the open tools all the way to a
bitstream: a processor, memory, a serial port, random words, and cores, which have a clock of their
own behind a crossing. Each one boots its program in a simulation of its Verilog and compares its
known answers; then it is placed on the pins of its board by {PUBLISHED_SEEDS} seeds. A clock is the
median of the placements, with the lowest and the highest. No board was at hand: no bitstream was
loaded into one. A + after the commit says that the sources differed from it.
`make campaign-systems` writes this page."""

_KEPT = (
    "name", "cpu", "cpu_version", "cores", "regions", "ram_bytes", "program_bytes", "megahertz",
    "core_megahertz", "baud", "compiler", "curves", "rsa", "board",
)  # fmt: skip
"""What a row keeps of the manifest."""


def measure(request: Request) -> Figures:
    """Boot the system of a row, and place it."""
    system = request.subject
    assert isinstance(system, System)
    made = soc_directory.build(system.request(request.folder("cores")), request.folder("system"))
    with simulated_host(made, SELF_TEST_SECONDS) as host:
        answers = host.self_test()
    found = make_bitstream(made, seeds=request.amount)
    return {
        "system": {key: made.manifest[key] for key in _KEPT},
        "bitstream": found,
        "known_answers": answers,
        "failures": [] if found["met"] else ["no placement reaches the clocks"],
    }


def _board(row: Row) -> str:
    """Make the cell that names a board and its device."""
    found = row["bitstream"]
    return f"{found['board']}: {found['device']['device']}, speed {found['device']['speed']}"


def _clock(net: str) -> Callable[[Row], str]:
    """Make a cell of what a clock reaches."""

    def cell(row: Row) -> str:
        found = row["bitstream"]["clocks"][net]
        spread = f"{found['lowest_mhz']:g} to {found['highest_mhz']:g}"
        return f"{found['wanted_mhz']:g}: {found['mhz']:g} ({spread})"

    return cell


def _resource(kind: str) -> Callable[[Row], str]:
    """Make a cell of what a system takes of its device."""

    def cell(row: Row) -> str:
        found = row["bitstream"]
        return f"{found['resources'][kind]:,} of {found['available'][kind]:,}"

    return cell


TABLE = RowTable(
    {
        "System": lambda row: row.name,
        "Board": _board,
        "Clock in MHz, wanted: reached": _clock("system_clock"),
        "of the cores": _clock("core_clock"),
        "LUT4": _resource("lut"),
        "FF": _resource("ff"),
        "MULT18": _resource("dsp"),
        "Block memories": _resource("bram"),
        "Known answers": lambda row: row["known_answers"],
        "Commit": commit,
    },
    texts=2,
    notes=tools_notes,
)


def document(rows: list[Row]) -> Document:
    """Make the page."""
    parts = [part for row in rows for part in _shown(row)]
    return Document(NAME, "Systems on boards", INTRODUCTION, (TABLE.table(rows), *parts))


def _shown(row: Row) -> tuple[Table | Figure, ...]:
    """The pictures of a system, and what each module takes."""
    system, bitstream = row["system"], row["bitstream"]
    slug = re.sub(r"\W+", "-", row.name.lower())
    file = f"{NAME}_{slug}"
    return (
        system_page.blocks(row.name, system, f"{file}.svg"),
        system_page.plan(f"{row.name}: floor plan", system, bitstream, f"{file}_plan.svg"),
        system_page.modules(f"{row.name}: modules", system, bitstream),
    )


CAMPAIGN = Campaign(
    Page(NAME, document),
    dict.fromkeys(SYSTEMS, PUBLISHED_SEEDS),
    SYSTEMS.__getitem__,
    measure,
)
