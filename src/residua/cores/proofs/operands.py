"""Operands within the ranges that a core promises to take, as the inputs of a proof."""

from collections.abc import Mapping, Sequence
from typing import Any

from residua.cores.proofs.marks import Marks
from residua.cores.proofs.netlist import RESET, Bit

_STREAM = "operands"


def word_bits(manifest: Mapping[str, Any]) -> tuple[int, ...]:
    """The bits that each word of a core's operands may have, in their order.

    That is all bits but in the highest word of an operand. None are given of a core that has no
    stream of words.
    """
    interface, ranges = manifest["interface"], manifest.get("ranges", {})
    example = interface.get("example", {}).get("operand_words", ())
    if not example or "words" not in interface:
        return ()
    width, words = interface["word_bits"], interface["words"]
    found: list[int] = []
    for name in interface["operands"]:
        bits = int(ranges[name][1]).bit_length() if name in ranges else width * words
        found += [width] * (words - 1) + [max(bits - width * (words - 1), 0)]
    return tuple(found) if len(found) == len(example) else ()


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
    return kept | {f"any_{name}": {"direction": "input", "bits": free}}
