"""Coprocessors that software reaches by registers alone."""

from residua.cores.coprocessor.core import CoprocessorCore
from residua.cores.directory import Directory
from residua.errors import SpecificationError


def coprocessor(directory: Directory, user: str) -> CoprocessorCore:
    """The coprocessor of a directory, or several behind one bus, with registers for data.

    Args:
        directory: of a core.
        user: what it is for, as in "a system".

    Raises:
        SpecificationError: it is another kind of core, or has another bus.
    """
    made = directory.made
    if not isinstance(made, CoprocessorCore):
        raise SpecificationError(
            f"{directory.path}: {user} has coprocessors, not {directory.kind.noun}"
        )
    if made.request.bus != "wishbone":
        raise SpecificationError(
            f"{directory.path}: bus = '{made.request.bus}', but {user} reaches coprocessors over "
            "Wishbone: build it with --bus wishbone"
        )
    return made
