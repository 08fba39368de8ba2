"""The verbs soc, bitstream, host, provider: what is made of cores, and talking to it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from residua.cli.cores import Output
from residua.cli.terminal import Json, Verb, show, steps
from residua.cores.simulation.runs import SEEDS
from residua.errors import SpecificationError
from residua.systems.boards.sources import BOARDS
from residua.systems.padding import Padding

if TYPE_CHECKING:
    from rich.console import RenderableType

    from residua.systems.host import Host, HostCurve

app = typer.Typer()
host = typer.Typer(
    name="host",
    help="Ask a system on a chip over its serial port, simulated or on a board.",
    no_args_is_help=True,
)
app.add_typer(host)

Cores = Annotated[
    list[Path],
    typer.Argument(
        metavar="DIR",
        help="Directories of coprocessors and cores for RSA, on Wishbone or AXI4-Lite.",
    ),
]
System = Annotated[Path, typer.Argument(metavar="DIR", help="A directory of `residua soc`.")]
Port = Annotated[
    str | None,
    typer.Option(metavar="TTY", help="The serial port of a board. [default: a simulation]"),
]
Curve = Annotated[str | None, typer.Option(metavar="NAME", help="The curve, if there are more.")]
CoreName = Annotated[str | None, typer.Option("--core", metavar="NAME", help="The core.")]
Key = Annotated[
    str, typer.Option(metavar="HEX", help="A private key, or @ and the name of a file with it.")
]
Public = Annotated[str, typer.Option(metavar="HEX", help="A public key, as a point.")]
HashName = Annotated[
    str, typer.Option("--hash", metavar="NAME", help="What made the digest, by hashlib's name.")
]
Digest = Annotated[str, typer.Option(metavar="HEX", help="A digest, of at most 64 bytes.")]
Timeout = Annotated[
    float, typer.Option(metavar="S", min=0.01, help="Seconds to wait for an answer.")
]


@app.command(cls=Verb)
def soc(
    cores: Cores,
    *,
    output: Output,
    name: Annotated[str, typer.Option(metavar="NAME", help="Of the top module.")] = "soc",
    cpu: Annotated[str, typer.Option(metavar="CPU", help="The processor.")] = "picorv32",
    ram: Annotated[
        int,
        typer.Option(metavar="BYTES", min=1, help="Memory of program and data, a power of two."),
    ] = 65536,
    clock: Annotated[float, typer.Option(metavar="MHZ", help="Of the system.")] = 50.0,
    core_clock: Annotated[
        float | None,
        typer.Option(metavar="MHZ", help="Of the coprocessors. [default: that of the system]"),
    ] = None,
    baud: Annotated[int, typer.Option(metavar="BAUD", min=1, help="Of the serial port.")] = 115200,
    board: Annotated[
        str | None,
        typer.Option(
            metavar="BOARD",
            help=f"Add pins, clock, reset and a noise source for a board: {', '.join(BOARDS)}.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Make a system on a chip of cores: RISC-V, memory, serial port, program."""
    from residua.cores.directory import Directory
    from residua.systems import soc_directory

    request = soc_directory.SocRequest(
        tuple(Directory.open(path) for path in cores),
        name,
        cpu,
        ram,
        clock,
        baud,
        board,
        core_clock,
    )
    with steps("soc") as step:
        made = soc_directory.build(request, output, step)
    show(made.manifest, as_json, _system_table)


