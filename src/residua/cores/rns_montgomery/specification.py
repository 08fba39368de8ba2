"""Keys of the specification of an RNS Montgomery multiplier."""

from typing import Annotated, ClassVar, Literal

from pydantic import model_validator

from residua.cores.specification import keys
from residua.cores.specification.words import Interface, MultiplierSpecification

FormChoice = Literal["auto", "quadratic", "reordered"]
ResultChoice = Literal["montgomery", "plain"]


class RnsMontgomerySpecification(MultiplierSpecification):
    """A checked request. ``None`` and ``auto`` leave a choice to Residua."""

    noun: ClassVar[str] = "a multiplier"
    algorithms: ClassVar[tuple[str, ...]] = ("rns-montgomery",)
    word_keys: ClassVar[tuple[str, ...]] = ("result", "output_multipliers")

    algorithm: keys.Algorithm = "rns-montgomery"
    modulus: keys.Modulus
    width: keys.Width = 17
    channels: keys.Channels = None
    rowers: keys.Rowers = None
    bases: keys.BasesKey = "auto"
    weight: keys.Weight = 3
    base_a: keys.BaseA = None
    base_b: keys.BaseB = None
    truncation: keys.Truncation = None
    sigma0: keys.Sigma0 = None
    form: Annotated[
        FormChoice,
        keys.Key(
            "Factors that residues carry: `quadratic` saves a step (2n^2 + 3n products instead of "
            "2n^2 + 4n).",
            "`auto`, `quadratic`, `reordered`",
            "`auto`: quadratic if the bases allow it, else reordered",
            "FORM",
            panel=keys.SELDOM,
        ),
    ] = "auto"
    extension: keys.Extension = "kawamura"
    columns: keys.Columns = None
    reduction: keys.Reduction = "auto"
    schedule: keys.ScheduleKey = "latency"

    interface: Interface = "residues"
    result: Annotated[
        ResultChoice | None,
        keys.Key(
            "Result of a core with words: the Montgomery product X Y R^-1 mod P, or X Y mod P; "
            "needs `interface` words.",
            "`montgomery`, `plain`",
            "`montgomery`",
            "KIND",
        ),
    ] = None
    output_multipliers: keys.OutputMultipliers = None
    product_registers: keys.ProductRegisters = 0
    levels_per_register: keys.LevelsPerRegister = 1
    bus: keys.OptionalBus = None

    name: keys.Name = None

    @model_validator(mode="after")
    def _consistent(self) -> "RnsMontgomerySpecification":
        self.check_shape(self.rowers)
        return self
