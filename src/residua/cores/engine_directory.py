"""The files of a directory whose core is one engine with one program."""

from typing import Any

from residua.algorithms.conversion import split_words
from residua.algorithms.terms import Residues
from residua.cores.base_extension.core import BaseExtensionCore
from residua.cores.base_extension.specification import BaseExtensionSpecification
from residua.cores.integration import integration_files
from residua.cores.manifest import SPECIFICATION, begun, commented, completed, ports, render
from residua.cores.rns_montgomery.core import RnsMontgomeryCore
from residua.cores.rns_montgomery.specification import Specification
from residua.cores.single_base.core import SingleBaseCore
from residua.cores.single_base.specification import SingleBaseSpecification
from residua.hardware.converters.word_core import WordDesign
from residua.hardware.rtl import emit
from residua.machines.slots import Word

_MEANINGS = {
    "clk": "clock, rising edge",
    "rst": "synchronous reset, active high",
    "enable": "runs may start while it is 1",
    "operands_payload": "one operand word of every rower; rower r in bits (w+1)r to (w+1)r + w",
    "operands_valid": "the payload is a word",
    "operands_ready": "the word is taken in this cycle",
    "result": "one result word of every rower, arranged as the operands",
    "result_valid": "the result is there, in this cycle only",
    "result_word": "which of the result words it is",
}

_WORD_MEANINGS = {
    **_MEANINGS,
    "operands_payload": "one word of X or Y",
    "result_payload": "one word of the result in the low bits, the flag last in the top bit",
    "result_valid": "the payload is a word",
    "result_ready": "the word is taken in this cycle",
}

AnyEngineCore = RnsMontgomeryCore | BaseExtensionCore | SingleBaseCore
"""A core that is one engine with one program."""

AnyEngineSpecification = Specification | BaseExtensionSpecification | SingleBaseSpecification
"""What such a core is made of."""


def engine_core(specification: AnyEngineSpecification) -> AnyEngineCore:
    """The core that a specification of one asks for."""
    if isinstance(specification, SingleBaseSpecification):
        return SingleBaseCore(specification)
    if isinstance(specification, BaseExtensionSpecification):
        return BaseExtensionCore(specification)
    return RnsMontgomeryCore(specification)


def _description(core: AnyEngineCore) -> dict[str, Any]:
    """The part of a manifest that a core determines."""
    return {
        "specification": core.specification.items(),
        "parameters": core.parameters,
        "cycles": core.cycles,
        "utilisation": core.utilisation,
        "ranges": _ranges(core),
        "interface": _interface(core),
    }


def _ranges(core: AnyEngineCore) -> dict[str, list[str]]:
    """Closed intervals, as decimal strings."""
    word = 1 << core.width
    if isinstance(core, BaseExtensionCore | SingleBaseCore):
        ranges = core.ranges
    elif core.words:
        ranges = {
            "x": (0, core.words.largest_x),
            "y": (0, core.words.largest),
            "results": core.result_range,
            "words": (0, word - 1),
            "residues": (-word, word - 1),
        }
    else:
        ranges = {
            "operands": (-core.domain.bound, core.domain.bound),
            "results": core.result_range,
            "words": (-word, word - 1),
        }
    ranges["sums"] = core.design.sum_range
    if core.design.estimate:
        ranges["quotients"] = core.design.quotient_range
    return {name: [str(low), str(high)] for name, (low, high) in ranges.items()}


def _interface(core: AnyEngineCore) -> dict[str, Any]:
    """The words of the interface, in their order."""
    if core.words:
        return _streams(core.words)
    schedule = core.design.schedule
    return {
        "word_bits": core.width + 1,
        "operands": [_word(core, word) for word in schedule.inputs],
        "results": [_word(core, word) for word in schedule.outputs],
    }


def _streams(design: WordDesign) -> dict[str, Any]:
    """The streams of a core with words, and one transaction."""
    modulus = design.domain.modulus
    x, y = modulus // 3, modulus - 2
    product = design.expected(x, y)
    operands = [*_split(design, x), *_split(design, y)]
    return {
        "word_bits": design.width,
        "words": design.words,
        "operands": ["x", "y"],
        "order": "lowest word first",
        "example": {
            "x": str(x),
            "y": str(y),
            "result": str(product),
            "operand_words": operands,
            "result_words": _split(design, product),
        },
    }


def _split(design: WordDesign, number: int) -> list[str]:
    return [str(word) for word in split_words(number, design.words, design.width)]


def _word(core: AnyEngineCore, word: Word) -> dict[str, Any]:
    """A word of the interface: the vector that it belongs to and the channels of its rowers."""
    schedule, rowers = core.design.schedule, core.design.rowers
    first = word.group * rowers
    vector = schedule.values[word.value]
    found: dict[str, Any] = {"vector": vector, "channels": [first, first + rowers - 1]}
    if word in schedule.outputs and core.design.lanes > 1:
        found["vector"], found["beside"] = (value.name for value in schedule.held(word))
    if core.design.narrow:
        vectors = [*core.program.inputs, *core.program.outputs]
        own = next(v for v in vectors if isinstance(v, Residues) and v.name == found["vector"])
        found["extra"] = own.base.narrow and word.group == 0
    return found


def _words(words: list[dict[str, Any]]) -> list[str]:
    return [
        "{vector}[{channels[0]}..{channels[1]}]".format(**word)
        + (f" beside {word['beside']}" if "beside" in word else "")
        + (" and m_gamma" if word.get("extra") else "")
        for word in words
    ]


def _signed_hex(number: int) -> str:
    return f"{number:#x}"


def engine_files(core: AnyEngineCore) -> dict[str, str]:
    """All files by name, the manifest last."""
    specification, rtl = core.specification.toml(), emit(core.component(), core.name)
    top = f"rtl/{core.name}.v"
    meanings = _WORD_MEANINGS if core.words else _MEANINGS
    manifest: dict[str, Any] = {
        **begun(core.name, core.name, specification),
        **_description(core),
        "ports": ports(rtl[top], core.name, meanings.__getitem__),
    }
    suffix = _suffix(core)
    names = {"domain": core.domain, "words": _words, "signed": _signed_hex}
    rtl[top] = commented(render(f"header{suffix}.txt", manifest, **names)) + rtl[top]
    readme = render(f"README{suffix}.md", manifest, **names)
    files = {SPECIFICATION: specification, "README.md": readme, **rtl}
    files |= integration_files(manifest, _title(core))
    return completed(manifest, files)


def _suffix(core: AnyEngineCore) -> str:
    """What the names of a core's templates end in."""
    if isinstance(core, BaseExtensionCore):
        return "_extension"
    if isinstance(core, SingleBaseCore):
        return "_sbmm"
    return "_words" if core.words else ""


def _title(core: AnyEngineCore) -> str:
    """The core in one line."""
    if isinstance(core, BaseExtensionCore):
        return f"RNS base extension of {core.channels} channels of {core.width} bits"
    if isinstance(core, SingleBaseCore):
        bits = core.parameters["modulus_bits"]
        return f"SBMM multiplier modulo a prime M_a^2 - 2 of {bits} bits"
    return f"RNS Montgomery multiplier modulo {_modulus(core)}"


def _modulus(core: RnsMontgomeryCore) -> str:
    """The modulus in words."""
    name = core.parameters["modulus_name"]
    bits = core.parameters["modulus_bits"]
    return f"the prime of {name}" if name else f"a number of {bits} bits"
