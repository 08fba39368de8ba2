"""Ctrl-C ends every verb at once: nothing is left running or half written."""

import gc
import os
import signal
import subprocess
import sys
import time
import uuid
import warnings
from contextlib import suppress
from pathlib import Path

import pytest
from amaranth.hdl import Elaboratable, UnusedElaboratable

import residua
from residua import cache, cli, interrupts
from residua.toolchain import process

MOST_SECONDS = 2

SMALL = ("--modulus", "0x1000b", "--width", "12")
SMALLEST = ("--algorithm", "r2mm", "--modulus", "0x1000b")

pytestmark = pytest.mark.usefixtures("interruptible", "hearing")


@pytest.fixture
def hearing(monkeypatch):
    """Signals count, whenever one was taken before."""
    monkeypatch.setattr(interrupts, "_state", interrupts._State())


class Command:
    """A running ``residua`` whose whole family of processes carries a mark."""

    def __init__(self, *arguments, cwd):
        shared, own = cache.folder() / "simulators", cwd / "cache" / "residua" / "simulators"
        # What all simulators share takes longer to compile than the one that is interrupted.
        for path in (path for kind in ("headers", "runtime") for path in shared.rglob(f"{kind}-*")):
            link = own / path.relative_to(shared)
            link.parent.mkdir(parents=True, exist_ok=True)
            with suppress(FileExistsError):
                link.symlink_to(path)
        self.scratch = cwd / "scratch"
        self.scratch.mkdir(exist_ok=True)
        self.mark = f"RESIDUA_TEST={uuid.uuid4()}"
        name, value = self.mark.split("=")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "residua", *map(str, arguments)],
            cwd=cwd,
            env={
                **os.environ,
                name: value,
                "PYTHONPATH": str(Path(residua.__file__).parents[1]),
                "XDG_CACHE_HOME": str(cwd / "cache"),
                "TMPDIR": str(self.scratch),
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def family(self):
        """The process and all that it has started, by number, with their command lines."""
        found = {}
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                if self.mark.encode() in (entry / "environ").read_bytes().split(b"\0"):
                    command = (entry / "cmdline").read_bytes().replace(b"\0", b" ")
                    found[int(entry.name)] = command.decode(errors="replace")
            except OSError:
                continue
        return found

    def wait_until(self, condition, limit=120):
        end = time.monotonic() + limit
        while not condition(self):
            assert self.process.poll() is None, self.process.communicate()
            assert time.monotonic() < end, self.family()
            time.sleep(0.05)

    def interrupt(self, number=signal.SIGINT, *, times=1):
        """Seconds until it is gone after a signal to it and its process group, as a terminal's."""
        start = time.monotonic()
        for _ in range(times):
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)
            time.sleep(0.01)
        out, err = self.process.communicate(timeout=100)
        return time.monotonic() - start, out, err


