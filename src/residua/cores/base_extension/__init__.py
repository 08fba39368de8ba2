"""Base extensions alone."""

from residua.cores.base_extension.specification import BaseExtensionSpecification
from residua.cores.kind import Kind

KIND = Kind(
    "extension", BaseExtensionSpecification, "residua.cores.base_extension.core:BaseExtensionCore"
)
