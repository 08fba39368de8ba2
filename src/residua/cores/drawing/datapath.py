"""The datapath of an engine with one program."""

from residua.cores.drawing import svg
from residua.hardware.engine.engine_design import EngineDesign

_SHOWN_ROWERS = 5
"""Rowers drawn in full; more are hinted at."""


def datapath(design: EngineDesign, rowers: int, taken: str, given: str) -> str:
    """The engine: sequencer, ring of rowers, Cox, streams of words.

    Args:
        design: the engine.
        rowers: those that are drawn, without one of an extra modulus.
        taken: what the stream of operands carries.
        given: what that of results carries.
    """
    left, step, top = 190.0, 150.0, 96.0
    names = _rower_names(rowers)
    right = left + step * len(names)
    elements = [
        svg.box(
            (left, 8), (right - left - 30, 40), "control", "sequencer", _sequencer_text(design)
        ),
        svg.box((8, top), (130, 110), "stream", "operands", taken),
        svg.path([(138, top + 30), (left - 4, top + 30)]),
    ]
    for index, name in enumerate(names):
        x = left + index * step
        elements += _rower(design, x, top, name, last=index == len(names) - 1)
    bottom = top + 150
    elements += [
        # The ring closes from the first rower back to the last.
        svg.path(
            [
                (left + 20, top + 112),
                (left + 20, bottom),
                (right - 70, bottom),
                (right - 70, top + 116),
            ]
        ),
        svg.text((left + right) / 2 - 20, bottom - 6, "ring", "note", anchor="middle"),
        svg.box((left, bottom + 24), (right - left - 30, 40), "edge", "Cox", _cox_text(design)),
        svg.path([(left + 60, top + 112), (left + 60, bottom + 20)]),
        svg.path([(right - 110, bottom + 24), (right - 110, top + 116)]),
        svg.text(right - 116, bottom + 16, "quotient to all rowers", "note", anchor="end"),
        svg.box((right + 10, top), (130, 110), "stream", "results", given),
        svg.path([(right - 30, top + 30), (right + 6, top + 30)]),
    ]
    return svg.drawing(right + 150, bottom + 76, elements, "Datapath of the engine")


def _rower_names(rowers: int) -> list[str]:
    if rowers <= _SHOWN_ROWERS:
        return [f"rower {index}" for index in range(rowers)]
    return ["rower 0", "rower 1", "…", f"rower {rowers - 1}"]


def _rower(design: EngineDesign, x: float, top: float, name: str, *, last: bool) -> list[str]:
    if name == "…":
        dots = [svg.text(x + 60, top + 60, "…", "name", anchor="middle")]
        return dots if last else [*dots, svg.path([(x + 146, top + 90), (x + 104, top + 90)])]
    mac, folds = design.mac_latency, design.folds
    elements = [
        svg.rect(x, top, 120, 112, "rower", radius=6),
        svg.text(x + 60, top + 20, name, "name", anchor="middle"),
        svg.path([(x + 60, 48), (x + 60, top - 4)]),
        svg.text(x + 60, top + 42, f"multiply and add: {mac}", "note", anchor="middle"),
    ]
    for index, fold in enumerate(folds):
        kind = "multiply" if fold.multiplies else "shift"
        note = f"fold {index + 1}, {kind}: {fold.latency}"
        elements.append(svg.text(x + 60, top + 58 + 16 * index, note, "note", anchor="middle"))
    if not last:
        elements.append(svg.path([(x + 146, top + 90), (x + 124, top + 90)]))
    return elements


def _sequencer_text(design: EngineDesign) -> str:
    return f"{design.schedule.interval} words of microcode, constant time"


def _cox_text(design: EngineDesign) -> str:
    estimate, taps = design.estimate, design.machine.taps
    plural = "s" * (taps > 1)
    if estimate is None:
        return "not used"
    return f"t = {estimate.truncation}, σ0 = {estimate.sigma0}, {taps} tap{plural} of the ring"
