"""A server with a provider, and ordinary clients of OpenSSL, several at a time."""

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from residua.systems.provider.provider_cores import CURVES
from residua.systems.provider.provider_directory import SETTINGS
from residua.toolchain.c_compiler import STRICT, compile_program
from residua.toolchain.executors import submitted
from residua.toolchain.process import ToolError, run, side_by_side

_SOURCE = Path(__file__).with_name("server.c")

_PLAIN = {"OPENSSL_CONF": "/dev/null"}
"""OpenSSL without a provider of its own."""

_START, _EACH = 60, 20
"""Seconds in which the server starts and ends, and that a handshake may take."""

_MOST_FAILURES = 5
"""Texts of what went wrong that are kept."""


@dataclass(frozen=True)
class Outcome:
    """How handshakes ended.

    Attributes:
        completed: those that both sides completed.
        seconds: from the first to the last.
        failures: what went wrong: nothing if all are completed.
    """

    completed: int
    seconds: float
    failures: tuple[str, ...]


def handshakes(
    provider: Path,
    curve: str,
    work: Path,
    *,
    count: int,
    clients: int,
    environment: Mapping[str, str] | None = None,
) -> Outcome:
    """Have clients make handshakes of TLS 1.3 with one server that has a provider.

    The server has a new certificate, signed by its own key on P-256.

    Args:
        provider: directory of a provider, which has P-256 and the curve.
        curve: of the key shares, as the provider names it.
        work: takes keys, program and logs.
        count: handshakes.
        clients: at a time.
        environment: further variables of the server.

    Raises:
        ToolError: OpenSSL or a compiler failed, or the server does not start.
    """
    work.mkdir(parents=True, exist_ok=True)
    server = _Server(work)
    variables = {
        "OPENSSL_CONF": str((provider / SETTINGS).resolve()),
        "OPENSSL_MODULES": str(provider.resolve()),
        **(environment or {}),
    }
    with side_by_side(clients + 1) as pool:
        serving = submitted(pool, server.run, count, variables)
        port = server.port()
        first = time.monotonic()
        runs = pool.map(lambda one: server.connect(port, curve, one), range(count))
        told = [text for text in runs if text]
        seconds = time.monotonic() - first
        try:
            found = re.search(r"^COMPLETED (\d+)$", serving.result(), re.MULTILINE)
            completed = int(found[1]) if found else 0
        except ToolError as error:
            told, completed = [*told, str(error)], 0
    if completed < count:
        told.append(f"the server completed {completed} of {count} handshakes")
    return Outcome(min(completed, count - len(told)), seconds, tuple(told[:_MOST_FAILURES]))


class _Server:
    """A server, with a key and a certificate of its own."""

    def __init__(self, work: Path) -> None:
        self._work = work.resolve()
        self._key, self._certificate = self._work / "key.pem", self._work / "certificate.pem"
        self._log = self._work / "server.log"
        words = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        self._openssl(
            "req",
            *words,
            *("-config", "/dev/null", "-subj", "/CN=localhost"),
            *("-keyout", self._key, "-out", self._certificate),
        )
        flags = (*STRICT, "-D_DEFAULT_SOURCE", "-pthread")
        self._program = self._work / "server"
        compile_program([_SOURCE], self._program, flags=flags, needs=["ssl", "crypto"])

    def run(self, count: int, variables: Mapping[str, str]) -> str:
        """Serve so many clients; what the server tells.

        Raises:
            ToolError: it failed, or takes too long.
        """
        return run(
            [self._program, self._certificate, self._key, str(count)],
            tool="the server",
            cwd=self._work,
            log=self._log,
            environment=variables,
            timeout=_START + _EACH * count,
        )

    def port(self) -> str:
        """The port that it listens at.

        Raises:
            ToolError: there is none in time.
        """
        first, text = time.monotonic(), ""
        while time.monotonic() - first < _START:
            text = self._log.read_text(errors="replace") if self._log.exists() else ""
            if found := re.search(r"^PORT (\d+)$", text, re.MULTILINE):
                return found[1]
            time.sleep(0.01)
        raise ToolError("the server does not start", [str(self._program)], self._log, text)

    def connect(self, port: str, curve: str, number: int) -> str:
        """One handshake of a client; what went wrong, if anything."""
        known = CURVES[curve]
        wanted = {
            "the certificate": r"Verify return code: 0 \(ok\)",
            "the version": r"New, TLSv1\.3",
            "the signature": "Peer signature type: ECDSA",
            "the key share": rf"Server Temp Key: .*\b{known.names[0]}\b",
        }
        try:
            text = self._openssl(
                "s_client",
                *("-connect", f"localhost:{port}", "-4", "-tls1_3", "-groups", known.tls_name),
                *("-CAfile", self._certificate, "-verify_return_error"),
                name=f"client_{number}",
            )
        except ToolError as error:
            return f"client {number}: {error}"
        missing = [name for name, words in wanted.items() if not re.search(words, text)]
        return f"client {number}: {', '.join(missing)} is not as it should be" if missing else ""

    def _openssl(self, *words: str | Path, name: str = "openssl") -> str:
        log = self._work / f"{name}.log"
        text = run(
            ["openssl", *words],
            tool=f"openssl {words[0]}",
            cwd=self._work,
            log=log,
            environment=_PLAIN,
            timeout=_START + _EACH,
        )
        log.unlink()
        return text
