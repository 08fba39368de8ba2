"""RNS Montgomery multipliers."""

from residua.cores.kind import Kind
from residua.cores.rns_montgomery.specification import Specification

KIND = Kind("multiplier", Specification, "residua.cores.rns_montgomery.core:RnsMontgomeryCore")
