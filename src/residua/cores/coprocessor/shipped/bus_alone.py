"""A coprocessor's bus around a stand-in for the core, which gives back what it takes.

Whatever the core makes of its words, the bus has to pass each bit of them on: operands, random
words, of which no result depends, results and their last word, commands and status. Every register
is read and written in all of its bytes, and every address that is none is refused.
"""

import random
from pathlib import Path
from tempfile import TemporaryDirectory

from residua.cores.coprocessor.shipped.bus_simulator import (
    BusError,
    BusModel,
    BusSimulator,
    directory_model,
)
from residua.cores.coprocessor.shipped.host import Fault, Host
from residua.cores.directory import Directory
from residua.cores.templating import environment
from residua.curves.operations import Status
from residua.hardware.bus.register_map import Register

_PACES = ((0, 0), (96, 0), (160, 5))
"""Cycles of 256 in which a channel pauses, and cycles between two accesses, of each run."""

_ROUNDS = 48
"""Operations of each run."""

_PATIENCE = 100_000
"""Cycles after which an operation hangs."""

_SEED = 0x2545F491
"""Of the stand-in's pauses."""

_WHOLE = 0b1111
"""A write of all bytes of a word."""


def stand_in_model(directory: Directory) -> BusModel:
    """Compile the bus of a coprocessor's directory around the stand-in.

    Raises:
        ToolError: the simulator cannot be built.
    """
    template = environment("residua.cores.coprocessor.shipped").get_template("stand_in.v")
    text = template.render(module=directory.name, seed=_SEED, zeroised=Status.ZEROISED.value)
    with TemporaryDirectory() as work:
        stand_in = Path(work) / "stand_in.v"
        stand_in.write_text(text, encoding="utf-8")
        sources = [*directory.sources(top=directory.top), stand_in]
        return directory_model(directory, sources=sources, optimise=False)


def verify_bus_alone(model: BusModel, seed: int) -> list[str]:
    """Check a bus around the stand-in; what went wrong first."""
    for stalls, pause in _PACES:
        draw = random.Random(f"bus alone {seed} {stalls}")
        host = Host(BusSimulator(model, seed=seed, stalls=stalls, pause=pause), _PATIENCE)
        try:
            _check_registers(host, draw)
            _Echo(host, draw).run()
        except (Fault, BusError) as error:
            return [f"the bus alone: {error}"]
    return []


def _check_registers(host: Host, draw: random.Random) -> None:
    """Values after a reset, accesses that are refused, and what parts of words do."""
    host.check_reset()
    mapped = {register.address: register for register in host.map.registers.values()}
    for register in mapped.values():
        if register.readable and not register.handed and register.name != "STATUS":
            _expect(register.name, host.read(register.name), register.reset)
    for address in range(0, 1 << 12, 4):
        here = mapped.get(address)
        if here is None or not here.readable:
            _check_refused(host, address, None)
        if here is None or not here.writable:
            _check_refused(host, address, draw.getrandbits(32))
    for register in mapped.values():
        if any(field.kind == "storage" for field in register.fields.values()):
            _check_storage(host, register, draw)
        elif register.writable and register.handed:
            for strobe in range(1, _WHOLE):
                _check_refused(host, register.address, host.map.zeroise_key, strobe)
    _check_sticky(host)


def _check_refused(host: Host, address: int, value: int | None, strobe: int = _WHOLE) -> None:
    try:
        if value is None:
            host.simulator.read32(address)
        else:
            host.simulator.write32(address, value, strobe)
    except BusError as error:
        if "refused" not in str(error):
            raise
    else:
        raise Fault(f"{'a read' if value is None else 'a write'} at {address:#x} is not refused")


def _check_storage(host: Host, register: Register, draw: random.Random) -> None:
    """Write bytes of a register and read them back; fields that start something are left 0."""
    fields = register.fields.values()
    stored = sum(field.mask for field in fields if field.kind == "storage")
    pulses = sum(field.mask for field in fields if field.kind == "pulse")
    expected = host.read(register.name)
    for strobe in range(_WHOLE + 1):
        value = draw.getrandbits(32) & ~pulses
        written = sum(0xFF << 8 * byte for byte in range(4) if strobe >> byte & 1)
        host.simulator.write32(register.address, value, strobe)
        expected = expected & ~written | value & written & stored
        _expect(f"bytes {strobe:04b} of {register.name}", host.read(register.name), expected)
        if host.status()["busy"]:
            raise Fault(f"a write of bytes {strobe:04b} of {register.name} starts something")
    host.write(register.name, 0)


