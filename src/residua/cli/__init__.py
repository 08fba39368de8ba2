"""The command line: verbs, and nothing that calculates.

A verb's module is loaded when the verb is called, so that none waits for libraries of others.
"""

import gc
import os
import sys
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from residua import interrupts
from residua.errors import SpecificationError
from residua.toolchain.process import ToolError

VERBS = {
    "build": ("cores", "Build the directory of a core: Verilog, manifest, documentation."),
    "verify": (
        "cores",
        "Simulate the Verilog of a directory against its model, or against plain integers.",
    ),
    "attack": ("attack", "Attack a simulated core, and tell what comes of it."),
    "trace": (
        "trace",
        "Record what registers hold in each cycle of an operation, with names of what happens.",
    ),
    "synth": (
        "cores",
        "Synthesise a directory for a device; place and route it where nextpnr can.",
    ),
    "report": ("cores", "Write report.html into a directory, with all results so far."),
    "compare": (
        "cores",
        "Compare cores side by side: keys, cycles, resources, clocks, verification.",
    ),
    "explore": (
        "explore",
        "Find the best cores of a space: all modelled, those that may be best placed.",
    ),
    "pick": ("explore", "Choose a core among those that explorations measured."),
    "bases": ("cores", "Search the pair of bases that a specification leads to."),
    "cost": ("cores", "Count the operations of the algorithms beside the formulas."),
    "range": (
        "ranges",
        "Find where to reduce a formula in an RNS, and the range that it needs then.",
    ),
    "tables": (
        "papers",
        "Make the tables and figures of a paper, with measured columns beside the published ones.",
    ),
    "evidence": (
        "evidence",
        "Measure published figures of all cores again; rows that still hold are kept.",
    ),
    "primes": (
        "primes",
        "Find primes d M_a^2 - c for SBMM; prove one and find its second half-base.",
    ),
    "soc": (
        "systems",
        "Make a system on a chip of cores: RISC-V, memory, serial port, program.",
    ),
    "bitstream": (
        "systems",
        "Make the bitstream of a system for its board; ends with 1 if its clock is not reached.",
    ),
    "host": ("systems", "Ask a system on a chip over its serial port, simulated or on a board."),
    "provider": (
        "systems",
        "Make a provider of OpenSSL 3, whose keys and signatures cores compute.",
    ),
    "curve": ("curves", "Make a curve over a prime of one's own, for `residua build`."),
    "results": ("results", "Tell which measured rows hold, and which are stale or missing."),
    "cache": ("caches", "Show what is kept to save time, and where; nothing depends on it."),
}
"""The module of each verb and what it does, in the order of the help."""


class _Verbs(TyperGroup):
    """Loads the module of a verb when it is asked for; the list of verbs needs none."""

    _listing = False

    def list_commands(self, ctx: object) -> list[str]:
        del ctx
        return list(VERBS)

    # The classes of contexts and commands are private to Typer.
    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401
        self._listing = True
        super().format_help(ctx, formatter)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401
        if self._listing:
            return TyperCommand(cmd_name, help=VERBS[cmd_name][1])
        if cmd_name not in self.commands:
            # For a verb that does not exist all are loaded: one of them may have been meant.
            every = {module for module, _ in VERBS.values()}
            for name in {VERBS[cmd_name][0]} if cmd_name in VERBS else every:
                module = import_module(f"{__name__}.{name}")
                self.commands.update(typer.main.get_group(module.app).commands)
        return super().get_command(ctx, cmd_name)


_COLLECTIONS = 2_000_000, 20, 20
"""Thresholds of the garbage collector: high, as nearly all that a build makes stays."""

app = typer.Typer(
    cls=_Verbs,
    name="residua",
    help="From a modulus or a curve to verified RNS modular-arithmetic hardware.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        # Looked up in the metadata of the package.
        from residua import __version__

        sys.stdout.write(f"residua {__version__}\n")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    del version


class _Stop:
    """The signal that ends the program: everything is cleaned up, and nothing else is said."""

    def __init__(self) -> None:
        self.code = 0

    def note(self, number: int) -> None:
        """What the exit code tells, and that hardware is thrown away."""
        self.code = 128 + number
        if hdl := sys.modules.get("amaranth.hdl"):
            # Hardware that is not finished is thrown away, of which Amaranth would warn.
            setattr(hdl.Elaboratable, "_MustUse__silence", True)  # noqa: B010 - of another module


def main() -> None:
    """The program: what a user can put right ends in one paragraph and exit code 2."""
    gc.set_threshold(*_COLLECTIONS)
    stop = _Stop()
    interrupts.obey(stop.note)
    try:
        app()
    except (SpecificationError, ToolError) as error:
        sys.stderr.write(f"residua: {error}\n")
        sys.exit(2)
    except BrokenPipeError:
        # The reader of a pipe left; nothing is wrong here.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except BaseException:
        # Compiled libraries make other exceptions of an interrupt while they are loaded.
        if stop.code:
            interrupts.ignore()
            sys.exit(stop.code)
        raise
