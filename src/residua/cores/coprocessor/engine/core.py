"""Coprocessors on a Cox-Rower engine, as they are asked for."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from residua.algorithms.fields.field_unit import elements_range, extension_cox
from residua.cores.coprocessor.core import CoprocessorCore
from residua.cores.coprocessor.curve_core import EngineCurveCore
from residua.cores.coprocessor.engine.rns_montgomery import EccCore
from residua.cores.coprocessor.engine.single_base import SingleBaseEccCore
from residua.cores.coprocessor.specification import CoprocessorSpecification, named_formula
from residua.curves.parameters import parameters_of
from residua.numbers.cox import Range
from residua.numbers.residues import Redundant


@dataclass(frozen=True)
class EngineCoprocessorCore(CoprocessorCore):
    """A coprocessor on a Cox-Rower engine as it was asked for.

    Raises:
        SpecificationError: when something is asked of it, if the request cannot be met.
    """

    request: CoprocessorSpecification

    @cached_property
    def core(self) -> EngineCurveCore:
        """The core."""
        asked = self.request
        common: dict[str, Any] = {
            "width": asked.width if "width" in asked.model_fields_set else None,
            "channels": asked.channels,
            "style": None if asked.bases == "auto" else asked.bases,
            "weight": asked.weight,
            "reduction": None if asked.reduction == "auto" else asked.reduction,
            "rowers": asked.rowers,
            "columns": asked.row_length,
            "blinding": asked.blinding,
            "inversion": asked.inversion,
            "formula": named_formula(asked.formula),
            "product_registers": asked.product_registers,
            "levels_per_register": asked.levels_per_register,
            "register_memory": asked.register_memory or "distributed",
            "protections": asked.chosen_protections,
        }
        if asked.algorithm == "sbmm":
            return SingleBaseEccCore(
                asked.curve,
                base_a=asked.base_a,
                base_b=asked.base_b,
                extra_bits=asked.extra_bits,
                **common,
            )
        return EccCore(
            asked.curve,
            bases=_given(asked),
            inverter_rowers=asked.inverter_rowers,
            fixed_base=asked.comb,
            verifies=asked.ecdsa is not None,
            **common,
        )

    @property
    def page(self) -> dict[str, Any]:
        """Values of the report's template beside the manifest."""
        # Drawings are only for reports.
        from residua.cores.coprocessor.page import engine_page  # noqa: PLC0415

        return engine_page(self)

    @cached_property
    def specification(self) -> CoprocessorSpecification:
        """The request with every choice made; it leads to this core again."""
        options, (base_a, base_b) = self.core.design.options, self.core.bases
        made = {
            "width": self.core.width,
            "channels": self.core.channels,
            "base_a": tuple(modulus.value for modulus in base_a),
            "base_b": tuple(modulus.value for modulus in base_b),
            **self._extra,
            "blinding": self._blinding,
            "formula": self._formula,
            "rowers": options.rowers,
            "columns": self.request.row_length if self.request.row_length > 1 else None,
            "bases": self.core.style if self.request.bases == "auto" else self.request.bases,
            "reduction": options.reduction,
            "name": self.name,
        }
        return self.request.model_copy(update=made)

    @property
    def _extra(self) -> dict[str, Any]:
        """Keys that only some coprocessors have, such as those on SBMM or with a comb."""
        core, rowers = self.core, self.core.design.inverter_rowers
        extra: dict[str, Any] = {}
        if isinstance(core, SingleBaseEccCore):
            extra |= {"extra_bits": core.extra_bits}
        if rowers is not None:
            extra |= {"inverter_rowers": rowers}
        if comb := self.request.comb:
            extra |= {"fixed_base": "comb", "comb_teeth": comb[0], "comb_tables": comb[1]}
        if self.request.register_memory:
            extra |= {"register_memory": self.request.register_memory}
        if self.request.ecdsa:
            extra |= {"ecdsa": self.request.ecdsa}
        return extra

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """Every chosen number."""
        core = self.core
        design, options = core.design, core.design.options
        (base_a, base_b), cox = core.bases, extension_cox(design.domains[0])
        return {
            "algorithm": self.request.algorithm,
            "curves": [parameters_of(curve) for curve in core.curves],
            "bus": self.request.bus,
            **self._instances,
            "blinding": list(core.design.blinding),
            "inversion": self.request.inversion,
            **self._protections,
            **self._halves,
            "n": core.channels,
            "w": core.width,
            "bases": self.specification.bases,
            "h_weight": core.heaviest,
            "base_a": [str(m.value) for m in base_a],
            "base_b": [str(m.value) for m in base_b],
            "h_a": [m.offset for m in base_a],
            "h_b": [m.offset for m in base_b],
            **self._extra,
            "t": cox.truncation,
            "sigma0": str(cox.sigma0),
            "rowers": options.rowers,
            "extension": self.request.extension,
            "columns": self.request.row_length,
            "reduction": options.reduction,
            "product_registers": options.product_registers,
            "levels_per_register": options.levels_per_register,
            "microcode_words": design.processor.store.words,
        }

    @cached_property
    def ranges(self) -> dict[str, Range]:
        """The range of field elements for each modulus."""
        domains = self.core.design.domains
        return {str(own.modulus): elements_range(own, Redundant(1)) for own in domains}


def _given(asked: CoprocessorSpecification) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    if asked.base_a is None or asked.base_b is None:
        return None
    return asked.base_a, asked.base_b
