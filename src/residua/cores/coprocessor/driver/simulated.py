"""The driver of a coprocessor on a simulation of its directory."""

from collections.abc import Sequence
from pathlib import Path

from residua.cores.bus.simulator import DEFAULT_PAUSE, BusModel, BusSimulator, directory_bus_model
from residua.cores.coprocessor.driver.client import Client
from residua.cores.coprocessor.driver.curves import DriverCurve
from residua.cores.directory import Directory
from residua.cores.specification.keys import BUS_ASKED
from residua.curves.parameters import curve_from_parameters
from residua.curves.protections.protection import Protection
from residua.curves.protections.status_codes import StatusCodes
from residua.errors import SpecificationError
from residua.hardware.bus.register_map import Capabilities
from residua.hardware.bus.tops import STREAMED


def simulated_client(
    directory: Directory,
    *,
    seed: int = 1,
    stalls: int = 0,
    pause: int = DEFAULT_PAUSE,
) -> Client:
    """The driver of a coprocessor that ``residua build`` wrote, on a simulation of its Verilog.

    Args:
        directory: of a coprocessor on a bus.
        seed: of random words and stalls.
        stalls: of 256 cycles, in so many each channel pauses.
        pause: cycles between two accesses.

    Raises:
        SpecificationError: no coprocessor, or one without a bus.
        ToolError: the simulator cannot be built.
    """
    model = directory_model(directory)
    return client(BusSimulator(model, seed=seed, stalls=stalls, pause=pause), curves(directory))


def client(simulator: BusSimulator, curves: Sequence[DriverCurve]) -> Client:
    """The driver on a simulator of a core with these curves."""
    registers = simulator.model.registers
    streams = None if registers.capabilities.data_registers else simulator
    return Client(simulator, registers, curves, random=simulator.random, streams=streams)


def directory_model(directory: Directory, *, sources: Sequence[Path] = ()) -> BusModel:
    """Build the model of a directory's Verilog, or of ``sources``; see `build_bus_model`.

    Raises:
        SpecificationError: no coprocessor, or one without a bus.
        ToolError: the simulator cannot be built.
    """
    manifest = directory.manifest
    bus = manifest["parameters"].get("bus", "stream")
    if bus == "stream":
        raise SpecificationError(
            f"{directory.path} holds no coprocessor on a bus: build one with {BUS_ASKED}"
        )
    interface = manifest["interface"]
    capabilities = Capabilities(
        curves=len(manifest["parameters"]["curves"]),
        words=interface["words"],
        operations=[operation["code"] for operation in interface["operations"]],
        blinding=any(manifest["parameters"]["blinding"]),
        data_registers=bus not in STREAMED,
        sparse_status=status_codes(directory).sparse,
        shared_scalars=Protection.MASKED_SCALAR in _protections(directory),
        instances=manifest["parameters"].get("instances", 1),
    )
    return directory_bus_model(directory, capabilities, sources=sources)


def status_codes(directory: Directory) -> StatusCodes:
    """The codes of statuses of a coprocessor's directory."""
    return StatusCodes(Protection.STATUS in _protections(directory))


def _protections(directory: Directory) -> Sequence[str]:
    found: Sequence[str] = directory.manifest["parameters"]["protections"]
    return found


def curves(directory: Directory) -> list[DriverCurve]:
    """The curves of a coprocessor's directory."""
    entries = directory.manifest["parameters"]["curves"]
    return [DriverCurve.of(curve_from_parameters(entry)) for entry in entries]