@pytest.fixture
def start(tmp_path):
    started = []

    def call(*arguments):
        started.append(Command(*arguments, cwd=tmp_path))
        return started[-1]

    yield call
    for command in started:
        for number in command.family():
            os.kill(number, signal.SIGKILL)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A core of these flags, made once."""
    folder, found = tmp_path_factory.mktemp("interrupted"), {}

    def made(*flags):
        if flags not in found:
            found[flags] = folder / str(len(found))
            command = [sys.executable, "-m", "residua", "build", *flags, "-o", str(found[flags])]
            subprocess.run(command, check=True, capture_output=True)
        return found[flags]

    return made


def runs(program):
    """A condition: this stands in a command line of the family, and has for a moment."""

    def condition(command):
        if not any(program in line for line in command.family().values()):
            return False
        time.sleep(0.3)
        return True

    return condition


def check_gone(command, took, out, err, *, code=130):
    assert command.family() == {}
    assert files(command.scratch) == []
    assert (command.process.returncode, out) == (code, "")
    assert "Traceback" not in err
    assert took < MOST_SECONDS


def files(path):
    return sorted(str(file.relative_to(path)) for file in path.rglob("*"))


@pytest.mark.parametrize(
    ("flags", "tool", "number"),
    [(SMALL, "libyosys", signal.SIGTERM), (SMALLEST, "run_nextpnr_ecp5", signal.SIGINT)],
)
def test_synth(start, made, flags, tool, number):
    core = made(*flags)
    command = start("synth", core, "--target", "ecp5", "--seeds", 3)
    command.wait_until(runs(tool))
    check_gone(command, *command.interrupt(number), code=128 + number)
    assert not (core / "results").exists()


@pytest.mark.parametrize("tool", ["cc1plus", "pool dump"])
def test_verify(start, made, tool):
    core = made(*SMALL)
    command = start("verify", core, "--vectors", 10**9)
    command.wait_until(runs(tool))
    check_gone(command, *command.interrupt())
    assert not (core / "results").exists()


@pytest.mark.parametrize("seconds", [2, 4])
def test_build(start, tmp_path, seconds):
    """At moments in which modules are loaded, bases searched and routines placed by CP-SAT."""
    curves = ("--curve", "P-384", "--curve", "brainpoolP384r1")
    slow = ("--extension", "hierarchical", "--inversion", "plus-minus-ct")
    command = start("build", *curves, *slow, "-o", "made/core", "--json")
    time.sleep(seconds)
    assert command.process.poll() is None
    check_gone(command, *command.interrupt())
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("workers", [1, 2])
def test_primes(start, tmp_path, workers):
    """While primes are searched; the file of candidates has whole lines alone."""
    command = start(
        "primes",
        "--bits",
        512,
        "--width",
        16,
        "--count",
        10**6,
        "--workers",
        workers,
        "-o",
        "found",
    )
    candidates = tmp_path / "found" / "primes.jsonl"
    command.wait_until(lambda _: candidates.exists() and candidates.stat().st_size > 10_000)
    check_gone(command, *command.interrupt())
    assert candidates.read_text().endswith("}\n")
    assert files(tmp_path / "found") == ["primes.jsonl"]


def test_campaign(start, tmp_path):
    """While rows are made side by side and others wait; Ctrl-C is held down."""
    command = start("evidence", "digits", "--jobs", 2, "-o", "rows", "--work", "work")
    command.wait_until(runs("cc1plus"))
    check_gone(command, *command.interrupt(times=50))
    time.sleep(1)
    assert command.family() == {}
    assert not (tmp_path / "rows").exists()


def test_explore(start, tmp_path):
    """While a core is synthesised and another worker has nothing to do; what was found is kept."""
    (tmp_path / "space.toml").write_text('keys = { modulus = "0x1000b", width = 12 }\n')
    command = start("explore", "space.toml", "-o", "found", "--jobs", 2)
    command.wait_until(runs("yosys"))
    check_gone(command, *command.interrupt())
    assert files(tmp_path / "found") == ["points.duckdb"]


@pytest.mark.parametrize("number", interrupts.ENDING)
def test_what_is_put_away_is_not_interrupted(number):
    put_away = False
    with interrupts.obeyed():
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), number)
        for other in interrupts.ENDING:
            os.kill(os.getpid(), other)
        put_away = True
    assert put_away


@pytest.mark.parametrize("number", interrupts.ENDING)
def test_what_is_held_in_a_process_ends_one_that_it_forks(number):
    """And nothing of what its parent is about goes on there."""
    with interrupts.obeyed(), interrupts.held():
        child = os.fork()
        if not child:
            try:
                os.kill(os.getpid(), number)
            finally:
                os._exit(1)
        _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 128 + number


@pytest.mark.parametrize("number", interrupts.ENDING)
def test_what_comes_in_a_destructor_is_not_lost(number):
    """Python drops whatever is raised there."""

    class Interrupted:
        def __del__(self):
            os.kill(os.getpid(), number)

    def lose_and_go_on():
        Interrupted()
        time.sleep(10)

    with interrupts.obeyed(), pytest.raises(KeyboardInterrupt):
        lose_and_go_on()


def test_what_else_is_raised_in_a_destructor_is_told(capsys):
    class Broken:
        def __del__(self):
            raise ValueError("broken")

    with interrupts.obeyed():
        Broken()
    assert "ValueError: broken" in capsys.readouterr().err


def test_a_program_that_has_just_begun_is_not_forgotten(monkeypatch, tmp_path):
    """An interrupt after a program has begun, and before anything holds it."""
    begun = []

    class Interrupted(subprocess.Popen):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            begun.append(self)
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    with interrupts.obeyed(), pytest.raises(KeyboardInterrupt):
        process.run(["sleep", "100"], tool="sleep", cwd=tmp_path, log=tmp_path / "log")
    assert [each.returncode for each in begun] == [-signal.SIGKILL]


def test_unfinished_hardware_is_thrown_away_in_silence(monkeypatch):
    monkeypatch.setattr(Elaboratable, "_MustUse__silence", False)
    # Amaranth says nothing before it has elaborated anything.
    monkeypatch.setattr(UnusedElaboratable, "_MustUse__silence", False)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Elaboratable()
        gc.collect()
        assert [warning.category for warning in caught] == [UnusedElaboratable]
        cli._Stop().note(signal.SIGTERM)
        Elaboratable()
        gc.collect()
        assert len(caught) == 1
