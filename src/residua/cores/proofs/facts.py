"""Facts that help a proof: what never holds together in the states that a core reaches.

In one state of a control register a bit of data may be 0 always, a word have fewer bits than its
register, or another control register be at rest; in a copy with a fault a bit may be the same as in
the core, or its inverse. Such facts are guessed: they are all that no
simulation contradicts. ABC then proves them together with what is wanted, each of them assumed for
the others one cycle before, and drops those that do not follow.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from residua.cores.proofs.marks import Marks
from residua.cores.proofs.netlist import Bit, is_register
from residua.cores.proofs.traffic import simulate
from residua.toolchain.aiger import Network

_STEERS, _DATA = "facts_steer", "facts_data"

_DECODED = 4
"""Control registers up to so many bits are looked at value by value, others bit by bit."""


def premises(marks: Marks, copied: Mapping[Bit, Bit]) -> dict[str, Any]:
    """Outputs for `add_facts`: the states of control registers, and the bits of data.

    Args:
        marks: of a core's netlist, to which the gates are added.
        copied: the nets of registers that have a copy, and of that. Where there are some, the
            other outputs are whether these are alike.
    """
    registers = [
        cell["connections"]["Q"] for cell in marks.netlist.cells.values() if is_register(cell)
    ]
    public = set(marks.netlist.public_registers)
    steers = [bits for bits in registers if public.issuperset(bits)]
    data = [bit for bits in registers for bit in bits if bit not in public]
    if copied:
        unlike = [marks.differ([bit], [copy]) for bit, copy in copied.items()]
        data = [*unlike, *map(marks.inverse, unlike)]
    return {
        _STEERS: _output([bit for bits in steers for bit in _states(marks, bits)]),
        _DATA: _output(data),
    }


def add_facts(network: Network) -> int:
    """Replace the outputs of `premises`: by one for each fact, which is 0 for ever if it holds.

    Args:
        network: it is changed; its other outputs come first then.

    Returns:
        How many others there are.
    """
    outputs: dict[str, list[int]] = {}
    for name, signal in zip(network.output_names, network.outputs, strict=True):
        outputs.setdefault(name.split("[")[0], []).append(signal)
    steers, data = outputs.pop(_STEERS, []), outputs.pop(_DATA, [])
    network.outputs = [signal for signals in outputs.values() for signal in signals]
    others = len(network.outputs)
    signals = list(dict.fromkeys(steers + data))
    met = _met(network, signals, len(set(steers)))
    alone = np.logical_or.reduce(met)
    network.outputs += [signals[i] for i in np.flatnonzero(~alone)]
    for i, j in np.argwhere(~met):
        if i < j and alone[i] and alone[j]:
            network.outputs.append(network.both(signals[i], signals[j]))
    return others


def _met(network: Network, signals: list[int], steers: int) -> npt.NDArray[np.bool_]:
    """Whether each of the first signals is 1 at some time while each of all is."""
    met = np.zeros((steers, len(signals)), bool)
    outputs = network.outputs
    network.outputs = signals
    for words in simulate(network):
        runs = np.unpackbits(words.view(np.uint8), axis=1).astype(np.float32)
        np.logical_or(met, runs[:steers] @ runs.T > 0, out=met)
    network.outputs = outputs
    return met


def _states(marks: Marks, bits: list[Bit]) -> list[Bit]:
    """Each value of a short register, or each bit of a long one and its inverse."""
    if len(bits) > _DECODED:
        return [state for bit in bits for state in (bit, marks.inverse(bit))]
    if len(bits) == 1:
        return [bits[0], marks.inverse(bits[0])]
    return [marks.equals(bits, value) for value in range(1 << len(bits))]


def _output(bits: list[Bit]) -> dict[str, Any]:
    return {"direction": "output", "bits": bits}
