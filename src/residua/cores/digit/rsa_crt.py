"""RSA with private keys: from a specification to exponentiators, keys and evidence."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from residua.algorithms.rsa_crt import CrtConstants, Unit, private_operation
from residua.cores.digit.exponentiation import DigitPowersCore
from residua.cores.digit.products import DigitProducts
from residua.cores.digit.specification import DigitSpecification
from residua.cores.modular_bus import loads
from residua.cores.specification.keys import FEWEST_BITS
from residua.hardware.bus.commanded_design import CommandedDesign, Number
from residua.hardware.bus.key_numbers import KeyNumber, Modulus, Source
from residua.hardware.exponentiation.digit_exponentiator import DigitExponentiatorDesign
from residua.hardware.exponentiation.rsa_crt import RsaCrtDesign, half_bits
from residua.machines.digits import DigitCounts
from residua.numbers.digits import DigitDomain, DigitShape
from residua.numbers.rsa import RsaKey

_EXPONENT = 65537

_RANDOM_KEYS = 2

_SUBTRACTED = 4
"""Parts of messages, for each prime, of which a product is subtracted from."""


@dataclass(frozen=True)
class RsaOperations(DigitProducts):
    """Promises of an RSA core for one key (`WordDesign`).

    Attributes:
        key: what is loaded.
        wrong: numbers that are loaded in place of those of the key, see `RsaCrtDesign.loads`; not
            q, with which a message would have another root with another multiplier.
    """

    key: RsaKey
    wrong: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, design: RsaCrtDesign, key: RsaKey) -> "RsaOperations":
        """The operations of a design with a key."""
        return cls(design, DigitDomain(key.modulus, design.shape), key)

    @property
    def rsa(self) -> RsaCrtDesign:
        """The design."""
        assert isinstance(self.design, RsaCrtDesign)
        return self.design

    @property
    def operand_words(self) -> int:
        """Words of a message."""
        return self.rsa.operand_words

    @property
    def largest(self) -> int:
        """The largest y: 0, as there is none."""
        return 0

    @property
    def largest_x(self) -> int:
        """The largest message."""
        return self.key.modulus - 1

    @property
    def error_flag(self) -> Literal["withheld"]:
        """What a flag beside a result tells: that there is 0 instead of it."""
        return "withheld"

    def expected(self, x: int, _y: int) -> int:
        """The root of a message, by plain integers; 0 if it is withheld."""
        if not self.wrong:
            return self.key.root(x)
        # With a wrong number there may be the right root all the same, as of 0.
        root = self._joined(x)
        return root if pow(root, self.key.e, self.key.modulus) == x else 0

    def _joined(self, x: int) -> int:
        """What the numbers that are loaded make of a message, be it its root or not."""
        p, q, numbers = self.key.p, self.key.q, self._numbers
        high, low = divmod(x, 1 << self.width * self.rsa.low_words)
        of_p, of_q = (
            pow(high * numbers[f"shift_{name}"] * self._inverse(n) + low, numbers[f"d_{name}"], n)
            for name, n in (("p", p), ("q", q))
        )
        h = of_p * numbers["coefficient"] + of_q * numbers["negative_coefficient"]
        return of_q + q * (h * self._inverse(p) % p)

    def _inverse(self, prime: int) -> int:
        """1 / R modulo a prime."""
        return pow(self.rsa.half.shape.factor, -1, prime)

    @property
    def edges(self) -> tuple[int, ...]:
        """Messages that a verification begins with.

        They are those with special roots, and some that bring the first product modulo a prime to
        its final subtraction: of others few do that if digits have bits to spare.
        """
        n, p, q = self.key.modulus, self.key.p, self.key.q
        return (0, 1, n - 1, p, q, n - p, *self._subtracted())

    def _subtracted(self) -> Iterator[int]:
        """Messages of which a product is subtracted from."""
        chooser, unit = random.Random(self.key.modulus), self.rsa.half
        low = 1 << self.width * self.rsa.low_words
        numbers, highest = self.rsa.numbers(self.key), self.key.modulus // low - 1
        for name, prime in (("p", self.key.p), ("q", self.key.q)):
            domain, shift = DigitDomain(prime, unit.shape), numbers[f"shift_{name}"]
            for part in domain.subtracted(shift, highest)[-_SUBTRACTED:]:
                for factor in (1, chooser.randint(1, highest // part), highest // part):
                    if domain.sum(part * factor, shift) >= prime:
                        yield part * factor * low + chooser.randrange(low)

    @property
    def modulus_words(self) -> tuple[int, ...]:
        """The words of the key."""
        return tuple(word for part in self.rsa.loads(self.key, self.wrong) for word in part)

    @property
    def tested_words(self) -> tuple[int, ...]:
        """The lowest words of p, q and N."""
        lengths = self.rsa.load_lengths
        return (0, lengths[0], lengths[0] + lengths[1])

    def modelled(self, message: int) -> int:
        """The root as the algorithm finds it, 0 if it finds a fault."""
        design, key = self.rsa, self.key
        moduli = ((key.p, design.half), (key.q, design.half), (key.modulus, design.whole))
        domains = [DigitDomain(modulus, unit.shape) for modulus, unit in moduli]
        root, right = private_operation(
            [Unit(domain.product, domain.square) for domain in domains],
            self._constants,
            message,
            low=1 << design.width * design.low_words,
            exponent=design.exponent,
            bits=design.half.exponent_bits,
            window=design.half.window,
        )
        return root if right else 0

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """The numbers that are loaded, by their names in `RsaCrtDesign.spans`."""
        return self.rsa.numbers(self.key) | dict(self.wrong)

    @property
    def _constants(self) -> CrtConstants:
        """The same, as the algorithm names them."""
        numbers = self._numbers
        return CrtConstants(
            (numbers["shift_p"], numbers["shift_q"]),
            (numbers["d_p"], numbers["d_q"]),
            numbers["coefficient"],
            numbers["negative_coefficient"],
            numbers["q"],
        )


class RsaCrtCore(DigitPowersCore):
    """An RSA core; arguments and errors of `DigitCore`."""

    @cached_property
    def _exponent(self) -> int:
        return self.request.exponent or _EXPONENT

    @property
    def _exponent_bits(self) -> int:
        return -(-self.request.length // 2)

    def _design(self) -> RsaCrtDesign:
        bits, digit, exponent = self.request.length, self.request.digit, self._exponent
        half = self._iddmm(DigitShape(half_bits(bits, digit), digit))
        whole = self._iddmm(self.shape)
        length = exponent.bit_length()
        return RsaCrtDesign(
            bits,
            DigitExponentiatorDesign(half, self._exponent_bits, self._window, plain=True),
            DigitExponentiatorDesign(whole, length, exponent=exponent, plain=True),
        )

    @property
    def readme(self) -> str:
        """Template of README.md."""
        return "README_rsa.md"

    @property
    def interface(self) -> dict[str, Any]:
        """The streams, the numbers of a key, and one transaction with those of its key."""
        streams, products = super().interface, self.products()
        design, key = products.rsa, products.key
        streams["key"] = loads.described(self._key_numbers)
        streams["half_factor_bits"] = design.half.shape.factor.bit_length() - 1
        streams["low_bits"] = design.width * design.low_words
        streams["example"] |= {"p": str(key.p), "q": str(key.q)}
        return streams

    @property
    def _key_numbers(self) -> list[Number]:
        """The numbers of a key, in the order of `RsaCrtDesign.loads`."""
        design = self.design
        assert isinstance(design, RsaCrtDesign)
        n, p, q = Modulus
        half, whole = (unit.shape.factor_bits for unit in (design.half, design.whole))
        above = half + design.width * design.low_words
        constants = {
            "shift_p": ("L R modulo p", KeyNumber(Source.ONE, p, above)),
            "d_p": ("1 / e modulo p - 1", KeyNumber(Source.EXPONENT, p)),
            "shift_q": ("L R modulo q", KeyNumber(Source.ONE, q, above)),
            "d_q": ("1 / e modulo q - 1", KeyNumber(Source.EXPONENT, q)),
            "coefficient": ("R / q modulo p", KeyNumber(Source.COEFFICIENT, p, half)),
            "negative_coefficient": (
                "-R / q modulo p", KeyNumber(Source.NEGATIVE_COEFFICIENT, p, half),
            ),
            "q": ("q R' modulo N", KeyNumber(Source.OTHER_PRIME, n, whole)),
        }  # fmt: skip
        return [
            *loads.on_digits(design.half, "p", modulus=p),
            *loads.on_digits(design.half, "q", modulus=q),
            *loads.on_digits(design.whole, "N", factor="R'"),
            *(
                Number(text, design.spans[name].count, derived=derived)
                for name, (text, derived) in constants.items()
            ),
        ]

    @property
    def commanded(self) -> CommandedDesign:
        """The numbers that it takes on a bus."""
        design = self.design
        assert isinstance(design, RsaCrtDesign)
        message = Number("x", design.operand_words, design.bits)
        return CommandedDesign(
            design.width,
            tuple(self._key_numbers),
            (message,),
            design.operand_words,
            "private",
            tests_modulus=True,
            flagged=True,
        )

    def setting(self, value: RsaKey) -> RsaOperations:  # type: ignore[override]
        """Promises with a key; what does not fit is refused when its words are made."""
        return self.operations(value)

    def settings(self, chooser: random.Random) -> Sequence[DigitProducts]:
        """Promises with several keys."""
        return self.keys(chooser)

    @cached_property
    def specification(self) -> DigitSpecification:
        """The request with every choice made; it leads to this core again."""
        values = {"window": self._window, "exponent": self._exponent}
        return super().specification.model_copy(update=values)

    @cached_property
    def counts(self) -> DigitCounts:
        """The operations of all products."""
        assert isinstance(self.design, RsaCrtDesign)
        half, whole = DigitCounts(), DigitCounts()
        self.algorithm(half, self.design.half.shape)
        self.algorithm(whole)
        for one, products in zip((half, whole), self.design.products, strict=True):
            one.scale(products)
        half.include(whole)
        return half

    def model(self, products: DigitProducts, x: int, _y: int) -> int:
        """The root of a message as the algorithm finds it."""
        assert isinstance(products, RsaOperations)
        return products.modelled(x)

    def products(self, _modulus: int | None = None) -> RsaOperations:
        """Promises for some key of the largest size."""
        return self.operations(self._key)

    def operations(self, key: RsaKey) -> RsaOperations:
        """Promises for this key."""
        assert isinstance(self.design, RsaCrtDesign)
        return RsaOperations.of(self.design, key)

    @cached_property
    def _key(self) -> RsaKey:
        return RsaKey.generate(self.request.length, self._exponent, random.Random(1))

    def keys(self, chooser: random.Random) -> list[RsaOperations]:
        """Operations with several keys: one with a short prime, random ones, and wrong numbers."""
        bits, e = self.request.length, self._exponent
        keys = [RsaKey.generate(bits, e, chooser) for _ in range(_RANDOM_KEYS)]
        p, short = keys[0].p, RsaKey.generate(max(bits // 2 + 2, FEWEST_BITS), e, chooser)
        q = short.q if short.p == p else short.p
        right = [self.operations(key) for key in (*keys, RsaKey(p, q, e))]
        numbers = right[0].rsa.numbers(keys[0])
        names = (f"d_{chooser.choice('pq')}", f"shift_{chooser.choice('pq')}", "coefficient")
        # Another number that is below each prime, as both have their top bits.
        least = min(keys[0].p, keys[0].q) - 1
        wrong = {name: (numbers[name] + chooser.randrange(1, least)) % least for name in names}
        return [*right, *(replace(right[0], wrong={name: n}) for name, n in wrong.items())]
