"""Chains for x^(p - 2): right for every exponent, and short for the primes of standard curves."""

import random

import pytest

from residua.algorithms.addition_chains import AdditionChain, addition_chain, fermat_chain
from residua.errors import SpecificationError

# prime: (squarings, multiplications) that the chain must not exceed
SPECIAL = {
    2**192 - 2**64 - 1: (191, 12),
    2**224 - 2**96 + 1: (223, 11),
    2**255 - 19: (254, 12),
    2**256 - 2**224 + 2**192 + 2**96 - 1: (255, 12),
    2**256 - 2**32 - 977: (254, 16),
    2**384 - 2**128 - 2**96 + 2**32 - 1: (383, 15),
    2**448 - 2**224 - 1: (447, 13),
    2**521 - 1: (520, 13),
}
P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
BRAINPOOL = 0xA9FB57DBA1EEA9BC3E660A909D838D726E3BF623D52620282013481D1F6E5377


def check(chain: AdditionChain, modulus: int, limit: int = 10) -> None:
    assert len(chain.registers) <= limit
    assert all(step.target != step.multiplier for step in chain.steps)
    assert all(step.squarings or step.multiplier for step in chain.steps)
    for x in (0, 1, 2, modulus - 1, 3**300 % modulus):
        assert chain.evaluate(x, modulus) == pow(x, chain.exponent, modulus)


@pytest.mark.parametrize("prime", SPECIAL, ids=lambda prime: f"{prime:x}"[-12:])
def test_special_primes(prime: int) -> None:
    chain = fermat_chain(prime)
    check(chain, prime)
    assert chain.exponent == prime - 2
    squarings, multiplications = SPECIAL[prime]
    assert chain.squarings <= squarings
    assert chain.multiplications <= multiplications


def test_mixed_and_random_exponents() -> None:
    order = fermat_chain(P256_ORDER)
    check(order, P256_ORDER)
    assert order.squarings + order.multiplications <= 292
    brainpool = fermat_chain(BRAINPOOL)
    check(brainpool, BRAINPOOL)
    assert brainpool.squarings + brainpool.multiplications <= 313


def test_every_small_exponent() -> None:
    for exponent in range(1, 600):
        check(addition_chain(exponent), 10007)


@pytest.mark.parametrize("registers", [2, 3, 4, 6])
def test_few_registers(registers: int) -> None:
    rng = random.Random(registers)
    for bits in (5, 17, 64, 160):
        exponent = rng.getrandbits(bits) | 1 << bits
        check(addition_chain(exponent, registers=registers), 2**127 - 1, registers)


def test_same_exponent_same_chain() -> None:
    first = addition_chain(2**61 - 3)
    addition_chain.cache_clear()
    assert addition_chain(2**61 - 3) == first


def test_refusals() -> None:
    with pytest.raises(SpecificationError, match="positive exponent, not 0"):
        addition_chain(0)
    with pytest.raises(SpecificationError, match="1 registers are too few"):
        addition_chain(5, registers=1)
    with pytest.raises(SpecificationError, match="needs an odd prime, not 2"):
        fermat_chain(2)
