"""Elliptic-curve coprocessors, on a Cox-Rower engine or on digits."""

from residua.cores.coprocessor.digits.specification import DigitCoprocessorSpecification
from residua.cores.coprocessor.specification import CoprocessorSpecification
from residua.cores.kind import Kind

KIND = Kind(
    "coprocessor",
    CoprocessorSpecification,
    "residua.cores.coprocessor.engine.core:EngineCoprocessorCore",
)
ON_DIGITS = Kind(
    "coprocessor-on-digits",
    DigitCoprocessorSpecification,
    "residua.cores.coprocessor.digits.core:DigitCoprocessorCore",
)
