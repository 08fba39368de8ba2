"""Small designs that exercise the tool adapters."""

import random
from collections.abc import Callable
from typing import Any

from amaranth.hdl import (
    Assert,
    C,
    Cat,
    ClockSignal,
    Instance,
    Module,
    Mux,
    Signal,
    Value,
    signed,
    unsigned,
)
from amaranth.lib import data, memory, stream
from amaranth.lib.wiring import Component, In, Out


class Multiply(Component):
    """A signed product in three registers."""

    def __init__(self, width: int) -> None:
        self.width = width
        super().__init__(
            {
                "left": In(signed(width)),
                "right": In(signed(width)),
                "product": Out(signed(2 * width)),
            }
        )

    def elaborate(self, _platform: object) -> Module:
        m = Module()
        left = Signal(signed(self.width), reset_less=True)
        right = Signal(signed(self.width), reset_less=True)
        m.d.sync += [left.eq(self.left), right.eq(self.right), self.product.eq(left * right)]
        return m


class Channel(Component):
    """Multiplier, constants, registers and a state machine."""

    def __init__(self, width: int, constants: list[int]) -> None:
        self.width, self.constants = width, constants
        super().__init__(
            {
                "x": In(signed(width)),
                "address": In(3),
                "first": In(1),
                "write": In(1),
                "choice": In(2),
                "sum": Out(signed(2 * width + 4)),
                "z": Out(width),
            }
        )

    def elaborate(self, _platform: object) -> Module:
        m = Module()
        m.submodules.multiply = multiply = Multiply(self.width)
        m.submodules.constants = rom = memory.Memory(
            shape=unsigned(self.width), depth=8, init=self.constants
        )
        m.submodules.registers = ram = memory.Memory(shape=signed(self.width), depth=8, init=[])
        rom_port, ram_port, write_port = (
            rom.read_port(),
            ram.read_port(domain="comb"),
            ram.write_port(),
        )
        total = Signal(signed(2 * self.width + 4), reset_less=True)
        reg = Signal(self.width)
        m.d.comb += [
            rom_port.addr.eq(self.address),
            multiply.left.eq(self.x),
            multiply.right.eq(rom_port.data),
            ram_port.addr.eq(self.address),
            write_port.addr.eq(self.address),
            write_port.data.eq(self.x),
            write_port.en.eq(self.write),
            self.sum.eq(total),
        ]
        m.d.sync += total.eq(multiply.product + Mux(self.first, 0, total))
        with m.Switch(self.choice):
            with m.Case(0):
                m.d.sync += reg.eq(ram_port.data >> 2)
            with m.Case(1, 2):
                m.d.sync += reg.eq(total[3 : 3 + self.width] - ram_port.data)
            with m.Default():
                m.d.sync += reg.eq(~reg)
        with m.If(self.first & ~self.write):
            m.d.comb += self.z.eq(reg)
        with m.Elif(total > 5):
            m.d.comb += self.z.eq(3)
        return m


class Engine(Component):
    """A ring of channels whose port names are reserved words."""

    def __init__(self, channels: int = 3, width: int = 9) -> None:
        self.channels, self.width = channels, width
        control = data.StructLayout({"address": 3, "first": 1, "write": 1, "choice": 2})
        super().__init__(
            {
                "in": In(stream.Signature(width)),
                "reg": Out(stream.Signature(2 * width + 4)),
                "process": In(control),
            }
        )

    def elaborate(self, _platform: object) -> Module:
        m = Module()
        source, sink = getattr(self, "in"), self.reg
        channels = [
            Channel(self.width, [index + 5 * (number == 2) for index in range(8)])
            for number in range(self.channels)
        ]
        for number, channel in enumerate(channels):
            m.submodules[f"channel_{number}"] = channel
            m.d.comb += [
                channel.x.eq(source.payload if number == 0 else channels[number - 1].z),
                channel.address.eq(self.process.address),
                channel.first.eq(self.process.first),
                channel.write.eq(self.process.write),
                channel.choice.eq(self.process.choice),
            ]
        m.d.comb += [
            sink.payload.eq(channels[-1].sum ^ channels[0].sum),
            sink.valid.eq(source.valid),
            source.ready.eq(sink.ready),
        ]
        return m


class Cell18(Component):
    """Two instances of the ECP5 multiplier, one registered, one not, and nothing else."""

    def __init__(self) -> None:
        super().__init__(
            {
                "left": In(signed(18)),
                "right": In(signed(18)),
                "registered": Out(signed(36)),
                "plain": Out(signed(36)),
            }
        )

    def elaborate(self, _platform: object) -> Module:
        m = Module()
        left = Signal(signed(18), name="left_register")
        right = Signal(signed(18), name="right_register")
        m.d.sync += [left.eq(self.left), right.eq(self.right)]
        plain = Signal(36)
        m.submodules.registered = self._cell(self.left, self.right, self.registered, clocked=True)
        m.submodules.plain = self._cell(left, right, plain, clocked=False)
        m.d.sync += self.plain.eq(plain)
        return m

    @staticmethod
    def _cell(left: Value, right: Value, product: Value, *, clocked: bool) -> Instance:
        ports: dict[str, Any] = {"i_SIGNEDA": C(1), "i_SIGNEDB": C(1)}
        ports |= {"i_SOURCEA": C(0), "i_SOURCEB": C(0)}
        for bit in range(18):
            ports[f"i_A{bit}"], ports[f"i_B{bit}"] = left[bit], right[bit]
        for bit in range(36):
            ports[f"o_P{bit}"] = product[bit]
        if clocked:
            ports |= {"i_CLK0": ClockSignal(), "i_CE0": C(1), "i_RST0": C(0)}
            for register in ("INPUTA", "INPUTB", "OUTPUT"):
                ports[f"p_REG_{register}_CLK"] = "CLK0"
                ports[f"p_REG_{register}_CE"] = "CE0"
                ports[f"p_REG_{register}_RST"] = "RST0"
        return Instance("MULT18X18D", **ports)


