"""Keys of the specification of an RNS Montgomery multiplier."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import model_validator

from residua.cores.specification import keys
from residua.cores.specification.base import ResidueSpecification
from residua.errors import SpecificationError

FormChoice = Literal["auto", "quadratic", "reordered"]
Interface = Literal["residues", "words"]
ResultChoice = Literal["montgomery", "plain"]

_WORD_KEYS = ("result", "output_multipliers")
"""Keys that only a core with words has."""


class RnsMontgomerySpecification(ResidueSpecification):
    """A checked request. ``None`` and ``auto`` leave a choice to Residua."""

    noun: ClassVar[str] = "a multiplier"
    algorithms: ClassVar[tuple[str, ...]] = ("rns-montgomery",)

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

    interface: Annotated[
        Interface,
        keys.Key(
            "Inputs and outputs: the residues of all channels in parallel, or streams of binary "
            "words of w bits, the lowest word first.",
            "`residues`, `words`",
            "`words` with a `bus`, else `residues`",
            "KIND",
        ),
    ] = "residues"
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

    @model_validator(mode="before")
    @classmethod
    def _words_on_a_bus(cls, values: Any) -> Any:  # noqa: ANN401 - as pydantic has them
        """Words where there is a bus and nothing else is asked for."""
        if isinstance(values, dict) and values.get("bus") in keys.ON_BUS:
            return {"interface": "words"} | values
        return values

    @model_validator(mode="after")
    def _consistent(self) -> "RnsMontgomerySpecification":
        self.check_shape(self.rowers)
        return self

    @model_validator(mode="after")
    def _words_alone(self) -> "RnsMontgomerySpecification":
        if self.interface == "residues":
            reason = "a core with interface = 'residues' has no binary result"
            self.refuse(_WORD_KEYS, reason, remedy="give interface = 'words' too")
            if self.bus in keys.ON_BUS:
                raise SpecificationError(
                    f"bus = '{self.bus}': binary words go through a bus; give interface = 'words', "
                    "or leave interface out"
                )
        return self

    def items(self) -> dict[str, Any]:
        """The keys that have a value, in order, in the types that TOML and JSON have.

        ``interface`` is among them for ``words`` only, as are the keys that belong to it.
        """
        items = super().items()
        if self.interface == "residues":
            items.pop("interface")
        return items
