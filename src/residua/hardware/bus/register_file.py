"""Registers in hardware, made from a register map: one write port, one read port, the fields.

A register is a switch case of each port. What a field does follows from its kind alone
(`residua.hardware.bus.register_map.FieldKind`), so a new core needs a new map and nothing here.
"""

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import Component, In, Out, Signature

from residua.hardware.bus.register_map import Field, Register, RegisterMap


def write_port(address_width: int) -> Signature:
    """A write, as its initiator sees it: address in words, ``error`` in the same cycle.

    Address, data and strobe are the same in the cycle before, for them to be looked at.
    """
    return Signature(
        {
            "valid": Out(1),
            "address": Out(address_width - 2),
            "data": Out(32),
            "strobe": Out(4),
            "error": In(1),
        }
    )


def read_port(address_width: int) -> Signature:
    """A read, as its initiator sees it: ``data`` and ``error`` in the same cycle."""
    return Signature(
        {"valid": Out(1), "address": Out(address_width - 2), "data": In(32), "error": In(1)}
    )


class RegisterFile(Component):
    """The registers of ``registers`` behind a write port and a read port.

    Each cycle with ``valid`` is an access, done in that cycle. An access has an ``error``, and no
    effect, where there is no such register, where the map does not allow it, where a word that is
    handed over comes in part, and where the core does not accept it; ``refused`` is high then.

    A register with fields that the core sees is a member of the same name in small letters, and
    holds by kind of field:

    * ``status``: ``<field>`` in
    * ``storage`` and ``pulse``: ``<field>`` out, one cycle after the write
    * ``sticky``: ``<field>`` out, ``set_<field>`` in; setting wins over clearing
    * ``written``: ``<field>`` out, the word of the access; ``access`` is high if it is handed over
    * ``taken``: ``<field>`` in; ``access`` is high if it is taken

    A register that can be refused also holds ``accept``, in: whether an access would be accepted
    in this cycle.
    """

    def __init__(self, registers: RegisterMap, address_width: int = 12) -> None:
        self.map = registers
        self.address_width = address_width
        members: dict[str, Any] = {
            "write": In(write_port(address_width)),
            "read": In(read_port(address_width)),
            "refused": Out(1),
        }
        for register in registers.registers.values():
            if ports := _ports(register):
                members[register.name.lower()] = Out(Signature(ports))
        super().__init__(members)

    def elaborate(self, platform: Any) -> Module:
        """Two multiplexers and the registers."""
        m = Module()
        m.d.comb += [
            self.read.error.eq(self.read.valid),
            self.refused.eq(self.write.error | self.read.error),
        ]
        for register in self.map.registers.values():
            self._pulses_and_flags(m, register)
        # What is known of a write in the cycle before, in registers.
        self._whole, self._written = Signal(name="whole"), Signal(name="written")
        strobe = self.write.strobe
        m.d.sync += [self._whole.eq(strobe.all()), self._written.eq(strobe.any())]
        done = [self._write(m, one) for one in self.map.registers.values() if one.writable]
        m.d.comb += self.write.error.eq(self.write.valid & ~Cat(done).any())
        with m.Switch(self.read.address):
            for register in self.map.registers.values():
                if register.readable:
                    with m.Case(register.address // 4):
                        self._read(m, register)
        return m

    def _pulses_and_flags(self, m: Module, register: Register) -> None:
        """Update pulses and flags in cycles without an access."""
        for field in register.fields.values():
            if field.kind == "pulse":
                m.d.sync += self._port(register, field.name).eq(0)
            elif field.kind == "sticky":
                flag = self._port(register, field.name)
                m.d.sync += flag.eq(flag | self._port(register, f"set_{field.name}"))
            elif field.kind == "written":
                m.d.comb += self._port(register, field.name).eq(_part(self.write.data, field))

    def _write(self, m: Module, register: Register) -> Value:
        """A write to the register; whether there is nothing wrong with it."""
        addressed = Signal(name=f"addressed_{register.name.lower()}")
        m.d.sync += addressed.eq(self.write.address == register.address // 4)
        allowed = self._port(register, "accept") if register.refusable else Const(1)
        whole = self._whole if register.handed else self._written
        accepted = Signal(name=f"write_{register.name.lower()}")
        m.d.comb += accepted.eq(self.write.valid & addressed & allowed & whole)
        if register.handed:
            m.d.comb += self._port(register, "access").eq(accepted)
        mask = Cat(bit.replicate(8) for bit in self.write.strobe)
        with m.If(accepted):
            for field in register.fields.values():
                if field.kind in ("storage", "pulse", "sticky"):
                    self._update(m, register, field, _part(mask, field))
        return addressed & (allowed & whole | ~self._written)

    def _update(self, m: Module, register: Register, field: Field, enabled: Any) -> None:
        """The field's next value when the bits in ``enabled`` are written."""
        value, data = self._port(register, field.name), _part(self.write.data, field)
        match field.kind:
            case "storage":
                m.d.sync += value.eq((value & ~enabled) | (data & enabled))
            case "pulse":
                m.d.sync += value.eq(data & enabled)
            case "sticky":
                kept = value & ~(data & enabled)
                m.d.sync += value.eq(kept | self._port(register, f"set_{field.name}"))

    def _read(self, m: Module, register: Register) -> None:
        word = Signal(32, name=f"word_{register.name.lower()}")
        for field in register.fields.values():
            m.d.comb += _part(word, field).eq(self._read_value(register, field))
        accepted: Any = Const(1)
        if register.handed:
            accepted = self._port(register, "accept")
            m.d.comb += self._port(register, "access").eq(self.read.valid & accepted)
        m.d.comb += [
            self.read.data.eq(Mux(accepted, word, 0)),
            self.read.error.eq(self.read.valid & ~accepted),
        ]

    def _read_value(self, register: Register, field: Field) -> Any:
        if field.kind == "constant":
            return field.reset
        return 0 if field.kind == "pulse" else self._port(register, field.name)

    def _port(self, register: Register, name: str) -> Any:
        return getattr(getattr(self, register.name.lower()), name)


def _part(word: Any, field: Field) -> Any:
    """The field's bits of a word."""
    return word[field.low : field.low + field.width]


def _ports(register: Register) -> dict[str, Any]:
    """Ports of a register towards the core, as the register file drives them."""
    ports: dict[str, Any] = {}
    for field in register.fields.values():
        match field.kind:
            case "status" | "taken":
                ports[field.name] = In(field.width)
            case "storage" | "pulse":
                ports[field.name] = Out(field.width, init=field.reset)
            case "sticky":
                ports[field.name] = Out(field.width, init=field.reset)
                ports[f"set_{field.name}"] = In(field.width)
            case "written":
                ports[field.name] = Out(field.width)
    if register.handed:
        ports["access"] = Out(1)
    if register.refusable:
        ports["accept"] = In(1)
    return ports
