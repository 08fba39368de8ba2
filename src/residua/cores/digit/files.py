"""The files of a digit multiplier's directory."""

from typing import Any

from residua.algorithms.conversion import split_words
from residua.cores.digit.core import DigitMontgomeryCore, DigitProducts
from residua.cores.digit.rsa_crt import RsaCrtCore, RsaOperations
from residua.cores.stream_directory import STREAM_MEANINGS, stream_files

_MEANINGS = {
    **STREAM_MEANINGS,
    "operands_payload": "one word of X or Y",
    "result_payload": "one word of the result in the low bits, the flag last above it",
    "modulus_payload": "one word of p, p' or R^2 mod p, or of a key",
    "modulus_valid": "the payload is a word",
    "modulus_ready": "the word is taken in this cycle",
    "modulus_error": "the modulus is even; no product starts",
}

_TITLES = {
    "iddmm": "Digit-digit Montgomery multiplier",
    "r2mm": "Radix-2 Montgomery multiplier",
    "modexp": "Modular exponentiator on a digit-digit Montgomery multiplier",
    "rsa-crt": "RSA with private keys by the Chinese remainder theorem, checked",
    "mwr2mm": "Multiple-word radix-2 Montgomery multiplier",
}


def digit_description(core: DigitMontgomeryCore) -> dict[str, Any]:
    """The part of a manifest that a core determines."""
    products = core.products()
    domain = products.domain
    ranges = {
        "x": (0, products.largest_x),
        **({"y": (0, products.largest)} if products.largest else {}),
        "results": (0, domain.largest_result),
        "words": (0, (1 << products.width) - 1),
        **core.kept,
    }
    return {
        "specification": core.specification.items(),
        "parameters": core.parameters,
        "cycles": core.cycles,
        "utilisation": core.utilisation,
        "counts": {name: getattr(core.counts, name) for name in ("steps", "products", "additions")},
        "ranges": {name: [str(low), str(high)] for name, (low, high) in ranges.items()},
        "interface": _streams(products),
    }


def digit_files(core: DigitMontgomeryCore) -> dict[str, str]:
    """All files by name, the manifest last."""
    title = _TITLES[core.request.algorithm]
    return stream_files(
        core,
        digit_description(core),
        _MEANINGS,
        title=title,
        subject=f"{title} of {core.shape.bits} bits",
        header="header_digit.txt",
        readme="README_rsa.md" if isinstance(core, RsaCrtCore) else "README_digit.md",
        domain=core.products().domain,
    )


def _streams(products: DigitProducts) -> dict[str, Any]:
    """The streams, and one transaction: of the largest modulus if it is loaded."""
    domain, width, words = products.domain, products.width, products.words
    modulus = domain.modulus
    x, y = modulus // 3, min(modulus - 2, products.largest)
    names = ["x", "y"] if products.operand_words > words else ["x"]
    result = products.expected(x, y)
    loaded = products.design.domain is None
    streams: dict[str, Any] = {
        "word_bits": width,
        "words": words,
        "modulus_words": len(products.modulus_words),
        "operands": names,
        "order": "lowest word first",
        "example": {
            **({"modulus": str(modulus)} if loaded else {}),
            "x": str(x),
            **({"y": str(y)} if "y" in names else {}),
            "result": str(result),
            **({"modulus_words": [str(w) for w in products.modulus_words]} if loaded else {}),
            "operand_words": [
                str(word)
                for number in (x, y)[: len(names)]
                for word in split_words(number, words, width)
            ],
            "result_words": [str(word) for word in split_words(result, words, width)],
        },
    }
    if isinstance(products, RsaOperations):
        _add_key(streams, products)
    return streams


def _add_key(streams: dict[str, Any], products: RsaOperations) -> None:
    """The numbers of a key, and those of the example."""
    design, key = products.rsa, products.key
    half, whole = (unit.streams for unit in (design.half, design.whole))
    parts = []
    for name, unit, factor in (("p", half, "R"), ("q", half, "R"), ("N", whole, "R'")):
        parts.append((name, unit.modulus_words))
        parts += [(f"{name}'", 1)] if unit.inverse == "supplied" else []
        parts.append((f"{factor}^2 modulo {name}", unit.words))
    constants = {
        "L R modulo p": "shift_p", "1 / e modulo p - 1": "d_p",
        "L R modulo q": "shift_q", "1 / e modulo q - 1": "d_q",
        "R / q modulo p": "coefficient", "-R / q modulo p": "negative_coefficient",
        "q R' modulo N": "q",
    }  # fmt: skip
    parts += [(text, design.spans[name].count) for text, name in constants.items()]
    streams["key"] = [{"number": number, "words": count} for number, count in parts]
    streams["half_factor_bits"] = half.shape.factor.bit_length() - 1
    streams["low_bits"] = design.width * design.low_words
    streams["example"] |= {"p": str(key.p), "q": str(key.q)}
