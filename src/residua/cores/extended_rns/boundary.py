"""Boundary of a point multiplier for the proof of constant time."""

from residua.cores.proofs.boundary import Boundary, stream_boundary
from residua.hardware.extended.design import ExtendedDesign


def point_boundary(design: ExtendedDesign) -> Boundary:
    """The words of both streams may differ: of points, and of scalars."""
    return stream_boundary("point multiplier", design.width, {}, loads=False)
