"""The files of a modular inverter's directory."""

from typing import Any

from residua.algorithms.conversion import split_words
from residua.cores.integration import integration_files
from residua.cores.inversion import InversionCore
from residua.cores.manifest import SPECIFICATION, begun, commented, completed, ports, render
from residua.hardware.plus_minus_inverter import PlusMinusDesign
from residua.hardware.rtl import emit

_MEANINGS = {
    "clk": "clock, rising edge",
    "rst": "synchronous reset, active high",
    "operands_payload": "one word of x",
    "operands_valid": "the payload is a word",
    "operands_ready": "the word is taken in this cycle",
    "result_payload": "one word of 1 / x mod P in the low bits, above it last, then error",
    "result_valid": "the payload is a word",
    "result_ready": "the word is taken in this cycle",
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
    specification, rtl = core.specification.toml(), emit(core.component(), core.name)
    top = f"rtl/{core.name}.v"
    manifest: dict[str, Any] = {
        **begun(core.name, core.name, specification),
        **inversion_description(core),
        "ports": ports(rtl[top], core.name, _MEANINGS.__getitem__),
    }
    title = _TITLES[core.request.inversion]
    names = {"hexes": _hexes, "title": title}
    rtl[top] = commented(render("header_inversion.txt", manifest, **names)) + rtl[top]
    files = {
        SPECIFICATION: specification,
        "README.md": render("README_inversion.md", manifest, **names),
        **rtl,
        **integration_files(manifest, f"{title}, {core.parameters['modulus_bits']} bits"),
    }
    return completed(manifest, files)


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


def _hexes(words: list[str]) -> str:
    return " ".join(f"{int(word):x}" for word in words)
