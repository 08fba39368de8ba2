"""The files of a modular inverter's directory."""

from typing import Any

from residua.algorithms.conversion import split_words
from residua.cores.inversion.core import InversionCore
from residua.cores.stream_directory import STREAM_MEANINGS, stream_files
from residua.hardware.inverters.plus_minus_inverter import PlusMinusDesign

_MEANINGS = {
    **STREAM_MEANINGS,
    "operands_payload": "one word of x",
    "result_payload": "one word of 1 / x mod P in the low bits, above it last, then error",
}

_TITLES = {
    "plus-minus": "Plus-minus modular inverter in a residue number system",
    "plus-minus-ct": "Plus-minus modular inverter in a residue number system, padded",
    "division-steps": "Modular inverter by division steps",
    "fermat": "Modular inverter by Fermat's theorem on an RNS engine",
}


def inversion_description(core: InversionCore) -> dict[str, Any]:
    """The part of a manifest that a core determines."""
    design, modulus = core.design, core.design.modulus
    ranges: dict[str, tuple[int, int]] = {
        "x": (1, modulus - 1),
        "results": (0, modulus - 1),
        "words": (0, (1 << design.width) - 1),
    }
    if isinstance(design, PlusMinusDesign):
        largest = max(m.value for m in design.form.base)
        ranges |= {"residues": (-largest, largest - 1), "v": (-modulus, modulus)}
    return {
        "specification": core.specification.items(),
        "parameters": core.parameters,
        "cycles": core.cycles,
        "utilisation": None,
        "ranges": {name: [str(low), str(high)] for name, (low, high) in ranges.items()},
        "interface": _streams(core),
    }


def inversion_files(core: InversionCore) -> dict[str, str]:
    """All files by name, the manifest last."""
    title = _TITLES[core.request.inversion]
    return stream_files(
        core,
        inversion_description(core),
        _MEANINGS,
        title=title,
        subject=f"{title}, {core.parameters['modulus_bits']} bits",
        header="header_inversion.txt",
        readme="README_inversion.md",
    )


def _streams(core: InversionCore) -> dict[str, Any]:
    """The streams, and one transaction."""
    design = core.design
    x = next(x for x in range(design.modulus // 3, design.modulus) if core.expected(x) is not None)
    result = core.expected(x)
    assert result is not None
    words = [
        [str(word) for word in split_words(number, design.words, design.width)]
        for number in (x, result)
    ]
    return {
        "word_bits": design.width,
        "words": design.words,
        "operands": ["x"],
        "order": "lowest word first",
        "example": {
            "x": str(x),
            "result": str(result),
            "operand_words": words[0],
            "result_words": words[1],
        },
    }
