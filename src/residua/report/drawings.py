"""Drawings by Matplotlib, as pages keep them."""

from io import StringIO

import matplotlib as mpl
from matplotlib.figure import Figure


def svg(drawing: Figure) -> str:
    """Turn a drawing into an SVG file; the same drawing gives the same bytes."""
    text = StringIO()
    with mpl.rc_context({"svg.hashsalt": "residua", "svg.fonttype": "none"}):
        drawing.savefig(text, format="svg", metadata={"Date": None})
    # Matplotlib leaves blanks at the ends of lines.
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines()) + "\n"
