"""The files of the directory of an exponentiator on an engine."""

from typing import Any

from residua.algorithms.conversion import split_words
from residua.cores.exponentiation import ExponentiationCore
from residua.cores.stream_directory import STREAM_MEANINGS, stream_files

_MEANINGS = {
    **STREAM_MEANINGS,
    "operands_payload": "one word of X or Y",
    "result_payload": "one word of the result in the low bits, the flag last in the top bit",
}

_TITLE = "Modular exponentiator in a residue number system"


def exponentiation_description(core: ExponentiationCore) -> dict[str, Any]:
    """The part of a manifest that a core determines."""
    design = core.design
    word = 1 << design.width
    ranges = {
        "x": (0, design.largest_x),
        **({"y": (0, design.largest)} if design.largest else {}),
        "results": (0, design.modulus - 1),
        "words": (0, word - 1),
        "residues": (-word, word - 1),
        "elements": (-design.domain.bound, design.domain.bound),
        "sums": design.processor.sum_range,
        "quotients": design.processor.quotient_range,
    }
    return {
        "specification": core.specification.items(),
        "parameters": core.parameters,
        "cycles": core.cycles,
        "utilisation": core.utilisation,
        "ranges": {name: [str(low), str(high)] for name, (low, high) in ranges.items()},
        "interface": _streams(core),
    }


def exponentiation_files(core: ExponentiationCore) -> dict[str, str]:
    """All files by name, the manifest last."""
    return stream_files(
        core,
        exponentiation_description(core),
        _MEANINGS,
        title=_TITLE,
        subject=f"{_TITLE}, {core.parameters['modulus_bits']} bits",
        header="header_exponentiation.txt",
        readme="README_exponentiation.md",
    )


def _streams(core: ExponentiationCore) -> dict[str, Any]:
    """The streams, and one transaction."""
    design = core.design
    x, y = design.modulus // 3, min(design.modulus - 2, design.largest)
    names = ["x"] if design.exponent else ["x", "y"]
    result = design.expected(x, y)

    def split(*numbers: int) -> list[str]:
        return [
            str(w) for number in numbers for w in split_words(number, design.words, design.width)
        ]

    return {
        "word_bits": design.width,
        "words": design.words,
        "operands": names,
        "order": "lowest word first",
        "example": {
            "x": str(x),
            **({"y": str(y)} if "y" in names else {}),
            "result": str(result),
            "operand_words": split(*(x, y)[: len(names)]),
            "result_words": split(result),
        },
    }
