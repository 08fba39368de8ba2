"""The bus around a core for modular arithmetic: its top module, its files, its verification."""

import random
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from amaranth.lib.wiring import Component

from residua.cores.bus.export import register_files
from residua.cores.bus.meanings import bus_meaning
from residua.cores.bus.vectors import Vector
from residua.cores.bus.verilog_bench import bench_files
from residua.cores.core import Core
from residua.cores.modular_bus.cases import Case, Cases, NumberCases, Promise
from residua.cores.modular_bus.driver.files import c_driver
from residua.hardware.bus.commanded import Commanded
from residua.hardware.bus.commanded_design import CommandedDesign
from residua.hardware.bus.register_map import RegisterMap
from residua.hardware.bus.tops import BUSES, STREAMED

if TYPE_CHECKING:
    from residua.cores.directory import Directory

PLACE = 2_000
"""Cycles that a word may take through a bus, by a slow host with stalls."""

_BENCH_SEED = 1

_BENCH_SETTINGS = 2
"""Moduli or keys that the test bench loads."""

_ABORT_SHARE = 3
"""An operation that is zeroised is zeroised after this part of it."""


class BusUser(Protocol):
    """A core that can be put on a bus."""

    @property
    def name(self) -> str:
        """Name of its module."""

    @property
    def commanded(self) -> CommandedDesign:
        """The numbers that it takes."""

    def settings(self, chooser: random.Random) -> Sequence[Any]:
        """What it promises with several moduli or keys, the first of them a right one."""

    def setting(self, value: Any) -> Promise:  # noqa: ANN401 - a modulus or a key
        """What it promises with a modulus, or with an RSA key.

        Raises:
            SpecificationError: it takes no such one.
        """


class ModularBus:
    """The bus around a core for modular arithmetic (`residua.cores.core.Surroundings`).

    Args:
        core: the core.
        bus: which one.
        cases: makes operations of its numbers, design, settings and seed.
    """

    def __init__(self, core: BusUser, bus: str, cases: type[Cases[Any]] = NumberCases) -> None:
        self.core, self.bus, self._cases = core, bus, cases

    @cached_property
    def registers(self) -> RegisterMap:
        """The registers."""
        return self.core.commanded.registers(data_registers=self.bus not in STREAMED)

    def cases(self, seed: int) -> Cases[Any]:
        """Operations of the core."""
        settings = self.core.settings(random.Random(seed))
        return self._cases(self.core.commanded, settings, seed)

    @cached_property
    def patience(self) -> int:
        """Cycles after which an operation, or a zeroisation, hangs."""
        design = self.core.commanded
        words = sum(number.words for number in design.numbers) + design.result_words
        random_words = design.random_words * -(-design.width // 32)
        moves = (len(design.numbers) * design.words + random_words) * PLACE
        # A core that takes random words may compute with some before it takes an operand.
        operations = 3 if design.random_words else 2
        interval: int = max(setting.interval for setting in self.cases(_BENCH_SEED).settings)
        return operations * interval + 4 * words + design.moves + moves

    def component(self) -> Component:
        """The bus and its registers around an instance of the core."""
        inside = Commanded(self.core.commanded, self.core.name)
        return BUSES[self.bus].top(inside, self.registers.capabilities)

    def port_meaning(self, port: str) -> str:
        """Purpose of a port of the top module."""
        return bus_meaning(port)

    def facts(self) -> dict[str, Any]:
        """The part of the manifest that the bus adds: numbers, operations, statuses."""
        design, registers = self.core.commanded, self.registers
        control, status = (
            registers[register].fields[name].meanings
            for register, name in (("CONTROL", "operation"), ("STATUS", "code"))
        )

        def told(meanings: dict[str, str], codes: dict[str, int]) -> list[dict[str, Any]]:
            return [
                {"name": name, "code": codes[name], "meaning": meanings[name]} for name in codes
            ]

        own = {name: registers.operations[name] for name in design.operations}
        return {
            "bus": {
                "words": design.words,
                "word_bits": 32,
                "load": [number.meaning for number in design.load],
                "operands": [number.meaning for number in design.operands],
                "results": design.results,
                "operations": told(control, own),
                "statuses": told(status, registers.statuses),
            }
        }

    def files(self, core: Core, manifest: dict[str, Any]) -> dict[str, str]:
        """Files by name: the driver, test bench and vectors, and what tells of the registers."""
        bench = bench_files(
            core,
            manifest,
            self.bus,
            [_vector(case) for case in self._bench_cases()] + self._zeroised(),
            words=self.core.commanded.words,
            patience=self.patience,
            status_ok=self.registers.statuses["ok"],
            registers=self.registers,
            operations={name.upper(): code for name, code in self.registers.operations.items()},
        )
        driver = c_driver(self.core.name, self.registers, self.core.commanded)
        return {
            **{f"driver/{name}": text for name, text in driver.items()},
            **register_files(self.registers, core.top),
            **bench,
        }

    def _bench_cases(self) -> list[Case]:
        return list(self.cases(_BENCH_SEED).all(_BENCH_SETTINGS))

    def _zeroised(self) -> list[Vector]:
        """An operation that is zeroised, and what comes after it."""
        cases, statuses = self.cases(_BENCH_SEED), self.registers.statuses
        sample = cases.sample()
        abort = max(cases.settings[0].interval // _ABORT_SHARE, 1)
        note, ended = f"zeroised in cycle {abort}", statuses["zeroised"]
        first = Vector(note, 0, sample.operation, sample.operands, ended, abort=abort)
        after = [sample]
        if self.core.commanded.load:
            after = [cases.not_loaded(), cases.load(cases.settings[0]), sample]
        return [first, *map(_vector, after)]

    def verify(self, directory: "Directory", seed: int) -> tuple[int, list[str]]:
        """Run operations through the bus, and the test bench; see `verify_surroundings`."""
        # Simulations take long to load, and making a core does not need them.
        from residua.cores.modular_bus.verification import verify_surroundings  # noqa: PLC0415

        return verify_surroundings(self, directory, seed)


def bus_around(
    core: BusUser, bus: str | None, cases: type[Cases[Any]] = NumberCases
) -> ModularBus | None:
    """The bus around a core, see `ModularBus`; None if it has plain streams."""
    return ModularBus(core, bus, cases) if bus and bus in BUSES else None


def _vector(case: Case) -> Vector:
    status, results = case.expected
    return Vector(case.note, 0, case.operation, case.operands, status, results)
