"""Field processor: a Cox-Rower engine that runs routines on elements in its registers."""

from typing import Any

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value, signed
from amaranth.lib import data, stream
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Component, In, Out

from residua.hardware.delay import delayed
from residua.hardware.engine.controls import connect_controls
from residua.hardware.engine.cox import Cox
from residua.hardware.engine.entry_keeper import EntryKeeper
from residua.hardware.engine.microsequencer import Microsequencer
from residua.hardware.engine.narrow_rower import NarrowRower
from residua.hardware.engine.processor_design import ProcessorDesign
from residua.hardware.engine.rings import join_rows
from residua.hardware.engine.row import LAUNCH_DELAY, Row
from residua.hardware.engine.rower import Rower
from residua.hardware.residue_check import ResidueCheck
from residua.hardware.signature_register import TRACE_PORTS
from residua.machines.control_store import Bus, control_widths
from residua.machines.controls import weight_controls
from residua.machines.microcode import binary_address, binary_depth
from residua.machines.slots import ALWAYS

_EARLIER = {"binary_word": 2, "advance": 2, "bus": 2}
"""Cycles by which controls act earlier: what comes to the bus is chosen into a register, and goes
through that of the quotient."""


class Processor(Component):
    """Runs routines on the elements in its registers.

    ``run`` starts ``length`` + 1 slots at ``origin`` of the control store, ``rounds`` + 1 times,
    when ``ready`` is set; see `Microsequencer`. ``page`` chooses the modulus and has to stay until
    the results are stored. ``gates`` are the bits that routines select by; ``advance`` is set when
    a round has read them for the last time, and they may change from then on.

    ``binary`` takes the words of a binary operand, ``design.binary_words`` of them, the lowest
    first; ``binary_start`` has to come before. ``residue`` is an element that leaves, one residue
    of base b a cycle, channel 0 first, while ``residue_valid`` is set.

    If there is a `FRACTION`, ``word`` takes its residues while ``word_valid`` is set, channel 0
    first, after ``word_start``; nothing may run meanwhile, and in the cycle after the last one.

    With tables of entries, ``entry_address``, ``entry_matches``, ``entry_first`` and ``entry_keep``
    are those of an `EntryKeeper` in every rower. While ``entry_loading`` is set, the words that
    they keep go to the registers of an entry, the oldest first; ``entry_loaded`` is set when one
    does, which is in each cycle in which no result is written.

    One that is ``traced`` has ``trace`` and ``trace_clear`` of its `Microsequencer`.

    If its design ``exchanges``, ``choice`` has a bit for each rower, whether its moduli have
    changed sides, which has to stay as ``page`` does.

    One with a check modulus has ``differs``, which is set from the first reduction on that a
    check residue shows to be wrong, until a reset.

    ``clear`` overwrites the registers and the binary operand with zeros, during which ``clearing``
    is set; so does a reset. Nothing may run meanwhile.
    """

    def __init__(self, design: ProcessorDesign, most_rounds: int, *, traced: bool = False) -> None:
        self.design, self.most_rounds = design, most_rounds
        store = design.store
        longest = max(block.length for block in store.blocks.values())
        self.traced = traced
        self.sequencer = Microsequencer(
            store.fields, self._widths(), longest, most_rounds, traced=traced
        )
        command = self.sequencer.signature.members
        word = signed(design.width + 1)
        fraction = {"word": In(word), "word_valid": In(1), "word_start": In(1)}
        super().__init__(
            {name: In(command[name].shape) for name in ("run", "origin", "length", "rounds")}
            | {
                "ready": Out(1),
                "page": In(range(max(design.pages, 2))),
                "gates": In(max(len(design.gates), 1)),
                "advance": Out(1),
                "binary": In(stream.Signature(design.binary_width)),
                "binary_start": In(1),
                "residue": Out(data.ArrayLayout(word, 1)),
                "residue_valid": Out(1),
                "clear": In(1),
                "clearing": Out(1, init=1),
            }
            | (fraction if design.fraction_registers else {})
            | ({"choice": In(design.rowers)} if design.exchanges else {})
            | ({"differs": Out(1)} if design.checks else {})
            | (self._entry_ports(design.entries.depth) if design.entries else {})
            | (TRACE_PORTS if traced else {})
        )

    def _entry_ports(self, depth: int) -> dict[str, Any]:
        """The ports of tables of so many words."""
        names = ("matches", "first", "keep", "loading")
        return {
            "entry_address": In(range(depth)),
            **{f"entry_{name}": In(1) for name in names},
            "entry_loaded": Out(1),
        }

    def _widths(self) -> dict[str, int]:
        widths = control_widths(self.design.store.fields)
        fixed = dict.fromkeys(
            ("left_register", "right_register", "write_register"),
            range(self.design.shape.registers),
        )
        return widths | {name: (len(r) - 1).bit_length() for name, r in fixed.items()}

    def elaborate(self, platform: Any) -> Module:
        """Sequencer, delays, rowers, Cox, binary operand, clearing."""
        m = Module()
        m.submodules.sequencer = sequencer = self.sequencer
        self._clear_count = Signal(range(self.design.clearing_cycles), name="count")
        m.d.comb += [
            sequencer.run.eq(self.run),
            sequencer.origin.eq(self.origin),
            sequencer.length.eq(self.length),
            sequencer.rounds.eq(self.rounds),
            self.ready.eq(sequencer.ready),
        ]
        if self.traced:
            m.d.comb += [
                self.trace.eq(sequencer.trace),
                sequencer.trace_clear.eq(self.trace_clear),
            ]
        control = self._control(m)
        rowers = self._rowers(m, control)
        extra = self._narrow_rower(m, control, rowers[0])
        rows = self._rows(m, control, rowers)
        words = [row.word for row in rows] or [rower.operand for rower in rowers]
        if extra and self.design.row_shape:
            m.d.comb += extra.row.eq(self._heard(m, words[0]))
        self._drive_bus(m, control, rowers, extra, words)
        self._clear(m, [*rowers, *([extra] if extra else [])])
        if extra and self.design.checks:
            self._check(m, control, extra)
        if self.design.fraction_registers:
            self._take(m, rowers)
        if self.design.entries:
            self._enter(m, rowers, control["write"])
        m.d.comb += [
            self.residue[0].eq(rowers[0].operand),
            self.residue_valid.eq(control["emit"]),
            self.advance.eq(control["advance"]),
        ]
        return m

    def _control(self, m: Module) -> dict[str, Value]:
        """Every control in the cycle in which it acts; the first register adds the page."""
        control: dict[str, Value] = {}
        joins = self.design.shape.joins_constants
        earlier = _EARLIER | ({"right_register": 1} if joins else {})
        for name, cycles in self.design.delays.items():
            value = getattr(self.sequencer, name)
            if name == "constant":
                value = self._constant_address(value)
            left = cycles - earlier.get(name, 0)
            # Without registers for constants, what goes to the bus has no time for its own.
            if left >= 0:
                register = Signal(len(value), name=f"{name}_slot")
                m.d.sync += register.eq(value)
                value = register
            control[name] = delayed(m, value, max(left, 0), name)
        if joins:
            constant, register = control.pop("constant"), control["right_register"]
            control["right_register"] = self._joined(m, constant, register)
        return control

    def _joined(self, m: Module, constant: Value, register: Value) -> Value:
        """The address of a right operand: that of a register for constant 0, which holds zero."""
        wanted = Signal(name="constant_wanted")
        address = Signal(range(self.design.shape.rights), name="right_address")
        m.d.sync += [
            wanted.eq(self.sequencer.constant.any()),
            address.eq(Mux(wanted, constant, register)),
        ]
        return address

    def _constant_address(self, index: Value) -> Value:
        """Where a constant of the page is in the memories of rowers."""
        shape, store = self.design.shape, self.design.store
        first = shape.first_constant
        bases = Array(Const(first + page * store.page_size) for page in range(self.design.pages))
        total: Value = bases[self.page] + index
        # Where moduli may be exchanged, each rower adds what tells its half of the constants.
        if store.exchanged:
            bits = (store.exchanged - 1).bit_length()
            return (total | Const(0, bits))[:bits]
        return total[: (first + shape.constants - 1).bit_length()]

    def _rowers(self, m: Module, control: dict[str, Value]) -> list[Rower]:
        design, store = self.design, self.design.store
        rowers = []
        for index in range(design.rowers):
            moduli = store.moduli[index]
            ranges = [design.ranges[modulus] for modulus in moduli]
            rower = Rower(design.shape, moduli, ranges, store.constants[index])
            m.submodules[f"rower_{index}"] = rower
            rowers.append(rower)
        for index, rower in enumerate(rowers):
            m.d.comb += rower.neighbour.eq(rowers[(index + 1) % len(rowers)].operand)
            connect_controls(m, rower, control | self._own_page(m, control, index))
        return rowers

    def _own_page(self, m: Module, control: dict[str, Value], index: int) -> dict[str, Value]:
        """The controls by which a rower whose moduli have changed sides differs from others."""
        if not self.design.exchanges:
            return {}
        exchanged = Signal(name=f"exchanged_{index}", reset_less=True)
        m.d.sync += exchanged.eq(self.choice[index])
        return {
            "constant": Cat(control["constant"], exchanged),
            "modulus": control["modulus"] ^ exchanged,
        }

    def _narrow_rower(
        self, m: Module, control: dict[str, Value], first: Rower
    ) -> NarrowRower | None:
        """Make the rower of the extra channel, which hears what rower 0 takes from the ring."""
        design = self.design
        if not design.narrow:
            return None
        constants = design.store.constants[design.rowers]
        extra = NarrowRower(design.shape, design.narrow, design.rower_latency, constants)
        m.submodules.narrow_rower = extra
        connect_controls(m, extra, control)
        m.d.comb += extra.ring.eq(first.operand)
        return extra

    def _check(self, m: Module, control: dict[str, Value], extra: NarrowRower) -> None:
        """Hold check residues against each other; clearing overwrites those that are kept."""
        design = self.design
        check = ResidueCheck(design.narrow, design.store.kept_registers)
        m.submodules.residue_check = check
        connect_controls(m, check, control)
        m.d.comb += [
            check.residue.eq(extra.residue),
            check.clear.eq(self.clearing),
            check.clear_register.eq(self._clear_count[: len(check.clear_register)]),
            self.differs.eq(check.differs),
        ]

    def _heard(self, m: Module, word: Value) -> Value:
        """A super-residue when the other rowers have it, reduced, for their left operand.

        The constant that it includes is 0 modulo 2^g.
        """
        shape = self.design.row_shape
        assert shape is not None
        latency = shape.lead - LAUNCH_DELAY + 1
        return delayed(m, word[: self.design.narrow], latency, "heard", data=True).as_signed()

    def _rows(self, m: Module, control: dict[str, Value], rowers: list[Rower]) -> list[Row]:
        """The rows of hierarchical extensions; what they store is overwritten by clearing."""
        shape = self.design.row_shape
        if shape is None:
            return []
        if shape.registers:
            address = self._clear_count[: (max(shape.registers, 2) - 1).bit_length()]
            control = control | {
                "row_write": control["row_write"] | self.clearing,
                "row_write_register": Mux(self.clearing, address, control["row_write_register"]),
            }
        return join_rows(m, shape, rowers, control)

    def _drive_bus(
        self,
        m: Module,
        control: dict[str, Value],
        rowers: list[Rower],
        extra: NarrowRower | None,
        words: list[Value],
    ) -> None:
        """The quotient, a word of the binary operand, a bit, or the extra word, to all rowers."""
        coming = control["bus"]
        # The Cox and the bus are told the words of the small rower, unless they are to be compared.
        told = None if self.design.checks else extra
        m.submodules.cox = cox = self._cox(m, control, told, words)
        word = self._binary_operand(m, control["binary_word"], coming == Bus.WORD)
        takes = Signal(name="takes_direct", reset_less=True)
        m.d.sync += takes.eq(coming != Bus.QUOTIENT)
        m.d.comb += [
            cox.direct.eq(word | self._chosen_gate(m, coming)),
            cox.takes_direct.eq(takes),
        ]
        bus: Value = cox.quotient
        if told:
            # What it keeps is there a cycle later.
            heard = coming == self.design.store.narrow_code
            hears = delayed(m, heard, 2, "takes_extra", data=True)
            bus = bus | Mux(hears, told.stored, 0)
        if extra:
            narrow = bus[: self.design.narrow]
            m.d.comb += extra.bus.eq(delayed(m, narrow, 1, "narrow_bus", data=True).as_signed())
        m.d.comb += [own.bus.eq(bus) for own in rowers]

    def _chosen_gate(self, m: Module, coming: Value) -> Signal:
        """The bit that comes to the bus, if one does."""
        # They come from far.
        held = Signal.like(self.gates, name="held_gates", reset_less=True)
        m.d.sync += held.eq(self.gates)
        bits: list[Value] = [Const(0, 1)] * Bus.GATE
        for name in self.design.store.gates:
            bit: Value = Const(1, 1)
            if name != ALWAYS:
                bit = held[self.design.gates.index(name)]
            bits += [bit, ~bit]
        gate = Signal(name="chosen_gate", reset_less=True)
        m.d.sync += gate.eq(Array([*bits, Const(0, 1)])[coming])
        return gate

    def _cox(
        self,
        m: Module,
        control: dict[str, Value],
        extra: NarrowRower | None,
        words: list[Value],
    ) -> Cox:
        design, machine = self.design, self.design.machine
        cox = Cox(
            design.estimate,
            machine.columns * design.width,
            machine.taps,
            design.store.weights,
            design.quotient_range,
            word=len(words[0]),
            delay=machine.cox_delay,
            narrow=extra.bits if extra else 0,
            direct=design.width + 1,
        )
        if extra:
            m.d.comb += [
                cox.narrow_word.eq(extra.operand),
                cox.narrow_tap.eq(control["narrow_tap"]),
            ]
        for tap, weight in enumerate(weight_controls(machine.taps)):
            m.d.comb += [
                cox.taps[tap].eq(words[min(tap * machine.tap_slots, len(words) - 1)]),
                cox.weights[tap].eq(control[weight]),
            ]
        m.d.comb += cox.first.eq(control["cox_first"])
        return cox

    def _binary_operand(self, m: Module, address: Value, wanted: Value) -> Value:
        """The word of a binary operand, if it is wanted; clearing writes to its memory as well."""
        count = self.design.binary_words
        depth = binary_depth(count)
        m.submodules.binary_operand = memory = Memory(
            shape=self.design.binary_width, depth=depth, init=[]
        )
        position = Signal(range(depth), init=binary_address(0, count))
        write, read = memory.write_port(), memory.read_port(domain="comb")
        m.d.comb += [
            self.binary.ready.eq(~self.clearing),
            write.addr.eq(position),
            write.data.eq(Mux(self.clearing, 0, self.binary.payload)),
            write.en.eq(self.clearing | self.binary.valid),
            read.addr.eq(address),
        ]
        with m.If(self.binary_start):
            m.d.sync += position.eq(binary_address(0, count))
        with m.Elif(write.en):
            m.d.sync += position.eq(position + 1)
        word = Signal(self.design.binary_width, name="read_word", reset_less=True)
        m.d.sync += word.eq(Mux(wanted, read.data, 0))
        return word

    def _clear(self, m: Module, rowers: list[Rower | NarrowRower]) -> None:
        """One register a cycle, twice around."""
        count = self._clear_count
        with m.If(self.clear):
            m.d.sync += [self.clearing.eq(1), count.eq(0)]
        with m.Elif(self.clearing):
            m.d.sync += [
                count.eq(count + 1),
                self.clearing.eq(count != self.design.clearing_cycles - 1),
            ]
        for rower in rowers:
            m.d.comb += [
                rower.load.eq(self.clearing),
                rower.load_register.eq(count[: rower.load_register.shape().width]),
                rower.word.eq(0),
            ]

    def _take(self, m: Module, rowers: list[Rower]) -> None:
        """The residues of a fraction, one a cycle, to one rower after the other."""
        registers, last = self.design.fraction_registers, len(rowers) - 1
        rower = Signal(range(len(rowers)), name="taking_rower")
        group = Signal(range(len(registers)), name="taking_group")
        with m.If(self.word_start):
            m.d.sync += [rower.eq(0), group.eq(0)]
        with m.Elif(self.word_valid):
            m.d.sync += rower.eq(Mux(rower == last, 0, rower + 1))
            with m.If(rower == last):
                m.d.sync += group.eq(group + 1)
        # In registers of their own: they reach all rowers. Clearing writes zeros from its second
        # cycle on, and more than once.
        register = Signal(rowers[0].load_register.shape(), name="taking_register", reset_less=True)
        word = Signal.like(self.word, name="taken_word", reset_less=True)
        m.d.sync += [
            register.eq(Array(registers)[group]),
            word.eq(Mux(self.clearing, 0, self.word)),
        ]
        for index, each in enumerate(rowers):
            load = Signal(name=f"takes_{index}")
            m.d.sync += load.eq(self.word_valid & (rower == index))
            m.d.comb += each.word.eq(word)
            with m.If(~self.clearing):
                m.d.comb += [each.load.eq(load), each.load_register.eq(register)]

    def _enter(self, m: Module, rowers: list[Rower], writes: Value) -> None:
        """The words of an entry to all rowers, in cycles in which these write nothing else."""
        entries, registers = self.design.entries, self.design.entry_registers
        assert entries is not None
        position = Signal(range(len(registers)), name="entering")
        # A rower takes a word a cycle after it has been told whether there is a result to write.
        load = Signal(name="enters")
        m.d.comb += self.entry_loaded.eq(self.entry_loading & ~writes)
        m.d.sync += load.eq(self.entry_loaded)
        with m.If(load):
            m.d.sync += position.eq(Mux(position == len(registers) - 1, 0, position + 1))
        register = Array(registers)[position]
        for index, each in enumerate(rowers):
            keeper = EntryKeeper(entries.memories[index], self.design.width + 1, entries.words)
            m.submodules[f"entries_{index}"] = keeper
            m.d.comb += [
                keeper.address.eq(self.entry_address),
                keeper.matches.eq(self.entry_matches),
                keeper.first.eq(self.entry_first),
                keeper.keep.eq(self.entry_keep),
                keeper.drop.eq(load),
            ]
            with m.If(load & ~self.clearing):
                m.d.comb += [
                    each.load.eq(1),
                    each.load_register.eq(register),
                    each.word.eq(keeper.word),
                ]
