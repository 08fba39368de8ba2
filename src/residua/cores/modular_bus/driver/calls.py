"""Calls of the C driver of a core, with what plain integers say of them."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from residua.algorithms.conversion import split_words
from residua.algorithms.fields.loaded_field import SMALLEST
from residua.cores.bus.driver.check import Call
from residua.cores.modular_bus.cases import Case, Promise
from residua.hardware.bus.key_numbers import Modulus, Source

if TYPE_CHECKING:
    from residua.cores.modular_bus.surroundings import ModularBus

HEADERS = ("residua_modular.h",)

_ARGUMENT, _ENCODING = "RESIDUA_MODULAR_ARGUMENT", "RESIDUA_MODULAR_ENCODING"
_UNSUPPORTED = "RESIDUA_MODULAR_UNSUPPORTED"

_POINTS = {"point_multiply": 1, "point_add": 0, "point_double": 0}
"""Scalars before the points, by the operation of the core."""

_LOADS = {
    "private": "load_private_key",
    "public": "load_public_key",
    "power": "load_modulus",
    "multiply": "load_modulus",
    "invert": "load_modulus",
    **dict.fromkeys(_POINTS, "load_modulus"),
}
"""Functions that load what the driver computes, by the operation of the core."""

_USUAL = {"load_private_key": 5, "load_public_key": 2, "load_modulus": 1}
"""Their arguments."""

_SETTINGS = 2
"""Moduli or keys that are loaded."""


def calls(around: "ModularBus") -> list[Call]:
    """Loads, operations, refusals, a zeroisation, and an operation after it."""
    return list(_Calls(around).all())


class _Calls:
    """Calls for one core."""

    def __init__(self, around: "ModularBus") -> None:
        self.design, self.cases = around.core.commanded, around.cases(1)
        self.operations = around.registers.operations
        self.size = 4 * self.design.words

    def all(self) -> Iterator[Call]:
        """All calls."""
        for case in self.cases.all(_SETTINGS):
            yield from self.of(case)
        yield from self.refusals()
        yield Call("residua_modular_zeroise", ())
        sample = self.cases.sample()
        if self.design.load:
            yield from self.of(self.cases.not_loaded())
            yield from self.of(self.cases.load(self.cases.settings[0]))
        yield from self.of(sample)
        yield from self.keys()

    def of(self, case: Case) -> Iterator[Call]:
        """The call that runs a case; none for an operation that no function has."""
        code, results = case.expected
        if case.operation == self.operations["load"]:
            words = [word for n in case.operands for word in split_words(n, self.design.words, 32)]
            yield Call("residua_modular_load_key", (words,), code, sized=(0,))
            return
        if case.operation != self.operations[self.design.operation]:
            return
        numbers = [number.to_bytes(self.size) for number in case.operands]
        if self.design.operation in _POINTS:
            yield self.on_points(numbers, code, results)
            return
        found = (results[0] if results else 0).to_bytes(self.size)
        if self.design.operation in ("private", "invert"):
            yield self.call(self.design.operation, code, found, numbers[0])
        elif self.design.operation == "multiply":
            yield Call("residua_modular_multiply", tuple(numbers), code, found, sized=(1,))
        elif self.design.operation == "public":
            yield Call("residua_modular_public", (0, numbers[0]), code, found, sized=(0, 1))
        elif self.design.exponent is not None:
            yield self.call("public", code, found, self.exponent(), numbers[0])
        else:
            x, y = numbers
            yield self.call("public", code, found, y, x)
            yield Call("residua_modular_power", (x, y), code, found, sized=(0, 1))

    def on_points(self, numbers: Sequence[bytes], code: int | str, results: Sequence[int]) -> Call:
        """A call of a function on points, whose coordinates follow one another."""
        operation = self.design.operation
        coordinates = numbers[_POINTS[operation] :]
        points = [b"".join(coordinates[at : at + 3]) for at in range(0, len(coordinates), 3)]
        scalar = [part for k in numbers[: _POINTS[operation]] for part in (k, len(k))]
        found = b"".join(result.to_bytes(self.size) for result in results or (0, 0, 0))
        arguments = (*scalar, *points, self.size)
        return Call(f"residua_modular_{operation}", arguments, code, found)

    def keys(self) -> Iterator[Call]:
        """Loads of which the driver computes the numbers, each with an operation after it."""
        for function, arguments in _USUAL.items():
            if function != _LOADS[self.design.operation] or not self.design.load:
                usual = [(1).to_bytes(self.size)] * arguments
                yield self.loaded(function, usual, _UNSUPPORTED)
        if not self.design.load:
            return
        function = _LOADS[self.design.operation]
        right = [one for one in self.cases.settings if not getattr(one, "wrong", None)]
        for setting in right[:_SETTINGS]:
            usual = [number.to_bytes(self.size) for number in self.usual(setting)]
            yield self.loaded(function, usual)
            yield from self.of(self.cases.computed(setting, (2, 3)))
            yield self.loaded(function, [bytes(3) + number for number in usual])
            yield from self.of(self.cases.computed(setting, self.cases.largest(setting)))
        if function == "load_modulus":
            for bad in (0, 1, 6, *([SMALLEST - 1] if self.design.factor else [])):
                yield self.loaded(function, [bad.to_bytes(self.size)], _ARGUMENT)
        long = [bytes([1, *number]) for number in usual]
        yield self.loaded(function, long, _ENCODING)

    def loaded(self, function: str, usual: Sequence[bytes], code: int | str = 0) -> Call:
        """A call that loads a key by the numbers that it usually has."""
        # All numbers of a private key have one size.
        sized = range(len(usual))[-1 if function == "load_private_key" else 0 :]
        return Call(f"residua_modular_{function}", tuple(usual), code, sized=tuple(sized))

    def usual(self, setting: Promise) -> list[int]:
        """The numbers that a modulus or key usually has, in the order of the driver's arguments."""
        numbers = {
            (own.derived.source, own.derived.modulus): number
            for own, number in zip(self.design.load, self.cases.loaded(setting), strict=True)
            if own.derived
        }
        of_n = [numbers.get((source, Modulus.N)) for source in (Source.MODULUS, Source.EXPONENT)]
        if self.design.operation != "private":
            return [number for number in of_n if number is not None]
        p, q, *exponents = (
            numbers[source, modulus]
            for source in (Source.MODULUS, Source.EXPONENT)
            for modulus in (Modulus.P, Modulus.Q)
        )
        return [p, q, *exponents, pow(q, -1, p)]

    def refusals(self) -> Iterator[Call]:
        """What the driver refuses itself: the outputs hold zeros."""
        one, nothing = (1).to_bytes(self.size), bytes(self.size)
        exponent = self.exponent()
        if self.design.operation == "private":
            yield self.call("public", _UNSUPPORTED, nothing, exponent, one)
            long = (1 << 8 * self.size).to_bytes(self.size + 1)
            yield self.call("private", _ENCODING, bytes(self.size + 1), long)
            # Leading zeros are none of the number's.
            yield self.call("private", 0, bytes(3) + one, bytes(3) + one)
            return
        yield self.call("private", _UNSUPPORTED, nothing, one)
        if self.design.operation == "public":
            yield from self.public_refusals(one, nothing)
            return
        if self.design.operation != "power":
            yield self.call("public", _UNSUPPORTED, nothing, one, one)
            if self.design.operation != "point_double":
                double = "residua_modular_point_double"
                yield Call(double, (3 * one, self.size), _UNSUPPORTED, 3 * nothing)
            return
        yield self.call("invert", _UNSUPPORTED, nothing, one)
        yield Call("residua_modular_multiply", (one, one), _UNSUPPORTED, nothing, sized=(1,))
        if self.design.exponent is not None:
            yield self.call("public", _UNSUPPORTED, nothing, bytes([exponent[-1] ^ 2]), one)
            yield Call("residua_modular_power", (one, one), _UNSUPPORTED, nothing, sized=(0, 1))
        yield self.call("public", 0, bytes(3) + one, bytes(2) + exponent, bytes(3) + one)

    def public_refusals(self, one: bytes, nothing: bytes) -> Iterator[Call]:
        """What is refused for a core with public keys, and keys that the core refuses."""
        yield self.call("public", _UNSUPPORTED, nothing, bytes([3]), one)
        yield Call("residua_modular_power", (one, one), _UNSUPPORTED, nothing, sized=(0, 1))
        loaded = self.cases.loaded(self.cases.settings[0])
        long = (1 << 8 * self.size).to_bytes(self.size + 1)
        refused: list[tuple[bytes, bytes, int | str]] = [
            (long, bytes([3]), _ENCODING),
            ((loaded[0] ^ 1).to_bytes(self.size), bytes([3]), self.status("bad_modulus")),
            (bytes([1]), bytes([3]), self.status("bad_modulus")),
            (bytes([0]), bytes([3]), self.status("bad_modulus")),
            (loaded[0].to_bytes(self.size), bytes([0]), self.status("bad_modulus")),
            (loaded[0].to_bytes(self.size), bytes([2]), self.status("bad_modulus")),
            *((n.to_bytes(self.size), bytes([3]), _UNSUPPORTED) for n in self.shared()),
        ]
        for n, e, code in refused:
            yield Call("residua_modular_load_public_key", (n, e), code, sized=(0, 1))
        yield from self.of(self.cases.not_loaded())
        yield from self.of(self.cases.load(self.cases.settings[0]))
        leading = Call(
            "residua_modular_public", (0, bytes(3) + one), 0, bytes(3) + one, sized=(0, 1)
        )
        yield leading

    def shared(self) -> Iterator[int]:
        """A modulus that has a factor in common with M_a, if there is a small one."""
        factor = self.design.factor or 1
        for divisor in range(3, 1 << 16, 2):
            if factor % divisor == 0:
                yield divisor * (2 * ((1 << 15) // divisor) + 1)
                return

    def status(self, name: str) -> int:
        """The code of a status."""
        return self.cases.case("", "", (), name).expected[0]

    def exponent(self) -> bytes:
        """The exponent that is built in, or 1."""
        exponent = self.design.exponent or 1
        return exponent.to_bytes(-(-exponent.bit_length() // 8))

    @staticmethod
    def call(name: str, code: int | str, result: bytes, *arguments: bytes) -> Call:
        """A call of the library whose arguments all have a size."""
        sized = tuple(range(len(arguments)))
        return Call(f"residua_modular_{name}", arguments, code, result, sized)
