"""The point multiplier of 2006 in an extended RNS."""

from residua.cores.extended_rns.specification import ExtendedSpecification
from residua.cores.kind import Kind

KIND = Kind("ecpm", ExtendedSpecification, "residua.cores.extended_rns.core:ExtendedCore")
