"""Boundary of a point multiplier for the proof of constant time."""

from residua.cores.proofs.boundary import Boundary, stream_boundary
from residua.hardware.ecpm.design import EcpmDesign


def point_boundary(design: EcpmDesign) -> Boundary:
    """The words of both streams may differ: of points, and of scalars."""
    return stream_boundary("point multiplier", design.width, {}, loads=False)
