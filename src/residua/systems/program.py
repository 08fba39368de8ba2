"""The program that answers a host: its sources, and what it is compiled with.

It reaches devices through the functions of ``board.h``, which each system has of its own.
"""

from collections.abc import Sequence
from dataclasses import asdict
from importlib.resources import files

from residua.cores.coprocessor.core import CoprocessorCore
from residua.cores.templating import environment
from residua.systems.cores import RsaCore, RsaKeys, size_macros
from residua.systems.known_answers import known_answers, known_root

SOURCES = ("memory.c", "bytes.c", "frames.c", "commands.c", "rsa_commands.c", "main.c")
HEADERS = ("board.h", "bytes.h", "frames.h", "commands.h", "rsa_commands.h")
KNOWN = "known.c"
"""The file of the known answers, with which the program tests itself."""

STACK_BYTES = 6144
"""What the driver needs of the stack, at most, for numbers of 17 words; see `residua_ecc.h`."""

_RSA_STACK_BYTES, _RSA_STACK_WORD_BYTES = 2048, 108
"""The same to load a key for RSA, and for each of its words; see `residua_modular.h`."""

Cores = Sequence[CoprocessorCore | RsaCore]


def coprocessors(cores: Cores) -> list[CoprocessorCore]:
    """Those for elliptic curves, by the numbers of their devices."""
    return [core for core in cores if isinstance(core, CoprocessorCore)]


def rsa_cores(cores: Cores) -> list[RsaCore]:
    """Those for RSA, by the numbers of their devices."""
    return [core for core in cores if not isinstance(core, CoprocessorCore)]


def source(name: str) -> str:
    """A file of the program."""
    return (files("residua.systems") / "firmware" / name).read_text(encoding="utf-8")


def texts(cores: Cores) -> dict[str, str]:
    """`SOURCES`, `HEADERS` and `KNOWN`, by name."""
    found = {name: source(name) for name in (*SOURCES, *HEADERS)}
    known = [
        {
            "device": device,
            "curve": number,
            "index": f"{device}_{number}",
            "numbers": {key: list(value) for key, value in asdict(known_answers(curve)).items()},
        }
        for device, core in enumerate(coprocessors(cores))
        for number, curve in enumerate(core.core.curves)
    ]
    known_rsa = [
        {key: list(value) for key, value in asdict(known_root(core.name, RsaKeys.of(core))).items()}
        for core in rsa_cores(cores)
    ]
    found[KNOWN] = (
        environment("residua.systems").get_template(KNOWN).render(known=known, known_rsa=known_rsa)
    )
    return found


def macros(cores: Cores) -> list[str]:
    """What the program is compiled with, ``NAME=VALUE``."""
    points = [2 * core.capabilities.words for core in coprocessors(cores)]
    numbers = [core.commanded.words for core in rsa_cores(cores)]
    answer = 2 + max(identity_bytes(cores), 1 + 4 * max(points + numbers))
    return [*size_macros(cores), f"COMMANDS_ANSWER={answer}u"]


def identity_bytes(cores: Cores) -> int:
    """Bytes of what the command IDENTIFY gives."""
    named = sum(1 + len(core.name) for core in cores)
    curves = [curve for core in coprocessors(cores) for curve in core.driver_curves]
    kinds = sum(1 if isinstance(core, CoprocessorCore) else 3 for core in cores)
    return 3 + named + kinds + sum(6 + len(curve.name) for curve in curves)


def stack_bytes(cores: Cores) -> int:
    """What the drivers need of the stack, at most."""
    words = max((core.commanded.words for core in rsa_cores(cores)), default=0)
    return max(STACK_BYTES, _RSA_STACK_BYTES + _RSA_STACK_WORD_BYTES * words)
