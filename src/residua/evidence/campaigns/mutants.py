"""Mutants of every kind of core, and what the default verification says of each."""

import json
from typing import Any

from residua.cores.kept_files import STATE
from residua.evidence.campaign import Campaign, Figures, Request
from residua.evidence.mutants import DIFFERS, run_mutants, tally
from residua.evidence.pages import RowTable, commit, table_page
from residua.evidence.rows import Row
from residua.evidence.small_curves import SBMM_TINY, TINY
from residua.evidence.subjects import core
from residua.output import write_whole

COUNT = 200
SEED = 1

_PACKAGE = "package"
"""What judged the mutants of a campaign that was interrupted: open ones are not judged again."""

SMALL = {"modulus": "0x1000b", "width": 12}
# Leaves hardly any room in its first base: where there is some, a quotient of the Cox that is wrong
# adds a multiple of the modulus, which conversion takes away, and nothing outside can tell. That in
# the second base hides some faults still.
FULL = {"modulus": "0x5ffff9", "width": 12}
PRIME = {"algorithm": "inversion", "modulus": "0x10001"}
# What a protection is for shows when there is a fault beside the mutant.
UNPROTECTED = {"bus": "stream", "protections": "none"}
CURVE = UNPROTECTED | {"curve": [TINY]}
IDDMM = {"algorithm": "iddmm", "modulus": "0x1000b", "digit": 5}

CORES: dict[str, dict[str, Any]] = {
    "RNS Montgomery, residues": SMALL,
    "RNS Montgomery, words": FULL | {"interface": "words"},
    "RNS Montgomery, hierarchical": SMALL | {"channels": 4, "extension": "hierarchical"},
    "base extension": {"algorithm": "base-extension", "channels": 4, "width": 12},
    "SBMM": {"algorithm": "sbmm", "channels": 4, "width": 12},
    "R2MM": {"algorithm": "r2mm", "modulus": "0x1000b"},
    "MWR2MM": {"algorithm": "mwr2mm", "modulus": "0x1000b", "digit": 5},
    "IDDMM, architecture 1": IDDMM | {"architecture": 1},
    "IDDMM, architecture 2": IDDMM | {"architecture": 2},
    "exponentiation on digits": {"algorithm": "modexp", "modulus": "0x1000b", "digit": 5},
    "RSA with CRT": {"algorithm": "rsa-crt", "bits": 64, "digit": 11},
    "exponentiation on the engine": FULL | {"algorithm": "modexp", "unit": "rns-montgomery"},
    "inversion, Fermat": PRIME | {"width": 12, "inversion": "fermat"},
    "inversion, division steps": PRIME | {"inversion": "division-steps"},
    "inversion, plus-minus": SMALL | {"algorithm": "inversion", "inversion": "plus-minus-ct"},
    "ECPM of 2006": {"algorithm": "ecpm-2006", "curve": [TINY], "channels": 3},
    "coprocessor on the engine": CURVE,
    "coprocessor, division steps": CURVE | {"inversion": "division-steps"},
    "coprocessor, plus-minus": CURVE | {"inversion": "plus-minus-ct"},
    "coprocessor on digits": CURVE | {"algorithm": "iddmm"},
    "coprocessor on SBMM": UNPROTECTED | {"curve": [SBMM_TINY], "algorithm": "sbmm"},
    "AXI4-Lite and AXI4-Stream": CURVE | {"bus": "axi"},
    "Wishbone": CURVE | {"bus": "wishbone"},
}
"""A small core of each kind; of those on a bus, mutants are made of what is around the core."""

INTRODUCTION = """\
How good the checks are. Faults are made in the Verilog of a small core of every kind by Yosys'
`mutate`: bits at the ports of its cells are inverted, held or exchanged, one fault at a time.
*Killed* are those that `residua verify` finds with its defaults. A mutant that survives is
*equivalent* if ABC proves that from its initial values on it has the outputs of the core for every
sequence of inputs, where they are valid, with resets at any time; of operands, where it takes that,
for those that have no bit above the range of the manifest. Cores that take few operands, those of
inversion, are also run through all of them, beside the mutant: each operation is followed from
every state of the control in which one may begin, through every handshake, while all that others
leave in registers and memories, and the words of those under way, is unknown. With handshakes that
are equal in all states that is a proof, too; words of a result that is an error have no meaning in
it. It refuses a fault that one operand alone tells, that needs something left by the operation
before, or that is seen only when a result waits. Otherwise a mutant is *open*, and no
equivalent if a simulation of the gates of both shows outputs that differ for any inputs at all;
cores with large memories are not simulated so.
Clocks and the contents of memories are left alone. Where a core has a bus around it, the bus alone
has mutants.
`make mutants` writes this page."""


def measure(request: Request) -> Figures:
    """Run the mutants of a core but those that were run before.

    Also those of a row whose hardware differs elsewhere: the mutated Verilog decides.
    """
    directory = request.directory()
    store = request.work / f"{directory.path.name}.json"
    known: Figures = request.earlier.figures if request.earlier else {}
    judged_by = ""
    if store.exists():
        known = json.loads(store.read_text(encoding="utf-8"))
        judged_by = known.pop(_PACKAGE, "")

    def keep(figures: Figures) -> None:
        write_whole(store, json.dumps({_PACKAGE: STATE, **figures}, indent=1) + "\n")

    found = run_mutants(
        directory, request.amount, seed=SEED, kept=known, again=judged_by != STATE, keep=keep
    )
    return {"core": directory.name, **found}


def faults(row: Row) -> list[str]:
    """The mutants that are open."""
    return [f"{one['Number']}: {one['Fault']}" for one in _open(row)]


def _open(row: Row) -> list[dict[str, Any]]:
    return [
        {
            "Kind": row.name,
            "Number": one["number"],
            "Fault": _place(one["command"]),
            "Differs": "yes" if one["reason"] == DIFFERS else "",
        }
        for one in row["mutants"]
        if one["verdict"] == "open"
    ]


def _place(command: str) -> str:
    """A command without what is the same for all, and what is only a comment."""
    words = command.split(" -src ", maxsplit=1)[0].removeprefix("mutate ").split()
    return " ".join(words).replace("|", "/")


TABLE = RowTable(
    {
        "Kind": lambda row: row.name,
        "Core": lambda row: f"`{row['core']}`",
        "Mutants": lambda row: len(row["mutants"]),
        "Killed": lambda row: tally(row)["killed"],
        "Equivalent": lambda row: tally(row)["equivalent"],
        "Open": lambda row: tally(row)["open"],
        "Commit": commit,
    },
    texts=2,
)

OPEN = RowTable(
    {
        "Kind": lambda line: line["Kind"],
        "Number": lambda line: line["Number"],
        "Differs": lambda line: line["Differs"],
        "Fault": lambda line: f"`{line['Fault']}`",
    },
    title="Open",
    lines=_open,
    notes=lambda rows: () if any(map(_open, rows)) else ("None.",),
)

CAMPAIGN = Campaign(
    table_page("mutants", "Mutants", INTRODUCTION, (TABLE, OPEN)),
    dict.fromkeys(CORES, COUNT),
    lambda name: core(CORES[name]),
    measure,
    faults=faults,
)
