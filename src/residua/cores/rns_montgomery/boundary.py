"""Boundary of a multiplier with words for the proof of constant time."""

from residua.cores.proofs.boundary import Boundary, stream_boundary
from residua.hardware.converters.word_core import WordDesign


def word_boundary(design: WordDesign) -> Boundary:
    """The words of both streams may differ."""
    return stream_boundary("multiplier", design.width, {}, loads=False)
