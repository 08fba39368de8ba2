"""The jinja environments of everything that is rendered from templates."""

from jinja2 import Environment, PackageLoader, StrictUndefined


def environment(package: str, *, html: bool = False) -> Environment:
    """Templates in the folder ``templates`` of a package; unknown names are errors.

    ``html`` escapes what is filled in; without it the text is Markdown, C, Verilog or the like.
    """
    return Environment(
        loader=PackageLoader(package),
        autoescape=html,  # noqa: S701 - Markdown, C and Verilog are not HTML
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
