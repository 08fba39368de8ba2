"""Networks of AND gates and registers in the binary AIGER format: read, written and simulated."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint64]
"""A row of words for each of some signals: each bit belongs to a simulation of its own."""

Literals = npt.NDArray[np.int64]

_ALL = ~np.uint64(0)


class Network:
    """Signals are literals: twice the number of a node, and 1 more if it is inverted.

    Node 0 is the constant 0; inputs follow, then registers, which begin with 0, then gates.

    Attributes:
        inputs: names of the inputs, empty where there is none.
        following: what each register takes, as literals.
        outputs: literals.
        output_names: names of the outputs, empty where there is none.
        gates: the two literals that each gate reads, in an order in which they can be computed.
    """

    def __init__(self, content: bytes) -> None:
        """Read a network.

        Args:
            content: of a file, as Yosys writes it with ``-zinit``, symbols optional.
        """
        header, content = content.split(b"\n", 1)
        _, inputs, registers, outputs, gates = (int(word) for word in header.split()[1:6])
        lines = content.split(b"\n", registers + outputs)
        literals = [int(line.split()[0]) for line in lines[:-1]]
        self.following, self.outputs = literals[:registers], literals[registers:]
        self._first = 1 + inputs + registers
        self.gates, end = _gates(lines[-1], self._first, gates)
        names = _names(lines[-1][end:])
        self.inputs = [names.get(f"i{i}", "") for i in range(inputs)]
        self.output_names = [names.get(f"o{i}", "") for i in range(outputs)]

    @classmethod
    def read(cls, path: Path) -> "Network":
        """Read a file."""
        return cls(path.read_bytes())

    def content(self) -> bytes:
        """The network as the content of a file, without names."""
        inputs, registers = len(self.inputs), len(self.following)
        nodes = inputs + registers + len(self.gates)
        sizes = (nodes, inputs, registers, len(self.outputs), len(self.gates))
        lines = ["aig " + " ".join(map(str, sizes)), *map(str, self.following + self.outputs)]
        content = bytearray("\n".join([*lines, ""]).encode())
        for node, pair in enumerate(self.gates, self._first):
            low, high = sorted(pair)
            content += _number(2 * node - high) + _number(high - low)
        return bytes(content)

    def both(self, a: int, b: int) -> int:
        """Add a gate: the literal that is 1 when ``a`` and ``b`` are."""
        self.gates.append((a, b))
        return 2 * (self._first + len(self.gates) - 1)

    def unrolled(self, cycles: int, *, any_state: bool) -> "Network":
        """Make a network without registers of what the outputs are in some cycles.

        Its inputs have no names, nor have its outputs. Outputs that are 0 in each cycle are left
        out.

        Args:
            cycles: after ``any_state`` the outputs are those of the cycle that comes so many cycles
                later, else those of all of the first so many cycles.
            any_state: registers begin with inputs, else with 0.
        """
        unrolling = _Unrolling(self, any_state=any_state)
        wanted = [cycles] if any_state else range(cycles)
        return unrolling.network([unrolling.at(i, o) for i in wanted for o in self.outputs])

    def simulate(
        self,
        cycles: int,
        words: int,
        drive: Callable[[np.random.Generator], Words],
        *,
        seed: int = 1,
    ) -> Iterator[Words]:
        """Simulate from the initial values on, 64 runs in each word.

        Args:
            cycles: of each run.
            words: of each signal.
            drive: gives the inputs of a cycle, a row for each.
            seed: of the generator of random numbers that ``drive`` is given.

        Yields:
            The outputs of a cycle, a row for each.
        """
        random = np.random.default_rng(seed)
        following, outputs = np.array(self.following, np.int64), np.array(self.outputs, np.int64)
        values = np.zeros((self._first + len(self.gates), words), np.uint64)
        held = slice(1 + len(self.inputs), self._first)
        for _ in range(cycles):
            values[1 : held.start] = drive(random)
            for nodes, a, b in self._levels:
                values[nodes] = _taken(values, a) & _taken(values, b)
            yield _taken(values, outputs)
            values[held] = _taken(values, following)

    @cached_property
    def _levels(self) -> list[tuple[Literals, Literals, Literals]]:
        """Gates that can be computed at once: their nodes, and what they read."""
        levels = [0] * (self._first + len(self.gates))
        for node, (a, b) in enumerate(self.gates, self._first):
            levels[node] = 1 + max(levels[a >> 1], levels[b >> 1])
        of_gates = np.array(levels[self._first :], np.int64)
        read = np.array(self.gates, np.int64).reshape(-1, 2)
        found = []
        for level in range(1, max(levels) + 1):
            (chosen,) = np.nonzero(of_gates == level)
            found.append((chosen + self._first, read[chosen, 0], read[chosen, 1]))
        return found


class _Unrolling:
    """Gates of some cycles of a network, as far as they are asked for.

    Nodes are numbered as they are met, inputs among them; a literal is twice a number, and 1 more
    if it is inverted.
    """

    def __init__(self, unrolled: Network, *, any_state: bool) -> None:
        self._unrolled, self._any_state = unrolled, any_state
        self._nodes: list[tuple[int, int] | None] = [(0, 0)]
        self._literals: dict[tuple[int, int], int] = {}
        self._gates: dict[tuple[int, int], int] = {}

    def at(self, cycle: int, literal: int) -> int:
        """The literal that a literal of the network is in a cycle."""
        waiting = [(cycle, literal >> 1)]
        while waiting:
            if missing := self._missing(*waiting[-1]):
                waiting += missing
                continue
            place = waiting.pop()
            if place not in self._literals:  # It may have waited twice.
                self._literals[place] = self._made(*place)
        return self._literals[cycle, literal >> 1] ^ literal & 1

    def network(self, outputs: Sequence[int]) -> Network:
        """The nodes so far as a network, with those outputs that are not 0."""
        inputs = [i for i, pair in enumerate(self._nodes) if pair is None]
        gates = [i for i, pair in enumerate(self._nodes) if pair is not None]
        number = {node: i for i, node in enumerate([0, *inputs, *gates[1:]])}

        def moved(literal: int) -> int:
            return 2 * number[literal >> 1] | literal & 1

        found = Network(b"aig 0 0 0 0 0\n")
        found.inputs, found._first = [""] * len(inputs), 1 + len(inputs)  # noqa: SLF001 - same file
        pairs = [pair for pair in self._nodes[1:] if pair is not None]
        found.gates = [(moved(a), moved(b)) for a, b in pairs]
        found.outputs = sorted({moved(literal) for literal in outputs if literal})
        found.output_names = [""] * len(found.outputs)
        return found

    def _missing(self, cycle: int, node: int) -> list[tuple[int, int]]:
        """What a node is made of, as far as it is not there yet."""
        return [
            (before, literal >> 1)
            for before, literal in self._sources(cycle, node)
            if (before, literal >> 1) not in self._literals
        ]

    def _sources(self, cycle: int, node: int) -> list[tuple[int, int]]:
        """The literals that a node is made of, each with its cycle; none of an input."""
        whole = self._unrolled
        if node >= whole._first:  # noqa: SLF001 - same file
            return [(cycle, literal) for literal in whole.gates[node - whole._first]]  # noqa: SLF001
        if node > len(whole.inputs) and cycle > 0:
            return [(cycle - 1, whole.following[node - 1 - len(whole.inputs)])]
        return []

    def _made(self, cycle: int, node: int) -> int:
        values = [
            self._literals[before, literal >> 1] ^ literal & 1
            for before, literal in self._sources(cycle, node)
        ]
        if len(values) == 2:
            return self._both(*values)
        if values:
            return values[0]
        held = node > len(self._unrolled.inputs)
        if node == 0 or (held and not self._any_state):
            return 0
        self._nodes.append(None)
        return 2 * len(self._nodes) - 2

    def _both(self, a: int, b: int) -> int:
        a, b = sorted((a, b))
        if a == 0 or a == b ^ 1:
            return 0
        if a in (1, b):
            return b
        if (a, b) not in self._gates:
            self._nodes.append((a, b))
            self._gates[a, b] = 2 * len(self._nodes) - 2
        return self._gates[a, b]


def _taken(values: Words, literals: Literals) -> Words:
    """The words of some literals."""
    inverted = (literals & 1).astype(np.uint64) * _ALL
    taken: Words = values[literals >> 1] ^ inverted[:, None]
    return taken


def _gates(content: bytes, first: int, count: int) -> tuple[list[tuple[int, int]], int]:
    """The gates, and where they end."""
    position, gates = 0, []
    for node in range(first, first + count):
        less, position = _read_number(content, position)
        high = 2 * node - less
        less, position = _read_number(content, position)
        gates.append((high, high - less))
    return gates, position


def _read_number(content: bytes, position: int) -> tuple[int, int]:
    """A number in bytes of 7 bits, the lowest first, and where it ends."""
    number = shift = 0
    while (byte := content[position]) & 128:
        number |= (byte & 127) << shift
        position, shift = position + 1, shift + 7
    return number | byte << shift, position + 1


def _number(number: int) -> bytes:
    """A number in bytes of 7 bits, the lowest first; all but the last have their top bit set."""
    content = bytearray()
    while number > 127:
        content.append(number & 127 | 128)
        number >>= 7
    return bytes([*content, number])


def _names(content: bytes) -> dict[str, str]:
    """The names of inputs and outputs, by ``i`` or ``o`` and their number."""
    lines = content.decode().split("\nc\n")[0].splitlines()
    pairs = (line.partition(" ") for line in lines if line.startswith(("i", "o")))
    return {place: name for place, _, name in pairs}
