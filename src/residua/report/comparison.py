"""Cores side by side: what was asked for, what they take, and what was found of them."""

from collections.abc import Mapping, Sequence
from typing import Any

from residua.cores.directory import Directory, summary
from residua.cores.kinds import kind_asked
from residua.errors import SpecificationError
from residua.report.clocks import clock_of

Core = dict[str, Any]

_VERIFIED = "verify"
_SYNTHESISED = "synth-"
"""Begins the names of the results of a synthesis; the target follows."""

_RESOURCES = {
    "lut": "LUT",
    "gates": "gates",
    "ff": "FF",
    "dsp": "multipliers",
    "bram": "block memories",
    "memory_bits": "bits of memories",
}

_MOST_VALUES = 4
"""Of a list, up to which they are told."""

NOTHING = "–"
"""In the place of what a core does not have, or what was not found yet."""


def compare(directories: Sequence[Directory]) -> dict[str, Any]:
    """Put what is known of some cores together.

    Args:
        directories: of two cores or more, of any kinds.

    Returns:
        ``cores``, in their order: what `summary` takes of each manifest, the ``directory``, whether
        it is ``verified`` (None if it was not tried), and its ``syntheses`` by target.

    Raises:
        SpecificationError: there are not two, or a result is not as it was written.
    """
    if len(directories) < 2:
        raise SpecificationError("a comparison takes at least 2 directories")
    return {"cores": [_core(directory) for directory in directories]}


def lines(cores: Sequence[Core]) -> list[tuple[str, ...]]:
    """Make the lines of a table: a label, and the text of each core.

    Keys of specifications are there where they differ.
    """
    columns = [_asked(core, cores) | _described(core) | _found(core) for core in cores]
    labels = dict.fromkeys(label for column in columns for label in column)
    return [(label, *(column.get(label, NOTHING) for column in columns)) for label in labels]


def _core(directory: Directory) -> Core:
    results = directory.results()
    verifications = [one["passed"] for name, one in results.items() if name.startswith(_VERIFIED)]
    return {
        **summary(directory.manifest),
        "directory": str(directory.path),
        "verified": all(verifications) if verifications else None,
        "syntheses": {
            name.removeprefix(_SYNTHESISED): found
            for name, found in results.items()
            if name.startswith(_SYNTHESISED)
        },
    }


def _asked(core: Core, cores: Sequence[Core]) -> dict[str, str]:
    """The keys of specifications that differ."""
    own, others = core["specification"], [one["specification"] for one in cores]
    keys = dict.fromkeys(key for one in others for key in one)
    keys.pop("name", None)
    differing = [key for key in keys if any(one.get(key) != own.get(key) for one in others)]
    return {key: _text(own[key]) if key in own else NOTHING for key in differing}


def _text(value: object) -> str:
    """A value of a specification; a curve by its name, long lists by their length."""
    if isinstance(value, Mapping):
        return str(value.get("name", "given"))
    if not isinstance(value, list):
        return str(value)
    if len(value) > _MOST_VALUES:
        return f"{len(value)} values"
    return ", ".join(map(_text, value))


def _described(core: Core) -> dict[str, str]:
    kind = kind_asked(core["specification"])
    return {"kind": kind.name, **dict(kind.rows(core))}


def _found(core: Core) -> dict[str, str]:
    """The outcome of verification, and for each target what a core takes and how fast it is."""
    verdict = {True: "passed", False: "FAILED", None: NOTHING}[core["verified"]]
    found = {"verification": verdict}
    for target, synthesis in core["syntheses"].items():
        timed = dict(kind_asked(core["specification"]).timed(synthesis))
        if clock := clock_of(synthesis):
            timed["clock"] = clock.text
        used = synthesis["resources"]
        taken = {text: str(used[name]) for name, text in _RESOURCES.items() if name in used}
        found |= {f"{label}, {target}": text for label, text in (taken | timed).items()}
    return found
