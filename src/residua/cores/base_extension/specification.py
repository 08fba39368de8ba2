"""What a user may ask for of a base extension alone: the keys of its specification."""

from typing import Annotated, ClassVar, Literal

from pydantic import model_validator

from residua.cores.specification.base import CoreSpecification
from residua.cores.specification.keys import (
    Algorithm,
    BaseA,
    BaseB,
    BasesKey,
    Channels,
    Columns,
    Extension,
    Key,
    LevelsPerRegister,
    Name,
    OptionalModulus,
    ProductRegisters,
    Reduction,
    Rowers,
    ScheduleKey,
    Sigma0,
    Truncation,
    Weight,
    Width,
    check_bases,
    check_extension,
    check_rowers,
    shown,
)
from residua.errors import SpecificationError
from residua.numbers.search import check_columns

QuotientChoice = Literal["exact", "none"]


class BaseExtensionSpecification(CoreSpecification):
    """A checked request for a base extension. ``None`` and ``auto`` leave a choice to Residua."""

    noun: ClassVar[str] = "a base extension"
    algorithms: ClassVar[tuple[str, ...]] = ("base-extension",)

    algorithm: Algorithm = "base-extension"
    modulus: OptionalModulus = None
    width: Width = 17
    channels: Channels = None
    rowers: Rowers = None
    bases: BasesKey = "auto"
    weight: Weight = 3
    base_a: BaseA = None
    base_b: BaseB = None
    quotient: Annotated[
        QuotientChoice,
        Key(
            "Whether a base extension subtracts the quotient that the Cox estimates, so that X "
            "itself comes out, or leaves multiples of M_a; needs `algorithm` base-extension.",
            "`exact`, `none`",
            "`exact`",
            "KIND",
        ),
    ] = "exact"
    truncation: Truncation = None
    sigma0: Sigma0 = None
    extension: Extension = "kawamura"
    columns: Columns = None
    reduction: Reduction = "auto"
    schedule: ScheduleKey = "latency"
    product_registers: ProductRegisters = 0
    levels_per_register: LevelsPerRegister = 1
    name: Name = None

    @model_validator(mode="after")
    def _consistent(self) -> "BaseExtensionSpecification":
        count = check_bases(self.base_a, self.base_b, self.channels)
        if count is None and self.modulus is None:
            raise SpecificationError(
                "modulus or channels is missing: a modulus says which numbers are extended, "
                "channels and width how many moduli of which size there are"
            )
        check_rowers(count, self.rowers)
        check_columns(count, self.rowers, self.row_length)
        return self

    @model_validator(mode="after")
    def _cox_alone(self) -> "BaseExtensionSpecification":
        for name in ("truncation", "sigma0"):
            if self.quotient == "none" and (value := getattr(self, name)) is not None:
                raise SpecificationError(
                    f"{name} = {shown(value)}: without a quotient there is no Cox; leave it out "
                    "or give quotient = 'exact'"
                )
        return self

    @property
    def row_length(self) -> int:
        """c, the moduli in a row; 1 if the extension is not hierarchical."""
        return check_extension(self.extension, self.columns)
