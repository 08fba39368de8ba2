"""The simulator of the tests says what Amaranth's own says, in every cycle."""

import random

import pytest
from amaranth.hdl import Array, Cat, ClockDomain, Module, Mux, Signal, signed, unsigned
from amaranth.lib.memory import Memory
from amaranth.sim import Simulator as OwnSimulator
from tests.hardware.simulator import _BINARY, Simulator

SHAPES = [unsigned(1), unsigned(5), signed(1), signed(4), signed(7), unsigned(9)]
CYCLES = 60


class Everything:
    """Inputs, and signals that each operation of Amaranth is applied to."""

    def __init__(self, seed, edge, async_reset):
        self.chooser = random.Random(seed)
        self.inputs = [Signal(shape, name=f"in{i}") for i, shape in enumerate(SHAPES)]
        self.address, self.reset = Signal(3), Signal()
        self.seen = []
        self.module = module = Module()
        module.domains.sync = sync = ClockDomain(clk_edge=edge, async_reset=async_reset)
        module.d.comb += sync.rst.eq(self.reset)
        self.expressions()
        self.registers()
        self.memory()
        self.parts()

    def shown(self, shape, **options):
        signal = Signal(shape, name=f"out{len(self.seen)}", **options)
        self.seen.append(signal)
        return signal

    def chosen(self):
        return self.chooser.choice(self.inputs)

    def expressions(self):
        """Each operator on some pairs, where it means something, to shapes of other widths."""
        comb = self.module.d.comb
        for operator in _BINARY:
            for _ in range(6):
                one, other = self.chosen(), self.chosen()
                if operator in ("<<", ">>"):
                    other = self.inputs[1][:3]
                found = eval(f"one {operator} other", {"one": one, "other": other})
                comb += self.shown(self.chooser.choice(SHAPES)).eq(found)
                comb += self.shown(signed(12)).eq(found - self.chosen())
        for one in self.inputs:
            for found in (-one, ~one, one.any(), one.all(), one.xor(), one.bool(), abs(one)):
                comb += self.shown(signed(9)).eq(found)
            comb += self.shown(8).eq(one.as_signed() + one.as_unsigned())
            comb += self.shown(signed(8)).eq(Mux(self.chosen() > 0, one, -one))
            comb += self.shown(signed(8)).eq(Cat(one, self.chosen(), 1).shift_right(1))
        comb += self.shown(signed(9)).eq(Array(self.inputs)[self.address])
        comb += self.shown(3).eq(self.inputs[4].bit_select(self.address, 3))
        comb += self.shown(2).eq(self.inputs[5].word_select(self.address, 2))

    def registers(self):
        """With and without a reset, of which some bits only are written, and one after another."""
        module = self.module
        counter = self.shown(4, init=3)
        module.d.sync += counter.eq(counter + 1)
        data = self.shown(signed(6), init=-3, reset_less=True)
        with module.Switch(self.inputs[1]):
            with module.Case(1, 2, 3):
                module.d.sync += data.eq(self.inputs[4])
            with module.Case("1--0-"):
                module.d.sync += data[2:5].eq(counter)
            with module.Default(), module.If(self.inputs[0]):
                module.d.sync += data.eq(data - 1)
        with module.FSM(name="states") as fsm:
            for name, following in zip("abc", "bca", strict=True):
                with module.State(name), module.If(self.inputs[0]):
                    module.next = following
        for name in "abc":
            module.d.comb += self.shown(1).eq(fsm.ongoing(name))

    def memory(self):
        """Of signed words, with a read of each kind."""
        words = Memory(shape=signed(6), depth=6, init=[-1, 2, -3, 4])
        self.module.submodules.words = words
        write = words.write_port(granularity=None)
        ports = [
            words.read_port(domain="comb"),
            words.read_port(),
            words.read_port(transparent_for=[write]),
        ]
        comb = self.module.d.comb
        comb += write.en.eq(self.inputs[0]), write.addr.eq(self.inputs[1])
        comb += write.data.eq(self.inputs[4])
        for port in ports:
            comb += port.addr.eq(self.address), self.shown(signed(6)).eq(port.data)
        comb += ports[1].en.eq(self.inputs[2])

    def parts(self):
        """Halves of signals, driven in two modules, and assignments to parts."""
        whole, counted = self.shown(signed(8)), self.shown(signed(8))
        for name, bits in (("low", slice(3)), ("high", slice(3, 8))):
            part = Module()
            part.d.comb += whole[bits].eq(self.inputs[5][bits])
            part.d.sync += counted[bits].eq(counted[bits] + self.inputs[1])
            self.module.submodules[name] = part
        target, other = self.shown(8), self.shown(signed(3))
        self.module.d.comb += target.bit_select(self.address, 2).eq(3)
        self.module.d.comb += Cat(target[7], other).eq(self.inputs[5])


def trace(simulator_class, seed, edge="pos", async_reset=False):
    """All that is shown, before and after each edge, under the same random inputs."""
    circuit = Everything(seed, edge, async_reset)
    chooser, found = random.Random(seed), []
    expression = circuit.inputs[3] - circuit.inputs[5]

    async def bench(ctx):
        for _ in range(CYCLES):
            for signal in (*circuit.inputs, circuit.address):
                if chooser.random() < 0.7:
                    ctx.set(signal, chooser.getrandbits(len(signal)))
            ctx.set(circuit.reset, chooser.random() < 0.1)
            found.append([ctx.get(signal) for signal in circuit.seen])
            sampled = await ctx.tick().sample(expression, *circuit.seen)
            found.append(list(sampled))

    simulator = simulator_class(circuit.module)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    first = list(found)
    found.clear()
    chooser.seed(seed)
    simulator.reset()
    simulator.run()
    assert found == first
    return first


@pytest.mark.parametrize("seed", range(3))
def test_the_same_in_every_cycle(seed):
    expected = trace(OwnSimulator, seed)
    assert len({tuple(row) for row in expected}) > CYCLES
    assert trace(Simulator, seed) == expected


@pytest.mark.parametrize(("edge", "async_reset"), [("neg", False), ("pos", True)])
def test_other_clocks_and_resets(edge, async_reset):
    assert trace(Simulator, 7, edge, async_reset) == trace(OwnSimulator, 7, edge, async_reset)


def test_waveforms_are_refused(tmp_path):
    simulator = Simulator(Module())
    with pytest.raises(NotImplementedError, match=r"amaranth\.sim"):
        simulator.write_vcd(str(tmp_path / "waves.vcd"))
