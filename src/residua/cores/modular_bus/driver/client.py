"""The driver in Python of cores for modular arithmetic, on anything with 32-bit registers."""

from collections.abc import Callable

from residua.cores.bus.driver.client import BusClient, DriverError, RegisterPort, StreamPort
from residua.cores.bus.simulator import DEFAULT_PAUSE, BusSimulator, directory_bus_model
from residua.cores.core import PlainCore
from residua.cores.directory import Directory
from residua.cores.modular_bus.driver import padding
from residua.cores.modular_bus.driver.keys import load_numbers
from residua.cores.modular_bus.surroundings import ModularBus
from residua.cores.specification.keys import BUS_ASKED
from residua.errors import SpecificationError
from residua.numbers.rsa import RsaKey, RsaPublicKey

Point = tuple[int, int, int]
"""Jacobian coordinates of a point."""


class ModularClient(BusClient):
    """A core for modular arithmetic, by its registers.

    Args:
        port: the registers.
        around: the core's bus.
        random: gives fresh random words to a core with data registers that uses them.
        streams: those of a core without data registers.
        polls: reads of STATUS without progress before the driver gives up; at least 1.

    Raises:
        SpecificationError: the streams are missing, or ``polls`` is no limit.
        DriverError: there is no such core, or an operation was left alone in it.
    """

    def __init__(
        self,
        port: RegisterPort,
        around: ModularBus,
        *,
        random: Callable[[], int] | None = None,
        streams: StreamPort | None = None,
        polls: int = 1_000_000,
    ) -> None:
        super().__init__(port, around.registers, random=random, streams=streams, polls=polls)
        self._around = around
        self._key: RsaKey | RsaPublicKey | None = None

    def load(self, value: int | RsaKey | RsaPublicKey) -> None:
        """Load a modulus, an RSA key or a public one, and all numbers that belong to it.

        Raises:
            SpecificationError: the core takes no such modulus or key.
            CoreError: the core refuses it.
            DriverError: the core is busy, or makes no progress; it was zeroised then.
        """
        numbers = load_numbers(self._around.core, value)
        self._key = None
        self._operate("load", numbers, 0)
        self._key = None if isinstance(value, int) else value

    def zeroise(self) -> None:
        """Abort what is running and overwrite all numbers in the core; what is loaded is gone."""
        self._key = None
        super().zeroise()

    def power(self, x: int, y: int) -> int:
        """X^y modulo what is loaded or built in.

        Raises:
            SpecificationError: the core makes no powers, or none with this exponent; a number is
                too long.
            CoreError: the status is not ``ok``, as ``not_loaded``.
            DriverError: the core is busy, or makes no progress; it was zeroised then.
        """
        design = self._around.core.commanded
        self._check("power")
        if design.exponent not in (None, y):
            raise SpecificationError(f"exponent {y}: the core has {design.exponent} alone")
        operands = (x, y)[: len(design.operands)]
        self._check_lengths(*operands)
        return self._operate("power", operands, 1)[0]

    def multiply(self, x: int, y: int) -> int:
        """The product of x and y as the core makes it: x y / R modulo what is loaded or built in.

        Raises:
            SpecificationError: the core makes no products, or a number is too long.
            CoreError: the status is not ``ok``, as ``operand_range`` or ``not_loaded``.
            DriverError: the core is busy, or makes no progress; it was zeroised then.
        """
        self._check("multiply")
        self._check_lengths(x, y)
        return self._operate("multiply", (x, y), 1)[0]

    def invert(self, x: int) -> int:
        """1 / x modulo what is built in.

        Raises:
            SpecificationError: the core makes no inverses, or the number is too long.
            CoreError: the status is not ``ok``, as ``no_inverse``.
            DriverError: the core is busy, or makes no progress; it was zeroised then.
        """
        self._check("invert")
        self._check_lengths(x)
        return self._operate("invert", (x,), 1)[0]

    def point_multiply(self, k: int, point: Point) -> Point:
        """K times a point, in Jacobian coordinates; for arguments and errors see `point_add`."""
        return self._on_points("point_multiply", k, *point)

    def point_add(self, first: Point, second: Point) -> Point:
        """The sum of two points that are neither equal nor opposite, and not neutral; else Z = 0.

        Points are their Jacobian coordinates X, Y and Z, each below p.

        Raises:
            SpecificationError: the core has no such operation, or a number is too long.
            CoreError: the status is not ``ok``, as ``operand_range``.
            DriverError: the core is busy, or makes no progress; it was zeroised then.
        """
        return self._on_points("point_add", *first, *second)

    def point_double(self, point: Point) -> Point:
        """Twice a point; for arguments and errors see `point_add`."""
        return self._on_points("point_double", *point)

    def _on_points(self, operation: str, *operands: int) -> Point:
        self._check(operation)
        self._check_lengths(*operands)
        x, y, z = self._operate(operation, operands, 3)
        return x, y, z

    def private(self, x: int) -> int:
        """The root of x, below N, with the key that is loaded, checked by the core.

        Raises:
            SpecificationError: the core has no private operation, or the number is too long.
            CoreError: the status is not ``ok``: ``not_loaded``, or ``fault`` for what is withheld.
            DriverError: the core is busy, or makes no progress; it was zeroised then.
        """
        self._check("private")
        self._check_lengths(x)
        return self._operate("private", (x,), 1)[0]

    def sign_pkcs1(self, digest: bytes, name: str = "sha256") -> bytes:
        """Sign a digest with the key that is loaded: RSASSA-PKCS1-v1_5 (RFC 8017, section 8.2)."""
        size = self._size
        return self._signed(padding.pkcs1_signature(digest, name, size))

    def sign_pss(self, digest: bytes, name: str = "sha256", salt: bytes | None = None) -> bytes:
        """Sign a digest with the key that is loaded: RSASSA-PSS (RFC 8017, section 8.1)."""
        bits = self._loaded.modulus.bit_length()
        return self._signed(padding.pss_signature(digest, name, bits, salt))

    def decrypt_oaep(self, text: bytes, name: str = "sha256", label: bytes = b"") -> bytes:
        """Decrypt by RSAES-OAEP (RFC 8017, section 7.1), with the key that is loaded."""
        return padding.oaep_message(self._opened(text), name, label)

    def decrypt_pkcs1(self, text: bytes) -> bytes:
        """Decrypt by RSAES-PKCS1-v1_5 (RFC 8017, section 7.2), with the key that is loaded."""
        return padding.pkcs1_message(self._opened(text))

    def public(self, x: int) -> int:
        """X^e modulo N, with the public key that is loaded.

        Raises:
            SpecificationError: the core has no public operation, or the number is too long.
            CoreError: the status is not ``ok``: ``not_loaded``, or ``operand_range`` for an x that
                is not below N.
            DriverError: the core is busy, or makes no progress; it was zeroised then.
        """
        self._check("public")
        self._check_lengths(x)
        return self._operate("public", (x,), 1)[0]

    def verify_pkcs1(self, signature: bytes, digest: bytes, name: str = "sha256") -> bool:
        """Whether a signature of a digest by RSASSA-PKCS1-v1_5 is right (section 8.2.2)."""
        wanted = padding.pkcs1_signature(digest, name, self._size)
        return self._recovered(signature) == wanted

    def verify_pss(
        self, signature: bytes, digest: bytes, name: str = "sha256", salt_size: int | None = None
    ) -> bool:
        """Whether a signature of a digest by RSASSA-PSS is right (section 8.1.2).

        ``salt_size`` is that of the digest by default.
        """
        bits, block = self._loaded.modulus.bit_length(), self._recovered(signature)
        return block is not None and padding.pss_matches(block, digest, name, bits, salt_size)

    def encrypt_oaep(self, message: bytes, name: str = "sha256", label: bytes = b"") -> bytes:
        """Encrypt by RSAES-OAEP (section 7.1), with the public key that is loaded."""
        block = padding.oaep_block(message, name, self._size, label)
        return self.public(int.from_bytes(block)).to_bytes(self._size)

    def _recovered(self, signature: bytes) -> bytes | None:
        """What a signature is a root of; None if it is none."""
        number = int.from_bytes(signature)
        if len(signature) != self._size or number >= self._loaded.modulus:
            return None
        return self.public(number).to_bytes(self._size)

    @property
    def _loaded(self) -> RsaKey | RsaPublicKey:
        if self._key is None:
            raise DriverError("this driver has loaded no key")
        return self._key

    @property
    def _size(self) -> int:
        """Bytes of the modulus."""
        return -(-self._loaded.modulus.bit_length() // 8)

    def _signed(self, block: bytes) -> bytes:
        return self.private(int.from_bytes(block)).to_bytes(self._size)

    def _opened(self, text: bytes) -> bytes:
        """The block in an encrypted text."""
        number = int.from_bytes(text)
        if len(text) != self._size or number >= self._loaded.modulus:
            raise padding.DecryptionError
        return self.private(number).to_bytes(self._size)

    def _check(self, operation: str) -> None:
        if not self.has(operation):
            raise SpecificationError(f"the core has no operation {operation!r}")

    def _check_lengths(self, *operands: int) -> None:
        """Refuse what would not fit into the words of a number."""
        for number in operands:
            if not 0 <= number < 1 << 32 * self.words:
                raise SpecificationError(
                    f"a number of {number.bit_length()} bits: the core takes 0 to "
                    f"{32 * self.words} bits"
                )


def simulated_modular_client(
    directory: Directory,
    *,
    seed: int = 1,
    stalls: int = 0,
    pause: int = DEFAULT_PAUSE,
) -> ModularClient:
    """The driver of a core that ``residua build`` wrote, on a simulation of its Verilog.

    Args:
        directory: of a core for modular arithmetic on a bus.
        seed: of stalls.
        stalls: of 256 cycles, in so many each channel pauses.
        pause: cycles between two accesses.

    Raises:
        SpecificationError: no such core, or one without a bus.
        ToolError: the simulator cannot be built.
    """
    made = directory.made
    around = made.surroundings if isinstance(made, PlainCore) else None
    if not isinstance(around, ModularBus):
        raise SpecificationError(
            f"{directory.path} holds no core for modular arithmetic on a bus: build one "
            f"with {BUS_ASKED}"
        )
    capabilities = around.registers.capabilities
    model = directory_bus_model(directory, capabilities)
    simulator = BusSimulator(model, seed=seed, stalls=stalls, pause=pause)
    streams = None if capabilities.data_registers else simulator
    return ModularClient(simulator, around, random=simulator.random, streams=streams)
