"""A core on its bus in simulation: registers and streams for a driver, by Verilator."""

import ctypes
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from residua.cores.directory import Directory
from residua.cores.simulation.engine import COMMON_SOURCE
from residua.errors import SpecificationError
from residua.hardware.bus.register_map import CoreCapabilities, RegisterMap
from residua.hardware.bus.tops import BUSES
from residua.toolchain import verilator

_HARNESS = Path(__file__).with_suffix(".cpp")

REFUSED = "the core refused the access"
"""What a `BusError` ends with that tells of nothing else."""

_FAILURES = {
    1: REFUSED,
    2: "the bus hangs",
    4: "the last word of a result is not marked as such, or another one is",
    8: "the result has more words than were asked for",
    16: "a result was asked for without a place for it",
    32: "an answer comes too early or too late",
    64: "a word of the result is left after a zeroisation",
    128: "a word is on the bus beside no answer, or beside a refusal",
    256: "an access is acknowledged and refused at once",
}
"""Messages for the bits of the harness's verdict."""

_CONTEXT, _U32, _U64 = ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint64
_WORDS = ctypes.POINTER(ctypes.c_uint32)
_PROTOTYPES = {
    "open": (_CONTEXT, (_U64, _U32, _U32)),
    "close": (None, (_CONTEXT,)),
    "read32": (_U32, (_CONTEXT, _U32)),
    "write32": (None, (_CONTEXT, _U32, _U32)),
    "traffic": (None, (_CONTEXT, ctypes.c_void_p, ctypes.c_size_t)),
    "random": (ctypes.c_int, (_CONTEXT, _WORDS)),
    "next_taken": (ctypes.c_int, (_CONTEXT, _WORDS)),
    "strobe": (None, (_CONTEXT, _U32)),
    "send": (ctypes.c_int, (_CONTEXT, _WORDS, ctypes.c_size_t)),
    "receive": (ctypes.c_int, (_CONTEXT, _WORDS, ctypes.c_size_t)),
    "received": (ctypes.c_int, (_CONTEXT,)),
    "waiting": (ctypes.c_size_t, (_CONTEXT,)),
    "run": (None, (_CONTEXT, _U64)),
    "interrupted": (ctypes.c_int, (_CONTEXT, _U64)),
    "reset": (None, (_CONTEXT, _U32, _U32, _U32, _U32)),
    "cycles": (_U64, (_CONTEXT,)),
    "failure": (ctypes.c_int, (_CONTEXT,)),
}
"""Functions of the library: their results and their arguments."""

MOST_STALLS = 192
"""The most pauses in 256 cycles; with more, an access would take too long to be of use."""

DEFAULT_PAUSE = 64
"""Cycles from one access to the next."""


@dataclass(frozen=True)
class Access:
    """A write of a word, or of those of its bytes that ``strobe`` has; a read if it is None."""

    offset: int
    word: int | None = None
    strobe: int = 0b1111


class _Access(ctypes.Structure):
    """An access as the library has it, with its answer."""

    _fields_ = tuple((name, _U32) for name in ("writes", "offset", "word", "strobe", "refused"))


class BusError(RuntimeError):
    """The simulated core did not do with an access what a driver may expect."""


