"""The files of a directory without the cache, for tests that change the package."""

from residua.cores.kinds import core_of


def made_anew(specification, progress=lambda step: None):
    """What takes the place of `residua.cores.kept_files.kept_files`."""
    return core_of(specification).files(progress)
