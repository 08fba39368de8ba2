"""The directory of a core for modular arithmetic on a bus, run as it lies there."""

import random
from collections.abc import Iterator
from itertools import cycle
from typing import TYPE_CHECKING

from residua.cores.bus.bench import verify_bench
from residua.cores.bus.driver.check import PAUSE, check_driver
from residua.cores.bus.driver.program import Simulation
from residua.cores.bus.host import Host
from residua.cores.bus.operations import (
    RESETS,
    STALLS,
    check_refusals,
    compare,
    run_all,
    start,
)
from residua.cores.bus.register_checks import check_registers, check_traffic
from residua.cores.bus.simulator import BusModel, BusSimulator, directory_bus_model
from residua.cores.modular_bus.driver.calls import HEADERS, calls
from residua.cores.modular_bus.driver.files import LIBRARY

if TYPE_CHECKING:
    from residua.cores.directory import Directory
    from residua.cores.modular_bus.surroundings import ModularBus

_PACES = ((0, 0), (96, 0), (160, 5))
"""Cycles of 256 in which a channel pauses, and cycles between two accesses, of each run."""

_INSTANTS, _ABORTED_CYCLES = 6, 1_000_000
"""Zeroisations, and resets, of an operation, and cycles that they may take beyond one of each."""


def verify_surroundings(
    around: "ModularBus", directory: "Directory", seed: int
) -> tuple[int, list[str]]:
    """Run operations through the bus, in the test bench and by the driver; what went wrong.

    Through the bus each operation ends in each way that it can end, polled and by interrupt,
    without and with stalls; registers are read and written in all of their bytes, accesses follow
    one another closely; operations are refused, zeroised and reset in their midst. The driver is
    compiled as it lies there.

    Returns:
        How many operations ran through the bus, and what went wrong.
    """
    model = directory_bus_model(directory, around.registers.capabilities)
    count, failures = verify_bus(around, model, seed)
    design, operations = around.core.commanded, around.registers.operations
    failures += verify_bench(directory.path, operations[design.operation], setup=operations["load"])
    polls = around.patience // PAUSE
    simulation = Simulation(directory, model, LIBRARY)
    return count, failures + check_driver(simulation, calls(around), HEADERS, polls)


def verify_bus(around: "ModularBus", model: BusModel, seed: int) -> tuple[int, list[str]]:
    """Run operations through the bus; the first fault ends it."""
    return run_all(run(around, model, seed) for run in (_registers, _operations, _aborted))


def _registers(around: "ModularBus", model: BusModel, seed: int) -> Iterator[None]:
    """Every register and every address, at several paces."""
    for stalls, pause in _PACES:
        draw = random.Random(f"registers {seed} {stalls}")
        host = Host(BusSimulator(model, seed=seed, stalls=stalls, pause=pause), around.patience)
        check_registers(host, draw)
        check_traffic(host, draw)
        yield


def _operations(around: "ModularBus", model: BusModel, seed: int) -> Iterator[None]:
    """All cases; with stalls those of one modulus or key."""
    cases = around.cases(seed)
    for stalls, settings in ((0, None), (STALLS, 1)):
        host = Host(BusSimulator(model, seed=seed, stalls=stalls), around.patience)
        host.check_reset()
        for case, interrupts in zip(cases.all(settings), cycle((False, True)), strict=False):
            compare(host, case, interrupts=interrupts)
            yield
        check_refusals(host, cases.sample())
        yield


def _aborted(around: "ModularBus", model: BusModel, seed: int) -> Iterator[None]:
    """Operations and loads that are zeroised or reset; what follows is as if they had not been."""
    draw, cases = random.Random(f"bus {seed}"), around.cases(seed)
    setting, sample = cases.settings[0], cases.sample()
    host = Host(BusSimulator(model, seed=seed, stalls=STALLS // 2, pause=4), around.patience)
    host.idle()
    instants = min(_INSTANTS, 1 + _ABORTED_CYCLES // (2 * setting.interval))
    for index in range(2 * instants):
        if around.core.commanded.load:
            compare(host, cases.load(setting), interrupts=False)
        loads = bool(around.core.commanded.load) and index % 3 == 2
        start(host, cases.load(setting) if loads else sample, draw.randrange(setting.interval))
        if index % 2:
            host.zeroise()
        else:
            host.simulator.reset(
                host.map["CONTROL"].address,
                host.command(sample),
                after=draw.randrange(4),
                cycles=RESETS[index // 2 % len(RESETS)],
            )
            host.check_reset()
        if around.core.commanded.load:
            compare(host, cases.not_loaded(), interrupts=bool(index & 2))
            compare(host, cases.load(setting), interrupts=False)
        compare(host, sample, interrupts=bool(index & 2))
        yield
