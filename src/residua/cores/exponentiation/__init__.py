"""Modular exponentiators on a Cox-Rower engine."""

from residua.cores.exponentiation.specification import ExponentiationSpecification
from residua.cores.kind import Kind

KIND = Kind(
    "exponentiation",
    ExponentiationSpecification,
    "residua.cores.exponentiation.core:ExponentiationCore",
)
