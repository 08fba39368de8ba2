"""A core that is a list of routines on an engine: bases, options, and what they are told as."""

import random
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, Generic, Literal, Protocol, Self, TypeVar

from gmpy2 import next_prime

from residua.algorithms.montgomery import MontgomeryDomain
from residua.cores.coprocessor.engine.rns_montgomery import MOST_EXTRA_CHANNELS, montgomery_domains
from residua.cores.core import PlainCore
from residua.cores.exponentiation.specification import ExponentiationSpecification
from residua.cores.modular_bus.cases import Setting
from residua.cores.modular_bus.surroundings import ModularBus, bus_around
from residua.cores.simulation.runs import EXPONENTIATIONS, runs_by_default
from residua.errors import first_possible
from residua.hardware.bus.commanded_design import CommandedDesign
from residua.hardware.converters.conversion import Conversion
from residua.hardware.engine.datapath_design import EngineOptions
from residua.hardware.engine.processor_design import ProcessorDesign
from residua.numbers.cox import Range
from residua.numbers.search import BasePair, StyleArguments, in_style, search_bases, user_bases
from residua.numbers.selection.coprime import Style


class ListDesign(Protocol):
    """Design of a list of routines on an engine."""

    options: EngineOptions

    @property
    def domain(self) -> MontgomeryDomain:
        """The domain with a bound that all programs keep."""

    @property
    def processor(self) -> ProcessorDesign:
        """The field processor."""

    @property
    def conversion(self) -> Conversion:
        """The conversion of results to binary."""

    @property
    def width(self) -> int:
        """Bits of a word, w."""

    @property
    def words(self) -> int:
        """Words of an operand and of a result."""

    @property
    def latency(self) -> int:
        """Cycles from the last operand word to the last result word."""

    @property
    def interval(self) -> int:
        """Cycles between results."""


class ListPromises(ABC):
    """Promises of such a core that follow from its design alone (`WordDesign`)."""

    @property
    @abstractmethod
    def _list(self) -> ListDesign:
        """The design."""

    @property
    def domain(self) -> Self:
        """The modulus of results; see ``montgomery_factor``."""
        return self

    @property
    def montgomery_factor(self) -> int:
        """R."""
        return self._list.domain.montgomery_factor

    @property
    def width(self) -> int:
        """Bits of a word."""
        return self._list.width

    @property
    def words(self) -> int:
        """Words of each operand and of the result."""
        return self._list.words

    @property
    def latency(self) -> int:
        """Cycles from the last operand word to the last result word."""
        return self._list.latency

    @property
    def interval(self) -> int:
        """Cycles between results."""
        return self._list.interval

    @property
    def wake(self) -> int:
        """Cycles from the end of a reset to the first in which a word is taken.

        The processor clears its memories, then the list of routines goes on.
        """
        return self._list.processor.clearing_cycles + 1


class Key(Protocol):
    """An RSA key."""

    @property
    def modulus(self) -> int:
        """N."""


class KeyPromises(ListPromises):
    """Promises of a core for RSA with one key, its own domain, for operands below N."""

    @property
    @abstractmethod
    def _own_key(self) -> Key:
        """The key."""

    @property
    def modulus(self) -> int:
        """N."""
        return self._own_key.modulus

    @property
    def error_flag(self) -> Literal["withheld"]:
        """What a flag beside a result tells: that there is 0 instead of it."""
        return "withheld"

    @property
    def operand_words(self) -> int:
        """Words of an operand."""
        return self._list.words

    @property
    def largest(self) -> int:
        """The largest y: 0, as there is none."""
        return 0

    @property
    def largest_x(self) -> int:
        """The largest operand."""
        return self.modulus - 1


D = TypeVar("D", bound=ListDesign)


