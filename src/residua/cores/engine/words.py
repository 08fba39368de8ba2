"""Common part of the engines that multiply binary words, or residues, as one wants."""

import random
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Generic

from amaranth.lib.wiring import Component

from residua.cores.core import STREAM_PORTS
from residua.cores.engine.boundary import word_boundary
from residua.cores.engine.core import EngineCore, W
from residua.cores.modular_bus.surroundings import ModularBus, bus_around
from residua.cores.proofs.boundary import Boundary
from residua.cores.simulation.result import VerificationResult
from residua.cores.simulation.runs import Runs
from residua.cores.stream_interface import stream_interface
from residua.errors import SpecificationError
from residua.hardware.bus.commanded_design import CommandedDesign, Number
from residua.hardware.converters.word_core import WordCore, WordDesign
from residua.hardware.engine.engine_design import EngineDesign
from residua.numbers.cox import Range

_WORD_PORTS = {
    **STREAM_PORTS,
    "operands_payload": "one word of X or Y",
}
"""Purposes of the ports of a core with words."""


class MultiplierCore(EngineCore[W], Generic[W]):
    """A multiplier on an engine, with binary words or residues as its operands and results."""

    @abstractmethod
    def word_design(self, multipliers: int) -> WordDesign:
        """The design with words, with so many multipliers for the conversion of a result.

        Raises:
            SpecificationError: the bases cannot serve them.
        """

    @cached_property
    @abstractmethod
    def residue_design(self) -> EngineDesign:
        """The engine of the product alone, from residues to residues."""

    @property
    @abstractmethod
    def residue_ranges(self) -> dict[str, Range]:
        """Closed intervals of operands, results and words, if they are residues."""

    @property
    def interface_part(self) -> str:
        """What the name of a core says of its interface: words, or nothing."""
        return "words" if self.request.interface == "words" else ""

    @property
    def word_choices(self) -> dict[str, Any]:
        """Keys of a specification that are about words, with every choice made."""
        return {
            "interface": self.request.interface,
            "output_multipliers": self.words.multipliers if self.words else None,
            "bus": self.request.bus,
        }

    @property
    def word_parameters(self) -> dict[str, Any]:
        """The chosen numbers that only a core with words has."""
        if not self.words:
            return {}
        return {
            "interface": self.request.interface,
            "output_multipliers": self.words.multipliers,
        }

    @cached_property
    def words(self) -> WordDesign | None:
        """The core with binary words, None if residues go in and out.

        Raises:
            SpecificationError: there are more output multipliers than channels.
        """
        if self.request.interface != "words":
            return None
        multipliers = self.request.output_multipliers or 1
        if multipliers > self.channels:
            raise SpecificationError(
                f"output_multipliers = {multipliers}: n = {self.channels} channels have use for "
                f"1 to {self.channels}"
            )
        return self.word_design(multipliers)

    @property
    def _binary(self) -> WordDesign:
        assert self.words
        return self.words

    @cached_property
    def design(self) -> EngineDesign:
        """The engine with its bounds, schedule and microcode; the program's model is bit exact."""
        return self.words.engine if self.words else self.residue_design

    def component(self) -> Component:
        """A new component of the design."""
        return WordCore(self.words) if self.words else super().component()

    @property
    def header(self) -> str:
        """Template of the header of the Verilog."""
        return "header_words.txt" if self.words else "header.txt"

    @property
    def readme(self) -> str:
        """Template of README.md."""
        return "README_words.md" if self.words else "README.md"

    @property
    def port_meanings(self) -> Mapping[str, str]:
        """Purpose of each port, by its name."""
        return _WORD_PORTS if self.words else super().port_meanings

    @property
    def stream_texts(self) -> tuple[str, str]:
        """Contents of the streams of operands and of results, in words."""
        if self.words is None:
            return super().stream_texts
        multipliers = self.words.multipliers
        plural = "s" * (multipliers > 1)
        return f"words of {self.width} bits", f"{multipliers} multiplier{plural}, to words"

    @property
    def page(self) -> dict[str, Any]:
        """Values of the report's template beside the manifest."""
        return {**super().page, "binary": self.words is not None}

    @property
    def boundary(self) -> Boundary:
        """Operands may differ."""
        return word_boundary(self.words) if self.words else super().boundary

    @property
    def program_ranges(self) -> dict[str, Range]:
        """Closed intervals of operands, results and words, with words those of residues too."""
        if self.words is None:
            return self.residue_ranges
        word = 1 << self.width
        return {
            "x": (0, self.words.largest_x),
            "y": (0, self.words.largest),
            "results": (0, self.domain.modulus - 1),
            "words": (0, word - 1),
            "residues": (-word, word - 1),
        }

    @property
    def interface(self) -> dict[str, Any]:
        """The words of the interface in their order, or its streams and one transaction."""
        return _streams(self.words) if self.words else super().interface

    @cached_property
    def surroundings(self) -> ModularBus | None:
        """The bus around it; None if there is none."""
        return bus_around(self, self.request.bus) if self.words else None

    @property
    def commanded(self) -> CommandedDesign:
        """The numbers that it takes on a bus."""
        words = self._binary
        operands = (
            Number(name, words.words, largest=largest)
            for name, largest in (("x", words.largest_x), ("y", words.largest))
        )
        return CommandedDesign(
            words.width, (), tuple(operands), words.words, "multiply", turns=words.turns
        )

    def setting(self, value: int) -> WordDesign:
        """Refuse another modulus: its own one is built in."""
        raise SpecificationError(f"{self.name} has its modulus built in, and takes none: {value}")

    def settings(self, chooser: random.Random) -> Sequence[WordDesign]:  # noqa: ARG002 - there is one
        """Promises with the modulus that is built in."""
        return (self._binary,)

    def first_pairs(self) -> Sequence[tuple[int, int]]:
        """Binary operands that verification begins with, before those of any multiplier."""
        return ()

    def simulate(self, sources: Sequence[Path], runs: Runs) -> VerificationResult:
        """Compare its Verilog in simulation with the program's model, or with plain integers."""
        if self.words is None:
            return super().simulate(sources, runs)
        # Simulations take long to load, and making a core does not need them.
        from residua.cores.simulation.words import verify_word_core  # noqa: PLC0415

        first = self.first_pairs()
        return verify_word_core([self.words], self.name, sources, runs, lambda _: first)

    @property
    def cycles(self) -> dict[str, int]:
        """Latency and interval in cycles, see `Engine` and `WordCore`.

        With words also the parts of the latency, of the engine and of the conversion of the result,
        and both figures of the product alone, from residues to residues on the same bases.
        """
        cycles = super().cycles
        if not self.words:
            return cycles
        product = self.residue_design.schedule
        return cycles | {
            "latency": self.words.latency,
            "interval": self.words.interval,
            "engine_latency": self.design.serial_latency,
            "conversion_latency": self.words.conversion.latency,
            "residues_latency": product.latency,
            "residues_interval": product.interval,
        }


def _streams(design: WordDesign) -> dict[str, Any]:
    """The streams of a core with words, and one transaction."""
    modulus = design.domain.modulus
    x, y = modulus // 3, modulus - 2
    product = design.expected(x, y)
    return stream_interface(design.width, design.words, {"x": x, "y": y}, product)
