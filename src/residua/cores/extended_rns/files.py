"""The files of an extended-RNS point multiplier's directory."""

from typing import Any

from residua.algorithms.conversion import split_words
from residua.cores.extended_rns.core import ExtendedCore, Numbers
from residua.cores.stream_directory import STREAM_MEANINGS, stream_files

_MEANINGS = {
    **STREAM_MEANINGS,
    "operands_payload": "one word of the operands",
    "result_payload": "one word of the result in the low bits, the flag last in the top bit",
}

_TITLES = {
    "multiply": "Extended-RNS point multiplier",
    "add": "Extended-RNS point adder",
    "double": "Extended-RNS point doubler",
}


def extended_description(core: ExtendedCore) -> dict[str, Any]:
    """The part of a manifest that a core determines."""
    design = core.design
    ranges = {
        "coordinates": (0, design.prime - 1),
        **({"scalars": (0, (1 << design.scalar_bits) - 1)} if design.scalar_words else {}),
        "values": (-design.largest, design.largest),
        "held": (-design.base.largest, design.base.largest),
        "words": (0, (1 << design.width) - 1),
    }
    return {
        "kind": "ecpm",
        "specification": core.specification.items(),
        "parameters": core.parameters,
        "cycles": core.cycles,
        "utilisation": core.utilisation,
        "ranges": {name: [str(low), str(high)] for name, (low, high) in ranges.items()},
        "interface": _streams(core),
    }


def extended_files(core: ExtendedCore) -> dict[str, str]:
    """All files by name, the manifest last."""
    title = _TITLES[core.design.operation]
    return stream_files(
        core,
        extended_description(core),
        _MEANINGS,
        title=title,
        subject=f"{title} on {core.curve.name}",
        header="header_extended.txt",
        readme="README_extended.md",
    )


def operand_words(core: ExtendedCore, numbers: Numbers) -> list[int]:
    """The words of operands in their order."""
    design = core.design
    words: list[int] = []
    for place, number in enumerate(numbers):
        scalar = place == 0 and bool(design.scalar_words)
        count = design.scalar_words if scalar else design.number_words
        words += split_words(number, count, design.width)
    return words


def result_words(core: ExtendedCore, numbers: Numbers) -> list[int]:
    """The words of a result in their order."""
    design = core.design
    return [w for n in numbers for w in split_words(n, design.number_words, design.width)]


def _streams(core: ExtendedCore) -> dict[str, Any]:
    """The streams, and one transaction."""
    design, curve = core.design, core.curve
    names = {
        "multiply": ["k", "X", "Y", "Z"],
        "add": ["X0", "Y0", "Z0", "X1", "Y1", "Z1"],
        "double": ["X1", "Y1", "Z1"],
    }[design.operation]
    point = (curve.x, curve.y, 1)
    doubled = (curve.x * 4 % curve.prime, curve.y * 8 % curve.prime, 2)
    values: Numbers = {
        "multiply": ((1 << design.scalar_bits) // 3, *point),
        "add": (*point, *doubled[:1], -doubled[1] % curve.prime, 2),
        "double": point,
    }[design.operation]
    result = core.model(values)
    return {
        "word_bits": design.width,
        "number_words": design.number_words,
        "scalar_words": design.scalar_words,
        "operands": names,
        "results": ["X2", "Y2", "Z2"],
        "order": "lowest word first",
        "example": {
            "operands": [str(value) for value in values],
            "result": [str(value) for value in result],
            "operand_words": [str(word) for word in operand_words(core, values)],
            "result_words": [str(word) for word in result_words(core, result)],
        },
    }
