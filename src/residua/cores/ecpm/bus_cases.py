"""Operations of a point multiplier of 2006 on a bus, with what plain integers say of them."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from residua.cores.modular_bus.cases import Cases
from residua.curves.jacobian import multiply
from residua.machines.integers import Integers

if TYPE_CHECKING:
    from residua.cores.ecpm.core import EcpmCore

Numbers = tuple[int, ...]


@dataclass(frozen=True)
class Points:
    """Promises of a core on points (`residua.cores.modular_bus.cases.Promise`)."""

    core: "EcpmCore"

    @property
    def interval(self) -> int:
        """Cycles between results."""
        return self.core.design.interval

    @property
    def modulus_words(self) -> Numbers:
        """The words that are loaded: none."""
        return ()

    def scalars(self, draw: random.Random) -> Numbers:
        """A scalar, if the core takes one."""
        bits = self.core.design.scalar_bits
        return (draw.getrandbits(bits),) if self.multiplies else ()

    @property
    def multiplies(self) -> bool:
        """Whether the core takes a scalar."""
        return self.core.design.operation == "multiply"

    @property
    def points(self) -> int:
        """Points that an operation takes."""
        return 2 if self.core.design.operation == "add" else 1

    def point(self, k: int, z: int) -> Numbers:
        """k times the base point of the curve, its coordinates by this Z."""
        curve = self.core.curve
        p, base = curve.prime, (curve.x, curve.y, 1)
        bits = curve.order_bits
        x, y, own = multiply(Integers(p), k % curve.order, bits, base, curve.a, (1, 1, 0))
        return x * z * z % p, y * z**3 % p, own * z % p


class PointCases(Cases[Points]):
    """Cases of a core on points."""

    def promised(self, setting: Points, operands: Sequence[int]) -> tuple[str, Numbers]:
        """Its formulas on integers: they are right for whatever has coordinates."""
        return "ok", setting.core.model(tuple(operands))

    def drawn(self, setting: Points, purpose: str) -> Numbers:
        """Random multiples of the base point, in random coordinates."""
        draw, p = random.Random(f"{purpose} {self.seed}"), setting.core.curve.prime
        numbers = list(setting.scalars(draw))
        for _ in range(setting.points):
            numbers += setting.point(draw.randrange(1, 1 << 64), draw.randrange(1, p))
        return tuple(numbers)

    def largest(self, setting: Points) -> Numbers:
        """All bits of a scalar, p - 1 of a coordinate."""
        scalar = (1 << setting.core.design.scalar_bits) - 1
        coordinates = (setting.core.curve.prime - 1,) * (3 * setting.points)
        return (scalar, *coordinates) if setting.multiplies else coordinates

    def edges(self, setting: Points) -> Iterator[Numbers]:
        """The neutral element, the least and the largest scalars, equal and opposite points."""
        neutral, one = (1, 1, 0), setting.point(1, 1)
        if setting.multiplies:
            order = setting.core.curve.order
            for k in (0, 1, min(order, self.largest(setting)[0])):
                yield (k, *one)
            yield (self.largest(setting)[0], *neutral)
        elif setting.points == 1:
            yield from (neutral, one)
        else:
            opposite = (one[0], -one[1] % setting.core.curve.prime, one[2])
            for other in (neutral, one, opposite):
                yield (*one, *other)
