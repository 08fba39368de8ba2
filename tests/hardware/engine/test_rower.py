"""One rower: operands from outside, products from its memories, forwarding of its own residue."""

import pytest

from hardware.bench import pipelined
from residua.hardware.engine.reducer import plan_folds
from residua.hardware.engine.rower import CONTROL_DELAY, MEMORY_DELAY, Rower, RowerShape
from residua.machines.slots import Left
from residua.numbers.folding import Folding
from residua.numbers.moduli import Modulus

MODULI = (Modulus(17, 9), Modulus(17, -31))
LIMIT = 4 << 34
CONSTANTS = [0, 77777, -1, -(1 << 16)]


def rower(**changes) -> Rower:
    plans = tuple(plan_folds(MODULI, 2, multiply_first=False))
    shape = RowerShape(17, 16, 16, 2, 4, (-LIMIT, LIMIT), plans, 18, **changes)
    return Rower(shape, MODULI, [(-LIMIT, LIMIT)] * 2, CONSTANTS)


class Script:
    """Inputs cycle by cycle; a slot is the cycle in which its left operand is chosen."""

    def __init__(self, dut: Rower, cycles: int) -> None:
        self.dut = dut
        names = [*dut.shape.control(), "neighbour", "bus", "word", "load", "load_register"]
        self.inputs = [dict.fromkeys(names, 0) for _ in range(cycles)]

    def load(self, cycle: int, register: int, word: int) -> None:
        self.inputs[cycle] |= {"load": 1, "load_register": register, "word": word}

    def slot(self, slot: int, left: Left, *, first=1, modulus=0, left_register=0, **right) -> None:
        self.inputs[slot] |= {"left": left, "first": first}
        self.inputs[slot - 1] |= {"left_register": left_register, **right}
        self.inputs[slot + self.dut.mac.latency]["modulus"] = modulus

    def write(self, slot: int, register: int) -> None:
        self.inputs[slot + self.dut.latency] |= {"write": 1, "write_register": register}

    def residues(self) -> list[int]:
        """By slot, the residue of the sum that it completes."""
        return pipelined(self.dut, self.inputs, "residue", self.dut.latency + CONTROL_DELAY)


@pytest.mark.parametrize("modulus", [0, 1])
@pytest.mark.parametrize("registers", [0, 1])
def test_products_of_loaded_words(modulus, registers):
    script = Script(rower(product_registers=registers), 30)
    x, y = -(1 << 17), (1 << 17) - 1
    script.load(0, 1, x)
    script.load(1, 2, y)
    script.slot(8, Left.REGISTER, left_register=1, right_register=2, modulus=modulus)
    script.slot(9, Left.REGISTER, left_register=2, constant=1, modulus=modulus)
    script.slot(10, Left.REGISTER, left_register=1, constant=3, first=0, modulus=modulus)
    found = script.residues()
    folding = Folding(MODULI[modulus], 2)
    assert found[8] == folding.reduce(x * y)
    assert found[9] == folding.reduce(y * 77777)
    assert found[10] == folding.reduce(y * 77777 - (x << 16))


def test_neighbour_and_bus_are_left_operands():
    script = Script(rower(), 20)
    script.slot(5, Left.NEIGHBOUR, constant=1)
    script.slot(6, Left.BUS, constant=2)
    # What arrives from outside belongs to the slot, a rower's own controls come a cycle before.
    script.inputs[5 + CONTROL_DELAY]["neighbour"] = 4321
    script.inputs[6 + CONTROL_DELAY]["bus"] = -99
    found = script.residues()
    assert found[5] == Folding(MODULI[0], 2).reduce(4321 * 77777)
    assert found[6] == Folding(MODULI[0], 2).reduce(99)


def test_forwarded_and_stored_residues():
    dut = rower()
    script = Script(dut, 60)
    folding = Folding(MODULI[0], 2)
    script.load(0, 1, 12345)
    script.slot(8, Left.REGISTER, left_register=1, constant=1)
    script.write(8, 3)
    ready = 8 + dut.latency
    script.slot(ready, Left.RESULT, constant=1)
    visible = ready + MEMORY_DELAY[dut.shape.register_memory]
    script.slot(visible, Left.REGISTER, left_register=3, constant=1)
    script.slot(visible - 1, Left.REGISTER, left_register=3, constant=1)
    found = script.residues()
    first = folding.reduce(12345 * 77777)
    assert found[8] == first
    assert found[ready] == folding.reduce(first * 77777)
    assert found[visible] == found[ready]
    assert found[visible - 1] == 0
