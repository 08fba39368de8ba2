"""Common part of the specifications of multipliers with residues or binary words."""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import model_validator

from residua.cores.specification import keys
from residua.cores.specification.base import ResidueSpecification
from residua.errors import SpecificationError

InterfaceChoice = Literal["residues", "words"]
Interface = Annotated[
    InterfaceChoice,
    keys.Key(
        "Inputs and outputs: the residues of all channels in parallel, or streams of binary words "
        "of w bits, the lowest word first.",
        "`residues`, `words`",
        "`words` with a `bus`, else `residues`",
        "KIND",
    ),
]


class MultiplierSpecification(ResidueSpecification):
    """A request for a multiplier on an engine, with ``interface`` and ``bus``.

    Attributes:
        word_keys: keys that only a core with words has.
    """

    word_keys: ClassVar[tuple[str, ...]] = ("output_multipliers",)

    if TYPE_CHECKING:
        # Each kind has its own place for these keys.
        interface: InterfaceChoice
        output_multipliers: int | None
        bus: keys.BusChoice | None

    @model_validator(mode="before")
    @classmethod
    def _words_on_a_bus(cls, values: Any) -> Any:  # noqa: ANN401 - as pydantic has them
        """Words where there is a bus and nothing else is asked for."""
        if isinstance(values, dict) and values.get("bus") in keys.ON_BUS:
            return {"interface": "words"} | values
        return values

    @model_validator(mode="after")
    def _words_alone(self) -> "MultiplierSpecification":
        if self.interface == "residues":
            reason = "a core with interface = 'residues' has no binary result"
            self.refuse(self.word_keys, reason, remedy="give interface = 'words' too")
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
