"""Operands within the ranges that a core promises to take, as the inputs of a proof."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from residua.cores.proofs.marks import Marks
from residua.cores.proofs.netlist import RESET, Bit

_STREAM = "operands"

RESTRICTED = f"any_{_STREAM}_payload"
"""The input in place of the words of restricted operands."""


def word_bits(manifest: Mapping[str, Any]) -> tuple[int, ...]:
    """The bits that each word of a core's operands may have, in their order.

    That is all bits but in the highest word of an operand. None are given of a core that has no
    stream of words.
    """
    interface, ranges = manifest["interface"], manifest.get("ranges", {})
    example = interface.get("example", {}).get("operand_words", ())
    if not example or not interface.keys() & {"words", "number_words"}:
        return ()
    width = interface["word_bits"]
    found: list[int] = []
    for name, words in _operands(interface):
        bits = int(ranges[name][1]).bit_length() if name in ranges else width * words
        found += [width] * (words - 1) + [max(bits - width * (words - 1), 0)]
    return tuple(found) if len(found) == len(example) else ()


def _operands(interface: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """The name of the range of each operand, and its words."""
    scalar = interface.get("scalar_words", 0)
    for place, name in enumerate(interface["operands"]):
        if "words" in interface:
            yield name, interface["words"]
        elif scalar and place == 0:
            yield "scalars", scalar
        else:
            yield "coordinates", interface["number_words"]


def restrict(marks: Marks, bits: Sequence[int]) -> dict[str, Any]:
    """Drive the words of operands so that the bits that they may not have are 0.

    A ring of registers says which word comes next; a reset begins again with the first one.

    Args:
        marks: the netlist, which has the inputs and outputs of a stream of operands.
        bits: see `word_bits`.

    Returns:
        The inputs of the netlist, with a new one in place of the words.
    """
    ports = marks.netlist.ports
    (valid,), (ready,) = (ports[f"{_STREAM}_{name}"]["bits"] for name in ("valid", "ready"))
    (reset,) = ports[RESET]["bits"]
    ring = [marks.new() for _ in bits]
    taken = marks.both(valid, ready)
    for place, held in enumerate(ring):
        moved = marks.choose(held, ring[place - 1], taken)
        first = str(int(place == 0))
        Marks.register(marks, marks.choose(moved, first, reset), held)
        marks.begin(held, first)
    name = f"{_STREAM}_payload"
    free: list[Bit] = [marks.new() for _ in ports[name]["bits"]]
    for i, (bit, driven) in enumerate(zip(free, ports[name]["bits"], strict=True)):
        allowed = marks.either(*(held for held, most in zip(ring, bits, strict=True) if i < most))
        marks.cell("$_AND_", {"A": [bit], "B": [allowed]}, {"Y": [driven]})
    kept = {n: p for n, p in ports.items() if p["direction"] == "input" and n != name}
    # The words themselves keep their name, as a wire.
    return kept | {RESTRICTED: {"direction": "input", "bits": free}}
