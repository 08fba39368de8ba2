"""Runs of tools, kept in the cache by all that went into them."""

import zipfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from residua import cache
from residua.toolchain.process import versions

_KIND = "tools"
_FAST = 1
"""Compression, of 9 levels: netlists shrink to a tenth even so."""


def keep_run(
    tool: str,
    parts: Iterable[str | bytes],
    outputs: Sequence[str],
    out_dir: Path,
    run: Callable[[], object],
) -> None:
    """Files that a tool writes, taken from the cache if it has been run on the same before.

    A tool that fails keeps nothing.

    Args:
        tool: its name; it is in one of the packages whose `versions` are known.
        parts: all else that the files depend on; no path that another run would not have.
        outputs: names of the files in ``out_dir``; those that the tool does not write stay away.
        out_dir: where they are.
        run: runs the tool there.
    """

    def pack(path: Path) -> None:
        run()
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=_FAST) as archive:
            for name in outputs:
                if (out_dir / name).exists():
                    archive.write(out_dir / name, name)
        made.append(path)

    made: list[Path] = []
    key = cache.key([repr(versions()), *parts])
    path = cache.kept(_KIND, tool, key, pack)
    if not made:
        with zipfile.ZipFile(path) as archive:
            archive.extractall(out_dir)
