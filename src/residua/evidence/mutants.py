"""How good the checks are: mutants of a core's Verilog, and what verification says of each."""

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from residua.cores.directory import Directory
from residua.cores.manifest import digest
from residua.cores.proofs.boundary import Boundary, valid_outputs
from residua.cores.proofs.difference import absorbed, dormant, unseen
from residua.cores.proofs.operands import word_bits
from residua.cores.proofs.operations import countable, difference
from residua.cores.proofs.traffic import simulate
from residua.cores.verification import run_directory
from residua.errors import SpecificationError
from residua.evidence.changed import with_top
from residua.evidence.time_limit import LateError, time_limit
from residua.toolchain.planted.mutation import (
    MOST_BITS,
    VARIABLE,
    Mutants,
    equivalent,
    mutate,
    side_by_side,
)
from residua.toolchain.process import ToolError

Verdict = Literal["killed", "equivalent", "open"]
"""Found by verification; proved to be no fault; neither of them."""

Check = Callable[[Directory], dict[str, Any]]
"""Verifies a directory; its ``passed`` and ``failures`` are used."""


@dataclass(frozen=True)
class Mutant:
    """What became of one mutant.

    Attributes:
        number: from 1 on.
        command: made it.
        verdict: see `Verdict`.
        reason: what killed it, or `DIFFERS` of an open one that is known to be no equivalent.
    """

    number: int
    command: str
    verdict: Verdict
    reason: str


_MOST_ABSORBING = 8192
"""Bits of memories that are written, up to which `absorbed` takes seconds."""

DIFFERS = "outputs differ in a simulation of gates"


def run_mutants(
    directory: Directory,
    count: int,
    *,
    check: Check = run_directory,
    seed: int = 1,
    seconds: float = 600,
    kept: Mapping[str, Any] | None = None,
    again: bool = True,
    keep: Callable[[dict[str, Any]], None] = lambda row: None,
) -> dict[str, Any]:
    """Verify the mutants of a core, one after the other in one simulator.

    Where the core is on a bus, mutants are made of what is around it.

    Args:
        directory: of the core; it stays as it is.
        count: mutants.
        check: the verification that is judged.
        seed: which mutants are taken of all.
        seconds: for the verification of one mutant; one that takes longer has killed it.
        kept: an earlier row, whose mutants are taken over if the mutated Verilog is the same.
        again: judge those of them again that are open, as there may be a check or a proof by now.
        keep: called with the row after each mutant, so that it can be continued.

    Returns:
        The row: ``digest`` of the mutated Verilog, ``asked`` mutants and each of those in
        ``mutants``, see `Mutant`.

    Raises:
        SpecificationError: there are fewer mutants, or the check fails on the core itself.
        ToolError: a tool failed on the core itself.
    """
    with tempfile.TemporaryDirectory(prefix="mutants-") as name:
        work = Path(name)
        made = _mutated(directory, count, seed, work / "yosys")
        text = made.verilog.read_text(encoding="utf-8")
        row: dict[str, Any] = {"digest": digest(text), "asked": count, "mutants": []}
        judged = _judged_before(kept, row["digest"], again)
        switched = with_top(directory, text, work / "core")
        if len(judged) < count and (reason := _reason(switched, check, 0, seconds)):
            raise SpecificationError(f"the check fails on {directory.name} itself: {reason}")
        for number in range(1, count + 1):
            if number not in judged:
                reason = _reason(switched, check, number, seconds)
                judged[number] = asdict(_judged(directory, made, number, reason))
            row["mutants"] = [judged[number] for number in sorted(judged)][:count]
            keep(row)
    return row


def tally(row: Mapping[str, Any]) -> dict[str, int]:
    """How many mutants of a row have which verdict."""
    verdicts = [mutant["verdict"] for mutant in row["mutants"]]
    return {verdict: verdicts.count(verdict) for verdict in ("killed", "equivalent", "open")}


def _mutated(directory: Directory, count: int, seed: int, work: Path) -> Mutants:
    """Mutants of a core, or of the bus around it."""
    core = None
    if directory.top != directory.name:
        core = directory.path / f"rtl/{directory.name}.v"
    return mutate(directory.sources(), directory.top, count, out_dir=work, seed=seed, spared=core)


