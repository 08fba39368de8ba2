"""Modular inverters."""

from residua.cores.inversion.specification import InversionSpecification
from residua.cores.kind import Kind

KIND = Kind("inversion", InversionSpecification, "residua.cores.inversion.core:InversionCore")
