"""What a user may ask for of an RNS Montgomery multiplier: the keys of its specification."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import model_validator

from residua.cores.specification.base import CoreSpecification
from residua.cores.specification.keys import (
    CHANNELS,
    Algorithm,
    BaseA,
    BaseB,
    BasesKey,
    Channels,
    Columns,
    Extension,
    Key,
    LevelsPerRegister,
    Modulus,
    Name,
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

FormChoice = Literal["auto", "quadratic", "reordered"]
Interface = Literal["residues", "words"]
ResultChoice = Literal["montgomery", "plain"]

_WORD_KEYS = ("result", "output_multipliers")
"""Keys that only a core with words has."""


class Specification(CoreSpecification):
    """A checked request. ``None`` and ``auto`` leave a choice to Residua."""

    noun: ClassVar[str] = "a multiplier"
    algorithms: ClassVar[tuple[str, ...]] = ("rns-montgomery",)

    algorithm: Algorithm = "rns-montgomery"
    modulus: Modulus
    width: Width = 17
    channels: Channels = None
    rowers: Rowers = None
    bases: BasesKey = "auto"
    weight: Weight = 3
    base_a: BaseA = None
    base_b: BaseB = None
    truncation: Truncation = None
    sigma0: Sigma0 = None
    form: Annotated[
        FormChoice,
        Key(
            "Which factors residues carry: `quadratic` saves a step (2n^2 + 3n products instead of "
            "2n^2 + 4n).",
            "`auto`, `quadratic`, `reordered`",
            "`auto`: quadratic if the bases allow it, else reordered",
            "FORM",
        ),
    ] = "auto"
    extension: Extension = "kawamura"
    columns: Columns = None
    reduction: Reduction = "auto"
    schedule: ScheduleKey = "latency"

    interface: Annotated[
        Interface,
        Key(
            "What goes in and out: the residues of all channels in parallel, or streams of binary "
            "words of w bits, the lowest word first.",
            "`residues`, `words`",
            "`residues`",
            "KIND",
        ),
    ] = "residues"
    result: Annotated[
        ResultChoice | None,
        Key(
            "What a core with words computes: the Montgomery product X Y R^-1 mod P, or X Y mod P; "
            "needs `interface` words.",
            "`montgomery`, `plain`",
            "`montgomery`",
            "KIND",
        ),
    ] = None
    output_multipliers: Annotated[
        Annotated[int, CHANNELS] | None,
        Key(
            "Multipliers that turn the residues of a result into words: more of them, a shorter "
            "interval; needs `interface` words.",
            "1 to n",
            "1",
            "N",
        ),
    ] = None
    product_registers: ProductRegisters = 0
    levels_per_register: LevelsPerRegister = 1

    name: Name = None

    @model_validator(mode="after")
    def _consistent(self) -> "Specification":
        count = check_bases(self.base_a, self.base_b, self.channels)
        check_rowers(count, self.rowers)
        check_columns(count, self.rowers, self.row_length)
        return self

    @property
    def row_length(self) -> int:
        """c, the moduli in a row; 1 if extensions are not hierarchical."""
        return check_extension(self.extension, self.columns)

    @model_validator(mode="after")
    def _words_alone(self) -> "Specification":
        if self.interface == "words":
            return self
        for name in _WORD_KEYS:
            if (value := getattr(self, name)) is not None:
                raise SpecificationError(
                    f"{name} = {shown(value)}: a core with interface = 'residues' has no binary "
                    "result; give interface = 'words' too"
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
