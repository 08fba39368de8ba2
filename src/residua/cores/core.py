"""The contract of every core: from a specification to hardware, files, promises and evidence."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

from amaranth.lib.wiring import Component

from residua.cores.integration import integration_files
from residua.cores.manifest import SPECIFICATION, begun, commented, completed, ports, render
from residua.cores.proofs.boundary import Boundary
from residua.cores.simulation.result import Simulated, VerificationResult
from residua.cores.simulation.runs import PRODUCTS, Runs
from residua.cores.specification.base import CoreSpecification
from residua.cores.summary import logic
from residua.hardware.bus.tops import BUSES
from residua.hardware.rtl import emit
from residua.numbers.cox import Range
from residua.output import Progress

if TYPE_CHECKING:
    from residua.cores.directory import Directory

STREAM_PORTS = {
    "clk": "clock, rising edge",
    "rst": "synchronous reset, active high",
    "operands_payload": "one word of the operands",
    "operands_valid": "the payload is a word",
    "operands_ready": "the word is taken in this cycle",
    "result_payload": "one word of the result in the low bits, the flag last in the top bit",
    "result_valid": "the payload is a word",
    "result_ready": "the word is taken in this cycle",
}
"""Purposes of the ports of a core with streams of words."""

BENCH, VECTORS = "sim/bench.v", "sim/vectors.hex"
"""Test bench of a core that has one, and what it reads."""

SURROUNDING_BENCH = {"bench": BENCH, "vectors": VECTORS}
"""Names that templates have for them."""


@dataclass(frozen=True)
class Pace:
    """How fast a core does what it is made for, in cycles; cores are compared by it.

    Attributes:
        operation: name of what it is made for; "" if it does one thing only.
        latency: from the operands to the result.
        interval: from one operation to the next.
    """

    operation: str
    latency: int
    interval: int


class Core(ABC):
    """A core: its properties are calculated when they are asked for.

    Its templates (``header.txt`` of the Verilog, ``README.md``, ``page.html`` of the report) are in
    the folder ``templates`` of the package that its class is in; where one is missing, that of
    `residua.cores` is taken.

    Attributes:
        request: the specification as given.
        ecp5_mhz: the clock that its constraints for an ECP5 ask for.
        complete_run: whether a single run of a verification exercises every operation of the core.
    """

    request: CoreSpecification
    ecp5_mhz: ClassVar[float] = 200.0
    complete_run: ClassVar[bool] = False

    @classmethod
    def of(cls, specification: Any) -> Self:  # noqa: ANN401 - each kind has its own
        """The core that a specification of this kind asks for.

        Raises:
            SpecificationError: the request cannot be met.
        """
        return cls(specification)  # type: ignore[call-arg]  # Every kind is made of one.

    @property
    @abstractmethod
    def name(self) -> str:
        """Name of the core; `residua.cores.naming` makes the default."""

    @property
    def top(self) -> str:
        """Name of the top module."""
        return self.name

    @property
    @abstractmethod
    def title(self) -> str:
        """Title of the core, in a few words."""

    @property
    @abstractmethod
    def specification(self) -> CoreSpecification:
        """The request with every choice made; it leads to this core again."""

    @property
    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """Every chosen number, big ones as decimal strings."""

    @property
    @abstractmethod
    def cycles(self) -> dict[str, Any]:
        """Latencies and other times, in cycles."""

    @property
    def pace(self) -> Pace:
        """How fast it does what it is made for."""
        return Pace("", self.cycles["latency"], self.cycles["interval"])

    @property
    @abstractmethod
    def ranges(self) -> dict[str, Range]:
        """The closed intervals in which operands, results and what is between lie."""

    @property
    @abstractmethod
    def interface(self) -> dict[str, Any]:
        """Inputs and outputs, in their order."""

    @abstractmethod
    def component(self) -> Component:
        """A new component of the design, without a bus."""

    @property
    @abstractmethod
    def boundary(self) -> Boundary:
        """Its secrets, and what an observer may see of them, for the proof of constant time."""

    @property
    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """The part of the manifest that the core determines."""

    @abstractmethod
    def files(self, progress: Progress = lambda step: None) -> dict[str, str]:
        """All files of the directory by name, the manifest last; the same core, the same bytes.

        Raises:
            SpecificationError: the request cannot be met.
        """

    @property
    def default_runs(self) -> int:
        """Number of results that a verification compares by default."""
        return PRODUCTS

    @abstractmethod
    def simulate(self, sources: Sequence[Path], runs: Runs) -> Simulated:
        """Compare its Verilog in simulation, without a bus, with what it has to give.

        Args:
            sources: the Verilog, with the primitives.
            runs: how many, with which operands, stalls and resets.

        Raises:
            SpecificationError: no runs.
            ToolError: the simulator cannot be built or run.
        """

    @abstractmethod
    def verify(self, directory: "Directory", runs: Runs) -> tuple[dict[str, Any], dict[str, Any]]:
        """Run the files of its directory; see `residua.cores.verification.verify_directory`.

        Returns:
            What was found, with ``passed`` and ``failures``, and how long it took.

        Raises:
            SpecificationError: no runs.
            ToolError: the simulator cannot be built or run.
        """

    @classmethod
    @abstractmethod
    def times(cls, directory: "Directory", found: dict[str, Any]) -> dict[str, Any]:
        """Convert cycles of a core of this kind to times, by the clock that synthesis found.

        Args:
            directory: of the core, which need not be made again.
            found: ``resources``, and perhaps ``fmax_mhz``.
        """

    @property
    def page_template(self) -> str:
        """Template of the report."""
        return "page.html"

    @property
    def page(self) -> dict[str, Any]:
        """Values of the report's template beside the manifest."""
        return {"hex": hex}

    @property
    def template_package(self) -> str:
        """The package that its templates are in."""
        return type(self).__module__.rpartition(".")[0]

    def rendered(self, template: str, manifest: dict[str, Any], **names: object) -> str:
        """One of its templates, with the manifest."""
        return render(template, manifest, self.template_package, title=self.title, **names)


