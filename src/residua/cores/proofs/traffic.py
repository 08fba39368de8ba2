"""Simulations of a core's gates, with random inputs that get its operations on."""

from collections.abc import Iterator

import numpy as np

from residua.cores.proofs.netlist import RESET
from residua.toolchain.aiger import Network, Words

_RESETS, _WAITS = 9, 2
"""A core is reset in one of 2^9 cycles, and a handshake waits in one of 2^2."""

HANDSHAKES = ("_valid", "_ready")
"""The ends of their names."""

_CYCLES, _WORDS = 1500, 4
"""Of a simulation: cycles, and 64 runs in each word of a signal."""


def simulate(network: Network) -> Iterator[Words]:
    """Simulate a core from its initial values on, 256 runs at once.

    Resets are rare, handshakes mostly complete, all else is any.

    Args:
        network: whose inputs have the names of the core's.

    Yields:
        The outputs of a cycle, see `Network.simulate`.
    """
    resets = [i for i, name in enumerate(network.inputs) if name == RESET]
    handshakes = [i for i, name in enumerate(network.inputs) if name.endswith(HANDSHAKES)]

    def drive(random: np.random.Generator) -> Words:
        inputs = _any(random, len(network.inputs))
        inputs[resets] = _rare(random, len(resets), _RESETS)
        inputs[handshakes] = ~_rare(random, len(handshakes), _WAITS)
        return inputs

    yield from network.simulate(_CYCLES, _WORDS, drive)


def _any(random: np.random.Generator, signals: int) -> Words:
    return random.integers(0, 2**64, (signals, _WORDS), dtype=np.uint64)


def _rare(random: np.random.Generator, signals: int, exponent: int) -> Words:
    """Signals that are 1 in one of ``2 ** exponent`` runs."""
    words: Words = np.bitwise_and.reduce([_any(random, signals) for _ in range(exponent)])
    return words
