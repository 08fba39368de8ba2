"""Common part of the specifications of all cores."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel, ConfigDict, field_validator

from residua.cores.specification.combinations import check_bases, check_extension, check_rowers
from residua.cores.specification.keys import ExtensionChoice, shown
from residua.cores.specification.toml import plain_items, toml_text
from residua.errors import SpecificationError
from residua.numbers.catalogue import modulus_name
from residua.numbers.search import check_columns


class CoreSpecification(BaseModel):
    """A checked request for a core. ``None`` and ``auto`` leave a choice to Residua.

    Every field of a kind has a `residua.cores.specification.keys.Key` that describes it;
    ``algorithm`` is the first one, ``name`` the last.

    Attributes:
        noun: what messages call such a core, with an article.
        nouns: what they call one by its algorithm, where that says more.
        algorithms: the values of ``algorithm`` that ask for one.
        asked_with: what asks for one, beside an algorithm that other kinds have, too; else empty.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    noun: ClassVar[str]
    nouns: ClassVar[Mapping[str, str]] = {}
    asked_with: ClassVar[str] = ""
    algorithms: ClassVar[tuple[str, ...]]

    @field_validator("algorithm", mode="before", check_fields=False)
    @classmethod
    def _own_algorithm(cls, value: object) -> object:
        if value not in cls.algorithms:
            raise ValueError("")
        return value

    @classmethod
    def asked_by(cls, values: Mapping[str, Any]) -> bool:
        """Whether values with such an algorithm ask for this kind of core."""
        return values["algorithm"] in cls.algorithms

    @classmethod
    def called(cls, values: Mapping[str, Any]) -> str:
        """What messages call the core that values ask for, with an article."""
        return cls.nouns.get(str(values.get("algorithm")), cls.noun)

    @property
    def named_keys(self) -> frozenset[str]:
        """Keys whose values the standard names in a core's default name tell."""
        return frozenset({"modulus"} if modulus_name(getattr(self, "modulus", None) or 0) else ())

    def refuse(self, names: Iterable[str], reason: str, *, remedy: str = "leave it out") -> None:
        """Refuse values of these keys, which another choice makes meaningless.

        Raises:
            SpecificationError: a key has a value; ``reason`` and ``remedy`` end the message.
        """
        for name in names:
            if (value := getattr(self, name)) is not None:
                raise SpecificationError(f"{name} = {shown(value)}: {reason}; {remedy}")

    def items(self) -> dict[str, Any]:
        """The keys that have a value, in order, in the types that TOML and JSON have."""
        return plain_items(self)

    def toml(self) -> str:
        """The specification as a TOML file, without what is left open."""
        return toml_text(self.items())


class ResidueSpecification(CoreSpecification):
    """A request for a core on residues in two bases, with rowers and base extensions."""

    if TYPE_CHECKING:
        # Each kind has its own place for these keys, and its own rule for ``rowers``.
        channels: int | None
        base_a: tuple[int, ...] | None
        base_b: tuple[int, ...] | None
        extension: ExtensionChoice
        columns: int | None

    @property
    def row_length(self) -> int:
        """c, the moduli in a row; 1 if extensions are not hierarchical."""
        return check_extension(self.extension, self.columns)

    def check_shape(self, rowers: int | None) -> int | None:
        """The number of channels that bases and ``channels`` agree on, None if neither is there.

        Raises:
            SpecificationError: they contradict each other, the rowers or the rows.
        """
        count = check_bases(self.base_a, self.base_b, self.channels)
        check_rowers(count, rowers)
        check_columns(count, rowers, self.row_length)
        return count