def _judged_before(
    kept: Mapping[str, Any] | None, digest: str, again: bool
) -> dict[int, dict[str, Any]]:
    """The mutants of an earlier row by number, without open ones if these are judged again."""
    if not kept or kept["digest"] != digest:
        return {}
    return {
        one["number"]: one for one in kept["mutants"] if not (again and one["verdict"] == "open")
    }


def _judged(directory: Directory, made: Mutants, number: int, reason: str) -> Mutant:
    command = made.commands[number - 1]
    if reason:
        return Mutant(number, command, "killed", reason)
    survivor = _Survivor(directory, made, number)
    proved = survivor.is_proved()
    if not proved and survivor.differs:
        return Mutant(number, command, "open", DIFFERS)
    return Mutant(number, command, "equivalent" if proved else "open", "")


@dataclass(frozen=True)
class _Survivor:
    """A mutant that verification does not kill, and the proofs that it is equivalent."""

    directory: Directory
    made: Mutants
    number: int

    def is_proved(self) -> bool:
        """Whether any proof succeeds."""
        if self._boundary and (
            self._unseen_by(dormant, operands=self._operands) or self._counted_through()
        ):
            return True
        if self.made.written_bits > MOST_BITS:
            return self._proved_in_parts()
        if self._boundary and self._unseen_by(unseen):
            return True
        if not self.differs and self._equivalent():
            return True
        # What differs for some inputs may yet be the same for operands within their ranges.
        exact = {"exact": True, "operands": self._operands}
        return bool(self._boundary and (self._operands or not self.differs)) and any(
            self._unseen_by(unseen, **exact, copied=copied) for copied in (False, True)
        )

    @cached_property
    def differs(self) -> bool:
        """Whether outputs differ in a simulation; of large memories, it is not looked at."""
        if self.made.written_bits > MOST_BITS:
            return False
        network = side_by_side(self.made, self.number, valid=self._valid)
        return any(outputs.any() for outputs in simulate(network))

    def _proved_in_parts(self) -> bool:
        """Try with memories cut off; whole they take minutes, to simulate as well as to prove.

        What is unseen is proved in seconds, what is equivalent only in minutes.
        """
        small = self.made.written_bits <= _MOST_ABSORBING
        proved = self._boundary is not None and (
            (small and self._unseen_by(absorbed, operands=self._operands))
            or self._unseen_by(unseen)
            or (small and self._unseen_by(unseen, exact=True, copied=True))
        )
        return proved or self._equivalent()

    def _unseen_by(self, proof: Callable[..., bool], **options: object) -> bool:
        return proof(self.made, self.number, self._boundary, valid=self._valid, **options)

    def _equivalent(self) -> bool:
        return equivalent(self.made, self.number, valid=self._valid)

    def _counted_through(self) -> bool:
        """All operands take minutes, but leave nothing open that only numbers decide."""
        manifest = self.directory.manifest
        return (
            self._boundary is not None
            and countable(self.made, manifest)
            and not difference(self.made, self.number, self._boundary, manifest)
        )

    @cached_property
    def _valid(self) -> dict[str, str]:
        ports = self.made.ports
        return valid_outputs([port.name for port in ports if port.direction == "output"])

    @cached_property
    def _boundary(self) -> Boundary | None:
        """None within a bus, as nothing says there what steers."""
        return None if self.made.box else self.directory.made.boundary

    @cached_property
    def _operands(self) -> tuple[int, ...]:
        return word_bits(self.directory.manifest)


def _reason(directory: Directory, check: Check, number: int, seconds: float) -> str:
    """What kills a mutant; nothing if it survives."""
    try:
        with _chosen(number), time_limit(seconds):
            found = check(directory)
    except (LateError, ToolError) as error:
        return str(error).splitlines()[0]
    if found["passed"]:
        return ""
    return str(found["failures"][0])[:200] if found["failures"] else "mismatches"


@contextmanager
def _chosen(number: int) -> Iterator[None]:
    os.environ[VARIABLE] = str(number)
    try:
        yield
    finally:
        del os.environ[VARIABLE]
