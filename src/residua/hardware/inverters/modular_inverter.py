"""Modular inverter: division steps on binary words, beside an engine and in constant time.

A batch of k = w - 1 steps follows from the lowest words of f and g (`DivisionStepper`). Its matrix
then goes over f, g, d and e, word by word, on three multipliers: u X + v Y + t P. A first look at
the lowest words of d and e gives the multiples t of P that make the division by 2^k exact. While d
and e are on their way, the next batch's steps are made.
"""

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value, signed
from amaranth.lib import data, stream
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Component, In, Out
from amaranth.utils import ceil_log2

from residua.algorithms.division_steps import Inversion
from residua.errors import SpecificationError
from residua.hardware.constant_table import constant_table, selector
from residua.hardware.delay import delayed
from residua.hardware.engine.multiply_accumulate import MultiplyAccumulate, accumulation_latency
from residua.hardware.inverters.division_stepper import DivisionStepper

NARROWEST = 4
"""Bits of a word, at least: below, the matrix of a batch is not worth its name."""

MULTIPLIERS = 3
"""Products of words that are made in a cycle."""

NUMBERS = ("f", "g", "d", "e")


class ModularInverter(Component):
    """1 / x modulo one of ``moduli``, in [0, P]; for x = 0 modulo P, 0 or P.

    ``start`` begins with the next number of ``words``: ``length`` words of ``width`` bits, the
    lowest first, for a number in [0, P); nothing is taken unless ``busy`` is set. The result leaves
    as ``length`` values of ``word`` while ``word_valid`` is set, ``done`` comes with the last one.
    With several moduli ``select`` is the index of P; it must stay while ``busy`` is set.

    ``latency`` is the number of cycles from the one in which the last word is taken to ``done``. It
    depends on nothing but the design. A reset overwrites the memories; meanwhile ``clearing`` is
    set.

    Raises:
        SpecificationError: a modulus is even or below 3, the words cannot hold a modulus, or they
            are too narrow.
    """

    def __init__(self, moduli: Sequence[int], width: int, length: int | None = None) -> None:
        if width < NARROWEST:
            raise SpecificationError(
                f"an inverter has words of at least {NARROWEST} bits, not {width}"
            )
        bits = max(modulus.bit_length() for modulus in moduli)
        self.width, self.steps = width, width - 1
        self.inversions = [Inversion(modulus, self.steps, bits) for modulus in moduli]
        self.length = -(-bits // width) if length is None else length
        if self.length * width < bits:
            raise SpecificationError(
                f"{self.length} words of {width} bits cannot hold a modulus of {bits} bits"
            )
        # d and e lie in (-2P, P).
        self.digits = max(-(-(bits + 2) // width), self.length)
        self.batches = self.inversions[0].batches
        # Before the multipliers there are registers of the address, the words that were read and
        # the operands that were chosen, behind them one between the additions that join products.
        self.lane_latency = accumulation_latency(width + 1) + 4
        self.loop, self.ending = self._phases()
        self.batch_cycles = sum(self.loop.values())
        self.latency = (
            self.digits
            - self.length
            + self.first_steps
            + self.batches * self.batch_cycles
            + sum(self.ending.values())
        )
        super().__init__(
            {
                "start": In(1),
                "words": In(stream.Signature(data.StructLayout({"word": width, "last": 1}))),
                "word": Out(width),
                "word_valid": Out(1),
                "busy": Out(1),
                "done": Out(1),
                "clearing": Out(1, init=1),
                **selector(len(self.inversions)),
            }
        )

    @property
    def stepper_latency(self) -> int:
        """Cycles from the one in which g is there to the one in which a batch can begin."""
        return self.steps + 4

    @property
    def first_steps(self) -> int:
        """The same from the one in which the last word is taken, which has a register more."""
        return self.stepper_latency + 1

    def _phases(self) -> tuple[dict[str, int], dict[str, int]]:
        """The phases of a batch, and those after the last one, with their cycles.

        A phase that begins in cycle ``back`` reads what becomes of a word that one reads in cycle
        0, and what follows from it is known by then.
        """
        digits, lane = self.digits, self.lane_latency
        back = lane + 4
        # The quotients: a product, its low bits times 1 / P, an addition and a subtraction.
        first_d = max(2 + 2 * digits, 2 * lane + 2)
        needs = (
            first_d + 2 * digits,  # the phases
            2 + digits + lane + 4 + self.stepper_latency,  # g is known, the steps are made
            first_d + digits + back,  # the lowest word of e, and the sign of d
            first_d + 2 * digits + 5 - lane,  # the sign of e
        )
        loop = {
            "look": 2,
            "f": digits,
            "g": digits,
            "quotient": first_d - 2 - 2 * digits,
            "d": digits,
            "e": digits,
            "steps": max(needs) - first_d - 2 * digits,
        }
        ending = {"lift": digits, "sign": back, "result": digits, "drain": back + 1}
        return {name: cycles for name, cycles in loop.items() if cycles}, ending

    @property
    def depth(self) -> int:
        """Words of a memory, two pages of a number; a reset overwrites one in a cycle."""
        return int(2 << ceil_log2(self.digits))

    def elaborate(self, platform: Any) -> Module:
        """Control, memories, coefficients, lanes, carry chain."""
        m = Module()
        self._control(m)
        self._fetch(m)
        self._coefficients(m)
        self._multiply(m)
        self._carry(m)
        self._store(m)
        return m

    def _control(self, m: Module) -> None:
        """Filling, the first steps, and phase after phase; nothing depends on a number."""
        self._order = [*self.loop, *self.ending]
        cycles = [*self.loop.values(), *self.ending.values()]
        # One bit for each, none while nothing runs: they choose all over the unit.
        self._phase = Signal(len(self._order), name="phase")
        self._position = Signal(range(max(*cycles, self.first_steps, self.digits)), name="position")
        self._page, rounds = Signal(name="page"), Signal(range(self.batches), name="rounds")
        filling, stepping = Signal(name="filling"), Signal(name="stepping")
        running, taken = Signal(name="running"), Signal(name="taken")
        self._fill, end, finish = Signal(name="fill"), Signal(name="end"), Signal(name="finish")
        lasts = Cat(
            on & (self._position == n - 1) for on, n in zip(self._phase, cycles, strict=True)
        )
        m.d.comb += [
            self.busy.eq(filling | stepping | running),
            self.words.ready.eq(filling & ~taken),
            # Words above those of a number are 0.
            self._fill.eq(filling & (taken | self.words.valid)),
            end.eq(lasts.any()),
            finish.eq(lasts[-1]),
            self.done.eq(finish),
        ]
        self._taken, batch = taken, lasts[len(self.loop) - 1]
        self._begin = Signal(name="begin")
        self._negative = {name: Signal(name=f"{name}_negative") for name in ("f", "d", "e")}
        stepped = stepping & (self._position == self.first_steps - 1)
        m.d.comb += self._begin.eq(stepped | (batch & (rounds != 0)))
        with m.If(self._fill | stepping | running):
            m.d.sync += self._position.eq(self._position + 1)
        with m.If(self.start & ~self.busy & ~self.clearing):
            m.d.sync += [filling.eq(1), self._position.eq(0), self._page.eq(0)]
            m.d.sync += [sign.eq(0) for sign in self._negative.values()]
        with m.If(self._fill):
            m.d.sync += taken.eq(taken | (self.words.payload.last & self.words.valid))
            with m.If(self._position == self.digits - 1):
                m.d.sync += [
                    filling.eq(0),
                    taken.eq(0),
                    stepping.eq(1),
                    self._position.eq(0),
                ]
        with m.If(stepped):
            m.d.sync += [
                stepping.eq(0),
                running.eq(1),
                self._phase.eq(1),
                self._position.eq(0),
                rounds.eq(self.batches - 1),
            ]
        with m.If(end):
            m.d.sync += [self._phase.eq(self._phase << 1), self._position.eq(0)]
        with m.If(batch | (end & self._is("lift"))):
            m.d.sync += self._page.eq(~self._page)
        with m.If(batch & (rounds != 0)):
            m.d.sync += [self._phase.eq(1), rounds.eq(rounds - 1)]
        with m.If(finish):
            m.d.sync += running.eq(0)

    def _is(self, *names: str) -> Value:
        """Whether one of these phases is on."""
        return Cat(self._phase[self._order.index(name)] for name in names).any()

    def _fetch(self, m: Module) -> None:
        """A word of P a cycle after its place, one of f or d and one of g or e two cycles after."""
        depth = self.depth
        index = Signal(ceil_log2(self.digits), name="index")
        page = delayed(m, self._page, 1, "read_page")
        m.d.sync += index.eq(Mux(self._is("look"), 0, self._position))
        self._memories = {}
        read = {}
        for name in NUMBERS:
            memory = Memory(shape=self.width, depth=depth, init=[])
            m.submodules[f"number_{name}"] = memory
            port = memory.read_port(domain="comb")
            m.d.comb += port.addr.eq(Cat(index, page))
            word = delayed(m, port.data, 1, f"read_{name}", data=True)
            read[name], self._memories[name] = word, memory
        outer = delayed(m, self._is("f", "g"), 2, "outer")
        is_last = (self._position == self.digits - 1) & ~self._is("look")
        top = delayed(m, is_last, 2, "is_top_word")
        digits = self.digits
        rows = [
            [i.modulus >> (self.width * n) & ((1 << self.width) - 1) for n in range(digits)]
            for i in self.inversions
        ]
        self._modulus = constant_table(m, "modulus", rows, self.width, self._selected, index)
        self._x = self._extended(Mux(outer, read["f"], read["d"]), top)
        self._y = self._extended(Mux(outer, read["g"], read["e"]), top)

    @property
    def _selected(self) -> Value:
        return self.select if len(self.inversions) > 1 else Const(0, 0)

    @staticmethod
    def _extended(digit: Value, top: Value) -> Value:
        """A digit, of which only the top one is signed."""
        return Cat(digit, digit[-1] & top).as_signed()

    def _coefficients(self, m: Module) -> None:
        """Stepper, and the matrix of the batch; what the lanes multiply by."""
        total = self.batches * self.steps
        m.submodules.stepper = self._stepper = stepper = DivisionStepper(self.steps, total)
        entry = signed(self.steps + 2)
        matrix = [Signal(entry, name=name) for name in ("u", "v", "q", "r")]
        with m.If(self._begin):
            m.d.sync += [
                held.eq(made)
                for held, made in zip(
                    matrix, (stepper.u, stepper.v, stepper.q, stepper.r), strict=True
                )
            ]
        u, v, q, r = matrix
        second = self._is("g", "e") | (self._is("look") & self._position[0])
        lifting, ending = self._is("lift"), self._is("result")
        self._a, self._b = (Signal(entry, name=name, reset_less=True) for name in ("a", "b"))
        minus = Mux(self._negative["f"], -1, 1)
        m.d.sync += [
            self._a.eq(Mux(lifting, 1, Mux(ending, minus, Mux(second, q, u)))),
            self._b.eq(Mux(lifting | ending, 0, Mux(second, r, v))),
        ]
        self._rows = ((u, v), (q, r))

    def _multiply(self, m: Module) -> None:
        """a X + b Y + c P, and between d and e the quotients."""
        limit = 1 << (2 * self.width + 1)
        lanes = []
        for index in range(MULTIPLIERS):
            lane = MultiplyAccumulate(self.width + 1, (-limit, limit), 1)
            m.submodules[f"lane_{index}"] = lane
            m.d.comb += lane.first.eq(1)
            lanes.append(lane)
        self._total = Signal(signed(2 * self.width + 4), name="product_sum", reset_less=True)
        looks = delayed(m, self._is("look"), self.lane_latency + 1, "look")
        inverses = Array([Const(i.inverse, self.steps) for i in self.inversions])
        # They need no address.
        ready = delayed(m, looks, self.lane_latency - 1, "multiple_ready")
        of_modulus = Signal.like(lanes[2].sum, name="of_modulus", reset_less=True)
        of_numbers = Signal(signed(2 * self.width + 3), name="of_numbers", reset_less=True)
        m.d.sync += [of_modulus.eq(lanes[2].sum), of_numbers.eq(lanes[0].sum + lanes[1].sum)]
        multiple, modulus = self._multiples(m, ready, of_modulus), self._modulus
        left, right = (
            Signal(signed(self.width + 1), name=f"{side}_of_modulus", reset_less=True)
            for side in ("left", "right")
        )
        with m.If(looks):
            m.d.sync += [
                left.eq(self._total[: self.steps]),
                right.eq(inverses[self._selected] if len(self.inversions) > 1 else inverses[0]),
            ]
        with m.Else():
            m.d.sync += [left.eq(modulus), right.eq(multiple)]
        a, b = (delayed(m, c, 1, c.name, data=True) for c in (self._a, self._b))
        operands = ((self._x, a), (self._y, b), (left, right))
        for index, (lane, factors) in enumerate(zip(lanes, operands, strict=True)):
            for side, factor in zip(("left", "right"), factors, strict=True):
                port = getattr(lane, side)
                register = Signal.like(port, name=f"{side}_{index}", reset_less=True)
                m.d.sync += register.eq(factor)
                m.d.comb += port.eq(register)
        m.d.sync += self._total.eq(of_numbers + Mux(ready, 0, of_modulus))

    def _multiples(self, m: Module, ready: Value, product: Value) -> Value:
        """The multiple of P that is added in each phase."""
        entry = signed(self.steps + 2)
        after = delayed(m, ready, 1, "rest_ready")
        last = delayed(m, after, 1, "last_multiple_ready")
        multiples = [Signal(entry, name=f"multiple_of_{name}") for name in ("d", "e")]
        sign = self._negative["d"]
        corrections = []
        for name, (a, b) in zip(("d", "e"), self._rows, strict=True):
            register = Signal(entry, name=f"correction_of_{name}", reset_less=True)
            m.d.sync += register.eq(Mux(sign, a, 0) + Mux(self._negative["e"], b, 0))
            corrections.append(register)
        correction = Mux(after, corrections[1], corrections[0])
        added = Signal(entry, name="correction", reset_less=True)
        rest = Signal(self.steps, name="rest", reset_less=True)
        m.d.sync += [added.eq(correction), rest.eq(product + correction)]
        with m.If(after):
            m.d.sync += multiples[1].eq(added - rest)
        with m.If(after & ~last):
            m.d.sync += multiples[0].eq(added - rest)
        chosen = Signal(entry, name="multiple_of_modulus", reset_less=True)
        m.d.sync += chosen.eq(
            Mux(self._is("d"), multiples[0], 0)
            | Mux(self._is("e"), multiples[1], 0)
            | (self._is("lift") & sign)
            | (self._is("result") & (sign ^ self._negative["f"]))
        )
        return chosen

    def _carry(self, m: Module) -> None:
        """Sums to words, one a cycle: divided by 2^k, but at the end."""
        width, steps = self.width, self.steps
        chain = Signal(signed(2 * width + 5), name="chain", reset_less=True)
        digit, above = Signal(width, name="digit"), Signal(steps, name="above")
        summed, made = self.lane_latency + 1, self.lane_latency + 4
        first = delayed(m, self._position == 0, summed, "first")
        m.d.sync += [
            chain.eq(self._total + Mux(first, 0, chain >> width)),
            digit.eq(chain),
            above.eq(chain >> width),
        ]
        self._made = {
            name: delayed(m, self._is(name), made, name) for name in (*NUMBERS, "lift", "result")
        }
        self._index = delayed(m, self._position[: ceil_log2(self.digits)], made, "made_index")
        self._made_page = delayed(m, ~self._page, made, "made_page")
        ending = delayed(m, self._is("lift", "result"), made - 1, "ending")
        top = delayed(m, self._position == self.digits - 1, made - 1, "top")
        self._word = Signal(width, name="made_word", reset_less=True)
        divided = Cat(digit[steps:], Mux(top, above, chain[:steps]))
        m.d.sync += self._word.eq(Mux(ending, digit, divided))
        last = self._index == self.digits - 1
        for name, kinds in (("f", ("f",)), ("d", ("d", "lift")), ("e", ("e",))):
            with m.If(Cat(self._made[kind] for kind in kinds).any() & last):
                m.d.sync += self._negative[name].eq(self._word[-1])

    def _store(self, m: Module) -> None:
        """Every number's other page, the stepper, the result."""
        wiped = Signal(range(self.depth), name="wiped")
        with m.If(self.clearing):
            m.d.sync += [wiped.eq(wiped + 1), self.clearing.eq(wiped != self.depth - 1)]
        # What fills the memories comes as late as the words of P, and a register later.
        fill = delayed(m, self._fill, 2, "filling_word")
        lowest = delayed(m, self._position == 0, 2, "lowest")
        index = delayed(m, self._position[: ceil_log2(self.digits)], 2, "filling_index")
        word = Mux(self._taken, 0, self.words.payload.word)
        operand = delayed(m, word, 2, "filling_operand", data=True)
        modulus = delayed(m, self._modulus, 1, "filling_modulus", data=True)
        initial = {"f": modulus, "g": operand, "d": Const(0), "e": lowest}
        for name, memory in self._memories.items():
            made = self._made[name] | (self._made["lift"] if name == "d" else 0)
            write = memory.write_port()
            m.d.comb += [
                write.en.eq(self.clearing | fill | made),
                write.addr.eq(
                    Mux(
                        self.clearing,
                        wiped,
                        Mux(fill, index, Cat(self._index, self._made_page)),
                    )
                ),
                write.data.eq(Mux(self.clearing, 0, Mux(fill, initial[name], self._word))),
            ]
        self._feed(m, fill & lowest, operand, modulus)
        m.d.comb += [
            self.word.eq(self._word),
            self.word_valid.eq(self._made["result"] & (self._index < self.length)),
        ]

    def _feed(self, m: Module, filled: Value, operand: Value, modulus: Value) -> None:
        """The lowest words of f and g, through a register: the stepper has its logic close by."""
        stepper, made_first = self._stepper, self._index == 0
        m.d.sync += stepper.first.eq(filled)
        for name, port, first in (("f", stepper.f, modulus), ("g", stepper.g, operand)):
            take = stepper.take_f if name == "f" else stepper.take_g
            m.d.sync += [
                port.eq(Mux(filled, first, self._word)),
                take.eq(filled | (self._made[name] & made_first)),
            ]
