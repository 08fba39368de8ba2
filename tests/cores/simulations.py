"""Simulated coprocessors that several tests use."""

import fcntl
import os
from collections.abc import Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

from tests import kept_verilog
from tests.cores.generated import MONTGOMERY

from residua.cores.bus.driver.client import CoreError
from residua.cores.coprocessor.curve_core import CurveCore
from residua.cores.coprocessor.driver.client import Client
from residua.cores.coprocessor.driver.curves import DriverCurve
from residua.cores.coprocessor.driver.simulated import directory_model
from residua.cores.coprocessor.simulator import (
    CoprocessorSimulator,
    Request,
    build_coprocessor_simulator,
)
from residua.cores.coprocessor.specification import CoprocessorSpecification
from residua.cores.directory import Directory, build
from residua.cores.specification.reading import check
from residua.curves.formulas import Formula
from residua.curves.inversion import Inversion
from residua.curves.operations.codes import Operation, Status
from residua.curves.parameters import Curve
from residua.hardware.coprocessor.coprocessor import Coprocessor
from residua.hardware.coprocessor.durations import patience

ON_BUS = {
    "p256": {"curve": "P-256", "bus": "axi"},
    "montgomery": {"curve": [MONTGOMERY], "bus": "wishbone"},
}
"""Specifications of coprocessors on a bus."""


def simulator(core: CurveCore, folder: Path) -> CoprocessorSimulator:
    """A coprocessor without a bus."""
    sources, _ = kept_verilog.write(Coprocessor, core.design, folder, core.name)
    return build_coprocessor_simulator(sources, core.name, core.design)


def directory_simulator(directory: Directory) -> CoprocessorSimulator:
    """The coprocessor that a directory holds, without its bus, for a few operations."""
    design, sources = directory.made.core.design, directory.sources(top=directory.name)
    return build_coprocessor_simulator(sources, directory.name, design)


@contextmanager
def shared_folder(factory, name):
    """A folder of all processes of a test run, for one of them at a time."""
    folder = factory.getbasetemp()
    folder = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder
    with (folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        (folder / name).mkdir(exist_ok=True)
        yield folder / name


VARIANTS = {
    "residues": {"inversion": Inversion.PLUS_MINUS},
    "rows": {"columns": 2, "inversion": Inversion.DIVISION_STEPS, "formula": Formula.XZ_LADDER},
}
"""Options of cores beside the default, which those on a bus have, one of every kind of unit."""


def bus_model(name, factory):
    """A core's directory and its compiled simulation; all processes of a test run share them."""
    with shared_folder(factory, f"bus_{name}") as folder:
        path = folder / "core"
        if not path.exists():
            build(check(CoprocessorSpecification, ON_BUS[name]), path)
        made = Directory.open(path)
        # Compiled under the lock, so that the others find it.
        return made, directory_model(made)


class StreamClient(Client):
    """The driver's calls on a coprocessor without a bus, its streams with stalls.

    One that ``verifies`` has the verification of signatures as an operation; none is protected.
    """

    def __init__(
        self,
        simulator: CoprocessorSimulator,
        curves: Sequence[Curve],
        stalls: int = 0,
        *,
        verifies: bool = False,
    ) -> None:
        self.simulator, self.stalls, self.runs, self.verifies = simulator, stalls, 0, verifies
        self.curves = tuple(map(DriverCurve.of, curves))
        self._takes_shares = False

    def has(self, operation: str) -> bool:
        """Whether the core has an operation."""
        return operation != "order_sign" and (self.verifies or operation != "ecdsa_verify")

    def execute(
        self, operation: str, curve: int, operands: Sequence[int], results: int
    ) -> list[int]:
        """One operation, with random words of its own."""
        self.runs += 1
        request = Request(
            Operation[operation.upper()], tuple(operands), curve, self.stalls, seed=self.runs
        )
        (answer,) = self.simulator.run([request])
        if answer.status != Status.OK:
            assert not answer.results
            raise CoreError(answer.status.name.lower(), "the core's status")
        assert len(answer.results) == results
        return list(answer.results)


class SimulatedCore:
    """The Verilog of a core's coprocessor in a folder, and its simulator."""

    def __init__(self, core: CurveCore, folder: Path) -> None:
        self.core, self.design = core, core.design
        self.sources, self.top = kept_verilog.write(Coprocessor, core.design, folder)
        # Of kept Verilog no schedule was made: it has to be that of now, not that of a later test.
        patience(self.design)

    @cached_property
    def simulator(self) -> CoprocessorSimulator:
        """It is compiled for the first test that needs it: a verification compiles its own."""
        return build_coprocessor_simulator(self.sources, self.top, self.design)
