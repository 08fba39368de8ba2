"""The numbers that cores load for a modulus or a key."""

from collections.abc import Sequence

from residua.hardware.bus.commanded_design import Number
from residua.hardware.bus.key_numbers import KeyNumber, Modulus, Source
from residua.hardware.digit.shape import DigitStreams
from residua.hardware.exponentiation.digit_exponentiator import DigitExponentiatorDesign


def of_multiplier(
    streams: DigitStreams, name: str, *, modulus: Modulus = Modulus.N, bits: int | None = None
) -> list[Number]:
    """Those of a multiplier on digits, in the order of its stream.

    Args:
        streams: of the multiplier.
        name: of the modulus.
        modulus: which one of a key it is.
        bits: that the modulus may have at most; by default those of its words.
    """
    found = [
        Number(name, streams.modulus_words, bits, derived=KeyNumber(Source.MODULUS, modulus)),
    ]
    if streams.inverse == "supplied":
        inverse = KeyNumber(Source.DIGIT_INVERSE, modulus, streams.shape.digit)
        found.append(Number(f"-1 / {name} modulo 2^k", 1, derived=inverse))
    return found


def on_digits(
    design: DigitExponentiatorDesign,
    name: str,
    *,
    modulus: Modulus = Modulus.N,
    factor: str = "R",
    bits: int | None = None,
) -> list[Number]:
    """Those of an exponentiator on digits, in the order of its ``load_words``.

    Args:
        design: of the exponentiator.
        name: of the modulus.
        modulus: which one of a key it is.
        factor: name of R.
        bits: that the modulus may have at most; by default those of its words.
    """
    streams, shape = design.streams, design.shape
    found = of_multiplier(streams, name, modulus=modulus, bits=bits)
    square = KeyNumber(Source.ONE, modulus, 2 * shape.factor_bits)
    return [*found, Number(f"{factor}^2 modulo {name}", streams.words, derived=square)]


def on_engine(
    name: str,
    lengths: Sequence[int],
    *,
    modulus: Modulus = Modulus.N,
    bits: int | None = None,
) -> list[Number]:
    """Those of an exponentiator on an engine.

    Args:
        name: of the modulus.
        lengths: words of the three numbers.
        modulus: which one of a key it is.
        bits: that the modulus may have at most; by default those of its words.
    """
    own, inverse, square = lengths
    return [
        Number(name, own, bits, derived=KeyNumber(Source.MODULUS, modulus)),
        Number(
            f"-1 / {name} modulo M_a", inverse, derived=KeyNumber(Source.FACTOR_INVERSE, modulus)
        ),
        Number(f"M_a^2 modulo {name}", square, derived=KeyNumber(Source.FACTOR_SQUARE, modulus)),
    ]


def described(numbers: Sequence[Number]) -> list[dict[str, str | int]]:
    """The numbers of a key as the manifest lists them."""
    return [{"number": number.meaning, "words": number.words} for number in numbers]
