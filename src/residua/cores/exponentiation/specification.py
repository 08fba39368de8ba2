"""What a user may ask for of an exponentiator on an engine: the keys of its specification."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import model_validator

from residua.cores.digit.specification import (
    Exponent,
    ExponentBits,
    Unit,
    Window,
    check_modulus_or_bits,
)
from residua.cores.specification.base import CoreSpecification
from residua.cores.specification.keys import (
    FEWEST_BITS,
    MODULUS_BITS,
    MOST_BITS,
    Algorithm,
    BaseA,
    BaseB,
    BasesKey,
    Channels,
    Columns,
    Extension,
    LevelsPerRegister,
    Name,
    OptionalModulus,
    ProductRegisters,
    Reduction,
    Rowers,
    Weight,
    Width,
    check_bases,
    check_extension,
    check_rowers,
    shown,
    within,
)
from residua.errors import SpecificationError
from residua.numbers.search import check_columns

UNIT: Literal["rns-montgomery"] = "rns-montgomery"
"""What makes an exponentiator one on an engine."""


class ExponentiationSpecification(CoreSpecification):
    """A checked request for an exponentiator. ``None`` and ``auto`` leave a choice to Residua."""

    noun: ClassVar[str] = "an exponentiator on an engine"
    algorithms: ClassVar[tuple[str, ...]] = ("modexp",)

    algorithm: Algorithm = "modexp"
    unit: Unit = UNIT
    modulus: OptionalModulus = None
    bits: Annotated[Annotated[int, within(FEWEST_BITS, MOST_BITS)] | None, MODULUS_BITS] = None
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
        check_modulus_or_bits(self.modulus, self.bits)
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

    @classmethod
    def asked_by(cls, values: Mapping[str, Any]) -> bool:
        """Whether the unit is an engine; without one an exponentiator is on digits."""
        return super().asked_by(values) and values.get("unit") == UNIT

    @property
    def row_length(self) -> int:
        """c, the moduli in a row; 1 if extensions are not hierarchical."""
        return check_extension(self.extension, self.columns)

    @property
    def length(self) -> int:
        """Bits of the modulus, or of the longest one."""
        return self.bits or (self.modulus or 0).bit_length()
