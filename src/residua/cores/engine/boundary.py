"""Boundary of an engine for the proof of constant time."""

from residua.cores.proofs.boundary import Boundary
from residua.hardware.engine.engine_design import EngineDesign


def engine_boundary(design: EngineDesign) -> Boundary:
    """Operands may differ; results are all residues that leave."""
    word = design.width + 1
    lanes = 1 if design.options.serial else design.machine.units * design.lanes
    return Boundary("engine", ("operands_payload",), {"result": word * lanes}, {})
