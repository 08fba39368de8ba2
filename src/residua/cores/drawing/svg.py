"""The few SVG elements that the figures are made of. Colours come from the page's style sheet."""

from collections.abc import Iterable
from html import escape


def number(value: float) -> str:
    """A coordinate: at most one decimal, the same text for the same value."""
    return f"{value:.1f}".removesuffix(".0")


def rect(
    x: float, y: float, width: float, height: float, kind: str, *, title: str = "", radius: int = 2
) -> str:
    """A rectangle of the class ``kind``, with a tooltip."""
    hint = f"<title>{escape(title)}</title>" if title else ""
    return (
        f'<rect class="{kind}" x="{number(x)}" y="{number(y)}" width="{number(width)}" '
        f'height="{number(height)}" rx="{radius}">{hint}</rect>'
    )


def text(x: float, y: float, content: str, kind: str = "", *, anchor: str = "start") -> str:
    """One line of text; ``anchor`` is start, middle or end."""
    names = f' class="{kind}"' if kind else ""
    return (
        f'<text{names} x="{number(x)}" y="{number(y)}" text-anchor="{anchor}">'
        f"{escape(content)}</text>"
    )


def line(x1: float, y1: float, x2: float, y2: float, kind: str = "wire") -> str:
    """A straight line."""
    ends = f'x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}"'
    return f'<line class="{kind}" {ends}/>'


def box(
    place: tuple[float, float], size: tuple[float, float], kind: str, name: str, note: str
) -> str:
    """A rectangle of the class ``kind`` with a name and a line of text in its middle."""
    (x, y), (width, height) = place, size
    middle = x + width / 2
    return "\n".join(
        [
            rect(x, y, width, height, kind, radius=6),
            text(middle, y + height / 2 - 3, name, "name", anchor="middle"),
            text(middle, y + height / 2 + 13, note, "note", anchor="middle"),
        ]
    )


def path(points: Iterable[tuple[float, float]], kind: str = "arrow") -> str:
    """A line through points; the class ``arrow`` has a head at its end."""
    steps = " L".join(f"{number(x)} {number(y)}" for x, y in points)
    head = ' marker-end="url(#head)"' if kind == "arrow" else ""
    return f'<path class="{kind}" d="M{steps}"{head}/>'


def drawing(width: float, height: float, elements: Iterable[str], label: str) -> str:
    """A whole drawing that scales with the page; ``label`` says what it shows."""
    body = "\n".join(elements)
    size = f"{number(width)} {number(height)}"
    return (
        f'<svg viewBox="0 0 {size}" style="min-width:{min(int(width), 640)}px" role="img" '
        f'aria-label="{escape(label, quote=True)}">\n{body}\n</svg>'
    )
