"""Keys of the specification of a modular inverter."""

from typing import Annotated, Any, ClassVar

import gmpy2
from pydantic import model_validator

from residua.cores.specification import keys
from residua.cores.specification.base import CoreSpecification
from residua.cores.specification.keys import shown
from residua.errors import SpecificationError

MOST_COX_REGISTERS = 3

_PLUS_MINUS = ("plus-minus", "plus-minus-ct")

_OWN_KEYS = {
    "channels": ("fermat", *_PLUS_MINUS),
    "truncation": _PLUS_MINUS,
    "cox_registers": _PLUS_MINUS,
    "levels_per_register": ("fermat",),
}
"""Keys that only some methods have."""


class InversionSpecification(CoreSpecification):
    """A checked request for a modular inverter. ``None`` leaves a choice to Residua."""

    noun: ClassVar[str] = "an inverter"
    algorithms: ClassVar[tuple[str, ...]] = ("inversion",)

    algorithm: keys.Algorithm = "inversion"
    modulus: keys.Modulus
    inversion: Annotated[keys.InversionChoice, keys.INVERSION_KEY] = "division-steps"
    width: keys.Width = 17
    channels: keys.Channels = None
    truncation: keys.Truncation = None
    cox_registers: Annotated[
        Annotated[int, keys.within(0, MOST_COX_REGISTERS)] | None,
        keys.Key(
            "Registers in the Cox of a plus-minus inverter: each makes an operation a cycle longer "
            "and the clock faster.",
            f"0 to {MOST_COX_REGISTERS}",
            "0",
            "N",
        ),
    ] = None
    levels_per_register: keys.LevelsPerRegister = 1
    bus: keys.OptionalBus = None
    name: keys.Name = None

    @model_validator(mode="after")
    def _consistent(self) -> "InversionSpecification":
        for name, methods in _OWN_KEYS.items():
            value = getattr(self, name)
            chosen = value != type(self).model_fields[name].default
            if chosen and self.inversion not in methods:
                raise SpecificationError(
                    f"{name} = {shown(value)}: inversion = '{self.inversion}' has no such choice; "
                    "leave it out"
                )
        if self.inversion in _PLUS_MINUS:
            return self
        if not gmpy2.is_prime(self.modulus):
            raise SpecificationError(
                f"inversion = '{self.inversion}' needs a prime modulus; for a composite one give "
                "inversion = 'plus-minus' or 'plus-minus-ct'"
            )
        return self

    @property
    def plus_minus(self) -> bool:
        """Whether the method is one of those on an RNS."""
        return self.inversion in _PLUS_MINUS

    def items(self) -> dict[str, Any]:
        """The keys that have a value, in order, in the types that TOML and JSON have."""
        items = super().items()
        if self.inversion != "fermat":
            items.pop("levels_per_register")
        return items
