"""Runs the programs of RSA on plain numbers, through the residues of a small domain."""

from dataclasses import replace
from functools import cache

from gmpy2 import next_prime

from residua.algorithms.conversion import decode, from_cofactors, split_words
from residua.algorithms.fields import crt_field, loaded_field
from residua.algorithms.fields.crt_field import COEFFICIENT, HALVES, LOW
from residua.algorithms.fields.rns_field import smallest_bound
from residua.algorithms.terms import Words
from residua.cores.coprocessor.engine.rns_montgomery import montgomery_domains
from residua.machines.bounds import analyse
from residua.machines.values import outputs
from residua.numbers.cox import redundant_ranges
from residua.numbers.ranges import exact_cox
from residua.numbers.residues import Redundant
from residua.numbers.search import search_bases

KIND = Redundant(1)


@cache
def domain(bits, width, channels, columns=1):
    """A domain for primes of ``bits`` bits, whose bound all programs of this module keep."""
    prime = int(next_prime(1 << bits))
    pair = search_bases(prime, width, channels, style="any", columns=columns)
    (found,) = montgomery_domains(pair, [prime], columns)
    parts = (bits // width * width, 2 * bits - bits // width * width)
    check = lambda own: all_programs(own, bits, parts)  # noqa: E731
    return smallest_bound(replace(found, form="reordered"), check), parts


def all_programs(own, bits, parts):
    """The programs between the numbers of a key and the verdict."""
    words = -(-bits // own.base_a.width)
    inverse = -(-own.base_a.product.bit_length() // own.base_a.width)
    found = {
        "prepare": crt_field.prepare(own, parts[0], bits, KIND),
        "whole": crt_field.whole(own, KIND),
        LOW: crt_field.load_number(LOW, own, parts[0], KIND),
        COEFFICIENT: crt_field.load_number(COEFFICIENT, own, bits, KIND),
        "take": crt_field.take(own, parts, KIND),
        "join": crt_field.join(own, KIND),
        "verdict": crt_field.verdict(own, parts, KIND),
    }
    for half in HALVES:
        found[f"{half}n"] = loaded_field.load_number(own, words, KIND, half)
        found[f"{half}n_inverse"] = loaded_field.load_inverse(own, inverse, KIND, half)
        found[f"{half}square"] = loaded_field.load_square(own, words, KIND, half)
    return found


class Machine:
    """The elements of an engine for one key; ``changed`` are numbers of the key in its place."""

    def __init__(self, made, bits, p, q, changed=()):
        self.domain, self.parts = made
        self.bits, self.moduli = bits, dict(zip(HALVES, (p, q), strict=True))
        self.programs = all_programs(self.domain, bits, self.parts)
        folds = [analyse(lowered.program) for lowered in self.programs.values()]
        for lowered, found in zip(self.programs.values(), folds, strict=True):
            lowered.program.representation = found.representation
        self.factor = self.domain.montgomery_factor
        self.state = {}
        numbers = {COEFFICIENT: pow(q, -1, p) if p != q else 0}
        for half, prime in self.moduli.items():
            numbers[f"{half}n"] = prime
            numbers[f"{half}n_inverse"] = pow(-prime, -1, self.factor)
            numbers[f"{half}square"] = self.factor**2 % prime
        for name, number in (numbers | dict(changed)).items():
            self.run(name, **{name: number})
        self.run("prepare")

    def run(self, name, **numbers):
        """Run a program; the number that it gives out, if it gives out any."""
        lowered = self.programs[name]
        words = {}
        for value in lowered.program.inputs:
            if isinstance(value, Words):
                words[value.name] = split_words(numbers[value.name], value.count, value.width)
            else:
                words[value.name] = self.state[value.name]
        found = outputs(lowered.program, words)
        if not lowered.outputs:
            base = self.domain.joint_base
            cox = exact_cox(base, redundant_ranges(base), 3 << 2 * self.bits)
            return from_cofactors(base, [*found[0], *found[1]], cox)
        for index, element in enumerate(lowered.outputs):
            self.state[f"{element}_a"], self.state[f"{element}_b"] = found[
                2 * index : 2 * index + 2
            ]
            self.elements = getattr(self, "elements", {}) | {element: lowered.outputs[element]}
        return None

    def take(self, message):
        """Bring a message down to both primes."""
        low = 1 << self.parts[0]
        self.run(LOW, low=message % low)
        self.run("take", high=message // low)

    def number(self, name):
        """What an element in Montgomery form stands for."""
        half = next(half for half in HALVES if name.startswith(half))
        value = self.elements[name].b
        modulus = self.moduli[half]
        found = decode(value, self.state[f"{name}_b"])
        return found * pow(self.factor, -1, modulus) % modulus

    def put(self, name, number):
        """Make an element in Montgomery form of a number."""
        half = next(half for half in HALVES if name.startswith(half))
        value = number * self.factor % self.moduli[half]
        for part, base, factor in (
            ("a", self.domain.base_a, self.domain.factor_a),
            ("b", self.domain.base_b, self.domain.factor_b),
        ):
            self.state[f"{name}_{part}"] = tuple(
                value * f % m.value for f, m in zip(factor, base, strict=True)
            )

    def verdict(self, message):
        """What the verdict on the powers is for a message."""
        low = 1 << self.parts[0]
        self.run(LOW, low=message % low)
        return self.run("verdict", high=message // low)
