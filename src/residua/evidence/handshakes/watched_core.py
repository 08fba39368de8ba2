"""A simulated core of a provider that counts what it is asked for."""

from dataclasses import dataclass
from pathlib import Path

from residua.cores.coprocessor.core import CoprocessorCore
from residua.cores.directory import Directory
from residua.hardware.bus.register_map import RegisterMap
from residua.hardware.coprocessor.traffic import coprocessor_traffic
from residua.systems.provider.provider_directory import simulation
from residua.toolchain.c_compiler import STRICT, compile_library

_SOURCE = Path(__file__).with_name("watched.c")

HEADERS = Path(__file__).parent
"""The folder of ``real_core.h``, which has the real simulation of a core."""


@dataclass(frozen=True)
class Counts:
    """What a core was asked for.

    Attributes:
        cycles: of its clock, while it was open.
        most: requests that it had at a time.
        requests: of each coprocessor.
    """

    cycles: int
    most: int
    requests: tuple[int, ...]


@dataclass(frozen=True)
class Watch:
    """A core of a provider that is watched.

    Attributes:
        real: the library of its simulation.
        report: what it tells at its end.
    """

    real: Path
    report: Path

    @property
    def environment(self) -> dict[str, str]:
        """Variables that a program with the provider has to have."""
        return {"WATCHED_REAL": str(self.real), "WATCHED_REPORT": str(self.report)}

    def counts(self) -> Counts:
        """What the core was asked for by a program that has ended."""
        cycles, most, *requests = map(int, self.report.read_text(encoding="ascii").split())
        return Counts(cycles, most, tuple(requests))


def watch(provider: Path, core: Directory) -> Watch:
    """Put a core that counts in the place of one of a provider's simulations.

    Raises:
        ToolError: the compiler failed.
    """
    place = simulation(provider, core).resolve()
    real = place.rename(place.with_name(f"real_{place.name}"))
    flags = (*STRICT, "-fPIC", "-shared", "-D_GNU_SOURCE", *macros(core))
    compile_library([_SOURCE], place, flags=flags, needs=["dl"])
    return Watch(real, place.with_suffix(".txt"))


def macros(core: Directory) -> list[str]:
    """Flags that tell a C file where requests and results of a coprocessor are seen."""
    made = core.made
    assert isinstance(made, CoprocessorCore)
    registers = RegisterMap(made.capabilities)
    found = {
        "TOP": core.top,
        "INSTANCES": made.instances,
        "CONTROL": registers["CONTROL"].address,
        "START": registers["CONTROL"].fields["start"].mask,
        "RESULT": registers["RESULT"].address,
    }
    if made.instances > 1:
        instance = registers["TRAILER"].fields["instance"]
        found |= {
            "WORDS": coprocessor_traffic(made.core.design).most_results + 1,
            "INSTANCE": instance.mask,
            "INSTANCE_LOW": instance.low,
        }
    return [f"-D{name}={value}" for name, value in found.items()]
