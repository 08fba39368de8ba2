"""The page of an exploration: one HTML file without a server, which can be read without scripts."""

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup
from matplotlib.figure import Figure

from residua.cores.specification.command import flags
from residua.cores.templating import environment
from residua.errors import library
from residua.report.drawings import svg
from residua.report.exploration_tables import differing_keys, number, own_keys, tried

Core = Mapping[str, Any]

_AGAINST = {"lut": "look-up tables", "dsp": "multiplier blocks", "bram": "block memories"}
"""Figures that the first objective is drawn against, where cores differ in them."""

_LABELS = {"per_second": "a second", "lut_ms": "LUT × ms", "mhz": "MHz", "ff": "FF"}

_MOST_TICKS = 8
"""Different values of an axis up to which each has a tick."""


def render(name: str, found: Mapping[str, Any], cores: Sequence[Core]) -> str:
    """Make the page; the same exploration gives the same bytes.

    Args:
        name: of the space.
        found: the summary of the exploration.
        cores: that were measured: ``name``, ``keys``, figures, ``clocks``, and whether each is on
            the ``front``.

    Raises:
        SpecificationError: Plotly is not installed.
    """
    ordered = sorted(cores, key=lambda core: not core["front"])
    objective = found["space"]["objectives"][0]
    figures = [one for one in _figures(found) if any(one in core for core in ordered)]
    against = [
        one for one in _AGAINST if one != objective and len({core.get(one) for core in ordered}) > 1
    ]
    keys = differing_keys(ordered)
    texts = [flags(own_keys(core, keys)) or core["name"] for core in ordered]
    return environment("residua.report", html=True).get_template("space.html").render(
        title=name,
        found=found,
        tried=tried(found),
        cores=ordered,
        texts=texts,
        commands=[f"residua build {flags(core['keys'])} -o DIR" for core in ordered],
        figures=figures,
        label=label,
        number=number,
        library=_safe(_plotly("offline").get_plotlyjs()) if ordered else "",
        plots=[_safe(_scatter(ordered, texts, objective, one)) for one in against],
        axes=_safe(_parallel(ordered, keys, figures)) if ordered else "",
        drawings=[_safe(drawing(ordered, objective, one)) for one in against],
    )  # fmt: skip


def label(figure: str) -> str:
    """A figure as axes and headings have it."""
    return _LABELS.get(figure, figure.upper() if figure in _AGAINST else figure.replace("_", " "))


def _figures(found: Mapping[str, Any]) -> list[str]:
    """The figures that the page shows: objectives first."""
    return list(dict.fromkeys([*found["space"]["objectives"], "cycles", *_AGAINST, "ff", "mhz"]))


def check() -> None:
    """Refuse to make a page without Plotly.

    Raises:
        SpecificationError: it is not installed.
    """
    _plotly("offline")


def _plotly(module: str) -> Any:  # noqa: ANN401 - a module that may be missing
    return library(f"plotly.{module}", "Plotly", "the page of an exploration", "explore")


def _html(plot: Any, name: str) -> str:  # noqa: ANN401 - a figure of Plotly
    config = {"displaylogo": False, "responsive": True}
    text: str = plot.to_html(
        full_html=False, include_plotlyjs=False, div_id=name, config=config, default_height="24rem"
    )
    return text


def _scatter(cores: Sequence[Core], texts: Sequence[str], objective: str, figure: str) -> str:
    """Draw the first objective against a figure: a point for each core, its flags beside it."""
    objects = _plotly("graph_objects")
    # The front comes first on the page, and last here, where it lies on top of the others.
    places = list(reversed(range(len(cores))))
    drawn = [cores[place] for place in places]
    points = objects.Scatter(
        x=[core.get(figure) for core in drawn],
        y=[core.get(objective) for core in drawn],
        mode="markers",
        text=[texts[place] for place in places],
        customdata=places,
        hovertemplate=f"%{{text}}<br>%{{y}} {label(objective)}, %{{x}} {label(figure)}"
        "<extra></extra>",
        marker={
            "size": [11 if core["front"] else 7 for core in drawn],
            "symbol": ["diamond" if core["front"] else "circle" for core in drawn],
            "color": ["#0072b2" if core["front"] else "#8a94a3" for core in drawn],
        },
    )
    layout = {
        "xaxis": {"title": {"text": _AGAINST[figure]}, "rangemode": "tozero"},
        "yaxis": {"title": {"text": label(objective)}, "exponentformat": "none"},
        "margin": {"l": 60, "r": 10, "t": 10, "b": 50},
        "hovermode": "closest",
    }
    return _html(objects.Figure(points, layout), f"against-{figure}")


def _parallel(cores: Sequence[Core], keys: Sequence[str], figures: Sequence[str]) -> str:
    """Draw all cores on parallel axes: keys by which they differ, then figures."""
    objects = _plotly("graph_objects")
    axes = [_axis(key.replace("_", " "), [core["keys"].get(key) for core in cores]) for key in keys]
    columns = {one: [core.get(one) for core in cores] for one in figures}
    axes += [_axis(label(one), own) for one, own in columns.items() if len(set(own)) > 1]
    colours = {"color": [int(core["front"]) for core in cores], "cmin": 0, "cmax": 1}
    scale = [[0, "#8a94a3"], [1, "#0072b2"]]
    lines = objects.Parcoords(dimensions=axes, line={**colours, "colorscale": scale})
    layout = {"margin": {"l": 60, "r": 40, "t": 60, "b": 20}}
    return _html(objects.Figure(lines, layout), "axes")


def _axis(name: str, values: Sequence[Any]) -> dict[str, Any]:
    """An axis of numbers, or of words with a tick for each."""
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        few = sorted(set(values)) if len(set(values)) <= _MOST_TICKS else None
        return {"label": name, "values": list(values), "tickvals": few, "tickformat": ".4~g"}
    texts = ["default" if value is None else str(value) for value in values]
    ticks = sorted(set(texts), key=lambda text: (text != "default", len(text), text))
    return {
        "label": name,
        "values": [ticks.index(text) for text in texts],
        "tickvals": list(range(len(ticks))),
        "ticktext": ticks,
    }


def drawing(cores: Sequence[Core], objective: str, figure: str) -> str:
    """Draw an objective against a figure for readers without scripts, as SVG."""
    drawn = Figure(figsize=(6, 3.6), layout="constrained")
    axes = drawn.subplots()
    for front, colour, sign in ((False, "#8a94a3", "o"), (True, "#0072b2", "D")):
        chosen = [core for core in cores if core["front"] is front]
        across, up = ([float(core[one]) for core in chosen] for one in (figure, objective))
        axes.scatter(across, up, c=colour, marker=sign)
    axes.set(xlabel=_AGAINST[figure], ylabel=label(objective))
    return svg(drawn)


def _safe(made: str) -> Markup:
    """What was made here, texts escaped by the library that made it."""
    return Markup(made)  # noqa: S704
