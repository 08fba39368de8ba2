"""A coprocessor's bus around a stand-in for the core, which gives back what it takes.

Whatever the core makes of its words, the bus has to pass each bit of them on: operands, random
words, of which no result depends, results and their last word, commands and status. Every register
is read and written in all of its bytes, and every address that is none is refused. Accesses follow
one another as closely as the bus lets them, and flags are set and cleared in the same cycles.
The stand-in takes commands late, and wipes for long: the bus is busy from a start to its end, and a
zeroisation is over when that is, also of an operation that just ends.
"""

import random
from pathlib import Path
from tempfile import TemporaryDirectory

from residua.cores.bus.host import Fault, Host
from residua.cores.bus.register_checks import (
    check_registers,
    check_traffic,
    expect,
)
from residua.cores.bus.simulator import Access, BusError, BusModel, BusSimulator
from residua.cores.coprocessor.driver.simulated import directory_model, status_codes
from residua.cores.directory import Directory
from residua.cores.templating import environment
from residua.curves.operations.codes import Status

_PACES = ((0, 0), (96, 0), (160, 5))
"""Cycles of 256 in which a channel pauses, and cycles between two accesses, of each run."""

_MEETINGS, _WRITES = 12, 100
"""Operations that end while flags are written, and the writes meanwhile."""

_STARTS, _LOOKS = 12, 4
"""Operations that are looked at, and not started again, from their starts on, and how often."""

_ENDS, _LONG = 128, 24
"""Operations that are zeroised at about their ends, fewer cycles after their starts than this."""

_ROUNDS = 48
"""Operations of each run."""

_PATIENCE = 100_000
"""Cycles after which an operation hangs."""

_SEED = 0x2545F491
"""Of the stand-in's pauses."""


def stand_in_model(directory: Directory) -> BusModel:
    """Compile the bus of a coprocessor's directory around the stand-in.

    Raises:
        ToolError: the simulator cannot be built.
    """
    template = environment("residua.cores.coprocessor.shipped").get_template("stand_in.v")
    zeroised = status_codes(directory).of(Status.ZEROISED)
    text = template.render(module=directory.name, seed=_SEED, zeroised=zeroised)
    with TemporaryDirectory() as work:
        stand_in = Path(work) / "stand_in.v"
        stand_in.write_text(text, encoding="utf-8")
        sources = [*directory.sources(top=directory.top), stand_in]
        return directory_model(directory, sources=sources)


