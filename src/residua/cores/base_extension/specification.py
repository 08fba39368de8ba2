"""Keys of the specification of a base extension."""

from typing import Annotated, ClassVar, Literal

from pydantic import model_validator

from residua.cores.specification import keys
from residua.cores.specification.base import ResidueSpecification
from residua.errors import SpecificationError

QuotientChoice = Literal["exact", "none"]


class BaseExtensionSpecification(ResidueSpecification):
    """A checked request for a base extension. ``None`` and ``auto`` leave a choice to Residua."""

    noun: ClassVar[str] = "a base extension"
    algorithms: ClassVar[tuple[str, ...]] = ("base-extension",)

    algorithm: keys.Algorithm = "base-extension"
    modulus: keys.OptionalModulus = None
    width: keys.Width = 17
    channels: keys.Channels = None
    rowers: keys.Rowers = None
    bases: keys.BasesKey = "auto"
    weight: keys.Weight = 3
    base_a: keys.BaseA = None
    base_b: keys.BaseB = None
    quotient: Annotated[
        QuotientChoice,
        keys.Key(
            "Whether a base extension subtracts the quotient that the Cox estimates, so that X "
            "itself comes out, or leaves multiples of M_a; needs `algorithm` base-extension.",
            "`exact`, `none`",
            "`exact`",
            "KIND",
        ),
    ] = "exact"
    truncation: keys.Truncation = None
    sigma0: keys.Sigma0 = None
    extension: keys.Extension = "kawamura"
    columns: keys.Columns = None
    reduction: keys.Reduction = "auto"
    schedule: keys.ScheduleKey = "latency"
    product_registers: keys.ProductRegisters = 0
    levels_per_register: keys.LevelsPerRegister = 1
    name: keys.Name = None

    @model_validator(mode="after")
    def _consistent(self) -> "BaseExtensionSpecification":
        if self.check_shape(self.rowers) is None and self.modulus is None:
            raise SpecificationError(
                "modulus or channels is missing: a modulus says which numbers are extended, "
                "channels and width how many moduli of which size there are"
            )
        return self

    @model_validator(mode="after")
    def _cox_alone(self) -> "BaseExtensionSpecification":
        if self.quotient == "none":
            remedy = "leave it out or give quotient = 'exact'"
            reason = "without a quotient there is no Cox"
            self.refuse(("truncation", "sigma0"), reason, remedy=remedy)
        return self
