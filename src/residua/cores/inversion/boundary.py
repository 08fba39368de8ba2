"""Boundary of an inverter for the proof of constant time: secrets, and tests of its control."""

from dataclasses import replace

from residua.cores.inversion.design import InverterDesign
from residua.cores.proofs.boundary import Boundary, Uses, stream_boundary
from residua.hardware.inverters.plus_minus_inverter import PlusMinusDesign


def inverter_boundary(design: InverterDesign) -> Boundary:
    """Operands may differ, but not whether one is refused.

    Plus-minus inversion is none of those of which constant time is proved: it ends early and waits.
    When it does is told by tests for the end, which have to be equal.
    """
    verdicts: dict[str, Uses] = {"refused": ()}
    if isinstance(design, PlusMinusDesign):
        verdicts |= {"cox.tests": (), "below": (), "some": ()}
    boundary = stream_boundary("inverter", design.width, verdicts, loads=False)
    # Behind the word of a result are two bits: whether it is the last, and whether there is none.
    return replace(boundary, errors={"result_payload": design.width + 1})
