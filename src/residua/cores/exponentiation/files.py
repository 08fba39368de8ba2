"""The files of the directory of an exponentiator on an engine."""

from typing import Any

from residua.algorithms.conversion import split_words
from residua.cores.exponentiation.core import ExponentiationCore
from residua.cores.stream_directory import STREAM_MEANINGS, stream_files

_MEANINGS = {
    **STREAM_MEANINGS,
    "operands_payload": "one word of X or Y",
    "modulus_payload": "one word of N, of -1 / N modulo M_a or of R^2 modulo N",
    "modulus_valid": "the payload is a word",
    "modulus_ready": "the word is taken in this cycle",
    "result_payload": "one word of the result in the low bits, the flag last in the top bit",
}

_TITLE = "Modular exponentiator in a residue number system"


def exponentiation_description(core: ExponentiationCore) -> dict[str, Any]:
    """The part of a manifest that a core determines."""
    design, powers = core.design, core.powers()
    word = 1 << design.width
    ranges = {
        "x": (0, design.largest_x),
        **({"y": (0, design.largest)} if design.largest else {}),
        "results": (0, powers.modulus - 1),
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
    """The streams, and one transaction: of the largest modulus if it is loaded."""
    design, powers = core.design, core.powers()
    x, y = powers.modulus // 3, min(powers.modulus - 2, design.largest)
    names = ["x"] if design.exponent else ["x", "y"]
    result, loaded = powers.expected(x, y), powers.modulus_words

    def split(*numbers: int) -> list[str]:
        return [
            str(w) for number in numbers for w in split_words(number, design.words, design.width)
        ]

    return {
        "word_bits": design.width,
        "words": design.words,
        "modulus_words": len(loaded),
        "operands": names,
        "order": "lowest word first",
        "example": {
            **({"modulus": str(powers.modulus)} if loaded else {}),
            "x": str(x),
            **({"y": str(y)} if "y" in names else {}),
            "result": str(result),
            **({"modulus_words": [str(word) for word in loaded]} if loaded else {}),
            "operand_words": split(*(x, y)[: len(names)]),
            "result_words": split(result),
        },
    }
