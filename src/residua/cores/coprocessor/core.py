"""Coprocessors: from a specification to the core, its figures and promises."""

import random
from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from amaranth.lib.wiring import Component

from residua.algorithms.conversion import split_words
from residua.cores.coprocessor.boundary import coprocessor_boundary
from residua.cores.coprocessor.curve_core import CurveCore
from residua.cores.coprocessor.digits.specification import DigitCoprocessorSpecification
from residua.cores.coprocessor.driver.curves import DriverCurve
from residua.cores.coprocessor.files import coprocessor_files
from residua.cores.coprocessor.operation_forms import operation_forms
from residua.cores.coprocessor.outcomes import given_operands
from residua.cores.coprocessor.specification import CoprocessorSpecification
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
from residua.curves.parameters import MontgomeryCurve
from residua.curves.protections.protection import Level, Protection
from residua.curves.signatures.sliding_windows import BASE_ENTRIES, BASE_WIDTH, POINT_WIDTH
from residua.hardware.bus.register_map import Capabilities, RegisterMap
from residua.hardware.bus.tops import BUSES, STREAMED, CoreInstance
from residua.hardware.coprocessor.coprocessor import Coprocessor
from residua.hardware.coprocessor.durations import operation_cycles
from residua.hardware.coprocessor.traffic import coprocessor_traffic
from residua.hardware.unbuilt import unbuilt
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
    def template_package(self) -> str:
        """The package of the templates: both field units have the same."""
        return CoprocessorCore.__module__.rpartition(".")[0]

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
        suffix = BUSES[self.request.bus].suffix
        return f"{self.name}_{suffix}" + (f"_x{count}" if count else "")

    @property
    def _formula(self) -> str:
        """The formula of all short Weierstrass curves; "auto" if they have different ones."""
        chosen = set(self.core.design.formulas) - {Formula.MONTGOMERY_LADDER}
        return chosen.pop() if len(chosen) == 1 else "auto"

    @property
    def _blinding(self) -> BlindingChoice:
        """The random bits of all scalars; "auto" if they have different numbers of them."""
        design = self.core.design
        whole = zip(design.scalars.halved, design.scalars.combs, design.comb_blinding, strict=True)
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
                "steps": design.scalars.rounds[number],
                "steps_unblinded": design.scalars.rounds_unblinded(number),
                "cycles": design.blinding_cycles(number),
            }
            for number, (curve, bits, formula) in enumerate(
                zip(design.curves, design.blinding, design.formulas, strict=True)
            )
        ]

    @property
    def _halves(self) -> dict[str, Any]:
        """The endomorphism of each curve, if there are any, as the core uses it."""
        splits = self.core.design.scalars.splits
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
            data_registers=self.request.bus not in STREAMED,
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
        bus, count = BUSES[self.request.bus].top, self.request.instances
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
            "ladder_bits": list(design.scalars.served),
            "ladder_steps": list(design.scalars.rounds),
            "operations": [
                {
                    one.name: operation_cycles(design, one, curve)
                    for one in sorted(group.keys() - PUBLIC_OPERATIONS)
                }
                for curve, group in enumerate(design.operations)
            ],
            **({"comb": self._comb} if any(design.scalars.combs) else {}),
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
                **(
                    {"half_bits": design.scalars.joint_bits[number]}
                    if design.scalars.halved[number]
                    else {}
                ),
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
                zip(design.scalars.combs, design.comb_blinding, design.scalars.halved, strict=True)
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
            "scalar_bits": list(design.scalars.bits),
            "operations": [
                {
                    "name": operation.name,
                    "code": int(operation),
                    "curves": [i for i, own in enumerate(design.operations) if operation in own],
                    **({"time": "public"} if operation in PUBLIC_OPERATIONS else {}),
                    "forms": operation_forms(
                        operation, self.core.curves, shared=design.shares_scalars
                    ),
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
