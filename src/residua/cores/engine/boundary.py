"""Boundaries of an engine, and of one with binary words, for the proof of constant time."""

from residua.cores.proofs.boundary import Boundary, stream_boundary
from residua.hardware.converters.word_core import WordDesign
from residua.hardware.engine.engine_design import EngineDesign


def engine_boundary(design: EngineDesign) -> Boundary:
    """Operands may differ; results are all residues that leave."""
    word = design.width + 1
    lanes = 1 if design.options.serial else design.machine.units * design.lanes
    return Boundary("engine", ("operands_payload",), {"result": word * lanes}, {})


def word_boundary(design: WordDesign) -> Boundary:
    """The words of both streams may differ."""
    return stream_boundary("multiplier", design.width, {}, loads=False)
