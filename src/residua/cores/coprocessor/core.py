"""Coprocessors: from a specification to the core, its figures and promises."""

import random
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from amaranth.lib.wiring import Component

from residua.algorithms.conversion import split_words
from residua.algorithms.fields.digit_field import ELEMENT_BOUND
from residua.algorithms.fields.field_unit import elements_range, extension_cox
from residua.cores.coprocessor.boundary import coprocessor_boundary
from residua.cores.coprocessor.curve_core import CurveCore, EngineCurveCore
from residua.cores.coprocessor.digit import DigitEccCore
from residua.cores.coprocessor.digit_specification import DigitCoprocessorSpecification
from residua.cores.coprocessor.driver.curves import DriverCurve
from residua.cores.coprocessor.files import coprocessor_files
from residua.cores.coprocessor.outcomes import given_operands
from residua.cores.coprocessor.rns_montgomery import EccCore
from residua.cores.coprocessor.single_base import SingleBaseEccCore
from residua.cores.coprocessor.specification import CoprocessorSpecification, named_formula
from residua.cores.core import Core, Pace
from residua.cores.naming import default_name
from residua.cores.proofs.boundary import Boundary
from residua.cores.simulation.runs import POINTS, Runs, runs_by_default
from residua.curves import affine
from residua.curves.blinding import (
    BlindingChoice,
    bare_bits,
    longest_run,
    multiple_name,
)
from residua.curves.formulas import Formula
from residua.curves.operations.codes import PUBLIC_OPERATIONS, Operation, Status, point_operation
from residua.curves.parameters import Curve, MontgomeryCurve, parameters_of
from residua.curves.protections import masked_scalar
from residua.curves.protections.protection import Level, Protection
from residua.curves.signatures.sliding_windows import BASE_ENTRIES, BASE_WIDTH, POINT_WIDTH
from residua.hardware.bus.register_map import Capabilities, RegisterMap
from residua.hardware.bus.tops import BUSES, CoreInstance
from residua.hardware.coprocessor.coprocessor import Coprocessor
from residua.hardware.coprocessor.durations import operation_cycles
from residua.hardware.coprocessor.traffic import coprocessor_traffic
from residua.hardware.unbuilt import unbuilt
from residua.numbers.cox import Range
from residua.numbers.residues import Redundant
from residua.output import Progress

if TYPE_CHECKING:
    from residua.cores.coprocessor.verification import EccResult
    from residua.cores.directory import Directory