class BusSimulator:
    """A simulated core on its bus: what drivers want of registers and streams.

    Random words of a core with streams come from the simulator itself; for a core with data
    registers `random` is what a driver may take them from. A write to ZEROISE also resets the far
    ends of the streams.

    Args:
        model: what `build_bus_model` made; any number of simulators can run of it at once.
        seed: of random words and stalls.
        stalls: of 256 cycles, in so many each channel pauses, at most `MOST_STALLS`.
        pause: cycles between two accesses: how fast the host is. More make polling quicker.

    Raises:
        SpecificationError: a number is out of its range.
    """

    def __init__(
        self, model: "BusModel", *, seed: int = 1, stalls: int = 0, pause: int = DEFAULT_PAUSE
    ) -> None:
        for name, value, most in (("stalls", stalls, MOST_STALLS), ("pause", pause, 1 << 31)):
            if not 0 <= value <= most:
                raise SpecificationError(f"{name} = {value}: give 0 to {most}")
        self.model = model
        self.context = ctypes.c_void_p(model.functions["open"](seed, stalls, pause))
        self._finalizer = weakref.finalize(self, model.functions["close"], self.context)

    def read32(self, offset: int) -> int:
        """The word of the register at a byte offset.

        Raises:
            BusError: the core refused the access, or did not answer.
        """
        word = self._call("read32", offset)
        self._check(f"read of 0x{offset:02X}")
        return word

    def write32(self, offset: int, value: int, strobe: int = 0b1111) -> None:
        """Write the register at a byte offset, or those of its bytes that ``strobe`` has.

        Raises:
            BusError: the core refused the access, or did not answer.
        """
        self._call("strobe", strobe)
        self._call("write32", offset, value)
        self._check(f"write of 0x{value:08X} to 0x{offset:02X}")

    def traffic(self, accesses: Sequence[Access]) -> list[int | None]:
        """Make accesses that do not wait for the answers to those before them.

        On AXI writes and reads each have an order, but not with one another. Each answer has to
        come as soon as it may.

        Returns:
            The words of the reads, 0 for writes, None where the core refused an access.

        Raises:
            BusError: an answer did not come, or not in time.
        """
        made = (_Access * len(accesses))(
            *(
                _Access(one.word is not None, one.offset, one.word or 0, one.strobe)
                for one in accesses
            )
        )
        self._call("traffic", made, len(accesses))
        self._check(f"{len(accesses)} accesses in a row")
        return [None if one.refused else 0 if one.writes else one.word for one in made]

    def send(self, words: Sequence[int]) -> None:
        """Queue words for the operand stream; they leave as the core takes them."""
        self._call("send", (ctypes.c_uint32 * len(words))(*words), len(words))

    def received(self, count: int) -> list[int]:
        """The next ``count`` words of the result stream, the last one marked as such.

        No word if they are not all there after some cycles.

        Raises:
            BusError: they are not one whole result.
        """
        words = (ctypes.c_uint32 * count)()
        self._call("receive", words, count)
        pending = self._call("received")
        self._call("receive", None, 0)
        self._check(f"result of {count} words")
        return [] if pending else list(words)

    @property
    def waiting(self) -> int:
        """Words that came out of the result stream and were not fetched."""
        return self._call("waiting")

    def random(self) -> int:
        """A word from the seed, for a core with data registers."""
        word = ctypes.c_uint32()
        self._call("random", ctypes.byref(word))
        return word.value

    def taken(self) -> list[int]:
        """The random words that the core's stream took since the last call, the last 4096."""
        found, word = [], ctypes.c_uint32()
        while self._call("next_taken", ctypes.byref(word)):
            found.append(word.value)
        return found

    def run(self, cycles: int) -> None:
        """Let the clock run."""
        self._call("run", cycles)

    def interrupted(self, most: int) -> bool:
        """Let the clock run until the interrupt comes; False if it does not in ``most`` cycles."""
        return bool(self._call("interrupted", most))

    def reset(self, offset: int, value: int, *, after: int, cycles: int) -> None:
        """Reset core and host, in the midst of a write to a register.

        Args:
            offset: of the register.
            value: what is on its way there.
            after: cycles of the write that pass before the reset.
            cycles: those of the reset.
        """
        self._call("reset", offset, value, after, cycles)

    @property
    def cycles(self) -> int:
        """Clock cycles since the start."""
        return self._call("cycles")

    def close(self) -> None:
        """Free the memory; no other call may follow."""
        self._finalizer()

    def _call(self, name: str, *arguments: object) -> int:
        return int(self.model.functions[name](self.context, *arguments) or 0)

    def _check(self, action: str) -> None:
        failure = self._call("failure")
        if failure:
            found = [text for bit, text in _FAILURES.items() if failure & bit]
            raise BusError(f"{action}: {', '.join(found)}")


class BusModel:
    """A compiled simulation of a core on its bus: a shared library.

    The library's functions `read32` to `received` have the types that the C drivers ask for, as
    ``residua_ecc_device``, with the context of a `BusSimulator`. Their names begin with
    that of the top module and ``_bus_``; ``functions`` has them by what follows.
    """

    def __init__(self, library: Path, top: str, registers: RegisterMap) -> None:
        self.library, self.registers = library, registers
        self.functions: dict[str, ctypes._NamedFuncPointer] = {}
        loaded = ctypes.CDLL(str(library))
        for name, (result, arguments) in _PROTOTYPES.items():
            function = loaded[f"{top}_bus_{name}"]
            function.restype, function.argtypes = result, arguments
            self.functions[name] = function


def build_bus_model(
    sources: Sequence[Path], top: str, registers: RegisterMap, bus: str
) -> BusModel:
    """Compile the Verilog of a core on a bus (of `BUSES`), whose top module is ``top``.

    Raises:
        ToolError: the simulator cannot be built.
    """
    settings: dict[str, object] = {
        "PREFIX": f"{top}_bus",
        "AXI": int(BUSES[bus].protocol == "axi"),
        "STREAMS": int(not registers.capabilities.data_registers),
        "RANDOM": int(registers.capabilities.takes_random),
        "PACKETS": int("TRAILER" in registers.registers),
        "ZEROISE": registers["ZEROISE"].address,
        "ZEROISE_KEY": f"{registers.zeroise_key}u",
    }
    lines = [f'#include "V{top}.h"', f"using Top = V{top};"]
    lines += [f"#define {name} {value}" for name, value in settings.items()]
    text = "\n".join([*lines, COMMON_SOURCE, _HARNESS.read_text(encoding="utf-8")])
    with TemporaryDirectory() as work:
        harness = Path(work) / "bus_harness.cpp"
        harness.write_text(text, encoding="utf-8")
        library = verilator.build(sources, top, harness, library=True)
    return BusModel(library, top, registers)


def directory_bus_model(
    directory: Directory,
    capabilities: CoreCapabilities,
    *,
    sources: Sequence[Path] = (),
) -> BusModel:
    """Build the model of a directory's Verilog, or of ``sources``; see `build_bus_model`.

    Raises:
        ToolError: the simulator cannot be built.
    """
    bus = directory.manifest["parameters"]["bus"]
    chosen, registers = sources or directory.sources(), RegisterMap(capabilities)
    return build_bus_model(chosen, directory.top, registers, bus)
