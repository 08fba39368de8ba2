"""RNS Montgomery multipliers."""

from residua.cores.kind import Kind
from residua.cores.rns_montgomery.specification import RnsMontgomerySpecification

KIND = Kind(
    "multiplier", RnsMontgomerySpecification, "residua.cores.rns_montgomery.core:RnsMontgomeryCore"
)