class CoprocessorCore(Core):
    """A coprocessor as it was asked for.

    Raises:
        SpecificationError: when something is asked of it, if the request cannot be met.
    """

    request: CoprocessorSpecification | DigitCoprocessorSpecification
    ecp5_mhz: ClassVar[float] = 125.0
    complete_run: ClassVar[bool] = True

    @cached_property
    @abstractmethod
    def core(self) -> CurveCore:
        """The core."""

    @cached_property
    @abstractmethod
    def specification(self) -> CoprocessorSpecification | DigitCoprocessorSpecification:
        """The request with every choice made; it leads to this core again."""

    @cached_property
    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """Every chosen number."""

    @property
    def bounds(self) -> list[dict[str, Any]]:
        """The range of field elements for each modulus, as decimal strings."""
        return [
            {"modulus": modulus, "elements": [str(low), str(high)]}
            for modulus, (low, high) in self.ranges.items()
        ]

    @property
    def title(self) -> str:
        """Title of the core."""
        return "Elliptic-curve coprocessor"

    @property
    def default_runs(self) -> int:
        """Multiplications of points on each curve that a verification compares by default."""
        return runs_by_default(POINTS, self.pace.interval)

    @property
    def boundary(self) -> Boundary:
        """Numbers and random words may differ; what the controller tests of them is equal."""
        return coprocessor_boundary(self.core.design)

    @property
    def name(self) -> str:
        """Name of the core without a bus; see `residua.cores.naming` for the default."""
        return self.request.name or default_name(
            [self.core.name], self.request, "channels", "lanes"
        )

    @property
    def top(self) -> str:
        """Name of the top module: with a bus, that of the core, the bus, and how many there are."""
        if self.request.bus == "stream":
            return self.name
        count = self.request.instances
        return f"{self.name}_{self.request.bus}" + (f"_x{count}" if count else "")

    @property
    def _formula(self) -> str:
        """The formula of all short Weierstrass curves; "auto" if they have different ones."""
        chosen = set(self.core.design.formulas) - {Formula.MONTGOMERY_LADDER}
        return chosen.pop() if len(chosen) == 1 else "auto"

    @property
    def _blinding(self) -> BlindingChoice:
        """The random bits of all scalars; "auto" if they have different numbers of them."""
        design = self.core.design
        whole = zip(design.halved, design.combs, design.comb_blinding, strict=True)
        chosen = {*design.blinding, *(bits for halved, comb, bits in whole if halved and comb)}
        return chosen.pop() if len(chosen) == 1 else "auto"

    @cached_property
    def blinding(self) -> list[dict[str, Any]]:
        """The random bits that blind a scalar of each curve, the reason, and the cost in cycles."""
        design = self.core.design
        return [
            {
                "curve": curve.name,
                "bits": bits,
                "multiple": multiple_name(curve, formula),
                "run": longest_run(curve, formula),
                "bare": bare_bits(curve, bits, formula=formula),
                "steps": design.rounds[number],
                "steps_unblinded": design.rounds_unblinded(number),
                "cycles": design.blinding_cycles(number),
            }
            for number, (curve, bits, formula) in enumerate(
                zip(design.curves, design.blinding, design.formulas, strict=True)
            )
        ]

    @property
    def _halves(self) -> dict[str, Any]:
        """The endomorphism of each curve, if there are any, as the core uses it."""
        splits = self.core.design.splits
        if not any(splits):
            return {}
        own = [
            {
                "beta": hex(split.endomorphism.beta),
                "lambda": hex(split.endomorphism.eigenvalue),
                "basis": [list(map(hex, vector)) for vector in split.endomorphism.basis],
                "bits": split.served,
                "whole_bits": split.whole_bits,
            }
            if split
            else None
            for split in splits
        ]
        return {"endomorphism": own}

    @property
    def _protections(self) -> dict[str, Any]:
        """The protections of the core, and what its level stands for and it cannot have."""
        request = self.request
        found: dict[str, Any] = {
            "protections": [one for one in Protection if one in request.chosen_protections]
        }
        if isinstance(request.protections, Level):
            left_out = {str(one): reason for one, reason in request.left_out.items()}
            found |= {"protection_level": request.protections, "protections_left_out": left_out}
        if monitor := self.core.design.random_monitor():
            found["random_tests"] = unbuilt(monitor).thresholds
        return found

    @cached_property
    def capabilities(self) -> Capabilities:
        """Capabilities that the registers of a bus report; AXI has streams for data."""
        design = self.core.design
        return Capabilities(
            curves=len(design.curves),
            words=design.words,
            operations=sorted(design.operation_codes),
            blinding=any(design.blinding),
            data_registers=self.request.bus != "axi",
            sparse_status=design.status_codes.sparse,
            shared_scalars=design.shares_scalars,
            instances=self.instances,
        )

    @property
    def instances(self) -> int:
        """How many coprocessors there are behind the bus."""
        return self.request.instances or 1

    @property
    def _instances(self) -> dict[str, Any]:
        """How many coprocessors there are, if there are several."""
        return {"instances": self.request.instances} if self.request.instances else {}

    @property
    def _packets(self) -> dict[str, Any]:
        """How results of several coprocessors come, if there are several."""
        if not self.request.instances:
            return {}
        fields = RegisterMap(self.capabilities)["TRAILER"].fields.values()
        trailer = {field.name: [field.low, field.low + field.width - 1] for field in fields}
        return {
            "several": {
                "result_words": coprocessor_traffic(self.core.design).packet,
                "last_word": trailer,
            }
        }

    @cached_property
    def driver_curves(self) -> list[DriverCurve]:
        """The curves as drivers know them."""
        return [DriverCurve.of(curve) for curve in self.core.curves]

    def component(self) -> Component:
        """The core with plain streams."""
        return Coprocessor(self.core.design)

    def bus_component(self) -> Component:
        """The bus and its registers around an instance of the core, or several."""
        bus, count = BUSES[self.request.bus], self.request.instances
        if not count:
            return bus(CoreInstance(self.name), self.capabilities)
        cores = [CoreInstance(self.name) for _ in range(count)]
        return bus(cores, self.capabilities, coprocessor_traffic(self.core.design))

    @cached_property
    def cycles(self) -> dict[str, Any]:
        """Of a step of the ladder or window; bits of scalars, steps, operations for each curve."""
        design = self.core.design
        return {
            "ladder_step": self.core.step_cycles,
            "ladder_bits": list(design.served),
            "ladder_steps": list(design.rounds),
            "operations": [
                {
                    one.name: operation_cycles(design, one, curve)
                    for one in sorted(group.keys() - PUBLIC_OPERATIONS)
                }
                for curve, group in enumerate(design.operations)
            ],
            **({"comb": self._comb} if any(design.combs) else {}),
            **({"windows": self._windows} if any(design.verified) else {}),
        }

    @cached_property
    def pace(self) -> Pace:
        """Of a multiplication of a point on the first curve, blinded as was asked for."""
        design = self.core.design
        operation = point_operation(design.curves[0])
        cycles = operation_cycles(design, operation, 0)
        return Pace(operation.name, cycles, cycles)

    @property
    def _windows(self) -> list[dict[str, int] | None]:
        """Windows of a verification: their widths, cycles of an addition and a doubling.

        Where they go through halves of scalars, there are the bits of these, too.
        """
        design = self.core.design
        return [
            {
                "base_width": BASE_WIDTH,
                "point_width": POINT_WIDTH,
                "base_points": BASE_ENTRIES,
                **({"half_bits": design.joint_bits[number]} if design.halved[number] else {}),
                "addition": design.block("window_addition", number).length,
                "doubling": design.block("window_doubling", number).length,
            }
            if curve
            else None
            for number, curve in enumerate(design.verified)
        ]

    @property
    def _comb(self) -> list[dict[str, Any] | None]:
        """Shape and memory of the comb of each curve, cycles of an addition and a doubling."""
        design = self.core.design
        return [
            {
                "teeth": comb.teeth,
                "tables": comb.tables,
                "points": comb.points,
                "words": comb.points * design.entry_words,
                "additions": comb.columns,
                "doublings": comb.spacing - 1,
                "addition": design.block("comb_addition", curve).length,
                "doubling": design.block("comb_doubling", curve).length,
                **({"curve": own.name, "random_bits": bits} if own else {}),
            }
            if comb
            else None
            for curve, (comb, bits, own) in enumerate(
                zip(design.combs, design.comb_blinding, design.halved, strict=True)
            )
        ]

    @cached_property
    def interface(self) -> dict[str, Any]:
        """Operations, codes and words."""
        design = self.core.design
        meanings = RegisterMap(self.capabilities)["STATUS"].fields["code"].meanings
        return {
            "words": design.words,
            "word_bits": 32,
            "order": "lowest word first",
            "scalar_bits": list(design.scalar_bits),
            "operations": [
                {
                    "name": operation.name,
                    "code": int(operation),
                    "curves": [i for i, own in enumerate(design.operations) if operation in own],
                    **({"time": "public"} if operation in PUBLIC_OPERATIONS else {}),
                    "forms": _forms(operation, self.core.curves, shared=design.shares_scalars),
                }
                for operation in sorted(design.operation_codes)
            ],
            "statuses": [
                {
                    "name": status.name,
                    "code": design.status_codes.of(status),
                    "meaning": meanings[status.name.lower()],
                }
                for status in Status
            ],
            **self._packets,
        }

    @cached_property
    def facts(self) -> dict[str, Any]:
        """The part of a manifest that the core determines."""
        return {
            "kind": "coprocessor",
            "specification": self.specification.items(),
            "parameters": self.parameters,
            "blinding": self.blinding,
            "cycles": self.cycles,
            "utilisation": round(self.core.utilisation, 4),
            "bounds": self.bounds,
            "interface": self.interface,
            "example": self.example,
        }

    def files(self, progress: Progress = lambda step: None) -> dict[str, str]:
        """All files of the directory by name; see `Core.files`."""
        return coprocessor_files(self, progress)

    def simulate(self, sources: Sequence[Path], runs: Runs) -> "EccResult":
        """Compare operations of its Verilog with plain integers; see `Core.simulate`."""
        # Simulations take long to load, and making a core does not need them.
        from residua.cores.coprocessor.verification import verify_coprocessor  # noqa: PLC0415

        return verify_coprocessor(self.core.design, sources, self.name, **runs.choices)

    def verify(self, directory: "Directory", runs: Runs) -> tuple[dict[str, Any], dict[str, Any]]:
        """Run the files of its directory; see `Core.verify`."""
        # Simulations take long to load, and making a core does not need them.
        from residua.cores.coprocessor.shipped.verification import verify_coprocessor_directory  # noqa: PLC0415

        return verify_coprocessor_directory(self, directory, runs)

    @classmethod
    def times(cls, directory: "Directory", found: dict[str, Any]) -> dict[str, Any]:
        """The time of a multiplication of a point on each curve; see `Core.times`."""
        # Simulations take long to load, and making a core does not need them.
        from residua.cores.coprocessor.shipped.verification import point_times  # noqa: PLC0415

        return point_times(directory.core(cls), found)

    @cached_property
    def example(self) -> dict[str, Any]:
        """One operation with its words: a multiple of the first curve's base point."""
        curve, words = self.core.curves[0], self.core.design.words
        k = curve.order // 3
        point = affine.multiply(curve, k, curve.base_point) or ()
        results = point[:1] if isinstance(curve, MontgomeryCurve) else point

        def split(numbers: tuple[int, ...]) -> list[str]:
            return [f"{word:08x}" for number in numbers for word in split_words(number, words, 32)]

        operation = Operation.BASE_MULTIPLY
        operands = given_operands(self.core.design, 0, operation, (k,), random.Random(curve.name))
        return {
            "operation": operation.name,
            "curve": 0,
            "operands": [hex(number) for number in operands],
            "operand_words": split(operands),
            "results": [hex(number) for number in results],
            "result_words": split(results),
        }


