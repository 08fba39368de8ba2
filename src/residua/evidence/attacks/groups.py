"""Operations of two groups: of one an operand is fixed, of the other it is random."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from residua.errors import SpecificationError
from residua.evidence.attacks.victims.victim import Bench

T = TypeVar("T")


@dataclass(frozen=True)
class Compared:
    """What is compared.

    Attributes:
        traces: half of them, about, with the fixed operand; at least 4.
        seed: chooses operands, random words and the order of the traces.
        where: pattern of the names of registers whose bits count.
        curve: index of the curve; 0 for a core that has none.
        control: both groups have random operands, so that nothing should be found.
        operation: by its name; None for the multiplication of a point, or the only one.
        operand: index of the operand that is fixed or random; of arithmetic all others are random.
            Of a root or a power 0 is the exponent, which for a root is one modulo each prime, and 1
            the base; the other one and the key are the same throughout.
        random_word: what every random word is, as if the port were stuck; None for fresh ones.
    """

    traces: int = 500
    seed: int = 1
    where: str = "*"
    curve: int = 0
    control: bool = False
    operation: str | None = None
    operand: int = 0
    random_word: int | None = None


@dataclass(frozen=True)
class Groups:
    """The operations in their order: of either group by the toss of a coin.

    Attributes:
        operation: name of what runs.
        operand: name of what is fixed or random.
        about: what a result tells of the numbers: a curve, or a size.
        bench: C++ that runs it.
        cycles: of the operation.
        phases: the first cycle and the name of each.
        fixed: whether a trace is of the fixed group.
        values: the operand, for each trace.
        lines: the operations as the bench takes them.
    """

    operation: str
    operand: str
    about: dict[str, str]
    bench: Bench
    cycles: int
    phases: list[tuple[int, str]]
    fixed: list[bool]
    values: list[int]
    lines: list[str]


def tossed(
    asked: Compared, draw: random.Random, fixed: T, fresh: Callable[[], T]
) -> tuple[list[bool], list[T]]:
    """Whether each trace is of the fixed group, and its operand, which is else a fresh one."""
    sides = [draw.random() < 0.5 for _ in range(asked.traces)]
    return sides, [fixed if side and not asked.control else fresh() for side in sides]


def check_operand(asked: Compared, operation: str, names: list[str]) -> str:
    """The name of the operand that is asked for.

    Raises:
        SpecificationError: there are not so many.
    """
    if not 0 <= asked.operand < len(names):
        told = ", ".join(f"{index} ({name})" for index, name in enumerate(names))
        raise SpecificationError(f"operand = {asked.operand}: of {operation} it is {told}")
    return names[asked.operand]


def public(operation: str) -> SpecificationError:
    """The refusal of an operation that has no secret."""
    return SpecificationError(f"{operation} is for public data: nothing of it is secret")
