"""The directory of a coprocessor, run as it lies there: core, bus, driver and test bench."""

from typing import TYPE_CHECKING, Any

from residua.cores.bus.bench import verify_bench
from residua.cores.bus.simulator import BusModel
from residua.cores.coprocessor.driver.simulated import directory_model
from residua.cores.coprocessor.shipped.bus import verify_bus
from residua.cores.coprocessor.shipped.bus_alone import stand_in_model, verify_bus_alone
from residua.cores.coprocessor.shipped.driver import verify_driver
from residua.cores.coprocessor.shipped.requests import verify_requests
from residua.cores.coprocessor.shipped.several import cycles_in_flight, verify_several
from residua.cores.simulation.forms import compare_forms
from residua.cores.simulation.runs import Runs
from residua.cores.summary import logic
from residua.cores.texts import verify_texts
from residua.curves.operations.codes import Operation, point_operation
from residua.hardware.coprocessor.design import CurveDesign
from residua.toolchain.executors import submitted
from residua.toolchain.process import side_by_side

if TYPE_CHECKING:
    from residua.cores.coprocessor.core import CoprocessorCore
    from residua.cores.directory import Directory


def verify_coprocessor_directory(
    made: "CoprocessorCore", directory: "Directory", runs: Runs
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Run operations on the core, some through its bus, in its test bench and by its driver.

    All at once: core, test bench and primitives run for themselves, the bus steps with this thread,
    where an interrupt ends it. Arguments, results and errors are those of
    `residua.cores.core.Core.verify`.
    """
    design = made.core.design
    failures = verify_texts(directory.path, directory.manifest)
    with side_by_side(3) as pool:
        core = submitted(pool, made.simulate, directory.sources(top=made.name), runs)
        bench = submitted(pool, verify_bench, directory.path, Operation.FIELD_MULTIPLY)
        primitives = submitted(pool, compare_forms, directory)
        through_bus, in_flight = None, None
        if directory.top != directory.name:
            model = directory_model(directory)
            if made.request.instances:
                through_bus, in_flight, faults = _several(directory, design, model, runs.seed)
            else:
                through_bus, faults = _around(directory, design, model, runs.seed)
            failures += faults
        failures += bench.result()
        found = core.result()
        forms, faults = primitives.result()
        failures += faults
    names = [curve.name for curve in made.core.curves]
    result: dict[str, Any] = {
        "kind": "coprocessor",
        "vectors": runs.vectors,
        "operations": found.operations,
        "resets": found.resets,
        "bus_operations": through_bus,
        **({"cycles_in_flight": in_flight} if in_flight else {}),
        "device_primitives": forms,
        "mismatches": found.mismatches,
        "passed": found.passed and not failures,
        "failures": found.failures + failures,
        "seed": runs.seed,
        "stalls": runs.stalls,
        "constant_time": found.constant_time,
        "cycles": dict(zip(names, found.cycles, strict=True)),
    }
    times = {"seconds": round(found.seconds, 3), "build_seconds": round(found.build_seconds, 3)}
    return result, times


def _several(
    directory: "Directory", design: CurveDesign, model: BusModel, seed: int
) -> tuple[int, int | None, list[str]]:
    """Run the bus of several, also by the driver; operations, their pace, and what goes wrong."""
    count, failures = verify_several(model, design, seed)
    in_flight = None if failures else cycles_in_flight(model, design, seed)
    failures += verify_requests(directory, design, model)
    return count, in_flight, failures + verify_driver(directory, design)


def _around(
    directory: "Directory", design: CurveDesign, model: BusModel, seed: int
) -> tuple[int, list[str]]:
    """Run the bus with the core and alone, and by the driver; operations, and what goes wrong."""
    count, failures = verify_bus(model, design, seed)
    failures += verify_bus_alone(stand_in_model(directory), seed)
    return count, failures + verify_driver(directory, design)


def point_times(made: "CoprocessorCore", found: dict[str, Any]) -> dict[str, Any]:
    """The time of a multiplication of a point on each curve.

    Arguments are those of `residua.cores.core.Core.times`.
    """
    mhz = found.get("fmax_mhz")
    points = []
    for curve, operations in zip(made.core.curves, made.cycles["operations"], strict=True):
        operation = point_operation(curve).name
        cycles = operations[operation]
        rate = mhz and round(made.instances * 1e6 * mhz / cycles)
        point = {
            "curve": curve.name,
            "operation": operation,
            "cycles": cycles,
            "microseconds": round(cycles / mhz, 1) if mhz else None,
            "area_time": _area_time(logic(found["resources"])[0], cycles, mhz, made.instances),
            **({"per_second": rate} if made.instances > 1 else {}),
        }
        points.append(point)
    return {"kind": "coprocessor", "points": points, "fmax_mhz": mhz}


def _area_time(luts: int, cycles: int, mhz: float | None, instances: int) -> int | None:
    """LUTs times milliseconds of an operation, of which several share the LUTs."""
    return round(luts * cycles / mhz / instances / 1000) if mhz else None
