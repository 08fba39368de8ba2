"""The files of a directory whose core has streams of words and no engine with one program."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from amaranth.lib.wiring import Component

from residua.cores.integration import integration_files
from residua.cores.manifest import SPECIFICATION, begun, commented, completed, ports, render
from residua.hardware.rtl import emit

STREAM_MEANINGS = {
    "clk": "clock, rising edge",
    "rst": "synchronous reset, active high",
    "operands_valid": "the payload is a word",
    "operands_ready": "the word is taken in this cycle",
    "result_valid": "the payload is a word",
    "result_ready": "the word is taken in this cycle",
}
"""What ports are for, but for the payloads."""


class StreamSpecification(Protocol):
    """What such a core is made of."""

    def toml(self) -> str:
        """The specification as a TOML file."""


class StreamCore(Protocol):
    """A core with streams of words."""

    @property
    def name(self) -> str:
        """Name of the top module."""

    @property
    def specification(self) -> StreamSpecification:
        """The request with every choice made."""

    @property
    def component(self) -> Callable[[], Component]:
        """Makes a new component."""


def stream_files(
    core: StreamCore,
    description: Mapping[str, Any],
    meanings: Mapping[str, str],
    *,
    title: str,
    subject: str,
    header: str,
    readme: str,
    **names: object,
) -> dict[str, str]:
    """All files by name, the manifest last.

    Args:
        core: the core.
        description: the part of the manifest that the core determines.
        meanings: what each port is for.
        title: what the core is.
        subject: the same, with what it is for.
        header: template of the header of the Verilog.
        readme: that of README.md.
        names: what the templates use besides the manifest and the title.
    """
    specification, rtl = core.specification.toml(), emit(core.component(), core.name)
    top = f"rtl/{core.name}.v"
    manifest: dict[str, Any] = {
        **begun(core.name, core.name, specification),
        **description,
        "ports": ports(rtl[top], core.name, meanings.__getitem__),
    }
    rtl[top] = commented(render(header, manifest, title=title, **names)) + rtl[top]
    files = {
        SPECIFICATION: specification,
        "README.md": render(readme, manifest, title=title, **names),
        **rtl,
        **integration_files(manifest, subject),
    }
    return completed(manifest, files)
