"""What cores that are one engine with one program have in common."""

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any, Generic, Literal, TypeVar

from residua.algorithms.program import Program
from residua.cores.base_extension.specification import BaseExtensionSpecification
from residua.cores.rns_montgomery.specification import Specification
from residua.cores.single_base.specification import SingleBaseSpecification
from residua.hardware.engine.engine import EngineDesign, EngineOptions
from residua.numbers.bases import Base
from residua.numbers.search import Style

Reduction = Literal["shift", "multiply"]
"""How the first fold of a channel reducer is made."""


R = TypeVar("R", bound=Specification | BaseExtensionSpecification | SingleBaseSpecification)


class EngineCore(ABC, Generic[R]):
    """Everything about one core; what is not asked for is not calculated.

    Attributes:
        request: the specification as given.
    """

    def __init__(self, request: R) -> None:
        self.request = request

    @property
    @abstractmethod
    def wide_bases(self) -> tuple[Base, Base]:
        """Base a and base b, without an extra modulus."""

    @property
    @abstractmethod
    def rowers(self) -> int:
        """Physical rowers."""

    @property
    @abstractmethod
    def design(self) -> EngineDesign:
        """The engine with its bounds, schedule and microcode; the program's model is bit exact."""

    @property
    def channels(self) -> int:
        """n, the moduli of each base."""
        return len(self.wide_bases[0])

    @property
    def width(self) -> int:
        """w, the bits of a modulus."""
        return self.wide_bases[0].width

    @cached_property
    def weight(self) -> int:
        """The most signed digits that an h has."""
        return max(m.weight for base in self.wide_bases for m in base)

    @property
    def style(self) -> Style:
        """What was asked for; if that was open, ``sparse`` if every h is within the weight."""
        if self.request.bases != "auto":
            return self.request.bases
        return "sparse" if self.weight <= self.request.weight else "any"

    @property
    def reduction(self) -> Reduction:
        """How sums are folded."""
        if self.request.reduction != "auto":
            return self.request.reduction
        return "shift" if self.style == "sparse" else "multiply"

    @property
    def program(self) -> Program:
        """What the engine computes."""
        return self.design.program

    @property
    def options(self) -> EngineOptions:
        """How the engine is built."""
        return EngineOptions(
            rowers=self.rowers,
            reduction=self.reduction,
            goal=self.request.schedule,
            product_registers=self.request.product_registers,
            levels_per_register=self.request.levels_per_register,
        )

    def engine_of(self, program: Program) -> EngineDesign:
        """The design of a program, which is given the representation that its bounds allow."""
        design = EngineDesign(program, self.options)
        program.representation = design.bounds.representation
        return design

    @property
    def cycles(self) -> dict[str, int]:
        """Latency and interval in cycles, see `residua.hardware.engine.engine.Engine`."""
        schedule = self.design.schedule
        return {
            "latency": schedule.latency,
            "interval": schedule.interval,
            "rower_latency": self.design.rower_latency,
            "in_flight": schedule.stages,
        }

    @property
    def base_parameters(self) -> dict[str, Any]:
        """The numbers of both bases, big ones as decimal strings."""
        base_a, base_b = self.wide_bases
        return {
            "n": self.channels,
            "w": self.width,
            "bases": self.style,
            "h_weight": self.weight,
            "base_a": [str(m.value) for m in base_a],
            "base_b": [str(m.value) for m in base_b],
            "h_a": [m.offset for m in base_a],
            "h_b": [m.offset for m in base_b],
        }

    @property
    def engine_parameters(self) -> dict[str, Any]:
        """The numbers of the engine."""
        return {
            "reduction": self.reduction,
            "folds": self.design.bounds.folds,
            "schedule": self.request.schedule,
            "product_registers": self.request.product_registers,
            "levels_per_register": self.request.levels_per_register,
        }

    @property
    def common_choices(self) -> dict[str, Any]:
        """Keys of a specification with every choice made, those that all such cores have."""
        base_a, base_b = self.wide_bases
        return {
            "algorithm": self.request.algorithm,
            "width": self.width,
            "channels": self.channels,
            "rowers": self.rowers,
            "bases": self.style,
            "weight": self.request.weight,
            "base_a": tuple(m.value for m in base_a),
            "base_b": tuple(m.value for m in base_b),
            "reduction": self.reduction,
            "schedule": self.request.schedule,
            "product_registers": self.request.product_registers,
            "levels_per_register": self.request.levels_per_register,
        }
