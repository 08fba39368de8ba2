"""Drawings with the colours of reports in them, for pages that have a style of their own."""

from markupsafe import Markup

from residua.cores.templating import environment


def standalone(drawing: str) -> str:
    """Make an SVG file of a drawing by `residua.cores.drawing.svg`, for a light ground."""
    start, body = drawing.split(">", 1)
    template = environment("residua.report", html=True).get_template("standalone.svg")
    # Drawings escape their texts.
    return template.render(start=Markup(start), body=Markup(body))  # noqa: S704
