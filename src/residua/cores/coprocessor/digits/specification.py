"""Keys of the specification of a coprocessor on digits."""

from typing import Annotated, ClassVar

from pydantic import model_validator

from residua.cores.coprocessor.specification import (
    Blinding,
    BusKey,
    CurveSpecification,
    FormulaKey,
    InstancesKey,
    ProtectionsKey,
    named_formula,
)
from residua.cores.digit.specification import DIGIT_KEY, LANES_KEY, MOST_LANES, PIPELINE_KEY
from residua.cores.specification import keys
from residua.curves.blinding import check_blinding
from residua.curves.protections.protection import Level
from residua.errors import SpecificationError

ALGORITHM = "iddmm"

SMALLEST_DIGIT, LARGEST_DIGIT = 4, 64

DEFAULT_DIGIT = 17
"""One multiplier block multiplies digits of so many bits on any device."""


class DigitCoprocessorSpecification(CurveSpecification):
    """A checked request for a coprocessor on digits. ``None`` leaves a choice to Residua."""

    noun: ClassVar[str] = "a coprocessor on digits"
    algorithms: ClassVar[tuple[str, ...]] = (ALGORITHM,)

    algorithm: keys.Algorithm = ALGORITHM
    bus: BusKey = "axi"
    instances: InstancesKey = None
    blinding: Blinding = "auto"
    formula: FormulaKey = "auto"
    protections: ProtectionsKey = Level.STANDARD
    digit: Annotated[int, keys.within(SMALLEST_DIGIT, LARGEST_DIGIT), DIGIT_KEY] = DEFAULT_DIGIT
    lanes: Annotated[Annotated[int, keys.within(1, MOST_LANES)] | None, LANES_KEY] = None
    pipeline: Annotated[Annotated[int, keys.within(0, 2)] | None, PIPELINE_KEY] = None
    name: keys.Name = None

    @model_validator(mode="after")
    def _consistent(self) -> "DigitCoprocessorSpecification":
        self.check_instances()
        check_blinding(self.curve, self.blinding, named_formula(self.formula))
        if self.lanes is not None and self.pipeline is not None:
            raise SpecificationError(
                f"pipeline = {self.pipeline}: lanes = {self.lanes} has a datapath of its own; "
                "leave it out"
            )
        return self