class ListCore(PlainCore, Generic[D]):
    """A list of routines on an engine; properties are calculated when they are asked for.

    Attributes:
        request: the specification as given.
        pair: the bases.
        design: its hardware, on bases that hold every sum.

    Raises:
        SpecificationError: the request cannot be met.
    """

    request: ExponentiationSpecification
    runs = "powers"

    def __init__(self, request: ExponentiationSpecification) -> None:
        self.request = request
        self.pair, self.design = self._find()

    @property
    @abstractmethod
    def modulus(self) -> int:
        """The modulus for which bases are searched."""

    @property
    def default_runs(self) -> int:
        """Number of powers that a verification compares by default."""
        return runs_by_default(EXPONENTIATIONS, self.cycles["interval"])

    @property
    @abstractmethod
    def commanded(self) -> CommandedDesign:
        """The numbers that it takes on a bus."""

    @abstractmethod
    def settings(self, chooser: random.Random) -> Sequence[Setting]:
        """Promises with several moduli or keys, the first of them a right one."""

    @abstractmethod
    def setting(self, value: Any) -> Setting:  # noqa: ANN401 - a modulus or a key
        """Promises with a modulus or key that is loaded."""

    @cached_property
    def surroundings(self) -> ModularBus | None:
        """The bus around it; None if there is none."""
        return bus_around(self, self.request.bus)

    @property
    def subject(self) -> str:
        """Title and size in one line."""
        return f"{self.title}, {self.request.length} bits"

    @abstractmethod
    def _design(self, pair: BasePair) -> D:
        """The design on these bases."""

    def _domain(self, pair: BasePair, *, loaded: bool) -> MontgomeryDomain:
        """The domain on these bases, of the modulus or of all that can be ``loaded``."""
        request = self.request
        (domain,) = montgomery_domains(
            pair, [self.modulus], request.row_length, arranged=request.base_a is not None
        )
        # What the quadratic form has for factors depends on the modulus.
        return replace(domain, form="reordered") if loaded else domain

    def _find(self) -> tuple[BasePair, D]:
        """The narrowest bases that hold every sum of every program."""

        def made(pair: BasePair) -> tuple[BasePair, D]:
            design = self._design(pair)
            _ = design.domain, design.conversion
            return pair, design

        return first_possible(self._pairs(), made)

    def _pairs(self) -> Iterator[BasePair]:
        """The bases that are asked for; if that is open, the least that do, then larger ones."""
        request = self.request
        if request.base_a is not None and request.base_b is not None:
            width = request.width if "width" in request.model_fields_set else None
            yield user_bases(
                self.modulus,
                request.base_a,
                request.base_b,
                width=width,
                columns=request.row_length,
            )
            return
        first = self._search(request.channels)
        yield first
        if request.channels is None:
            step = request.rowers or request.row_length
            most = first.channels + max(MOST_EXTRA_CHANNELS, step)
            for channels in range(first.channels + step, most + 1, step):
                yield self._search(channels)

    def _search(self, channels: int | None) -> BasePair:
        request = self.request
        return in_style(request.bases, request.width, partial(self._searched, channels))

    def _searched(self, channels: int | None, chosen: StyleArguments) -> BasePair:
        request = self.request
        return search_bases(
            self.modulus,
            request.width,
            channels,
            weight=request.weight,
            rowers=request.rowers,
            columns=request.row_length,
            **chosen,
        )

    def _options(self, pair: BasePair) -> EngineOptions:
        request, reduction = self.request, self.request.reduction
        if reduction == "auto":
            reduction = "shift" if self._style(pair) == "sparse" else "multiply"
        return EngineOptions(
            rowers=request.rowers or pair.channels,
            reduction=reduction,
            product_registers=request.product_registers,
            levels_per_register=request.levels_per_register,
        )

    def _style(self, pair: BasePair) -> Style:
        """Style that was asked for; if it was open, ``sparse`` if every h is within the weight."""
        if self.request.bases != "auto":
            return self.request.bases
        sparse = all(m.weight <= self.request.weight for m in (*pair.base_a, *pair.base_b))
        return "sparse" if sparse else "any"

    @property
    def page(self) -> dict[str, Any]:
        """Values of the report's template: routines and channels."""
        # Drawings are only for reports.
        from residua.cores.drawing.routines import routine_row  # noqa: PLC0415
        from residua.cores.engine.page import channels  # noqa: PLC0415

        routines = self.design.processor.routines.values()
        return {
            **super().page,
            "routines": [routine_row(one) for one in routines],
            "channels": channels(self.parameters, ("base_a", "h_a", "base_b", "h_b")),
        }

    @property
    def _engine_ranges(self) -> dict[str, Range]:
        """Closed intervals of what is in the engine."""
        design, word = self.design, 1 << self.design.width
        return {
            "words": (0, word - 1),
            "residues": (-word, word - 1),
            "elements": (-design.domain.bound, design.domain.bound),
            "sums": design.processor.sum_range,
            "quotients": design.processor.quotient_range,
        }

    @property
    def _engine_values(self) -> dict[str, Any]:
        """Keys of the specification that say which engine it is."""
        domain, options = self.design.domain, self.design.options
        return {
            "width": self.design.width,
            "channels": self.pair.channels,
            "rowers": options.rowers,
            "bases": self._style(self.pair),
            "base_a": tuple(m.value for m in domain.base_a),
            "base_b": tuple(m.value for m in domain.base_b),
            "columns": self.request.row_length if self.request.row_length > 1 else None,
            "reduction": options.reduction,
            "name": self.name,
        }

    @cached_property
    def _engine_parameters(self) -> dict[str, Any]:
        """The numbers of the engine, big ones as decimal strings."""
        request, design, domain = self.request, self.design, self.design.domain
        bases = domain.base_a, domain.base_b
        names = "base_a", "base_b", "h_a", "h_b"
        values = [[str(m.value) for m in base] for base in bases]
        offsets = [[m.offset for m in base] for base in bases]
        return {
            "n": self.pair.channels,
            "w": design.width,
            "bases": self._style(self.pair),
            "h_weight": max(m.weight for base in bases for m in base),
            **dict(zip(names, [*values, *offsets], strict=True)),
            "t": domain.second.truncation,
            "sigma0": str(domain.second.sigma0),
            "form": domain.form,
            "montgomery_factor": str(domain.montgomery_factor),
            "bound": str(domain.bound),
            "rowers": design.options.rowers,
            "extension": request.extension,
            "columns": request.row_length,
            "reduction": design.options.reduction,
            "folds": len(design.processor.folds),
            "product_registers": request.product_registers,
            "levels_per_register": request.levels_per_register,
            "control_words": design.processor.store.words,
            "registers": design.processor.shape.registers,
        }


def prime_above(bits: int) -> int:
    """A prime above all numbers of so many bits."""
    return int(next_prime(1 << bits))
