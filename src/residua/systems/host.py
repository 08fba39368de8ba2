"""Host of a system on a chip: what its program does, asked over the serial line."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum
from importlib.util import find_spec

from residua.cores.modular_bus.driver import files as rsa_driver
from residua.curves.operations.codes import Status
from residua.errors import SpecificationError
from residua.hardware.bus.register_map import RegisterMap
from residua.systems.frames import FrameError, Line, receive, send
from residua.systems.simulation import simulated
from residua.systems.soc_directory import SocDirectory

VERSION = 2
"""Of the commands; `firmware/commands.h` has the same."""

_PRIVATE = 1
"""What IDENTIFY says of a core for private keys."""

VALID, INVALID = 0x3CA5, 0x435A
"""What a verification of a signature gives; see ``residua_ecc_ecdsa_verify``."""


class Command(IntEnum):
    """What a system does for its host; `firmware/commands.h` says what each takes and gives."""

    IDENTIFY = 0
    SELF_TEST = 1
    PUBLIC_KEY = 2
    ECDH = 3
    SIGN = 4
    VERIFY = 5
    MULTIPLY = 6
    RSA_PRIVATE_KEY = 7
    RSA_PUBLIC_KEY = 8
    RSA_ROOT = 9
    RSA_POWER = 10


CODES = {
    -1: "no such core at its address, or another version of it",
    -2: "the driver was called wrongly",
    -3: "the core or the curve does not have this operation, or takes no such key",
    -4: "not an uncompressed point, or a number that the core is too short for",
    -5: "an operation is running",
    -6: "no progress; the core was zeroised",
    -7: "an access failed; the core was zeroised",
    -8: "no nonce made a signature",
    -100: "the request came broken",
    -101: "the request is too long",
    -102: "the request was cut off",
    -103: "bytes of the request were lost",
    -110: "no such command",
    -111: "no such core, or it is not in order",
    -112: "no such curve",
    -113: "not as many bytes as the command takes",
    -114: "an answer is not the known one",
    -115: "the random source gave no nonce",
}
"""Meanings of negative codes: errors of the driver, of frames, of commands."""


RSA_STATUSES = {
    code: name.upper() for name, code in RegisterMap(rsa_driver.ANY).statuses.items() if code
}
"""Names of the statuses of cores for RSA."""


class HostError(RuntimeError):
    """The system refused a request; ``code`` is what it said, ``rsa`` whether of such a core."""

    def __init__(self, code: int, rsa: bool = False) -> None:
        self.code, self.rsa = code, rsa
        super().__init__(code, rsa)

    def __str__(self) -> str:
        own = RSA_STATUSES if self.rsa else {int(status): status.name for status in Status}
        return f"the system refused: {(own | CODES).get(self.code, 'code')} ({self.code})"


@dataclass(frozen=True)
class HostCurve:
    """A curve of a system: by number, with the sizes of its numbers in bytes."""

    device: int
    number: int
    core: str
    name: str
    montgomery: bool
    field_size: int
    order_size: int

    @property
    def key_size(self) -> int:
        """Bytes of a private key."""
        return self.field_size if self.montgomery else self.order_size

    @property
    def point_size(self) -> int:
        """Bytes of a point; see `DriverCurve.point_size`."""
        return self.field_size if self.montgomery else 1 + 2 * self.field_size


@dataclass(frozen=True)
class HostRsaCore:
    """A core for RSA of a system: by number, for private keys or public ones, of so many bytes."""

    device: int
    name: str
    private: bool
    size: int


class Host:
    """A system at the other end of a line.

    Byte strings are those of the C driver, see `DriverCurve`.

    Attributes:
        curves: of all coprocessors, in order.
        rsa_cores: the cores for RSA.

    Raises:
        FrameError: no answer, or a broken one.
        HostError: the system has another version of the commands.
    """

    def __init__(self, line: Line) -> None:
        self._line = line
        self.curves, self.rsa_cores = self._identify()

    def find(self, curve: str | None = None, core: str | None = None) -> HostCurve:
        """Choose the curve of a name, or the only one.

        Raises:
            SpecificationError: there is none, or more than one.
        """
        found = [
            one for one in self.curves if curve in (None, one.name) and core in (None, one.core)
        ]
        if len(found) == 1:
            return found[0]
        known = ", ".join(f"{one.name} (core {one.core})" for one in self.curves)
        problem = "more than one curve fits" if found else "no curve fits"
        raise SpecificationError(f"{problem}: the system has {known}; give --curve, and --core")

    def self_test(self) -> int:
        """Have all known answers compared; returns how many there are.

        Raises:
            FrameError: no answer, or a broken one.
            HostError: an answer is not the known one.
        """
        return int.from_bytes(self._ask(bytes([Command.SELF_TEST])), "little")

    def public_key(self, curve: HostCurve, key: bytes) -> bytes:
        """The public key of a private key; errors as for `ask`."""
        return self.ask(Command.PUBLIC_KEY, curve, key)

    def ecdh(self, curve: HostCurve, key: bytes, peer: bytes) -> bytes:
        """The secret of a private key and the other side's public key; errors as for `ask`."""
        return self.ask(Command.ECDH, curve, key, peer)

    def multiply(self, curve: HostCurve, scalar: bytes, point: bytes) -> bytes:
        """The multiple of a point; errors as for `ask`."""
        return self.ask(Command.MULTIPLY, curve, scalar, point)

    def sign(self, curve: HostCurve, key: bytes, digest: bytes) -> bytes:
        """The signature r || s of a digest, with a nonce of the system; errors as for `ask`."""
        return self.ask(Command.SIGN, curve, key, digest)

    def verify(self, curve: HostCurve, public: bytes, signature: bytes, digest: bytes) -> bool:
        """Whether r || s is a signature of the digest; errors as for `ask`."""
        answer = self.ask(Command.VERIFY, curve, public, signature, digest)
        found = int.from_bytes(answer, "little")
        if len(answer) != 2 or found not in (VALID, INVALID):
            raise FrameError(f"a verification gave {answer.hex()}")
        return found == VALID

    def find_rsa(self, *, private: bool, core: str | None = None) -> HostRsaCore:
        """Choose the core of a name, or the only one, for private keys or for public ones.

        Raises:
            SpecificationError: there is none, or more than one.
        """
        found = [
            one for one in self.rsa_cores if one.private == private and core in (None, one.name)
        ]
        if len(found) == 1:
            return found[0]
        kind = "private" if private else "public"
        known = ", ".join(one.name for one in self.rsa_cores) or "none at all"
        problem = "more than one core" if found else "no core"
        raise SpecificationError(
            f"{problem} for {kind} RSA keys fits: the system has {known}; give --core"
        )

    def load_rsa(self, core: HostRsaCore, key: bytes) -> None:
        """Load a key, see `residua.systems.known_answers`; it stays until the next one.

        Raises:
            FrameError: no answer, or a broken one.
            HostError: the system refused it.
        """
        command = Command.RSA_PRIVATE_KEY if core.private else Command.RSA_PUBLIC_KEY
        self._ask(bytes([command, core.device]) + key, rsa=True)

    def rsa(self, core: HostRsaCore, number: bytes) -> bytes:
        """The root of a number with the private key that is loaded, or its power with the public.

        Raises:
            FrameError: no answer, or a broken one.
            HostError: the system refused it.
        """
        command = Command.RSA_ROOT if core.private else Command.RSA_POWER
        return self._ask(bytes([command, core.device]) + number, rsa=True)

    def ask(self, command: Command, curve: HostCurve, *parts: bytes) -> bytes:
        """Send a request about a curve, and return what the answer holds.

        Raises:
            FrameError: no answer, or a broken one.
            HostError: the system refused it.
        """
        return self._ask(bytes([command, curve.device, curve.number]) + b"".join(parts))

    def _ask(self, request: bytes, *, rsa: bool = False) -> bytes:
        send(self._line, request)
        answer = receive(self._line)
        if len(answer) < 2:
            raise FrameError(f"an answer has no code: {answer.hex() or 'empty'}")
        code = int.from_bytes(answer[:2], "little", signed=True)
        if code:
            raise HostError(code, rsa=rsa)
        return answer[2:]

    def _identify(self) -> tuple[list[HostCurve], list[HostRsaCore]]:
        try:
            return _cores(self._ask(bytes([Command.IDENTIFY])))
        except (IndexError, UnicodeDecodeError) as error:
            raise FrameError("the system describes itself in another form") from error