class Fold(Component):
    """x mod 2^5 + 3 floor(x / 2^5), asserted to stay within ``bound``; it reaches 124."""

    def __init__(self, bound: int) -> None:
        self.bound = bound
        super().__init__({"x": In(10), "y": Out(8)})

    def elaborate(self, _platform: object) -> Module:
        m = Module()
        m.d.sync += self.y.eq(self.x[5:] * 3 + self.x[:5])
        m.d.comb += Assert(self.y <= self.bound)
        return m


class RandomDesign(Component):
    """Random expressions of every operator, and random nested statements; the same for one seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        shapes = {
            f"{kind}{index}": wrap(self._shape(7 if kind == "i" else 12))
            for kind, count, wrap in (("i", 4, In), ("o", 6, Out))
            for index in range(count)
        }
        self.registers: list[Signal] = []
        super().__init__(shapes)

    def elaborate(self, _platform: object) -> Module:
        m = Module()
        registers = [
            Signal(self._shape(6), name=name, reset_less=self.random.random() < 0.5)
            for name in ("reg", "q1")
        ]
        self._statements(m, 2, "sync", registers)
        self.registers = registers
        self._statements(m, 2, "comb", [self.o0, self.o1])
        for index in range(2, 6):
            m.d.comb += getattr(self, f"o{index}").eq(self._expression(3))
        return m

    def _shape(self, widest: int) -> Any:
        return self.random.choice([signed, unsigned])(self.random.randint(1, widest))

    def _expression(self, depth: int) -> Value:
        if depth == 0:
            return self._leaf()
        operands = [self._expression(depth - 1) for _ in range(3)]
        return self.random.choice(self._operators())(*operands)

    def _leaf(self) -> Value:
        kind = self.random.random()
        value = getattr(self, f"i{self.random.randrange(4)}")
        if kind < 0.15:
            return C(self.random.randint(-9, 9))
        if kind < 0.3:
            return value[self.random.randrange(len(value)) :]
        if kind < 0.4 and self.registers:
            return self.random.choice(self.registers)
        return value

    def _operators(self) -> list[Callable[[Value, Value, Value], Value]]:
        distance, width = self.random.randint(0, 5), self.random.randint(1, 4)
        return [
            lambda a, b, c: a + b,
            lambda a, b, c: a - b,
            lambda a, b, c: a * b,
            lambda a, b, c: a & b,
            lambda a, b, c: a | b,
            lambda a, b, c: a ^ b,
            lambda a, b, c: ~a,
            lambda a, b, c: -a,
            lambda a, b, c: abs(a),
            lambda a, b, c: a < b,
            lambda a, b, c: a <= b,
            lambda a, b, c: a > b,
            lambda a, b, c: a >= b,
            lambda a, b, c: a == b,
            lambda a, b, c: a != b,
            lambda a, b, c: a << b.as_unsigned()[:2],
            lambda a, b, c: a >> b.as_unsigned()[:3],
            lambda a, b, c: a << distance,
            lambda a, b, c: a >> distance,
            Mux,
            lambda a, b, c: Cat(a, b),
            lambda a, b, c: a.bool(),
            lambda a, b, c: a.all(),
            lambda a, b, c: a.any(),
            lambda a, b, c: a.xor(),
            lambda a, b, c: a.bit_select(b.as_unsigned()[:3], width),
            lambda a, b, c: a.word_select(b.as_unsigned()[:2], width),
            lambda a, b, c: a.replicate(2),
            lambda a, b, c: a.as_unsigned(),
        ]

    def _statements(self, m: Module, depth: int, domain: str, targets: list[Signal]) -> None:
        for _ in range(self.random.randint(1, 2)):
            kind = self.random.random()
            if kind < 0.45 or depth == 0:
                target = self.random.choice(targets)
                low = self.random.randrange(len(target))
                part = target if self.random.random() < 0.6 else target[low:]
                m.d[domain] += part.eq(self._expression(2))
            elif kind < 0.75:
                with m.If(self._expression(1).bool()):
                    self._statements(m, depth - 1, domain, targets)
                with m.Elif(self._expression(1).bool()):
                    self._statements(m, depth - 1, domain, targets)
                if self.random.random() < 0.5:
                    with m.Else():
                        self._statements(m, depth - 1, domain, targets)
            else:
                self._switch(m, depth, domain, targets)

    def _switch(self, m: Module, depth: int, domain: str, targets: list[Signal]) -> None:
        selector = Signal(3, name=f"selector_{self.random.randrange(10**6)}")
        m.d.comb += selector.eq(self._expression(1))
        with m.Switch(selector):
            for _ in range(self.random.randint(1, 4)):
                digits = self.random.choices("01-0101", k=3)
                with m.Case("".join(digits)):
                    self._statements(m, depth - 1, domain, targets)
            if self.random.random() < 0.5:
                with m.Default():
                    self._statements(m, depth - 1, domain, targets)
