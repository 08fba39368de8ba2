"""A random choice of the moduli of both bases, and the program that computes what follows from it.

Every channel has two moduli. A bit of each says which of them belongs to base a, and the other one
belongs to base b. What depends on the moduli of one channel alone is a constant for each value of
its bit. All else is computed from the bits, by `prepare`, and held as residues, each of which is
the number 1 with a factor:

============ ============================ ==============================
element      base a, channel r            base b, channel r
============ ============================ ==============================
"turn_t"     M_b / b_{r+t}                P / a_{r+t} (M_b / b_r)^-1
"quotient"   -M_b                         -P (M_b / b_r)^-1
"reduction"  -1 / P (M_a / a_r)^-1        M_b / b_r / M_a
"cofactor"   (M_a / a_r)^-1               (M_b / b_r)^-1
"square"     R^2 mod P, R = M_a: an element of both bases
============ ============================ ==============================

Products of moduli come from neighbours: a flag that tells which modulus a channel has in base a
goes around the ring, and in turn t each channel chooses what it knows of both moduli of channel
r + t. So nothing is addressed by a secret bit but a rower's own constants.

No product with constants leads to R^2, as each divides by M_a once more. But M = M_a M_b is always
the same, and so is c = M mod P: with the bases exchanged, c M_a / M_b = M_a^2.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from residua.algorithms.fields.rns_field import Lowered
from residua.algorithms.held_extension import (
    ONE,
    HeldMatrix,
    Reach,
    chosen,
    held_extension,
    restated,
    rotated,
)
from residua.algorithms.montgomery import Element, MontgomeryDomain
from residua.algorithms.program import Program
from residua.algorithms.terms import Interval, Residues, Vector
from residua.numbers.bases import Base
from residua.numbers.cox import Cox, Deviation, Range, deviation
from residua.numbers.moduli import Modulus
from residua.numbers.residues import Representation

SQUARE = "square"
QUOTIENT, REDUCTION, COFACTOR = "quotient", "reduction", "cofactor"

Choice = tuple[int, ...]
"""The bit of each channel."""


def with_choice(domain: MontgomeryDomain, choice: Choice) -> MontgomeryDomain:
    """The domain in which the moduli of those channels have changed sides whose bit is 1."""
    pairs = [
        (two, one) if bit else (one, two)
        for one, two, bit in zip(domain.base_a, domain.base_b, choice, strict=True)
    ]
    base_a, base_b = (Base(side) for side in zip(*pairs, strict=True))
    return replace(domain, base_a=base_a, base_b=base_b)


def reach(domain: MontgomeryDomain, cox: Cox, representation: Representation) -> Reach:
    """What holds of extensions from either base for every choice."""
    base_a, base_b = domain.base_a, domain.base_b
    ranges = zip(representation.ranges(base_a), representation.ranges(base_b), strict=True)
    return _reach(tuple(zip(base_a, base_b, ranges, strict=True)), cox)


@lru_cache(maxsize=64)  # every reduction asks for it
def _reach(pairs: tuple[tuple[Modulus, Modulus, tuple[Range, Range]], ...], cox: Cox) -> Reach:
    under = over = Fraction(0)
    smallest = largest = 1
    unreduced = Interval.of(0, 0)
    for *moduli, ranges in pairs:
        own = list(zip(moduli, ranges, strict=True))
        least = min(Fraction(low, modulus.value) for modulus, (low, _) in own)
        most = max(Fraction(high, modulus.value) for modulus, (_, high) in own)
        unreduced += Interval.of(least, most)
        found = [deviation(Base((modulus,)), cox, [each]) for modulus, each in own]
        under += max(each.under for each in found)
        over += max(each.over for each in found)
        smallest *= min(modulus.value for modulus in moduli)
        largest *= max(modulus.value for modulus in moduli)
    error = Deviation(under, over)
    return Reach(
        smallest,
        largest,
        Interval.of(*error.exact(cox.sigma0)),
        Interval.of(*error.result(cox.sigma0)),
        unreduced,
    )


def turn(index: int) -> str:
    """The name of the element that holds the constants of a turn."""
    return f"turn_{index}"


def held_factors(domain: MontgomeryDomain) -> dict[str, tuple[Vector, Vector]]:
    """The factors of the elements that hold factors, in base a and in base b."""
    return _held_factors(domain.base_a, domain.base_b, domain.modulus)


@lru_cache(maxsize=16)  # all programs on the same bases ask for it
def _held_factors(base_a: Base, base_b: Base, modulus: int) -> dict[str, tuple[Vector, Vector]]:
    count = len(base_a)
    inverses_a = _inverses(base_a, base_a.cofactors)
    inverses_b = _inverses(base_b, base_b.cofactors)
    of_all = _inverses(base_b, [base_a.product] * count)
    found = {}
    for index in range(count):
        ahead = [(r + index) % count for r in range(count)]
        of_ahead = _inverses(base_b, [base_a.moduli[r].value for r in ahead])
        found[turn(index)] = (
            _reduced(base_a, [base_b.cofactors[r] for r in ahead]),
            _reduced(base_b, [modulus * x * y for x, y in zip(of_ahead, inverses_b, strict=True)]),
        )
    of_modulus = _inverses(base_a, [modulus] * count)
    return found | {
        QUOTIENT: (
            _reduced(base_a, [-base_b.product] * count),
            _reduced(base_b, [-modulus * inverse for inverse in inverses_b]),
        ),
        REDUCTION: (
            _reduced(base_a, [-x * y for x, y in zip(of_modulus, inverses_a, strict=True)]),
            _reduced(base_b, [x * y for x, y in zip(base_b.cofactors, of_all, strict=True)]),
        ),
        COFACTOR: (inverses_a, inverses_b),
    }


def prepare(domain: MontgomeryDomain, choice: Choice, representation: Representation) -> Lowered:
    """A program that makes all elements of the module, for a choice on a domain.

    It takes nothing: what depends on a bit of the choice depends on that of the channel alone.
    Turns have inverses only, until `complete` has made what they have to be.
    """
    return _Preparation(domain, choice, representation).lowered()


def complete(domain: MontgomeryDomain, representation: Representation) -> Lowered:
    """A program that multiplies the inverses of all turns by what they have in common."""
    program, count = Program("complete", representation), len(domain.base_a)
    common = held_input(program, domain, QUOTIENT, held_factors(domain)[QUOTIENT])
    inputs, outputs = {QUOTIENT: common}, dict[str, Element]()
    for index in range(count):
        name = turn(index)
        own = held_input(program, domain, name, _inverses_ahead(domain, index))
        held = [
            program.reduce(f"{name}_{part}", restated(each, Fraction(-1)))
            for part, each in (
                ("a", program.product(own.a, common.a, -1)),
                ("b", program.product(own.b, common.b, -1)),
            )
        ]
        program.output(*held)
        inputs[name], outputs[name] = own, Element(*held)
    return Lowered(program, inputs, outputs)


def held_input(
    program: Program, domain: MontgomeryDomain, name: str, factors: tuple[Vector, Vector]
) -> Element:
    """An element that holds these factors, which the caller supplies."""
    return Element(
        program.input(f"{name}_a", domain.base_a, factors[0], ONE),
        program.input(f"{name}_b", domain.base_b, factors[1], ONE),
    )


def _inverses_ahead(domain: MontgomeryDomain, index: int) -> tuple[Vector, Vector]:
    """What `prepare` leaves for a turn: 1 / b_{r+t} in base a and 1 / a_{r+t} in base b."""
    base_a, base_b = domain.base_a, domain.base_b
    ahead = [(r + index) % len(base_a) for r in range(len(base_a))]
    return (
        _inverses(base_a, [base_b.moduli[r].value for r in ahead]),
        _inverses(base_b, [base_a.moduli[r].value for r in ahead]),
    )


class _Preparation:
    """A program that computes factors; ``pairs`` are the moduli of each channel by its bit."""

    def __init__(
        self, domain: MontgomeryDomain, choice: Choice, representation: Representation
    ) -> None:
        self.pairs = list(zip(domain.base_a, domain.base_b, strict=True))
        self.domain, self.choice = with_choice(domain, choice), choice
        self.program = Program("prepare", representation)

    def lowered(self) -> Lowered:
        """The program: turn by turn what is ahead, and its products."""
        program, domain = self.program, self.domain
        a, b = _Channels(self, domain.base_a), _Channels(self, domain.base_b)
        found: dict[str, Element] = {}
        for index in range(len(self.pairs)):
            if index:
                a.turn()
                b.turn()
            a.take("b", index, inverse=False)
            b.take("a", index, inverse=False)
            found[turn(index)] = Element(
                a.ahead("b", index, inverse=True), b.take("a", index, inverse=True)
            )
            if index:
                a.take("a", index, inverse=True)
                b.take("b", index, inverse=False)
                b.take("b", index, inverse=True)
        cofactor_a, cofactor_b = a.product("a", inverse=True), b.product("b", inverse=True)
        all_a, all_b = b.product("a"), a.product("b")
        scaled = b.scaled("p_b", cofactor_b, domain.modulus)
        found[QUOTIENT] = Element(a.scaled("quotient_a", all_b, -1), b.scaled("q_b", scaled, -1))
        found[REDUCTION] = Element(
            a.scaled("reduction_a", cofactor_a, Fraction(-1, domain.modulus)),
            b.times("reduction_b", b.product("b"), b.product("a", inverse=True)),
        )
        found[COFACTOR] = Element(cofactor_a, cofactor_b)
        turns = [found[turn(index)] for index in range(len(self.pairs))]
        plain = (
            HeldMatrix(tuple(each.a for each in turns), a.constant("-1", [-1] * len(turns))),
            HeldMatrix(tuple(each.b for each in turns), b.constant("-1", [-1] * len(turns))),
        )
        found[SQUARE] = self._square(plain, cofactor_a, b.times("v", all_a, cofactor_b))
        program.demand(found[SQUARE].b, domain.range, "elements outside keep within B")
        for element in found.values():
            program.output(element.a, element.b)
        return Lowered(program, {}, found)

    def _square(self, plain: Sequence[HeldMatrix], cofactor_a: Residues, both: Residues) -> Element:
        """c M_a / M_b modulo P; ``both`` carries M_a M_b / b_r, the matrices only inverses."""
        program, domain = self.program, self.domain
        product_a, product_b, modulus = (
            domain.base_a.product,
            domain.base_b.product,
            domain.modulus,
        )
        constant = product_a * product_b % modulus
        constant -= modulus if 2 * constant > modulus else 0
        amount = constant * product_a
        cofactors = domain.base_b.cofactor_inverses
        xi_b = program.reduce("xi_b", program.scaled(both, Fraction(-amount, modulus), cofactors))
        q_a = program.reduce(
            "q_a",
            held_extension(
                program,
                xi_b,
                domain.base_a,
                domain.second,
                plain[0],
                reach(domain, domain.second, program.representation),
                multiple=Fraction(1, product_b),
            ),
        )
        summand = program.scaled(q_a, modulus)
        # U is a multiple of M_a, so that nothing is added to it here.
        own = reach(domain, domain.first, program.representation)
        ratio = Interval.of(own.smallest, own.largest) * own.inverse
        share = ratio.scaled(Fraction(constant))
        s_a = program.reduce("square_a", summand, range=summand.range + share)
        xi_a = program.reduce("xi_a", program.product(s_a, cofactor_a))
        part = program.reduce(
            "part_b",
            held_extension(
                program,
                xi_a,
                domain.base_b,
                domain.first,
                plain[1],
                own,
                multiple=Fraction(1, product_a),
                exact=True,
            ),
        )
        s_b = program.reduce("square_b", restated(program.product(part, both), Fraction(product_a)))
        return Element(s_a, s_b)


class _Channels:
    """Factors modulo the moduli of one base, and the products of those that were taken."""

    def __init__(self, own: _Preparation, base: Base) -> None:
        self.own, self.base, self.program = own, base, own.program
        self._flags = self.constant("flags", own.choice)
        self._products: dict[tuple[str, bool], Residues] = {}

    def turn(self) -> None:
        """Have the bit of the channel that is one more ahead."""
        self._flags = rotated(self.program, self._flags)

    def ahead(self, side: str, index: int, *, inverse: bool) -> Residues:
        """The modulus in base ``side`` of the channel that is ``index`` ahead, or its inverse."""
        return self._ahead(index, side, inverse) if index else self._own(side, inverse)

    def take(self, side: str, index: int, *, inverse: bool) -> Residues:
        """What is `ahead`, for the product, too."""
        own = self.ahead(side, index, inverse=inverse)
        before = self._products.get((side, inverse))
        product = own if before is None else self.times(f"all_{side}", before, own)
        self._products[side, inverse] = product
        return own

    def product(self, side: str, *, inverse: bool = False) -> Residues:
        """All that were taken, multiplied."""
        return self._products[side, inverse]

    def constant(self, name: str, factor: Sequence[int]) -> Residues:
        """A factor that is known."""
        return self.program.reduce(name, self.program.stored(1, self.base, factor))

    def _own(self, side: str, inverse: bool) -> Residues:
        """What follows from the bit of the channel alone."""
        base = self.own.domain.base_a if side == "a" else self.own.domain.base_b
        return self.constant(f"{side}_0", self._numbers(list(base), inverse))

    def _ahead(self, index: int, side: str, inverse: bool) -> Residues:
        pairs = self.own.pairs
        ahead = [pairs[(r + index) % len(pairs)] for r in range(len(pairs))]
        clear, set_ = (
            self._numbers([pair[bit ^ (side == "b")] for pair in ahead], inverse) for bit in (0, 1)
        )
        return chosen(self.program, f"{side}_{index}", self._flags, clear, set_)

    def _numbers(self, moduli: Sequence[Modulus], inverse: bool) -> Vector:
        power = -1 if inverse else 1
        return tuple(
            pow(each.value, power, own.value) for each, own in zip(moduli, self.base, strict=True)
        )

    def times(self, name: str, one: Residues, two: Residues) -> Residues:
        """The product of two factors."""
        return self.program.reduce(name, self.program.product(one, two))

    def scaled(self, name: str, held: Residues, number: Fraction | int) -> Residues:
        """A factor times a number that is known."""
        ratio = [
            number.numerator * pow(number.denominator, -1, modulus.value) for modulus in self.base
        ]
        factor = [f * own for f, own in zip(held.factor, ratio, strict=True)]
        return self.program.reduce(name, self.program.scaled(held, 1, factor))


def _reduced(base: Base, numbers: Sequence[int]) -> Vector:
    """Numbers, each modulo the modulus of its channel."""
    return tuple(number % modulus.value for number, modulus in zip(numbers, base, strict=True))


def _inverses(base: Base, numbers: Sequence[int]) -> Vector:
    """The inverses of some numbers, one in each channel."""
    return tuple(
        pow(number, -1, modulus.value) for number, modulus in zip(numbers, base, strict=True)
    )
