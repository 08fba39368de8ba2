"""RSA's public operation on an engine: from a specification to design, keys and promises."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import gcd
from pathlib import Path
from typing import Any

from residua.algorithms.fields.loaded_field import SMALLEST
from residua.cores.core import STREAM_PORTS
from residua.cores.exponentiation.boundary import public_key_boundary
from residua.cores.exponentiation.core import largest_modulus
from residua.cores.exponentiation.list_core import KeyPromises, ListCore, prime_above
from residua.cores.exponentiation.specification import ExponentiationSpecification
from residua.cores.modular_bus import loads
from residua.cores.naming import default_name
from residua.cores.proofs.boundary import Boundary
from residua.cores.simulation.result import VerificationResult
from residua.cores.simulation.runs import Runs
from residua.cores.stream_interface import stream_interface
from residua.errors import SpecificationError
from residua.hardware.bus.commanded_design import CommandedDesign, Number
from residua.hardware.bus.key_numbers import KeyNumber, Source
from residua.hardware.exponentiation.public_exponentiator import (
    PublicExponentiator,
    PublicExponentiatorDesign,
)
from residua.machines.counts import count
from residua.numbers.cox import Range
from residua.numbers.rsa import RsaPublicKey
from residua.numbers.search import BasePair

USUAL_EXPONENT = 65537
"""The public exponent of nearly all keys, for which figures are given."""

CHANNELS_PER_MULTIPLIER = 8
"""Moduli of a base for each multiplier of the converter, by default."""

_PORTS = {
    **STREAM_PORTS,
    "operands_payload": "one word of X",
    "modulus_payload": "one word of N, of -1 / N modulo M_a, of R^2 modulo N or of e",
    "modulus_valid": "the payload is a word",
    "modulus_ready": "the word is taken in this cycle",
    "modulus_error": "N is even or below 2^15, or e even or 1",
    "result_payload": "one word of the result in the low bits, then the flags last and error",
}
"""Purposes of its ports."""


@dataclass(frozen=True)
class PublicOperations(KeyPromises):
    """Promises of the public operation with one key (`WordDesign`), its own domain.

    Attributes:
        design: of the core.
        key: what is loaded.
    """

    design: PublicExponentiatorDesign
    key: RsaPublicKey

    @property
    def _list(self) -> PublicExponentiatorDesign:
        return self.design

    @property
    def _own_key(self) -> RsaPublicKey:
        return self.key

    @property
    def latency(self) -> int:
        """Cycles from the last word of x to the last word of the result."""
        return self.design.latency_of(self.key.e)

    @property
    def interval(self) -> int:
        """Cycles between results."""
        return self.design.interval_of(self.key.e)

    def expected(self, x: int, _y: int) -> int:
        """The power by plain integers, 0 if it is withheld."""
        return self.key.power(x) if x < self.key.modulus else 0

    def model(self, x: int, _y: int) -> int:
        """The power by the model of the engine."""
        return self.design.power(x, self.key.e, self.key.modulus)

    @property
    def edges(self) -> tuple[int, ...]:
        """What a verification begins with: also what is refused."""
        n, words = self.key.modulus, self.design.words * self.design.width
        return (0, 1, n - 1, n, (1 << words) - 1, 2)

    @property
    def modulus_words(self) -> tuple[int, ...]:
        """The words of the key."""
        return self.design.key_words(self.key.modulus, self.key.e)

    @property
    def tested_words(self) -> tuple[int, ...]:
        """The lowest words of N and of e."""
        *others, _ = self.design.load_lengths
        return (0, sum(others))


class PublicKeyCore(ListCore[PublicExponentiatorDesign]):
    """RSA's public operation on an engine; arguments, attributes and errors of `ListCore`."""

    port_meanings = _PORTS

    @cached_property
    def modulus(self) -> int:
        """A prime above the moduli of all keys."""
        return prime_above(self.request.length)

    def _find(self) -> tuple[BasePair, PublicExponentiatorDesign]:
        pair, design = super()._find()
        if (asked := self.request.output_multipliers or 1) > pair.channels:
            raise SpecificationError(
                f"output_multipliers = {asked}: n = {pair.channels} channels have use for 1 to "
                f"{pair.channels}"
            )
        return pair, design

    def _design(self, pair: BasePair) -> PublicExponentiatorDesign:
        request = self.request
        multipliers = request.output_multipliers or -(-pair.channels // CHANNELS_PER_MULTIPLIER)
        # More are refused in the end: bases do not grow for them.
        multipliers = min(multipliers, pair.channels)
        return PublicExponentiatorDesign(
            self._domain(pair, loaded=True),
            self._options(pair),
            request.length,
            request.loaded_exponent_bits,
            multipliers,
        )

    @property
    def name(self) -> str:
        """Name of the top module, rsa_public_rns_<bits>_<channels>x<width> by default."""
        request, size = self.request, f"{self.pair.channels}x{self.design.width}"
        parts = ("rsa_public_rns", str(request.length), size)
        return request.name or default_name(parts, request, "bits", "channels", "exponent")

    @property
    def title(self) -> str:
        """Title of the core."""
        return "RSA with public keys in a residue number system"

    @property
    def header(self) -> str:
        """Template of the header of the Verilog."""
        return "header_public.txt"

    @property
    def readme(self) -> str:
        """Template of README.md."""
        return "README_public.md"

    @property
    def page_template(self) -> str:
        """Template of the report."""
        return "page_public.html"

    @property
    def usual_exponent(self) -> int:
        """The exponent for which figures are given: 65537, or 3 where that is too long."""
        long = self.design.exponent_bits < USUAL_EXPONENT.bit_length()
        return 3 if long else USUAL_EXPONENT

    def operations(self, key: RsaPublicKey) -> PublicOperations:
        """Promises for a key."""
        return PublicOperations(self.design, key)

    @cached_property
    def _key(self) -> RsaPublicKey:
        return RsaPublicKey(largest_modulus(self.design), self.usual_exponent)

    def keys(self, chooser: random.Random) -> list[PublicOperations]:
        """Operations with several keys: long, random and short ones, with all kinds of exponents.

        The second one has the longest exponent, of ones alone.
        """
        design, top = self.design, 1 << self.design.bits - 1
        longest = (1 << design.exponent_bits) - 1
        random_exponent = chooser.randrange(3, longest + 1) | 1
        exponents = (longest, 3, random_exponent, self.usual_exponent)
        starts = (*(chooser.getrandbits(design.bits - 1) | top for _ in range(3)), SMALLEST)
        found = [self._key]
        for start, exponent in zip(starts, exponents, strict=True):
            found.append(RsaPublicKey(self._suitable(start), exponent))
        return [self.operations(key) for key in found]

    def _suitable(self, start: int) -> int:
        """An odd number that can be loaded, from this one on, or below if there is none."""
        end, factor = 1 << self.design.bits, self.design.domain.montgomery_factor
        above = (n for n in range(start | 1, end, 2) if gcd(n, factor) == 1)
        return next(above, self._key.modulus)

    @property
    def ranges(self) -> dict[str, Range]:
        """Closed intervals of x and of results, and of what is in the engine."""
        design = self.design
        return {
            "x": (0, design.largest_x),
            "e": (3, (1 << design.exponent_bits) - 1),
            "results": (0, design.largest_x),
            **self._engine_ranges,
        }

    @property
    def interface(self) -> dict[str, Any]:
        """The streams, and one transaction with the longest modulus."""
        operations = self.operations(self._key)
        x = self._key.modulus // 3
        streams = stream_interface(
            self.design.width,
            self.design.words,
            {"x": x},
            operations.expected(x, 0),
            modulus=self._key.modulus,
            modulus_words=operations.modulus_words,
        )
        streams["key"] = loads.described(self._key_numbers)
        streams["example"] |= {"e": str(self._key.e)}
        # Control follows them.
        streams["public"] = ["modulus"]
        return streams

    @property
    def _key_numbers(self) -> list[Number]:
        """The numbers of a key, in the order of `PublicExponentiatorDesign.load_words`."""
        design = self.design
        *of_modulus, words = design.load_lengths
        exponent = KeyNumber(Source.EXPONENT)
        return [
            *loads.on_engine("N", of_modulus, bits=design.bits),
            Number("e", words, design.exponent_bits, exponent=True, derived=exponent),
        ]

    @property
    def commanded(self) -> CommandedDesign:
        """The numbers that it takes on a bus."""
        design = self.design
        return CommandedDesign(
            design.width,
            tuple(self._key_numbers),
            (Number("x", design.words, design.bits),),
            design.words,
            "public",
            tests_modulus=True,
            flagged=True,
            withheld="operand_range",
            factor=design.domain.montgomery_factor,
        )

    def setting(self, value: RsaPublicKey) -> PublicOperations:
        """Promises with a key; what does not fit is refused when its words are made."""
        return self.operations(value)

    def settings(self, chooser: random.Random) -> Sequence[PublicOperations]:
        """Promises with several keys."""
        return self.keys(chooser)

    @property
    def boundary(self) -> Boundary:
        """Words of x and of results may differ; keys are public."""
        return public_key_boundary(self.design)

    def simulate(self, sources: Sequence[Path], runs: Runs) -> VerificationResult:
        """Compare its Verilog in simulation with plain integers; see `PlainCore.simulate`."""
        # Simulations take long to load, and making a core does not need them.
        from residua.cores.exponentiation.verification import verify_public  # noqa: PLC0415

        return verify_public(self, sources, runs)

    @cached_property
    def specification(self) -> ExponentiationSpecification:
        """The request with every choice made; it leads to this core again."""
        chosen = {
            "exponent_bits": self.design.exponent_bits,
            "output_multipliers": self.design.multipliers,
        }
        return ExponentiationSpecification(
            **(self.request.model_dump() | chosen | self._engine_values)
        )

    def component(self) -> PublicExponentiator:
        """A new component of the design."""
        return PublicExponentiator(self.design)

    @cached_property
    def cycles(self) -> dict[str, int]:
        """Latency and interval with the usual exponent, and cycles of what others have more of.

        An exponent takes a ``square`` for each bit but the highest, a ``multiply`` for each 1 but
        the highest and the lowest.
        """
        design, routines = self.design, self.design.processor.routines
        own, e = self.operations(self._key), self.usual_exponent
        longest = (1 << design.exponent_bits) - 1
        return {
            "latency": own.latency,
            "interval": own.interval,
            "exponent": e,
            "longest": design.latency_of(longest),
            "products": design.products_of(e),
            **{name: routines[name].length for name in ("square", "multiply")},
        }

    @cached_property
    def utilisation(self) -> float:
        """Counted products of residues per rower and cycle, with the usual exponent.

        The conversion of the result has multipliers of its own, which are not counted.
        """
        design, routines, e = self.design, self.design.processor.routines, self.usual_exponent
        work = sum(
            (run.rounds or 1) * count(routines[run.routine].program).emm
            for run in design.runs_of(e)
        )
        return round(work / (design.options.rowers * design.interval_of(e)), 4)

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """Every chosen number, big ones as decimal strings."""
        request, design = self.request, self.design
        return {
            "algorithm": request.algorithm,
            "unit": request.unit,
            "interface": "words",
            "modulus": None,
            "modulus_name": None,
            "modulus_bits": request.length,
            "window": None,
            "exponent_bits": design.exponent_bits,
            "exponent": request.exponent,
            "output_multipliers": design.multipliers,
            **self._engine_parameters,
        }
