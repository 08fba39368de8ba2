"""The one exception that a user is meant to see."""

from collections.abc import Callable, Iterable
from typing import TypeVar

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
