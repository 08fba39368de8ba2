"""Coprocessors on digits, as they are asked for."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from residua.algorithms.fields.digit_field import ELEMENT_BOUND
from residua.cores.coprocessor.core import CoprocessorCore
from residua.cores.coprocessor.digits.curve_core import DigitEccCore
from residua.cores.coprocessor.digits.specification import DigitCoprocessorSpecification
from residua.cores.coprocessor.specification import named_formula
from residua.curves.parameters import parameters_of
from residua.numbers.cox import Range


@dataclass(frozen=True)
class DigitCoprocessorCore(CoprocessorCore):
    """A coprocessor on digits as it was asked for.

    Raises:
        SpecificationError: when something is asked of it, if the request cannot be met.
    """

    request: DigitCoprocessorSpecification

    @cached_property
    def core(self) -> DigitEccCore:
        """The core."""
        asked = self.request
        return DigitEccCore(
            asked.curve,
            digit=asked.digit,
            lanes=1 if asked.lanes is None else asked.lanes,
            pipeline=asked.pipeline,
            blinding=asked.blinding,
            formula=named_formula(asked.formula),
            protections=asked.chosen_protections,
        )

    @property
    def page_template(self) -> str:
        """Template of the report."""
        return "digit_page.html"

    @property
    def page(self) -> dict[str, Any]:
        """Values of the report's template beside the manifest."""
        # Drawings are only for reports.
        from residua.cores.coprocessor.page import digit_page  # noqa: PLC0415

        return digit_page(self)

    @cached_property
    def specification(self) -> DigitCoprocessorSpecification:
        """The request with every choice made; it leads to this core again."""
        made = {
            "blinding": self._blinding,
            "formula": self._formula,
            "lanes": self._lanes,
            "name": self.name,
        }
        return self.request.model_copy(update=made)

    @property
    def _lanes(self) -> int | None:
        return self.core.design.lanes if self.request.pipeline is None else None

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """Every chosen number."""
        design = self.core.design
        store, timing = design.processor.store, design.processor.timing
        return {
            "algorithm": self.request.algorithm,
            "curves": [parameters_of(curve) for curve in self.core.curves],
            "bus": self.request.bus,
            **self._instances,
            "blinding": list(self.core.design.blinding),
            "inversion": design.inversion,
            **self._protections,
            **self._halves,
            "digits": design.field.digits,
            "digit": design.digit,
            "lanes": self._lanes,
            "pipeline": self.request.pipeline,
            "multipliers": design.multipliers,
            "product_cycles": timing.compute,
            "pass_cycles": timing.length,
            "registers": store.registers,
            "microcode_words": store.words,
        }

    @cached_property
    def ranges(self) -> dict[str, Range]:
        """The range of field elements for each modulus."""
        return {str(own): (0, int(ELEMENT_BOUND * own)) for own in self.core.design.moduli}
