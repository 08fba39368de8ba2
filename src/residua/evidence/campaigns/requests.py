"""Random requests for every kind of core: refused in words that help, or built and verified."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from residua.cores.directory import Directory, build
from residua.cores.kind import Kind
from residua.cores.kinds import KINDS
from residua.cores.specification.reading import check_any
from residua.cores.verification import verify_directory
from residua.errors import SpecificationError
from residua.evidence.campaign import Campaign, Figures, Request
from residua.evidence.pages import RowTable, commit, table_page
from residua.evidence.random_requests import NUMBERS, RandomRequest
from residua.evidence.subjects import Sources
from residua.evidence.time_limit import time_limit
from residua.report import page

T = TypeVar("T")

SEED = 1
CORES = 20
"""Cores of each kind that are built and verified."""

_ASKED = 50
"""Requests for each core that is built."""

LARGEST = 24
"""Numbers in the requests for these are no larger, so that a verification takes seconds."""

_RUNS, _OPERATIONS = 40, 2
"""Runs of a verification; of a core whose single runs are whole operations."""

_SECONDS_TO_ASK, _SECONDS_TO_BUILD, _SECONDS_TO_VERIFY = 60, 300, 600
"""What a request may take until it is met or refused, a core until it is built, and verified."""

INTRODUCTION = """\
Requests for cores of each kind with up to five keys more than it needs, drawn among all keys that
the kind has; values are those that a key lets one choose among, numbers at and beside most limits,
small moduli and curves. A request that is refused is changed in one of the keys that the message
names, and asked again, until it is met or nothing is left to change. It is a fault if a request
ends in anything but a core or a refusal, if it takes over a minute, or if a message has several
lines or words of Python. Of the requests with small numbers the first cores of each kind are built,
verified with few runs, and reported: that anything of that fails is a fault, too.
`make campaign-requests` writes this page."""


@dataclass
class _Findings:
    """What comes of the requests for a kind of core.

    Attributes:
        kind: of the cores.
        asked, met: requests, and those of them that end in a core.
        refusals: how often one of them was refused.
        cores: that were built and verified.
        wrong: requests with what is wrong with them, by that.
    """

    kind: Kind
    asked: int = 0
    met: int = 0
    refusals: int = 0
    cores: int = 0
    wrong: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))

    @property
    def failures(self) -> list[str]:
        """What is wrong, each with the first request that it is wrong with."""
        return [
            f"{text} ({len(requests)} times, first for {requests[0]})"
            for text, requests in self.wrong.items()
        ]

    def ask(self, largest: int, folder: Path | None = None) -> None:
        """Ask once more.

        Args:
            largest: see `RandomRequest`.
            folder: takes the core, if it is to be built and verified.
        """
        self.asked += 1
        request = RandomRequest(self.kind, f"{SEED} {self.kind.name} {self.asked}", largest)
        is_met = self._tried(request, _SECONDS_TO_ASK, request.core) is not None
        if is_met and folder:
            is_met = self._verified(request, folder)
        self.met += is_met
        self.refusals += len(request.refusals)
        self._note(request, request.faults)

    def _verified(self, request: RandomRequest, folder: Path) -> bool:
        """Build a core that was asked for, verify it, and write its report.

        Nothing is verified of a request that is refused only now, by what a schedule tells.
        """
        directory = self._tried(request, _SECONDS_TO_BUILD, partial(_built, request, folder))
        if directory is None:
            return False
        self.cores += 1
        wrong = self._tried(request, _SECONDS_TO_VERIFY, partial(_wrong, directory))
        self._note(request, wrong or ())
        return True

    def _tried(self, request: RandomRequest, seconds: float, call: Callable[[], T]) -> T | None:
        """What a call gives; any exception and a wait are failures."""
        try:
            with time_limit(seconds):
                return call()
        except Exception as error:  # noqa: BLE001 - that is what is looked for
            self._note(request, (f"{type(error).__name__}: {error}".splitlines()[0],))
            return None

    def _note(self, request: RandomRequest, wrong: Iterable[str]) -> None:
        for text in wrong:
            self.wrong[text].append(dict(request.values))


def _built(request: RandomRequest, folder: Path) -> Directory | None:
    """The core; none if it is refused."""
    try:
        return build(check_any(dict(request.values)), folder)
    except SpecificationError as error:
        request.refusals.append(str(error))
        return None


def _wrong(directory: Directory) -> list[str]:
    """What is wrong with a core: the first thing that is."""
    runs = _OPERATIONS if directory.made.complete_run else _RUNS
    found = verify_directory(directory, vectors=runs, seed=SEED)
    page.write(directory)
    return [] if found["passed"] else [*map(str, found["failures"]), "mismatches"][:1]


def measure(request: Request) -> Figures:
    """Make the requests for a kind of core."""
    findings = _Findings(next(kind for kind in KINDS if kind.name == request.name))
    for _ in range(request.amount * _ASKED):
        findings.ask(NUMBERS[-1])
    # Those with small numbers, of which a few are enough to find so many that are met.
    for _ in range(request.amount * _ASKED):
        if findings.cores == request.amount:
            break
        findings.ask(LARGEST, request.folder())
    return {
        "asked": findings.asked,
        "met": findings.met,
        "refusals": findings.refusals,
        "cores": findings.cores,
        "failures": findings.failures,
    }


TABLE = RowTable(
    {
        "Kind": lambda row: row.name,
        "Requests": lambda row: f"{row['asked']:,}",
        "Met": lambda row: f"{row['met']:,}",
        "Refusals": lambda row: f"{row['refusals']:,}",
        "Cores": lambda row: row["cores"],
        "Faults": lambda row: len(row.failures),
        "Commit": commit,
    }
)

CAMPAIGN = Campaign(
    table_page("requests", "Random requests", INTRODUCTION, (TABLE,)),
    {kind.name: CORES for kind in KINDS},
    lambda name: Sources(("cores",)),
    measure,
)
