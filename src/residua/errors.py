"""The one exception that a user is meant to see."""

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any, TypeVar

C = TypeVar("C")
R = TypeVar("R")


class SpecificationError(ValueError):
    """A request that cannot be met: what is wrong, where, and what would be right.

    The command line prints the message as one paragraph and exits with code 2. Library code raises
    it for every input that a user controls; anything else that escapes is a defect of Residua.
    """


def first_possible(choices: Iterable[C], make: Callable[[C], R]) -> R:
    """Make the first of ``choices``, of which there are some, that can be met.

    Raises:
        SpecificationError: none can be met, for the reason of the last one.
    """
    failure: SpecificationError | None = None
    for choice in choices:
        try:
            return make(choice)
        except SpecificationError as error:
            failure = error
    assert failure is not None
    raise failure


def library(module: str, name: str, use: str, extra: str) -> Any:  # noqa: ANN401 - any module
    """Load a module of an optional library where it is needed.

    Args:
        module: its dotted name.
        name: of the library, for people.
        use: what needs it.
        extra: of Residua, with which it is installed.

    Raises:
        SpecificationError: it is not installed.
    """
    try:
        return import_module(module)
    except ImportError:
        raise SpecificationError(
            f"{use} needs {name}, which is not installed: pip install 'residua[{extra}]'"
        ) from None
