"""Description of streams of words for a manifest: their order, and one transaction."""

from collections.abc import Mapping, Sequence
from typing import Any

from residua.algorithms.conversion import split_words


def stream_interface(
    width: int,
    words: int,
    operands: Mapping[str, int],
    result: int,
    *,
    modulus: int | None = None,
    modulus_words: Sequence[int] | None = None,
) -> dict[str, Any]:
    """The streams of a core whose numbers have ``words`` words of ``width`` bits.

    Args:
        width: bits of a word.
        words: those of each operand and of the result.
        operands: their names and those of the transaction, in order.
        result: of the transaction.
        modulus: the one that it is loaded with, if it is loaded.
        modulus_words: what is loaded for it; nothing for a core that could and has it built in,
            None for one that never loads any.
    """

    def split(*numbers: int) -> list[str]:
        return [str(word) for number in numbers for word in split_words(number, words, width)]

    loaded = {} if modulus_words is None else {"modulus_words": len(modulus_words)}
    return {
        "word_bits": width,
        "words": words,
        **loaded,
        "operands": list(operands),
        "order": "lowest word first",
        "example": {
            **({} if modulus is None else {"modulus": str(modulus)}),
            **{name: str(number) for name, number in operands.items()},
            "result": str(result),
            **({"modulus_words": [str(word) for word in modulus_words]} if modulus_words else {}),
            "operand_words": split(*operands.values()),
            "result_words": split(result),
        },
    }