def verify_bus_alone(model: BusModel, seed: int) -> list[str]:
    """Check a bus around the stand-in; what went wrong first."""
    for stalls, pause in _PACES:
        draw = random.Random(f"bus alone {seed} {stalls}")
        host = Host(BusSimulator(model, seed=seed, stalls=stalls, pause=pause), _PATIENCE)
        try:
            check_registers(host, draw)
            check_traffic(host, draw)
            echo = _Echo(host, draw)
            echo.check_flags()
            echo.run()
            echo.check_starts()
            echo.check_zeroisations()
        except (Fault, BusError) as error:
            return [f"the bus alone: {error}"]
    return []


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

    def check_flags(self) -> None:
        """Each flag stays until a 1 is written to it, also if that is when it is set."""
        host, draw = self.host, self.draw
        done, refused = (host.mask("INTERRUPT_STATE", name) for name in ("done", "refused"))
        both = done | refused
        self._end()
        host.check_refused(host.map["ZEROISE"].address, 0)
        self._expect_flags("as they are set", both)
        for register in host.map.registers.values():
            kinds = {field.kind: field for field in register.fields.values()}
            if register.writable and not register.handed and "sticky" not in kinds:
                pulses = kinds["pulse"].mask if "pulse" in kinds else 0
                host.write(register.name, draw.getrandbits(32) & ~pulses | both)
                self._expect_flags(f"after a write of {register.name}", both)
                host.write(register.name, 0)
        for flags in (done, refused):
            host.write("INTERRUPT_STATE", both & ~flags)
            self._expect_flags("of which one was cleared", flags)
            for enabled in (done, refused, both):
                host.write("INTERRUPT_ENABLE", enabled)
                if host.simulator.interrupted(1) != bool(flags & enabled):
                    raise Fault(f"the interrupt with flags {flags:#x} and enabled {enabled:#x}")
            host.write("INTERRUPT_ENABLE", 0)
            self._end()
            host.check_refused(host.map["ZEROISE"].address, 0)
        host.write("INTERRUPT_STATE", both)
        for _ in range(_MEETINGS):
            self._meet(done, refused)

    def check_starts(self) -> None:
        """From its start on an operation is busy, and another one is refused.

        The stand-in takes a command late, and is idle until then.
        """
        host, command = self.host, 1
        control, status = host.map["CONTROL"], host.map["STATUS"]
        start = Access(control.address, command | control.fields["start"].mask)
        for _ in range(_STARTS):
            self._start(command)
            answers = host.simulator.traffic([Access(status.address), start] * _LOOKS)
            if not all((word or 0) & status.fields["busy"].mask for word in answers[::2]):
                raise Fault("an operation that was started is not busy")
            if any(answer is not None for answer in answers[1::2]):
                raise Fault("an operation starts while another one is under way")
            operands = [self.draw.getrandbits(32)]
            self._judge(command, operands, self._give(operands))
        host.write("INTERRUPT_STATE", host.mask("INTERRUPT_STATE", "refused"))

    def check_zeroisations(self) -> None:
        """One that comes as an operation ends is not over with that."""
        host = self.host
        look = Access(host.map["STATUS"].address)
        fields = host.map["STATUS"].fields
        both = fields["busy"].mask | fields["done"].mask
        for _ in range(_ENDS):
            self._start(0)
            host.simulator.run(self.draw.randrange(_LONG))
            host.write("ZEROISE", host.map.zeroise_key)
            if any((word or 0) & both == both for word in host.simulator.traffic([look] * _LOOKS)):
                raise Fault("a zeroisation is done while the core is busy")
            host.idle()
            if host.streams:
                host.received(1)
        host.write("INTERRUPT_STATE", host.mask("INTERRUPT_STATE", "done"))

    def _meet(self, done: int, refused: int) -> None:
        """Write one flag in every other cycle in which the other one may be set."""
        host = self.host
        address = host.map["INTERRUPT_STATE"].address
        self._start(0)
        host.simulator.traffic([Access(address, refused)] * _WRITES)
        self._ended()
        self._expect_flags("while the other one was cleared", done)
        host.write("INTERRUPT_STATE", done)
        nothing = Access(host.map["ZEROISE"].address)
        host.simulator.traffic([nothing, Access(address, done)])
        self._expect_flags("in the cycle in which the other one was cleared", refused)
        host.write("INTERRUPT_STATE", refused)

    def _end(self) -> None:
        """An operation without operands and random words."""
        self._start(0)
        self._ended()

    def _ended(self) -> None:
        found = self.host.moved([], _PATIENCE)
        self.host.idle()
        if self.host.streams:
            self.host.simulator.received(1)
        elif not found:
            self.host.rest()

    def _expect_flags(self, when: str, expected: int) -> None:
        expect(f"INTERRUPT_STATE {when}", self.host.read("INTERRUPT_STATE"), expected)

    def _whole(self, *, interrupts: bool) -> None:
        """An operation from its start to its end."""
        host = self.host
        host.write("INTERRUPT_ENABLE", host.mask("INTERRUPT_ENABLE", "done") * interrupts)
        command, operands = self._command()
        if not host.streams:
            self._superfluous()
        self._judge(command, operands, self._begin(command, operands), interrupts=interrupts)

    def _judge(
        self, command: int, operands: list[int], waiting: list[int], *, interrupts: bool = False
    ) -> None:
        """See an operation to its end, of whose operands some still wait for a register."""
        host = self.host
        found = host.moved(waiting, _PATIENCE)
        code = host.ended(interrupts=interrupts)
        count = len(operands) + (command >> 4 & 15) + 1
        found = host.simulator.received(count) if host.streams else found + host.rest()
        name = f"command {command:#06x}"
        expect(f"{name}: status", code, command >> 8)
        expect(f"{name}: words", len(found), count)
        expect(f"{name}: command", found[-1] & 0xFFFF, command)
        if found[: len(operands)] != operands:
            raise Fault(f"{name}: an operand word is not the one that was sent")
        self._check_random(name, found[len(operands) : -1])
        if found[-1] != command:
            raise Fault("a word stays in a buffer after it was passed on")

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
        """An operation of many words that is zeroised in its midst."""
        command, operands = self._command(least=8)
        waiting = self._begin(command, operands)
        self.host.moved(waiting, self.draw.randrange(1, 200))
        self.host.zeroise()
        self.host.write("INTERRUPT_STATE", self.host.mask("INTERRUPT_STATE", "done"))
        self.dropped = True

    def _command(self, least: int = 0) -> tuple[int, list[int]]:
        """Any command, of no fewer operands, and those."""
        command = self.draw.getrandbits(16) | least
        return command, [self.draw.getrandbits(32) for _ in range(command & 15)]

    def _begin(self, command: int, operands: list[int]) -> list[int]:
        """Start it, on streams with the operands before or after that; words for registers."""
        early = self.draw.getrandbits(1)
        waiting = self._give(operands) if early else []
        self._start(command)
        return waiting if early else self._give(operands)

    def _give(self, operands: list[int]) -> list[int]:
        """Send operands if there are streams; else the words that a register is to take."""
        if not self.host.streams:
            return list(operands)
        self.host.simulator.send(operands)
        return []

    def _start(self, command: int) -> None:
        self.host.write("CONTROL", command | self.host.map["CONTROL"].fields["start"].mask)

    def _superfluous(self) -> None:
        """Operand words before the start, which drops them."""
        for _ in range(self.draw.randrange(3)):
            self.host.write("OPERAND", self.draw.getrandbits(32))
