"""Flags of a specification: one for each key, and their help in panels.

The help of all flags has a line for each and says which kind of core takes it. That of one kind,
asked for by ``--algorithm`` or ``--curve`` beside ``--help``, has its flags with all their values
and defaults.
"""

import copy
import functools
import inspect
import re
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperOption

from residua.cli.terminal import Verb
from residua.cores.kind import Kind
from residua.cores.kinds import KINDS, kind_asked
from residua.cores.specification import keys as panels
from residua.cores.specification import reading as specifications
from residua.cores.specification.keys import Key, described, unmarked

Flags = dict[str, str | None]

LISTS = ("curve",)
"""Keys whose flags may be given several times."""

SHORT = 130
"""Characters of a meaning and its values up to which the help of all flags has both."""

_KIND_KEYS = ("algorithm", "curve")
"""Keys from which the kind follows."""

_ASKED = "residua.kind"
"""Where a context keeps the kind whose help was asked for."""


def specification_flags(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a verb one flag for each of these keys, as text, in its argument ``flags``."""
    added = [_flag(name, specifications.keys()[name]) for name in names]

    def gathered(given: dict[str, object]) -> Flags:
        return {name: _joined(value) for name, value in given.items()}

    return with_options("flags", added, gathered)


def with_options(
    argument: str,
    options: Sequence[inspect.Parameter],
    gathered: Callable[[dict[str, object]], object],
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a verb options, which it gets in one argument.

    Args:
        argument: its name.
        options: as parameters of a function.
        gathered: makes the argument of the options' values by their names.
    """
    names = [option.name for option in options]

    def decorate(verb: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(verb)
        def wrapper(**arguments: object) -> None:
            given = {name: arguments.pop(name) for name in names}
            verb(**arguments, **{argument: gathered(given)})

        signature = inspect.signature(verb, eval_str=True)
        own = [p for name, p in signature.parameters.items() if name != argument]
        parameters = sorted([*own, *options], key=lambda p: p.default is not p.empty)
        vars(wrapper)["__signature__"] = inspect.Signature(parameters)
        wrapper.__annotations__ = {p.name: p.annotation for p in parameters}
        return wrapper

    return decorate


class SpecificationVerb(Verb):
    """A verb with flags of a specification, whose help shows them in panels."""

    # The class of contexts is private to Typer.
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401
        """Note for the help which kind of core is asked for."""
        asked = {name: value for name in _KIND_KEYS if (value := _given(name, args))}
        if asked:
            ctx.meta[_ASKED] = kind_asked(asked)
        return super().parse_args(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401
        """Show the flags of one kind in full, or a line for each of all."""
        shown = copy.copy(self)
        kind = ctx.meta.get(_ASKED)
        shown.params = _of_kind(self.params, kind) if kind else _of_all(self.params)
        shown.epilog = None if kind else (
            "Values and defaults of all flags of a kind: residua build --algorithm NAME --help, "
            "or --curve NAME --help for a coprocessor."
        )  # fmt: skip
        super(SpecificationVerb, shown).format_help(ctx, formatter)


def _given(name: str, args: list[str]) -> str | None:
    """The value of a flag among the words of a command."""
    flag = f"--{name}"
    for place, word in enumerate(args):
        if word.startswith(f"{flag}="):
            return word.partition("=")[2]
        if word == flag:
            return args[place + 1] if place + 1 < len(args) else None
    return None


def _of_all(params: list[Any]) -> list[Any]:
    """The parameters with a line for each flag; usual ones first, seldom wanted ones last."""
    known = specifications.keys()
    found = [
        _changed(one, _panel(one.name), _line(known[one.name])) if one.name in known else one
        for one in params
    ]
    return sorted(found, key=lambda one: _ORDER.get(one.rich_help_panel, 1))


def _of_kind(params: list[Any], kind: Kind) -> list[Any]:
    """The parameters that a kind of core takes, with all that there is to know."""
    known = specifications.keys()
    taken = [
        one for one in params if one.name in described(kind.specification) or one.name not in known
    ]
    found = [
        _changed(one, _frequency(one.name) or f"For {kind.noun}", one.help)
        if one.name in known
        else one
        for one in taken
    ]
    return sorted(found, key=lambda one: _ORDER.get(one.rich_help_panel, 1))


_ORDER = {panels.USUAL: 0, panels.SELDOM: 2}
"""Places of panels before and after the others."""


def _changed(option: TyperOption, panel: str, text: str) -> TyperOption:
    """An option with another panel and help."""
    changed = copy.copy(option)
    changed.rich_help_panel, changed.help = panel, text
    return changed


def _panel(name: str) -> str:
    """The panel of a key in the help of all: its own, or that of the first kind that takes it."""
    if panel := specifications.keys()[name].panel:
        return panel
    kind = next(kind for kind in KINDS if name in described(kind.specification))
    return f"For {kind.noun}"


def _frequency(name: str) -> str:
    """The panel of a key if it tells how often the key is wanted."""
    panel = specifications.keys()[name].panel
    return panel if panel in _ORDER else ""


def _line(key: Key) -> str:
    """What a key means, in a line or two, with its values if they are few."""
    meaning = re.split(r"[:;] |\. ", unmarked(key.meaning).rstrip("."))[0]
    both = f"{meaning}: {unmarked(key.allowed)}."
    return both if len(both) <= SHORT else f"{meaning}."


_NAMES = re.compile(r"`([\w.-]+)`")
"""Values that the description of a key names."""


def _flag(name: str, key: Key) -> inspect.Parameter:
    text = unmarked(f"{key.meaning} Values: {key.allowed}. Default: {key.default}.")

    def complete(incomplete: str) -> list[str]:
        return [value for value in _NAMES.findall(key.allowed) if value.startswith(incomplete)]

    option = typer.Option(
        f"--{name.replace('_', '-')}", metavar=key.metavar, help=text, autocompletion=complete
    )
    kind: Any = list[str] | None if name in LISTS else str | None
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind, option]
    )


def _joined(value: object) -> str | None:
    """A flag's value; one that was given several times as a list with commas."""
    if isinstance(value, list):
        return ",".join(value) or None
    return None if value is None else str(value)