def _cores(answer: bytes) -> tuple[list[HostCurve], list[HostRsaCore]]:
    """The curves of all coprocessors and the cores for RSA, in the form of IDENTIFY."""
    rest = list(answer)

    def number(size: int = 1) -> int:
        return sum(rest.pop(0) << 8 * place for place in range(size))

    def name() -> str:
        return bytes(rest.pop(0) for _ in range(number())).decode("ascii")

    version = number()
    if version != VERSION:
        raise FrameError(f"the system has version {version} of the commands, not {VERSION}")
    curves = []
    for device in range(number()):
        core = name()
        for index in range(number()):
            own, montgomery = name(), bool(number())
            field, order = number(2), number(2)
            curves.append(HostCurve(device, index, core, own, montgomery, field, order))
    rsa_cores = [
        HostRsaCore(device, name(), number() == _PRIVATE, number(2)) for device in range(number())
    ]
    if rest:
        raise FrameError("the system describes itself in another form")
    return curves, rsa_cores


@contextmanager
def opened(port: str, baud: int, timeout: float) -> Iterator[Line]:
    """A serial port of this machine.

    Args:
        port: its name, such as ``/dev/ttyUSB0``.
        baud: of the line.
        timeout: seconds to wait for bytes.

    Raises:
        SpecificationError: there is none, or the package pyserial is not installed.
    """
    if find_spec("serial") is None:
        raise SpecificationError("a serial port needs pyserial: pip install 'residua[soc]'")
    import serial  # noqa: PLC0415

    try:
        line = serial.Serial(port, baud, timeout=timeout)
    except (OSError, ValueError) as error:
        raise SpecificationError(f"--port {port}: {error}") from error
    with line:
        yield line


@contextmanager
def simulated_host(directory: SocDirectory, timeout: float) -> Iterator[Host]:
    """The host of a new simulation of a system.

    Raises:
        SpecificationError: the package pyserial is not installed.
        FrameError: the system does not answer.
        ToolError: the simulator cannot be built or started.
    """
    with (
        simulated(directory) as terminal,
        opened(terminal, directory.manifest["baud"], timeout) as line,
    ):
        yield Host(line)