class Surroundings(Protocol):
    """The bus around a core that has plain streams itself, and the files that come with it.

    Attributes:
        bus: its name.
    """

    @property
    def bus(self) -> str:
        """Name of the bus."""

    def component(self) -> Component:
        """The bus and its registers around an instance of the core."""

    def port_meaning(self, port: str) -> str:
        """Purpose of a port of the top module."""

    def facts(self) -> dict[str, Any]:
        """The part of the manifest that the bus adds."""

    def files(self, core: Core, manifest: dict[str, Any]) -> dict[str, str]:
        """Files by name: a test bench, what software needs."""

    def verify(self, directory: "Directory", seed: int) -> tuple[int, list[str]]:
        """Run operations through the bus; how many ran, and what went wrong."""


class PlainCore(Core):
    """A core that is one module with streams: operands go in, one kind of result comes out.

    Attributes:
        runs: what its report calls the runs of a verification.
    """

    runs: ClassVar[str] = "results"

    @property
    def surroundings(self) -> Surroundings | None:
        """The bus around it; None if there is none."""
        return None

    @property
    def top(self) -> str:
        """Name of the top module, with a bus that of the core and the bus."""
        around = self.surroundings
        return f"{self.name}_{BUSES[around.bus].suffix}" if around else self.name

    @property
    @abstractmethod
    def subject(self) -> str:
        """The title with what it is for, in one line."""

    @property
    def utilisation(self) -> float | None:
        """The part of the multipliers' cycles in which they are at work; None if that says little.

        At most 1, in the steady state.
        """
        return None

    @abstractmethod
    def simulate(self, sources: Sequence[Path], runs: Runs) -> VerificationResult:
        """Compare its Verilog in simulation with what it has to give; see `Core.simulate`."""

    @classmethod
    def times(cls, directory: "Directory", found: dict[str, Any]) -> dict[str, Any]:
        """Convert its cycles to times; see `Core.times`."""
        cycles, mhz = directory.manifest["cycles"], found.get("fmax_mhz")
        figures: dict[str, Any] = {
            "cycles": cycles,
            "utilisation": directory.manifest["utilisation"],
        }
        if not mhz:
            return {**figures, "fmax_mhz": None, "latency_ns": None, "area_time": None}
        latency = 1000 * cycles["latency"] / mhz
        return {
            **figures,
            "latency_ns": round(latency, 1),
            "interval_ns": round(1000 * cycles["interval"] / mhz, 1),
            "area_time": round(logic(found["resources"])[0] * latency / 1000, 1),
        }

    @property
    def page(self) -> dict[str, Any]:
        """Values of the report's template beside the manifest."""
        return {**super().page, "runs": self.runs}

    @property
    def header(self) -> str:
        """Template of the header of the Verilog."""
        return "header.txt"

    @property
    def readme(self) -> str:
        """Template of README.md."""
        return "README.md"

    @property
    def port_meanings(self) -> Mapping[str, str]:
        """Purpose of each port, by its name."""
        return STREAM_PORTS

    @property
    def names(self) -> dict[str, object]:
        """Values of the templates of header and README.md beside manifest and title."""
        return {}

    @property
    def facts(self) -> dict[str, Any]:
        """The part of the manifest that the core determines."""
        return {
            "specification": self.specification.items(),
            "parameters": {
                **self.parameters,
                **({"bus": self.surroundings.bus} if self.surroundings else {}),
            },
            "cycles": self.cycles,
            "utilisation": self.utilisation,
            "ranges": {name: [str(low), str(high)] for name, (low, high) in self.ranges.items()},
            "interface": self.interface,
        }

    def files(self, progress: Progress = lambda step: None) -> dict[str, str]:
        """All files of the directory by name; see `Core.files`."""
        progress("Verilog")
        specification, rtl = self.specification.toml(), emit(self.component(), self.name)
        path, around = f"rtl/{self.name}.v", self.surroundings
        own = ports(rtl[path], self.name, self.port_meanings.__getitem__)
        manifest: dict[str, Any] = {
            **begun(self.name, self.top, specification),
            **self.facts,
            "ports": own,
        }
        rtl[path] = commented(self.rendered(self.header, manifest, **self.names)) + rtl[path]
        surrounding: dict[str, str] = {}
        bench: dict[str, str] = {}
        if around:
            progress("bus and driver")
            surrounding, bench = self._surrounded(around, manifest, rtl), SURROUNDING_BENCH
        # The contract is that of the core inside, with its own ports.
        inside = manifest | {"ports": own}
        readme = self.rendered(
            self.readme, inside, **self.names, **bench, bus_ports=manifest["ports"]
        )
        files = {
            SPECIFICATION: specification,
            "README.md": readme,
            **rtl,
            **surrounding,
            **integration_files(manifest, self.subject, self.ecp5_mhz, **bench),
        }
        return completed(manifest, files)

    def _surrounded(
        self, around: Surroundings, manifest: dict[str, Any], rtl: dict[str, str]
    ) -> dict[str, str]:
        """Add the top module to ``rtl`` and to the manifest; the files that come with the bus."""
        made = emit(around.component(), self.top, prefix=self.name)
        path = f"rtl/{self.top}.v"
        # The bus has no primitives: those of the core complete both.
        rtl[path] = made[path]
        manifest |= around.facts()
        manifest |= {
            "raw_ports": manifest["ports"],
            "ports": ports(rtl[path], self.top, around.port_meaning),
        }
        rtl[path] = commented(self.rendered("header_bus.txt", manifest)) + rtl[path]
        return around.files(self, manifest)

    def verify(self, directory: "Directory", runs: Runs) -> tuple[dict[str, Any], dict[str, Any]]:
        """Run the files of its directory; see `Core.verify`."""
        # Simulations take long to load, and making a core does not need them.
        from residua.cores.simulation.plain import verify_plain  # noqa: PLC0415

        return verify_plain(self, directory, runs)
