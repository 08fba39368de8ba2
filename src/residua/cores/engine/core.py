"""Common part of the cores that are one engine with one program."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, TypeVar

from amaranth.lib.wiring import Component

from residua.algorithms.program import Program
from residua.algorithms.terms import Residues
from residua.cores.base_extension.specification import BaseExtensionSpecification
from residua.cores.core import PlainCore
from residua.cores.engine.boundary import engine_boundary
from residua.cores.proofs.boundary import Boundary
from residua.cores.rns_montgomery.specification import RnsMontgomerySpecification
from residua.cores.simulation.result import VerificationResult
from residua.cores.simulation.runs import Runs
from residua.cores.simulation.workload import Workload
from residua.cores.single_base.specification import SingleBaseSpecification
from residua.hardware.engine.datapath_design import EngineOptions
from residua.hardware.engine.engine import Engine
from residua.hardware.engine.engine_design import EngineDesign
from residua.machines.slots import Word
from residua.numbers.bases import Base
from residua.numbers.cox import Range
from residua.numbers.selection.coprime import Style

Reduction = Literal["shift", "multiply"]
"""First fold of a channel reducer: shifts and additions, or a multiplication."""


R = TypeVar(
    "R", bound=RnsMontgomerySpecification | BaseExtensionSpecification | SingleBaseSpecification
)
W = TypeVar("W", bound=RnsMontgomerySpecification | SingleBaseSpecification)


_PORTS = {
    "clk": "clock, rising edge",
    "rst": "synchronous reset, active high",
    "enable": "runs may start while it is 1",
    "operands_payload": "one operand word of every rower; rower r in bits (w+1)r to (w+1)r + w",
    "operands_valid": "the payload is a word",
    "operands_ready": "the word is taken in this cycle",
    "result": "one result word of every rower, arranged as the operands",
    "result_valid": "the result is there, in this cycle only",
    "result_word": "which of the result words it is",
}
"""Purposes of the ports of an engine."""


class EngineCore(PlainCore, Generic[R]):
    """A core that is one engine with one program.

    Attributes:
        request: the specification as given.
        domain: what the algorithm fixes in advance.
    """

    request: R
    domain: Any
    channel_columns: ClassVar[tuple[str, ...]] = ("base_a", "h_a", "base_b", "h_b")
    """Parameters of each channel that the report shows."""

    runs: ClassVar[str] = "products"

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
        """Style that was asked for; if it was open, ``sparse`` if every h is within the weight."""
        if self.request.bases != "auto":
            return self.request.bases
        return "sparse" if self.weight <= self.request.weight else "any"

    @property
    def reduction(self) -> Reduction:
        """Reduction of sums, by shifts or by multiplications."""
        if self.request.reduction != "auto":
            return self.request.reduction
        return "shift" if self.style == "sparse" else "multiply"

    @property
    def program(self) -> Program:
        """The program of the engine."""
        return self.design.program

    @property
    def options(self) -> EngineOptions:
        """Hardware choices of the engine."""
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

    @property
    def port_meanings(self) -> Mapping[str, str]:
        """Purpose of each port, by its name."""
        return _PORTS

    @property
    @abstractmethod
    def program_ranges(self) -> dict[str, Range]:
        """Closed intervals of operands, results and words."""

    @property
    def ranges(self) -> dict[str, Range]:
        """Closed intervals of operands, results, words, and what the engine makes of them."""
        found = {**self.program_ranges, "sums": self.design.sum_range}
        return found | ({"quotients": self.design.quotient_range} if self.design.estimate else {})

    @property
    def interface(self) -> dict[str, Any]:
        """The words of the interface, in their order."""
        schedule = self.design.schedule
        return {
            "word_bits": self.width + 1,
            "operands": [self._word(word) for word in schedule.inputs],
            "results": [self._word(word) for word in schedule.outputs],
        }

    def _word(self, word: Word) -> dict[str, Any]:
        """A word of the interface: its vector and the channels of its rowers."""
        schedule, rowers = self.design.schedule, self.design.rowers
        first = word.group * rowers
        vector = schedule.values[word.value]
        found: dict[str, Any] = {"vector": vector, "channels": [first, first + rowers - 1]}
        if word in schedule.outputs and self.design.lanes > 1:
            found["vector"], found["beside"] = (value.name for value in schedule.held(word))
        if self.design.narrow:
            vectors = [*self.program.inputs, *self.program.outputs]
            own = next(v for v in vectors if isinstance(v, Residues) and v.name == found["vector"])
            found["extra"] = own.base.narrow and word.group == 0
        return found

    @property
    def names(self) -> dict[str, object]:
        """Values of the templates beside the manifest."""
        return {"domain": self.domain, "words": _words}

    def component(self) -> Component:
        """A new component of the design."""
        return Engine(self.design)

    @property
    def boundary(self) -> Boundary:
        """Operands may differ; results are all residues that leave."""
        return engine_boundary(self.design)

    @property
    def stream_texts(self) -> tuple[str, str]:
        """Contents of the streams of operands and of results, in words."""
        residues = f"{self.rowers} words of {self.width + 1} bits"
        return residues, residues

    @property
    def page(self) -> dict[str, Any]:
        """Values of the report's template beside the manifest."""
        # Drawings are only for reports.
        from residua.cores.engine.page import engine_page  # noqa: PLC0415

        return {**super().page, **engine_page(self), "binary": False}

    @abstractmethod
    def workload(self, seed: int) -> Workload:
        """The operands of its verification, and what judges their results."""

    def simulate(self, sources: Sequence[Path], runs: Runs) -> VerificationResult:
        """Compare its Verilog in simulation with the program's model; see `PlainCore.simulate`."""
        # Simulations take long to load, and making a core does not need them.
        from residua.cores.simulation.engine import build_simulator, verify  # noqa: PLC0415

        workload = self.workload(runs.seed)
        simulator = build_simulator(self.design, workload, sources, top=self.name)
        return verify(simulator, **runs.choices)


def _words(words: list[dict[str, Any]]) -> list[str]:
    """Words of an interface as its header tells them."""
    return [
        "{vector}[{channels[0]}..{channels[1]}]".format(**word)
        + (f" beside {word['beside']}" if "beside" in word else "")
        + (" and m_gamma" if word.get("extra") else "")
        for word in words
    ]


AnyEngineCore = EngineCore[Any]
"""Any core that is one engine with one program."""
