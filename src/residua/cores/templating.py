"""The jinja environments of everything that is rendered from templates, and their filters."""

from functools import cache
from importlib.resources import files

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from residua.cores.summary import logic


def grouped(number: float) -> str:
    """Write a large number, rounded, with its digits in threes."""
    return f"{number:,.0f}".replace(",", " ")


@cache
def environment(*packages: str, html: bool = False) -> Environment:
    """Templates in the folders ``templates`` of packages, the first that has one.

    Unknown names are errors. A package may be without such a folder, or empty. ``html`` escapes
    what is filled in; without it the text is Markdown, C, Verilog or the like.
    """
    found = [one for one in packages if one and files(one).joinpath("templates").is_dir()]
    made = Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in found]),
        autoescape=html,  # noqa: S701 - Markdown, C and Verilog are not HTML
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters["grouped"] = grouped
    made.filters["logic"] = logic
    return made
