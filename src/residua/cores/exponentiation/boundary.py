"""Boundary of an exponentiator on an engine for the proof of constant time."""

from residua.cores.proofs.boundary import Boundary, stream_boundary
from residua.hardware.exponentiation.exponentiator import ExponentiatorDesign


def exponentiator_boundary(design: ExponentiatorDesign) -> Boundary:
    """The words of all streams may differ, but not when they come."""
    return stream_boundary("exponentiator", design.width, {}, loads=bool(design.loads))