def _given(asked: CoprocessorSpecification) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    if asked.base_a is None or asked.base_b is None:
        return None
    return asked.base_a, asked.base_b


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


_NUMBERS: dict[Operation, tuple[str, str, str]] = {
    Operation.POINT_MULTIPLY: ("k, x, y", "x, y", "k P, P = (x, y)"),
    Operation.BASE_MULTIPLY: ("k", "x, y", "k G, G the base point"),
    Operation.X_MULTIPLY: ("k, x, y", "x", "the abscissa of k P"),
    Operation.DOUBLE_MULTIPLY: ("k, l, x1, y1, x2, y2", "x, y", "k P + l Q, for public data"),
    Operation.VALIDATE: ("x, y", "", "only a status: is the point valid?"),
    Operation.FIELD_MULTIPLY: ("a, b", "c", "c = a b mod p"),
    Operation.FIELD_INVERT: ("a", "c", "c = 1/a mod p"),
    Operation.FIELD_MULTIPLY_ADD: ("a, b, d", "c", "c = a b + d mod p"),
    Operation.ORDER_MULTIPLY: ("a, b", "c", "c = a b mod n"),
    Operation.ORDER_INVERT: ("a", "c", "c = 1/a mod n"),
    Operation.ORDER_MULTIPLY_ADD: ("a, b, d", "c", "c = a b + d mod n"),
    Operation.ECDSA_VERIFY: (
        "e, r, s, x, y",
        "r",
        "r if (r, s) is a signature of the digest e by (x, y); for public data, in variable time",
    ),
    Operation.ORDER_SIGN: ("k, d, r, z", "s", "s = (z + r d) / k mod n, under a random factor"),
}
"""Operands, results and meaning, on curves in Weierstrass form."""

_MONTGOMERY: dict[Operation, tuple[str, str, str]] = {
    Operation.BASE_MULTIPLY: ("k", "u", "the u of k G, G the base point"),
    Operation.X_MULTIPLY: ("k, u", "u", "the u of k times a point with this u"),
    Operation.VALIDATE: ("u", "", "only a status: has the point a small order?"),
}


def _forms(
    operation: Operation, curves: tuple[Curve, ...], *, shared: bool
) -> list[dict[str, str]]:
    """Operands and results of an operation, for each form of curve that is there.

    With ``shared`` secrets there are the names of their shares.
    """
    found: dict[str, dict[str, str]] = {}
    for form in dict.fromkeys(curve.form for curve in curves):
        own = _NUMBERS | (_MONTGOMERY if form == "montgomery" else {})
        operands, results, meaning = own[operation]
        if shared:
            operands = ", ".join(masked_scalar.shared_names(operation, operands.split(", ")))
        entry = {"form": form, "operands": operands, "results": results, "meaning": meaning}
        if entry | {"form": ""} not in [other | {"form": ""} for other in found.values()]:
            found[form] = entry
    return list(found.values())
