"""Digit Montgomery multipliers, and exponentiation and RSA on them."""

from residua.cores.digit.specification import DigitSpecification
from residua.cores.kind import Kind

KIND = Kind("digit", DigitSpecification, "residua.cores.digit.core:DigitCore")