def _check_sticky(host: Host) -> None:
    """A flag is cleared by a 1 in its own byte alone."""
    address, mask = host.map["INTERRUPT_STATE"].address, host.mask("INTERRUPT_STATE", "refused")
    _expect("INTERRUPT_STATE after refusals", host.read("INTERRUPT_STATE"), mask)
    for value, strobe in ((0xFFFFFFFF, _WHOLE & ~1), (0xFFFFFFFF & ~mask, _WHOLE)):
        host.simulator.write32(address, value, strobe)
        _expect("INTERRUPT_STATE as it is kept", host.read("INTERRUPT_STATE"), mask)
    host.simulator.write32(address, mask, 1)
    _expect("INTERRUPT_STATE as it is cleared", host.read("INTERRUPT_STATE"), 0)


def _expect(what: str, found: int, expected: int) -> None:
    if found != expected:
        raise Fault(f"{what}: {found:#x} instead of {expected:#x}")


class _Echo:
    """Operations of the stand-in.

    Attributes:
        random: random words that the bus took and the stand-in has not given back.
        dropped: some of them may have gone in a zeroisation, or with the operation before.
    """

    def __init__(self, host: Host, draw: random.Random) -> None:
        self.host, self.draw = host, draw
        self.random: list[int] = []
        self.dropped = False

    def run(self) -> None:
        """Every command that bits of it can make, some of them zeroised."""
        for number in range(_ROUNDS):
            if number % 6 == 5:
                self._aborted()
            else:
                self._whole(interrupts=bool(number & 1))

    def _whole(self, *, interrupts: bool) -> None:
        """An operation from its start to its end."""
        host = self.host
        host.write("INTERRUPT_ENABLE", host.mask("INTERRUPT_ENABLE", "done") * interrupts)
        command, operands = self._command()
        if not host.streams:
            self._superfluous()
        found = host.moved(self._begin(command, operands), _PATIENCE)
        code = host.ended(interrupts=interrupts)
        count = len(operands) + (command >> 4 & 15) + 1
        found = host.simulator.received(count) if host.streams else found + host.rest()
        name = f"command {command:#06x}"
        _expect(f"{name}: status", code, command >> 8)
        _expect(f"{name}: words", len(found), count)
        _expect(f"{name}: command", found[-1], command)
        if found[: len(operands)] != operands:
            raise Fault(f"{name}: an operand word is not the one that was sent")
        self._check_random(name, found[len(operands) : -1])

    def _check_random(self, name: str, found: list[int]) -> None:
        host = self.host
        self.random += host.simulator.taken() if host.streams else host.given
        host.given.clear()
        places = range(len(self.random) - len(found) + 1 if self.dropped else 1)
        size = len(found)
        place = next((i for i in places if self.random[i : i + size] == found), None)
        if place is None:
            raise Fault(f"{name}: a random word is not the one that was sent")
        self.dropped = self.dropped and not found
        del self.random[: place + size]

    def _aborted(self) -> None:
        """An operation that is zeroised in its midst."""
        waiting = self._begin(*self._command())
        self.host.moved(waiting, self.draw.randrange(1, 200))
        self.host.zeroise()
        self.host.write("INTERRUPT_STATE", self.host.mask("INTERRUPT_STATE", "done"))
        self.dropped = True

    def _command(self) -> tuple[int, list[int]]:
        command = self.draw.getrandbits(16)
        return command, [self.draw.getrandbits(32) for _ in range(command & 15)]

    def _begin(self, command: int, operands: list[int]) -> list[int]:
        """Start it, on streams with the operands before or after that; words for registers."""
        fields, host = self.host.map["CONTROL"].fields, self.host
        start = fields["start"].mask
        early = self.draw.getrandbits(1)
        if host.streams and early:
            host.simulator.send(operands)
        host.write("CONTROL", command | start)
        if host.streams and not early:
            host.simulator.send(operands)
        return [] if host.streams else list(operands)

    def _superfluous(self) -> None:
        """Operand words before the start, which drops them."""
        for _ in range(self.draw.randrange(3)):
            self.host.write("OPERAND", self.draw.getrandbits(32))
