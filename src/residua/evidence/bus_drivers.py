"""Coprocessors on simulated buses, as campaigns operate them."""

from residua.cores.bus.simulator import BusSimulator
from residua.cores.coprocessor.driver.client import Client
from residua.cores.coprocessor.driver.simulated import client, curves, directory_model
from residua.cores.directory import Directory

STALLS = 96
"""Cycles of 256 in which a channel of the bus waits."""

Driver = tuple[BusSimulator, Client]


def drivers(directory: Directory, seed: int) -> tuple[Driver, Driver]:
    """Simulate a core on its bus twice: without stalls, and with random ones on all channels."""
    model, own = directory_model(directory), curves(directory)
    prompt, stalled = (
        BusSimulator(model, seed=seed + bool(stalls), stalls=stalls) for stalls in (0, STALLS)
    )
    return (prompt, client(prompt, own)), (stalled, client(stalled, own))


def cycles_cell(cycles: list[int] | None) -> str:
    """The cell of the least and the most cycles."""
    if cycles is None:
        return "–"
    least, most = cycles
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


def extremes(cycles: set[int]) -> list[int] | None:
    """The least and the most of some cycles; nothing of none."""
    return [min(cycles), max(cycles)] if cycles else None
