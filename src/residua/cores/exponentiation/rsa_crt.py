"""RSA with private keys on an engine: from a specification to bases, design, keys and promises."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import gcd
from pathlib import Path
from typing import Any

from amaranth.lib.wiring import Component

from residua.cores.core import STREAM_PORTS
from residua.cores.exponentiation.boundary import rsa_boundary
from residua.cores.exponentiation.list_core import KeyPromises, ListCore, prime_above
from residua.cores.exponentiation.specification import ExponentiationSpecification
from residua.cores.modular_bus import loads
from residua.cores.naming import default_name
from residua.cores.proofs.boundary import Boundary
from residua.cores.simulation.result import VerificationResult
from residua.cores.simulation.runs import Runs
from residua.cores.stream_interface import stream_interface
from residua.hardware.bus.commanded_design import CommandedDesign, Number
from residua.hardware.bus.key_numbers import KeyNumber, Modulus, Source
from residua.hardware.exponentiation.rsa_engine import RsaEngine
from residua.hardware.exponentiation.rsa_engine_design import (
    SHORTEST,
    RsaEngineDesign,
    check_length,
)
from residua.machines.counts import count
from residua.numbers.cox import Range
from residua.numbers.rsa import RsaKey
from residua.numbers.search import BasePair

DEFAULT_EXPONENT = 65537

DEFAULT_WINDOW = 4
"""A table of 32 powers for each half takes longer to look up than a digit of 5 bits saves."""

_RANDOM_KEYS = 2

_EXPONENTS = {"d_p", "d_q"}
"""Numbers of a key without which it has other roots."""

_PORTS = {
    **STREAM_PORTS,
    "operands_payload": "one word of X",
    "modulus_payload": "one word of a key",
    "modulus_valid": "the payload is a word",
    "modulus_ready": "the word is taken in this cycle",
    "modulus_error": "a prime of the key is even or below 2^15",
    "random_payload": "one uniformly distributed, secret word",
    "random_valid": "the payload is a word",
    "random_ready": "the word is taken in this cycle",
    "result_payload": "one word of the result in the low bits, then the flags last and error",
}
"""Purposes of its ports."""


@dataclass(frozen=True)
class RsaEngineOperations(KeyPromises):
    """Promises of an RSA core for one key (`WordDesign`), its own domain.

    Attributes:
        design: of the core.
        key: what is loaded.
        wrong: numbers of the key that are loaded in place of the right ones.
    """

    design: RsaEngineDesign
    key: RsaKey
    wrong: Mapping[str, int] = field(default_factory=dict)

    @property
    def _list(self) -> RsaEngineDesign:
        return self.design

    @property
    def _own_key(self) -> RsaKey:
        return self.key

    @property
    def numbers(self) -> dict[str, int]:
        """The numbers that are loaded."""
        return self.design.numbers(self.key) | dict(self.wrong)

    def expected(self, x: int, _y: int) -> int:
        """The root of a message by plain integers, 0 if it is withheld."""
        if not self.wrong:
            return self.key.root(x)
        if self.wrong.keys() - _EXPONENTS:
            return 0
        # A wrong exponent may lead to the right root all the same: for x = 1, or a multiple of p.
        p, q, numbers = self.key.p, self.key.q, self.numbers
        of_p, of_q = pow(x, numbers["d_p"], p), pow(x, numbers["d_q"], q)
        root = of_q + q * ((of_p - of_q) * self.key.coefficient % p)
        return root if pow(root, self.key.e, self.key.modulus) == x else 0

    @property
    def edges(self) -> tuple[int, ...]:
        """Messages that a verification begins with."""
        n, p, q = self.key.modulus, self.key.p, self.key.q
        return (0, 1, n - 1, p, q, n - p)

    @property
    def modulus_words(self) -> tuple[int, ...]:
        """The words of the key."""
        return self.design.words_of(self.numbers)

    @property
    def tested_words(self) -> tuple[int, ...]:
        """The lowest words of p and q."""
        lengths = self.design.load_lengths
        return (0, sum(lengths[: len(lengths) // 3]))


class RsaEngineCore(ListCore[RsaEngineDesign]):
    """An RSA core on an engine; arguments, attributes and errors of `ListCore`."""

    port_meanings = _PORTS

    @cached_property
    def modulus(self) -> int:
        """A prime above those of all keys."""
        check_length(self.request.length)
        return prime_above(-(-self.request.length // 2))

    def _design(self, pair: BasePair) -> RsaEngineDesign:
        request = self.request
        window = request.window or min(DEFAULT_WINDOW, -(-request.length // 2))
        exponent = request.public_exponent or DEFAULT_EXPONENT
        return RsaEngineDesign(
            self._domain(pair, loaded=True),
            self._options(pair),
            request.length,
            window,
            exponent,
            blinding=request.random_bits,
        )

    @property
    def name(self) -> str:
        """Name of the top module, rsa_crt_rns_<bits>_<channels>x<width> by default."""
        request, size = self.request, f"{self.pair.channels}x{self.design.width}"
        parts = ("rsa_crt_rns", str(request.length), size)
        return request.name or default_name(parts, request, "bits", "channels")

    @property
    def title(self) -> str:
        """Title of the core."""
        return "RSA with private keys in a residue number system"

    @property
    def header(self) -> str:
        """Template of the header of the Verilog."""
        return "header_rsa.txt"

    @property
    def readme(self) -> str:
        """Template of README.md."""
        return "README_rsa.md"

    @property
    def page_template(self) -> str:
        """Template of the report."""
        return "page_rsa.html"

    def operations(self, key: RsaKey) -> RsaEngineOperations:
        """Promises for a key."""
        return RsaEngineOperations(self.design, key)

    @cached_property
    def _key(self) -> RsaKey:
        return self._suitable(random.Random(1), self.request.length)

    def _suitable(self, chooser: random.Random, bits: int) -> RsaKey:
        """A random key whose primes are not moduli of base a."""
        while True:
            key = RsaKey.generate(bits, self.design.exponent, chooser)
            if gcd(key.modulus, self.design.domain.montgomery_factor) == 1:
                return key

    def keys(self, chooser: random.Random) -> list[RsaEngineOperations]:
        """Operations with several keys: random ones, with a short prime, and with wrong numbers."""
        bits = self.request.length
        found = [self._suitable(chooser, bits) for _ in range(_RANDOM_KEYS)]
        short = self._suitable(chooser, max(bits // 2, 2 * SHORTEST - 1))
        # The short prime is p of one key and q of another one.
        for own in (RsaKey(found[0].p, short.q, short.e), RsaKey(short.p, found[1].q, short.e)):
            found += [own] if gcd(own.modulus, self.design.domain.montgomery_factor) == 1 else []
        right = [self.operations(key) for key in found]
        numbers = self.design.numbers(found[0])
        exponent, other = chooser.choice("pq"), chooser.choice(("p.n", "q.n_inverse"))
        wrong = {
            f"d_{exponent}": self._flipped(numbers[f"d_{exponent}"], chooser),
            other: self._flipped(numbers[other], chooser),
            "coefficient": 0,
            f"{chooser.choice('pq')}.square": 0,
        }
        withheld = [replace(right[0], wrong={name: n}) for name, n in wrong.items()]
        return [*right, *withheld]

    @staticmethod
    def _flipped(number: int, chooser: random.Random) -> int:
        """Another number that is as odd, and as long."""
        return number ^ 1 << chooser.randrange(1, max(number.bit_length() - 1, 2))

    @property
    def ranges(self) -> dict[str, Range]:
        """Closed intervals of messages and roots, and of what is in the engine."""
        largest = (1 << self.design.bits) - 1
        return {
            "x": (0, largest - 1),
            "results": (0, largest - 1),
            **self._engine_ranges,
        }

    @property
    def interface(self) -> dict[str, Any]:
        """The streams, the numbers of a key, and one transaction with those of its key."""
        operations = self.operations(self._key)
        key, x = self._key, self._key.modulus // 3
        streams = stream_interface(
            self.design.width,
            self.design.words,
            {"x": x},
            operations.expected(x, 0),
            modulus=key.modulus,
            modulus_words=operations.modulus_words,
        )
        streams["key"] = loads.described(self._key_numbers)
        streams["example"] |= {"p": str(key.p), "q": str(key.q)}
        return streams

    @property
    def _key_numbers(self) -> list[Number]:
        """The numbers of a key, in the order of `RsaEngineDesign.numbers`."""
        _, p, q = Modulus
        last = {
            "1 / q modulo p": KeyNumber(Source.COEFFICIENT, p),
            "1 / e modulo p - 1": KeyNumber(Source.EXPONENT, p),
            "1 / e modulo q - 1": KeyNumber(Source.EXPONENT, q),
        }
        lengths = self.design.load_lengths
        return [
            *loads.on_engine("p", lengths[:3], modulus=p),
            *loads.on_engine("q", lengths[3:6], modulus=q),
            *(
                Number(text, words, derived=derived)
                for (text, derived), words in zip(last.items(), lengths[6:], strict=True)
            ),
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
            "private",
            tests_modulus=True,
            flagged=True,
            factor=design.domain.montgomery_factor,
            random_words=sum(design.random_words),
        )

    def setting(self, value: RsaKey) -> RsaEngineOperations:
        """Promises with a key; what does not fit is refused when its words are made."""
        return self.operations(value)

    def settings(self, chooser: random.Random) -> Sequence[RsaEngineOperations]:
        """Promises with several keys, some of them wrong."""
        return self.keys(chooser)

    @property
    def boundary(self) -> Boundary:
        """Words of all streams may differ, keys too, but not whether they are legal."""
        return rsa_boundary(self.design)

    def simulate(self, sources: Sequence[Path], runs: Runs) -> VerificationResult:
        """Compare its Verilog in simulation with plain integers; see `PlainCore.simulate`."""
        # Simulations take long to load, and making a core does not need them.
        from residua.cores.exponentiation.verification import verify_rsa  # noqa: PLC0415

        return verify_rsa(self, sources, runs)

    @cached_property
    def specification(self) -> ExponentiationSpecification:
        """The request with every choice made; it leads to this core again."""
        chosen = {"window": self.design.window, "exponent": self.design.exponent}
        if self.request.blinding is not None:
            chosen["blinding"] = self.design.blinding
        values = self.request.model_dump() | chosen | self._engine_values
        return ExponentiationSpecification(**values)

    def component(self) -> Component:
        """A new component of the design."""
        return RsaEngine(self.design)

    @cached_property
    def cycles(self) -> dict[str, int]:
        """Latency, interval, and the cycles of a digit of the exponents."""
        routines = self.design.processor.routines
        return {
            "latency": self.design.latency,
            "interval": self.design.interval,
            "products": self.design.products,
            **({"preparation": self.design.preparation} if self.design.blinding else {}),
            **{name: routines[name].length for name in ("step", "square") if name in routines},
        }

    @cached_property
    def utilisation(self) -> float:
        """Counted products of residues per rower and cycle, from message to message.

        The conversions of results have a multiplier of their own, which is not counted.
        """
        design, routines = self.design, self.design.processor.routines
        work = sum(
            step.rounds * count(routines[step.routine].program).emm
            for step in design.steps[design.first_of_operation :]
            if step.routine
        )
        return round(work / (design.options.rowers * design.interval), 4)

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
            "window": design.window,
            "exponent_bits": design.prime_bits,
            **({"blinding": design.blinding} if design.blinding else {}),
            "exponent": str(design.exponent),
            **self._engine_parameters,
        }
