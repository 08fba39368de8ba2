"""Designs that are mapped to families of devices and placed, as rows of a campaign."""

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from amaranth.lib.wiring import Component

from residua.cores.synthesis import clock_figures, place_in_harness
from residua.evidence.campaign import Campaign, Figures, Request
from residua.evidence.pages import Page
from residua.evidence.rows import PUBLISHED_SEEDS, Row
from residua.evidence.subjects import Design
from residua.toolchain import yosys
from residua.toolchain.targets import primitive_file

WITHOUT_DSP = " without DSP"
"""End of the name of a target whose DSP blocks are not to be used."""

_ALIKE = ("xc7", "xc6s", "xc5v")
SAME_NETLIST = (
    "Without blocks, Yosys maps to the families of six-input tables (xc5v, xc6s, xc7) by the same "
    "commands, and what was mapped to all three took the same of each; larger designs were mapped "
    "once."
)

_RESOURCES = ("lut", "ff", "dsp", "bram", "carry")

Verilog = Mapping[str, str]
"""Texts by their paths, see `residua.hardware.rtl.emit`."""


@dataclass(frozen=True)
class Candidate:
    """A design to be measured.

    Attributes:
        name: of its row.
        top: its top module.
        component: makes the design.
        facts: tells of the component what is known without tools.
        targets: what it is mapped to, besides the ECP5: families of Yosys, `WITHOUT_DSP` after
            them if multipliers have to be made of look-up tables.
        is_placed: whether it is placed on an ECP5.
        simulated: adds what only a simulation of its Verilog tells.
    """

    name: str
    top: str
    component: Callable[[], Component]
    facts: Callable[[Component], Figures]
    targets: tuple[str, ...] = ("xc7",)
    is_placed: bool = True
    simulated: Callable[[Verilog], Figures] | None = None

    @property
    def subject(self) -> Design:
        """What its row is measured on."""
        return Design(self.top, self.component)


def amounts(candidates: Mapping[str, Candidate]) -> dict[str, int]:
    """The placements of each candidate, by the names of the rows."""
    return {name: PUBLISHED_SEEDS * candidate.is_placed for name, candidate in candidates.items()}


def designs_campaign(page: Page, candidates: Mapping[str, Candidate]) -> Campaign:
    """Make the campaign that measures all of these candidates, by the names of their rows."""
    return Campaign(
        page,
        amounts(candidates),
        lambda name: candidates[name].subject,
        lambda request: measured(request, candidates[request.name]),
        is_complete=lambda row: has_all_targets(row, candidates),
    )


def has_all_targets(row: Row, candidates: Mapping[str, Candidate]) -> bool:
    """Whether a row has the resources of all targets that its candidate has today."""
    candidate = candidates.get(row.name)
    return candidate is None or row.figures.keys() >= set(candidate.targets)


def measured(request: Request, candidate: Candidate) -> Figures:
    """Map and place a design; what is known of the same Verilog is taken over, part by part.

    Args:
        request: whose amount are the placements on an ECP5, numbered from 1; 0 for none.
        candidate: of this name.

    Raises:
        ToolError: a tool failed.
    """
    assert isinstance(request.subject, Design)
    files = request.subject.files
    known = request.known.figures if request.known else {}
    figures = {**known, **candidate.facts(request.subject.made)}
    for target in candidate.targets:
        if target not in figures:
            figures[target] = alike(figures, target) or mapped(files, candidate.top, target)
    if candidate.simulated and not known:
        figures |= candidate.simulated(files)
    if request.amount > len(known.get("ecp5", {}).get("seeds", ())):
        figures["ecp5"] = placed(files, candidate.top, request.amount)
    return figures


def alike(figures: Figures, target: str) -> Figures | None:
    """Look up a target, or a family with the same netlist; see `SAME_NETLIST`."""
    found: Figures | None = figures.get(target)
    family = target.removesuffix(WITHOUT_DSP)
    if found or family == target or family not in _ALIKE:
        return found
    others = (figures.get(other + WITHOUT_DSP) for other in _ALIKE)
    return next((other for other in others if other and not other["bram"]), None)


def mapped(files: Verilog, top: str, target: str) -> Figures:
    """Resources after synthesis for a target, see `Candidate`."""
    with tempfile.TemporaryDirectory() as work:
        family, dsp = target.removesuffix(WITHOUT_DSP), not target.endswith(WITHOUT_DSP)
        sources = _write(files, top, family, Path(work))
        found = yosys.synthesise(sources, top, family, out_dir=Path(work), dsp=dsp)
        return {kind: getattr(found.used, kind) for kind in _RESOURCES}


def placed(files: Verilog, top: str, seeds: int) -> Figures:
    """Resources and clock on an ECP5."""
    resources = mapped(files, top, "ecp5")
    with tempfile.TemporaryDirectory() as work:
        sources = _write(files, top, "ecp5", Path(work))
        found = place_in_harness(sources, top, Path(work), range(1, seeds + 1))
    return {**resources, **clock_figures(found)}


def _write(files: Verilog, top: str, family: str, work: Path) -> list[Path]:
    """Write the Verilog of one complete design."""
    paths = []
    for name in (f"rtl/{top}.v", primitive_file(family)):
        paths.append(work / Path(name).name)
        paths[-1].write_text(files[name], encoding="utf-8")
    return paths