@app.command(cls=Verb)
def bitstream(
    directory: System,
    *,
    seeds: Annotated[int, typer.Option(metavar="N", min=1, help="Placements to try.")] = SEEDS,
    self_test: Annotated[
        bool,
        typer.Option(
            "--self-test", help="Boot the netlist in a simulation before, and run its self-test."
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Make the bitstream of a system for its board; ends with 1 if its clock is not reached."""
    from residua.systems.boards.bitstream import make_bitstream
    from residua.systems.soc_directory import SocDirectory

    system = SocDirectory.open(directory)
    with steps("bitstream") as step:
        found = make_bitstream(system, seeds=seeds, self_test=self_test, progress=step)
    show(found, as_json, lambda result: _bitstream_tables(system.manifest, result))
    if not found["met"]:
        raise typer.Exit(1)


@app.command(cls=Verb)
def provider(
    cores: Cores,
    *,
    output: Output,
    simulated: Annotated[
        bool, typer.Option("--simulated", help="With simulations of the cores. [default: UIO]")
    ] = False,
    as_json: Json = False,
) -> None:
    """Make a provider of OpenSSL 3, whose keys and signatures cores compute."""
    from residua.cores.directory import Directory
    from residua.systems.provider import provider_directory

    request = provider_directory.ProviderRequest(
        tuple(Directory.open(path) for path in cores), simulated
    )
    with steps("provider") as step:
        made = provider_directory.build(request, output, step)
    show(made, as_json, _provider_table)


@host.command(cls=Verb)
def identify(
    directory: System, *, port: Port = None, timeout: Timeout = 60.0, as_json: Json = False
) -> None:
    """List the cores of the system, their curves and their keys, as it tells them."""
    with _host(directory, port, timeout) as found:
        curves = [asdict(curve) | {"point_size": curve.point_size} for curve in found.curves]
        rsa_cores = [asdict(core) for core in found.rsa_cores]
    show({"curves": curves, "rsa_cores": rsa_cores}, as_json, _identity_tables)


@host.command("self-test", cls=Verb)
def self_test(
    directory: System, *, port: Port = None, timeout: Timeout = 600.0, as_json: Json = False
) -> None:
    """Have the system compare its known answers: keys and a secret of each curve, RSA's roots."""
    with _host(directory, port, timeout) as found:
        answers = found.self_test()
    show({"known_answers": answers, "passed": True}, as_json, _pairs)


@host.command("public-key", cls=Verb)
def public_key(
    directory: System,
    *,
    key: Key,
    curve: Curve = None,
    core: CoreName = None,
    port: Port = None,
    timeout: Timeout = 60.0,
    as_json: Json = False,
) -> None:
    """Compute the public key of a private key."""
    secret = _bytes("--key", key)
    with _chosen(directory, port, timeout, curve, core) as (found, own):
        answer = found.public_key(own, secret)
    show({"curve": own.name, "public_key": answer.hex()}, as_json, _pairs)


@host.command(cls=Verb)
def ecdh(
    directory: System,
    *,
    key: Key,
    public: Public,
    curve: Curve = None,
    core: CoreName = None,
    port: Port = None,
    timeout: Timeout = 60.0,
    as_json: Json = False,
) -> None:
    """Agree on a secret with the other side's public key."""
    secret, peer = _bytes("--key", key), _bytes("--public", public)
    with _chosen(directory, port, timeout, curve, core) as (found, own):
        answer = found.ecdh(own, secret, peer)
    show({"curve": own.name, "secret": answer.hex()}, as_json, _pairs)


@host.command(cls=Verb)
def sign(
    directory: System,
    *,
    key: Key,
    digest: Digest,
    curve: Curve = None,
    core: CoreName = None,
    port: Port = None,
    timeout: Timeout = 60.0,
    as_json: Json = False,
) -> None:
    """Sign a digest by ECDSA: r and s, with a nonce of the system's random source."""
    secret, text = _bytes("--key", key), _bytes("--digest", digest)
    with _chosen(directory, port, timeout, curve, core) as (found, own):
        answer = found.sign(own, secret, text)
    show({"curve": own.name, "signature": answer.hex()}, as_json, _pairs)


@host.command(cls=Verb)
def verify(
    directory: System,
    *,
    public: Public,
    signature: Annotated[str, typer.Option(metavar="HEX", help="r and s.")],
    digest: Digest,
    curve: Curve = None,
    core: CoreName = None,
    port: Port = None,
    timeout: Timeout = 60.0,
    as_json: Json = False,
) -> None:
    """Verify an ECDSA signature of a digest; ends with 1 if it is not valid."""
    parts = (
        _bytes("--public", public),
        _bytes("--signature", signature),
        _bytes("--digest", digest),
    )
    with _chosen(directory, port, timeout, curve, core) as (found, own):
        valid = found.verify(own, *parts)
    show({"curve": own.name, "valid": valid}, as_json, _pairs)
    if not valid:
        raise typer.Exit(1)


@host.command("rsa-sign", cls=Verb)
def rsa_sign(
    directory: System,
    *,
    key: Annotated[Path, typer.Option(metavar="FILE", help="A private key in PEM.")],
    digest: Digest,
    hash_name: HashName = "sha256",
    padding: Annotated[Padding, typer.Option(help="Of the digest.")] = Padding.PSS,
    core: CoreName = None,
    port: Port = None,
    timeout: Timeout = 600.0,
    as_json: Json = False,
) -> None:
    """Sign a digest with an RSA key, by PSS with a salt of the digest's size, or PKCS #1 v1.5."""
    from residua.cores.modular_bus.driver.keys import read_private_key
    from residua.systems.known_answers import private_key

    loaded, text = read_private_key(_pem("--key", key)), _bytes("--digest", digest)
    block = padding.block(loaded.modulus, text, hash_name)
    with _host(directory, port, timeout) as found:
        own = found.find_rsa(private=True, core=core)
        found.load_rsa(own, private_key(loaded))
        answer = found.rsa(own, block)
    show({"core": own.name, "signature": answer.hex()}, as_json, _pairs)


@host.command("rsa-verify", cls=Verb)
def rsa_verify(
    directory: System,
    *,
    key: Annotated[Path, typer.Option(metavar="FILE", help="A public key or certificate in PEM.")],
    signature: Annotated[str, typer.Option(metavar="HEX", help="The signature.")],
    digest: Digest,
    hash_name: HashName = "sha256",
    padding: Annotated[Padding, typer.Option(help="Of the digest.")] = Padding.PSS,
    core: CoreName = None,
    port: Port = None,
    timeout: Timeout = 600.0,
    as_json: Json = False,
) -> None:
    """Verify an RSA signature of a digest; ends with 1 if it is not valid."""
    from residua.cores.modular_bus.driver.keys import read_public_key
    from residua.systems.known_answers import public_key

    loaded, text = read_public_key(_pem("--key", key)), _bytes("--digest", digest)
    signed, n = _bytes("--signature", signature), loaded.modulus
    _ = padding.block(n, text, hash_name)
    valid = len(signed) == -(-n.bit_length() // 8) and int.from_bytes(signed) < n
    with _host(directory, port, timeout) as found:
        own = found.find_rsa(private=False, core=core)
        if valid:
            found.load_rsa(own, public_key(n, loaded.e))
            valid = padding.matches(n, text, hash_name, found.rsa(own, signed))
    show({"core": own.name, "valid": valid}, as_json, _pairs)
    if not valid:
        raise typer.Exit(1)


@contextmanager
def _host(directory: Path, port: str | None, timeout: float) -> Iterator["Host"]:
    """The system at the other end of a serial port, or simulated.

    What it refuses within, and a line that breaks, is told like any bad request.
    """
    from residua.systems.frames import FrameError
    from residua.systems.host import Host, HostError, opened, simulated_host
    from residua.systems.soc_directory import SocDirectory

    system = SocDirectory.open(directory)
    try:
        if port is not None:
            with opened(port, system.manifest["baud"], timeout) as line:
                yield Host(line)
            return
        with steps("host") as step:
            step("the simulator")
            with simulated_host(system, timeout) as found:
                step("the system")
                yield found
    except (FrameError, HostError, OSError) as error:
        raise SpecificationError(str(error)) from error


@contextmanager
def _chosen(
    directory: Path, port: str | None, timeout: float, curve: str | None, core: str | None
) -> Iterator[tuple["Host", "HostCurve"]]:
    with _host(directory, port, timeout) as found:
        yield found, found.find(curve, core)


def _bytes(option: str, text: str) -> bytes:
    """The bytes that an option gives, or a file that it names: arguments can be seen by others."""
    content = text
    if text.startswith("@"):
        try:
            content = Path(text[1:]).read_text(encoding="ascii").strip()
        except (OSError, ValueError) as error:
            raise SpecificationError(f"{option} {text}: cannot read it: {error}") from error
    try:
        return bytes.fromhex(content)
    except ValueError as error:
        raise SpecificationError(
            f"{option} {text[:40]}: give hexadecimal digits, two a byte"
        ) from error


def _pem(option: str, path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise SpecificationError(f"{option} {path}: cannot read it: {error}") from error


def _system_table(found: dict[str, Any]) -> Sequence["RenderableType"]:
    from rich.table import Table

    table = Table("address", "bytes", "device", caption=_caption(found))
    for device, region in found["regions"].items():
        table.add_row(f"{region['base']:#010x}", str(region["size"]), _device(found, device))
    return [table]


def _bitstream_tables(system: dict[str, Any], found: dict[str, Any]) -> Sequence["RenderableType"]:
    from residua.report import documents, system_page

    tables = system_page.tables(system, found)
    return documents.terminal(documents.Document("bitstream", "", "", tables))


def _provider_table(found: dict[str, Any]) -> Sequence["RenderableType"]:
    from rich.table import Table

    table = Table("core", "serves", "device", caption=f"provider of OpenSSL {found['openssl']}")
    for core in found["cores"]:
        table.add_row(core["name"], ", ".join(core["serves"]), core["device"])
    return [table]


def _caption(found: dict[str, Any]) -> str:
    used = f"{found['program_bytes']} of {found['ram_bytes']} bytes are program"
    return f"{found['name']}: {found['cpu']} at {found['megahertz']:g} MHz, {used}"


def _device(found: dict[str, Any], device: str) -> str:
    kind, _, number = device.partition("_")
    return found["cores"][int(number)] if kind == "core" else device


def _identity_tables(found: dict[str, Any]) -> Sequence["RenderableType"]:
    from rich.table import Table

    curves = Table("core", "curve", "bytes of a coordinate", "of a point")
    for curve in found["curves"]:
        sizes = curve["field_size"], curve["point_size"]
        curves.add_row(curve["core"], curve["name"], *map(str, sizes))
    keys = Table("core", "RSA keys", "bytes of a number")
    for core in found["rsa_cores"]:
        keys.add_row(core["name"], "private" if core["private"] else "public", str(core["size"]))
    return [table for table in (curves, keys) if table.row_count]


def _pairs(found: dict[str, Any]) -> Sequence["RenderableType"]:
    from rich.table import Table

    table = Table(show_header=False)
    for name, value in found.items():
        table.add_row(name.replace("_", " "), str(value))
    return [table]
