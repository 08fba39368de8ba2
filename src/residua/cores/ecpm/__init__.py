"""The point multiplier of 2006 (ECPM), on an extended RNS."""

from residua.cores.ecpm.specification import EcpmSpecification
from residua.cores.kind import Kind

KIND = Kind("ecpm", EcpmSpecification, "residua.cores.ecpm.core:EcpmCore")
