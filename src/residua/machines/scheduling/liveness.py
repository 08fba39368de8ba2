"""Liveness: the steps of a program that its outputs need."""

from collections.abc import Iterator
from dataclasses import replace

from residua.algorithms.program import Program
from residua.algorithms.terms import (
    Broadcast,
    Correction,
    Gated,
    Held,
    HeldBroadcast,
    HeldCorrection,
    Product,
    Quotient,
    Reduction,
    Residues,
    Rotated,
    Rows,
    Scaled,
    Stored,
    Words,
)


def without_dead_steps(program: Program) -> Program:
    """Leave out the steps whose results reach no output."""
    needed = {id(value.root()[0]) for value in program.outputs}
    steps: list[Reduction] = []
    for step, before in zip(
        reversed(program.steps), [*reversed(program.steps[:-1]), None], strict=True
    ):
        if id(step.result) in needed:
            steps.append(step)
            if step.resumed and before:
                needed.add(id(before.result))
            needed.update(id(value) for value in _operands(step))
    return replace(program, steps=steps[::-1])


def _operands(step: Reduction) -> Iterator[Residues | Words]:
    """The stored vectors that a step reads."""
    for term in step.terms:
        match term:
            case Product(left, right):
                yield from (left.root()[0], right.root()[0])
            case Scaled(value) | Gated(value):
                yield value.root()[0]
            case Rotated() | HeldBroadcast() | HeldCorrection():
                yield from (value.root()[0] for value in _held(term))
            case Broadcast(Words() as words):
                yield words
            case Broadcast(Residues() as source):
                yield source.root()[0]
            case Broadcast(Rows() as rows):
                yield rows.source.root()[0]
            case Stored():
                pass
            case Correction(quotient):
                yield _estimated(quotient)


def _held(term: Held) -> Iterator[Residues]:
    """The vectors that a term reads whose constants are held."""
    match term:
        case Rotated(value):
            yield value
        case HeldBroadcast(source, turns):
            yield from (source, *turns)
        case HeldCorrection(quotient, value):
            yield from (_estimated(quotient), value)


def _estimated(quotient: Quotient) -> Residues:
    """The stored vector that the Cox sees."""
    seen = quotient.source
    return (seen.source if isinstance(seen, Rows) else seen).root()[0]
