"""What a user may ask for of an exponentiator on an engine: the keys of its specification."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, model_validator

from residua.cores.digit_specification import Exponent, ExponentBits, Unit, Window
from residua.cores.specification_keys import (
    Algorithm,
    BaseA,
    BaseB,
    BasesKey,
    Channels,
    Columns,
    Extension,
    LevelsPerRegister,
    Modulus,
    Name,
    ProductRegisters,
    Reduction,
    Rowers,
    Weight,
    Width,
    check_algorithm,
    check_bases,
    check_extension,
    check_rowers,
    plain_items,
    shown,
    toml_text,
)
from residua.errors import SpecificationError
from residua.numbers.search import check_columns

UNIT: Literal["rns-montgomery"] = "rns-montgomery"
"""What makes an exponentiator one on an engine."""


class ExponentiationSpecification(BaseModel):
    """A checked request for an exponentiator. ``None`` and ``auto`` leave a choice to Residua."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    algorithm: Algorithm = "modexp"
    unit: Unit = UNIT
    modulus: Modulus
    window: Window = None
    exponent_bits: ExponentBits = None
    exponent: Exponent = None
    width: Width = 17
    channels: Channels = None
    rowers: Rowers = None
    bases: BasesKey = "auto"
    weight: Weight = 3
    base_a: BaseA = None
    base_b: BaseB = None
    extension: Extension = "kawamura"
    columns: Columns = None
    reduction: Reduction = "auto"
    product_registers: ProductRegisters = 0
    levels_per_register: LevelsPerRegister = 1
    name: Name = None

    @model_validator(mode="after")
    def _consistent(self) -> "ExponentiationSpecification":
        check_algorithm(self.algorithm, "modexp")
        count = check_bases(self.base_a, self.base_b, self.channels)
        check_rowers(count, self.rowers)
        check_columns(count, self.rowers, self.row_length)
        if self.exponent is not None:
            for name in ("window", "exponent_bits"):
                if (value := getattr(self, name)) is not None:
                    raise SpecificationError(
                        f"{name} = {shown(value)}: exponent = {self.exponent} is the only "
                        "exponent; leave it out"
                    )
        return self

    @property
    def row_length(self) -> int:
        """c, the moduli in a row; 1 if extensions are not hierarchical."""
        return check_extension(self.extension, self.columns)

    def items(self) -> dict[str, Any]:
        """The keys that have a value, in order, in the types that TOML and JSON have."""
        return plain_items(self)

    def toml(self) -> str:
        """The specification as a TOML file, without what is left open."""
        return toml_text(self.items())
