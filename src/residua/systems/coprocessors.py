"""Coprocessors that software reaches by registers alone."""

from residua.cores.coprocessor.core import CoprocessorCore
from residua.cores.directory import Directory
from residua.errors import SpecificationError


def coprocessor(directory: Directory, user: str, *, several: bool = False) -> CoprocessorCore:
    """The coprocessor of a directory, which has registers for data.

    Args:
        directory: of a core.
        user: what it is for, as in "a system".
        several: whether it may be several behind one bus.

    Raises:
        SpecificationError: it is another kind of core, has another bus, or is several.
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
    if made.instances > 1 and not several:
        raise SpecificationError(
            f"{directory.path}: instances = {made.instances}, but {user} has one operation at a "
            "time on each core: build it without --instances"
        )
    return made
