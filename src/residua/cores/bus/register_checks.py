"""Checks of the registers of a coprocessor's bus, whatever is behind it.

Raise `Fault` or `BusError` at the first thing that is not as the register map says.
"""

import random

from residua.cores.bus.host import Fault, Host
from residua.cores.bus.simulator import Access
from residua.hardware.bus.register_map import Register

_ADDRESSES = range(0, 1 << 12, 4)
"""Of words, all that the bus has."""

_IN_A_ROW = 96
"""Accesses that do not wait for one another."""

_WHOLE = 0b1111
"""A write of all bytes of a word."""


def check_registers(host: Host, draw: random.Random) -> None:
    """Check values after a reset, accesses that are refused, and what parts of words do."""
    host.check_reset()
    for register in host.map.registers.values():
        if register.readable and not register.handed and register.name != "STATUS":
            expect(register.name, host.read(register.name), register.reset)
    _check_refusals(host, draw)
    for register in host.map.registers.values():
        if any(field.kind == "storage" for field in register.fields.values()):
            _check_storage(host, register, draw)
    state = host.status()
    if state["busy"] or state["done"] or state["code"]:
        raise Fault(f"refused accesses leave STATUS at {state}")
    _check_sticky(host)


def _check_refusals(host: Host, draw: random.Random) -> None:
    """What no register takes, the key of a zeroisation too; keys that are none; parts of words."""
    mapped, key = _by_address(host), host.map.zeroise_key
    for address in _ADDRESSES:
        here = mapped.get(address)
        if here is None or not here.readable:
            host.check_refused(address, None)
        if here is None or not here.writable:
            for value in (draw.getrandbits(32), key):
                host.check_refused(address, value)
    for bit in range(32):
        host.check_refused(host.map["ZEROISE"].address, key ^ 1 << bit)
    for address, register in mapped.items():
        if register.writable and register.handed:
            for strobe in range(1, _WHOLE):
                host.check_refused(address, key, strobe)


def _check_storage(host: Host, register: Register, draw: random.Random) -> None:
    """Write bytes of a register and read them back; fields that start something are left 0."""
    pulses = sum(field.mask for field in register.fields.values() if field.kind == "pulse")
    expected = host.read(register.name)
    for strobe in range(_WHOLE + 1):
        value = draw.getrandbits(32) & ~pulses
        host.simulator.write32(register.address, value, strobe)
        expected = _stored(register, expected, value, strobe)
        expect(f"bytes {strobe:04b} of {register.name}", host.read(register.name), expected)
        if host.status()["busy"]:
            raise Fault(f"a write of bytes {strobe:04b} of {register.name} starts something")
    host.write(register.name, 0)


def _check_sticky(host: Host) -> None:
    """A flag is cleared by a 1 in its own byte alone."""
    address, mask = host.map["INTERRUPT_STATE"].address, host.mask("INTERRUPT_STATE", "refused")
    expect("INTERRUPT_STATE after refusals", host.read("INTERRUPT_STATE"), mask)
    for value, strobe in ((0xFFFFFFFF, _WHOLE & ~1), (0xFFFFFFFF & ~mask, _WHOLE)):
        host.simulator.write32(address, value, strobe)
        expect("INTERRUPT_STATE as it is kept", host.read("INTERRUPT_STATE"), mask)
    host.simulator.write32(address, mask, 1)
    expect("INTERRUPT_STATE as it is cleared", host.read("INTERRUPT_STATE"), 0)


def check_traffic(host: Host, draw: random.Random) -> None:
    """Check that accesses in a row each have their own answer, and that the last write is there."""
    mapped, enable = _by_address(host), host.map["INTERRUPT_ENABLE"]
    accesses = _accesses(host, draw)
    answers: list[int | None] = []
    expected = 0
    for access in accesses:
        here = mapped.get(access.offset)
        answers.append(None if here is None else here.reset if access.word is None else 0)
        if access.offset == enable.address and access.word is not None:
            expected = _stored(enable, expected, access.word, access.strobe)
    if host.simulator.traffic(accesses) != answers:
        raise Fault("accesses in a row have each other's answers")
    expect("INTERRUPT_ENABLE after accesses in a row", host.read(enable.name), expected)
    host.write(enable.name, 0)
    host.write("INTERRUPT_STATE", host.mask("INTERRUPT_STATE", "refused"))


def _accesses(host: Host, draw: random.Random) -> list[Access]:
    """Writes of one register, reads of others, and accesses to none, in any order."""
    mapped, enable = _by_address(host), host.map["INTERRUPT_ENABLE"]
    kinds = {at: {field.kind for field in one.fields.values()} for at, one in mapped.items()}
    constant = [at for at, found in kinds.items() if found == {"constant"}]
    nowhere = [at for at in _ADDRESSES if at not in mapped]

    def drawn() -> Access:
        match draw.randrange(4):
            case 0:
                return Access(draw.choice(constant))
            case 1:
                return Access(draw.choice(nowhere))
            case 2:
                return Access(draw.choice(nowhere), host.map.zeroise_key)
            case _:
                return Access(enable.address, draw.getrandbits(32), draw.getrandbits(4))

    return [drawn() for _ in range(_IN_A_ROW)]


def _by_address(host: Host) -> dict[int, Register]:
    return {register.address: register for register in host.map.registers.values()}


def _stored(register: Register, held: int, word: int, strobe: int) -> int:
    """What a register holds after a write of some bytes."""
    written = sum(0xFF << 8 * byte for byte in range(4) if strobe >> byte & 1)
    stored = sum(field.mask for field in register.fields.values() if field.kind == "storage")
    return held & ~written | word & written & stored


def expect(what: str, found: int, expected: int) -> None:
    """Raise a fault if a number is another one than it has to be."""
    if found != expected:
        raise Fault(f"{what}: {found:#x} instead of {expected:#x}")
