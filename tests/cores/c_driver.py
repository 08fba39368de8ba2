"""The C driver in a shared object, with the methods of the Python driver."""

import ctypes
import subprocess

from residua.cores.bus.driver.client import CoreError
from residua.cores.coprocessor.driver.files import c_driver
from residua.curves.operations.codes import Status

FLAGS = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]
U32, CONTEXT = ctypes.c_uint32, ctypes.c_void_p
WORDS = ctypes.POINTER(U32)
CALLBACKS = [
    ("read32", ctypes.CFUNCTYPE(U32, CONTEXT, U32)),
    ("write32", ctypes.CFUNCTYPE(None, CONTEXT, U32, U32)),
    ("random", ctypes.CFUNCTYPE(ctypes.c_int, CONTEXT, WORDS)),
    ("send", ctypes.CFUNCTYPE(ctypes.c_int, CONTEXT, WORDS, ctypes.c_size_t)),
    ("receive", ctypes.CFUNCTYPE(ctypes.c_int, CONTEXT, WORDS, ctypes.c_size_t)),
    ("received", ctypes.CFUNCTYPE(ctypes.c_int, CONTEXT)),
]


PENDING, VALID, INVALID = 1, 0x3CA5, 0x435A


class Device(ctypes.Structure):
    """residua_ecc_device."""

    _fields_ = (
        ("core", CONTEXT),
        *CALLBACKS,
        ("context", CONTEXT),
        ("polls", U32),
        ("wait", CONTEXT),
        ("perform", CONTEXT),
    )


class DriverFailureError(Exception):
    """A negative code of the driver."""


def write_driver(core, directory):
    """The driver's files for a core; returns its C sources."""
    return write_files(c_driver("model", core.capabilities, core.curves), directory)


def write_files(files, directory):
    for name, text in files.items():
        (directory / name).write_text(text)
    return sorted(directory.glob("*.c"))


def compile_driver(core, directory):
    """The shared object."""
    return compile_files(c_driver("model", core.capabilities, core.curves), directory)


def compile_files(files, directory, flags=("-O1",)):
    sources, library = write_files(files, directory), directory / "driver.so"
    command = ["cc", *FLAGS, *flags, "-shared", "-fPIC", "-o", library, *sources]
    subprocess.run(command, check=True)
    return library


class CDriver:
    """The driver on a `ModelCore`; raises what the Python driver raises for a status.

    ``lag`` is how often the streams have to be asked before they did what they should.
    """

    def __init__(self, core, library, random=None, polls=1000, name="model", lag=0):
        self.core, self.curves, self.random = core, core.curves, random
        self.library, self.lag = ctypes.CDLL(str(library)), lag
        self.failure, self.armed, self.asked = None, None, 0
        kept = [self._guarded(name, function) for name, function in CALLBACKS]
        self.device = Device(self.description(name), *kept, None, polls)
        self.call("open")

    def description(self, name):
        """The address of a core's description in the library."""
        return ctypes.addressof(ctypes.c_char.in_dll(self.library, f"{name}_core"))

    def _guarded(self, name, function):
        """A callback whose exception is raised again after the call."""

        def guarded(_, *arguments):
            try:
                return getattr(self, f"_{name}")(*arguments)
            except Exception as error:  # noqa: BLE001 - cannot pass through C
                self.failure = self.failure or error
                return 0 if name == "read32" else 1

        return function(guarded)

    def _read32(self, offset):
        return self.core.read32(offset)

    def _write32(self, offset, value):
        self.core.write32(offset, value)

    def _random(self, word):
        word[0] = self.random()
        return 0

    def _lags(self):
        self.asked = (self.asked + 1) % (self.lag + 1)
        return self.asked != 0

    def _send(self, words, count):
        if count == 0:
            assert not words
            self.asked = 0
            return 0
        if self._lags():
            return PENDING
        self.core.send([words[i] for i in range(count)])
        return 0

    def _receive(self, words, count):
        assert bool(words) == (count > 0)
        self.armed = (words, count) if count else None
        return 0

    def _received(self):
        if self._lags():
            return PENDING
        words, count = self.armed
        for index, word in enumerate(self.core.received(count)):
            words[index] = word
        return 0

    def call(self, name, *arguments):
        """One function of the driver.

        Raises:
            CoreError: for a status of the core.
            DriverFailureError: for an error of the driver.
        """
        code = self.code(name, *arguments)
        if code < 0:
            raise DriverFailureError(code)
        if code:
            raise CoreError(Status(code).name.lower(), "")

    def code(self, name, *arguments):
        """What a function of the driver returns."""
        function = getattr(self.library, f"residua_ecc_{name}")
        # As wide as the widest parameter: ctypes would pass 32 bits for a size.
        sized = [ctypes.c_size_t(x) if isinstance(x, int) else x for x in arguments]
        code = function(ctypes.byref(self.device), *sized)
        failure, self.failure = self.failure, None
        if failure:
            raise failure
        return code

    def output(self, size, name, *arguments):
        """A function with a result; checks that it writes no more, and only zeros if it fails."""
        buffer = ctypes.create_string_buffer(b"\xa5" * (size + 8), size + 8)
        try:
            self.call(name, *arguments, buffer)
        except (CoreError, DriverFailureError):
            assert buffer.raw[:size] == bytes(size)
            raise
        finally:
            assert buffer.raw[size:] == b"\xa5" * 8
        return buffer.raw[:size]

    def zeroise(self):
        self.call("zeroise")

    def point_multiply(self, curve, k, point):
        size = self.curves[curve].point_size
        return self.output(size, "point_multiply", curve, k, point, len(point))

    def base_multiply(self, curve, k):
        return self.output(self.curves[curve].point_size, "base_multiply", curve, k)

    def x_multiply(self, curve, k, point):
        size = self.curves[curve].field_size
        return self.output(size, "x_multiply", curve, k, point, len(point))

    def double_multiply(self, curve, k, l, p, q):  # noqa: E741
        size = self.curves[curve].point_size
        return self.output(size, "double_multiply", curve, k, l, p, len(p), q, len(q))

    def validate(self, curve, point):
        self.call("validate", curve, point, len(point))

    def field(self, operation, curve, *numbers):
        return self.output(self.curves[curve].field_size, f"field_{operation}", curve, *numbers)

    def order(self, operation, curve, *numbers):
        return self.output(self.curves[curve].order_size, f"order_{operation}", curve, *numbers)

    def public_key(self, curve, private_key):
        return self.output(self.curves[curve].point_size, "public_key", curve, private_key)

    def ecdh(self, curve, private_key, other):
        size = self.curves[curve].field_size
        return self.output(size, "ecdh", curve, private_key, other, len(other))

    def ecdsa_sign(self, curve, private_key, digest, nonce):
        size = 2 * self.curves[curve].order_size
        return self.output(size, "ecdsa_sign", curve, private_key, digest, len(digest), nonce)

    def ecdsa_verify(self, curve, key, digest, signature):
        arguments = curve, key, len(key), digest, len(digest), signature
        code = self.code("ecdsa_verify", *arguments)
        if code in (VALID, INVALID):
            return code == VALID
        assert code != 0
        self.call("ecdsa_verify", *arguments)
        raise AssertionError("the second answer is another one")
