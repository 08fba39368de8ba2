"""Powers with a public exponent by few squarings and multiplications: inversion x^(p - 2).

The exponent is cut into odd digits from a dictionary of powers of x that are computed first. The
dictionary holds the odd numbers of a small window, and runs of ones 2^k - 1 that a chain of sums
of run lengths builds, x^(2^(i+j) - 1) = (x^(2^i - 1))^(2^j) x^(2^j - 1). A beam search looks for
the chain of lengths that makes the whole cheapest; for the primes of standard curves, whose bits
come in runs, that is far better than windows (P-256: 12 multiplications instead of about 50).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import groupby

from residua.errors import SpecificationError

INPUT = "x"
"""The register that holds the base of the power at the start."""

_BEAM = 12
_WINDOWS = range(1, 6)


@dataclass(frozen=True)
class Step:
    """target = source^(2^squarings) * multiplier (without multiplier: only the power).

    The target never is the multiplier, so that it can be squared in place; it may be the source.
    """

    target: str
    source: str
    squarings: int
    multiplier: str | None = None


@dataclass(frozen=True)
class AdditionChain:
    """x^exponent: ``steps`` start from register "x" and leave the power in ``result``."""

    exponent: int
    steps: tuple[Step, ...]
    result: str

    @cached_property
    def squarings(self) -> int:
        """Number of squarings."""
        return sum(step.squarings for step in self.steps)

    @cached_property
    def multiplications(self) -> int:
        """Number of multiplications that are not squarings."""
        return sum(step.multiplier is not None for step in self.steps)

    @cached_property
    def registers(self) -> list[str]:
        """The registers in the order of their first use, "x" first."""
        return list(dict.fromkeys([INPUT, *(step.target for step in self.steps)]))

    def evaluate(self, x: int, modulus: int) -> int:
        """x^exponent mod ``modulus``, step by step."""
        values = {INPUT: x % modulus}
        for step in self.steps:
            value = pow(values[step.source], 1 << step.squarings, modulus)
            if step.multiplier is not None:
                value = value * values[step.multiplier] % modulus
            values[step.target] = value
        return values[self.result]


def fermat_chain(prime: int, *, registers: int = 10) -> AdditionChain:
    """x^(prime - 2), the inverse of x modulo ``prime`` (and 0 for 0); see `addition_chain`.

    Raises:
        SpecificationError: ``prime`` is below 3, or there are too few registers.
    """
    if prime < 3:
        raise SpecificationError(f"Fermat inversion needs an odd prime, not {prime}; from 3 on")
    return addition_chain(prime - 2, registers=registers)


@lru_cache(maxsize=256)
def addition_chain(exponent: int, *, registers: int = 10) -> AdditionChain:
    """The cheapest chain found for x^exponent, a squaring counted like a multiplication.

    Args:
        exponent: public, at least 1.
        registers: how many elements may live at once, "x" and the result included; at least 2.

    Raises:
        SpecificationError: the exponent or the number of registers is too small.
    """
    if exponent < 1:
        raise SpecificationError(f"a power needs a positive exponent, not {exponent}")
    if registers < 2:
        raise SpecificationError(f"{registers} registers are too few for a power; take at least 2")
    if exponent == 1:
        return AdditionChain(1, (), INPUT)
    best: tuple[int, int, AdditionChain] | None = None
    for dictionary in _dictionaries(exponent):
        chain = _chain(exponent, dictionary)
        key = chain.squarings + chain.multiplications, len(chain.registers), chain
        if len(chain.registers) <= registers and (best is None or key[:2] < best[:2]):
            best = key
    assert best is not None  # the dictionary of x alone takes two registers
    return best[2]


@dataclass(frozen=True)
class _Power:
    """One entry to build: x^value = (x^source)^(2^squarings) * x^multiplier."""

    value: int
    source: int
    squarings: int
    multiplier: int | None


def _dictionaries(exponent: int) -> Iterator[list[_Power]]:
    """Candidates: every window with every prefix of the best chains of run lengths."""
    chains = dict.fromkeys(chain[:n] for chain in _run_chains(exponent) for n in range(1, 17))
    for window in _WINDOWS:
        odd = _window(window)
        known = {1, *(power.value for power in odd)}
        for chain in chains:
            runs = [power for power in _runs(chain) if power.value not in known]
            yield [*odd, *runs]


def _window(bits: int) -> list[_Power]:
    """x^2 and the odd powers below 2^bits."""
    if bits == 1:
        return []
    odd = [_Power(value, value - 2, 0, 2) for value in range(3, 1 << bits, 2)]
    return [_Power(2, 1, 1, None), *odd]


def _runs(chain: Sequence[int]) -> list[_Power]:
    """The powers 2^k - 1 for the lengths of a chain, each from two shorter ones."""
    powers = []
    for index, length in enumerate(chain[1:], start=1):
        short, long = _summands(chain[:index], length)
        powers.append(_Power((1 << length) - 1, (1 << long) - 1, short, (1 << short) - 1))
    return powers


def _summands(known: Sequence[int], length: int) -> tuple[int, int]:
    """The shortest of ``known`` that adds up to ``length`` with another one, and that one."""
    short = min(i for i in known if length - i in known)
    return short, length - short


def _run_chains(exponent: int) -> list[tuple[int, ...]]:
    """The best chains of run lengths, by a beam search on their length."""
    runs = [len(list(group)) for bit, group in groupby(f"{exponent:b}") if bit == "1"]
    longest = max(runs)
    beam = [_RunChain((1,), 0, tuple(range(longest + 1)))]
    found = {beam[0].lengths: beam[0].cost(runs)}
    for _ in range(16):
        grown = {
            (chain.lengths, i + j): chain
            for chain in beam
            for i in chain.lengths
            for j in chain.lengths
            if chain.lengths[-1] < i + j <= longest
        }
        if not grown:
            break
        chains = [chain.with_length(length) for (_, length), chain in grown.items()]
        costs = {chain.lengths: chain.cost(runs) for chain in chains}
        beam = sorted(chains, key=lambda chain: (costs[chain.lengths], chain.lengths))[:_BEAM]
        found.update((chain.lengths, costs[chain.lengths]) for chain in beam)
    return sorted(found, key=lambda lengths: (found[lengths], lengths))[:_BEAM]


@dataclass(frozen=True)
class _RunChain:
    """A chain of run lengths.

    Attributes:
        lengths: each but the first the sum of two before it.
        building: squarings and multiplications that make the runs.
        fewest: of how many runs a number of ones is made up at least.
    """

    lengths: tuple[int, ...]
    building: int
    fewest: tuple[int, ...]

    def with_length(self, length: int) -> "_RunChain":
        """The chain with one length more."""
        fewest = list(self.fewest)
        for total in range(length, len(fewest)):
            fewest[total] = min(fewest[total], 1 + fewest[total - length])
        building = self.building + 1 + _summands(self.lengths, length)[0]
        return _RunChain((*self.lengths, length), building, tuple(fewest))

    def cost(self, runs: Sequence[int]) -> int:
        """Multiplications and extra squarings when runs are the only digits."""
        first = max(length for length in self.lengths if length <= runs[0])
        return self.building + sum(self.fewest[run] for run in runs) - first


def _chain(exponent: int, dictionary: Sequence[_Power]) -> AdditionChain:
    """The chain over a dictionary, without the entries that nothing uses."""
    values = [1, *(power.value for power in dictionary if power.value % 2)]
    digits = _digits(f"{exponent:b}", values)
    needed = {value for value, _ in digits}
    powers = []
    for power in reversed(dictionary):
        if power.value in needed:
            powers.append(power)
            needed |= {power.source, power.multiplier or 1}
    return _allocate(exponent, powers[::-1], digits)


def _digits(bits: str, values: Sequence[int]) -> list[tuple[int, int]]:
    """The fewest odd digits that make up ``bits``: (digit, zeros that follow it).

    Among equal numbers of digits, a first digit that is long saves squarings.
    """
    patterns = sorted(((f"{value:b}", value) for value in values), key=lambda item: -item[1])
    best: list[tuple[int, int]] = [(0, 0)] * (len(bits) + 1)
    for at in range(len(bits) - 1, -1, -1):
        if bits[at] == "0":
            best[at] = best[at + 1][0], 0
            continue
        fitting = [(text, value) for text, value in patterns if bits.startswith(text, at)]
        text, value = min(fitting, key=lambda item: best[at + len(item[0])][0])
        best[at] = 1 + best[at + len(text)][0], value
    digits, at = [], 0
    while at < len(bits):
        value = best[at][1]
        at += value.bit_length()
        following = bits.find("1", at)
        zeros = (len(bits) if following < 0 else following) - at
        digits.append((value, zeros))
        at += zeros
    return digits


def _allocate(
    exponent: int, powers: Sequence[_Power], digits: Sequence[tuple[int, int]]
) -> AdditionChain:
    """Steps on as few registers as live at once; names are "x", "r1", "r2", ..."""
    steps = _abstract_steps(powers, digits)
    last_use = {}
    for index, (_, source, _, multiplier) in enumerate(steps):
        last_use[source] = index
        last_use[multiplier if multiplier is not None else source] = index
    home: dict[object, str] = {1: INPUT}
    free: list[str] = []
    count = 0
    placed = []
    for index, (target, source, squarings, multiplier) in enumerate(steps):
        source_home = home[source]
        multiplier_home = None if multiplier is None else home[multiplier]
        ending = dict.fromkeys(value for value in (source, multiplier) if value is not None)
        freed = [home.pop(value) for value in ending if last_use[value] == index]
        if source_home in freed and source_home != multiplier_home:
            register = source_home
            freed.remove(source_home)
        elif free:
            register = free.pop(0)
        else:
            count += 1
            register = f"r{count}"
        free += freed
        home[target] = register
        placed.append(Step(register, source_home, squarings, multiplier_home))
    return AdditionChain(exponent, tuple(placed), home[steps[-1][0]])


def _abstract_steps(
    powers: Sequence[_Power], digits: Sequence[tuple[int, int]]
) -> list[tuple[object, object, int, object | None]]:
    """(target, source, squarings, multiplier) on values without registers."""
    steps: list[tuple[object, object, int, object | None]] = [
        (power.value, power.source, power.squarings, power.multiplier) for power in powers
    ]
    (current, zeros), *rest = digits
    accumulator: object = current
    for index, (value, following) in enumerate(rest):
        name = f"accumulator {index}"
        steps.append((name, accumulator, zeros + value.bit_length(), value))
        accumulator, zeros = name, following
    if zeros:
        steps.append(("result", accumulator, zeros, None))
    return steps
