"""Results as tables for a terminal."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rich.box import SIMPLE
from rich.console import RenderableType
from rich.table import Table

from residua.cores.kind import Kind
from residua.cores.kinds import kind_asked
from residua.cores.summary import bases_text, modulus_text
from residua.report.comparison import lines
from residua.report.parts import COLUMNS, parts

Result = dict[str, Any]
Text = list[RenderableType]


def built(found: Result, path: Path) -> Text:
    """The core that ``build`` made, and where."""
    kind = kind_asked(found["specification"])
    return [_pairs([*kind.rows(found), ("directory", str(path))])]


_PLACES = 20
"""Registers or memories that are listed, those with the most harmful faults."""


def verified(found: Result, kind: Kind) -> Text:
    """The outcome of ``verify`` for a core of this kind."""
    rows, measured = _pairs(kind.verified(found)), kind.cycle_columns(found)
    if not measured:
        return [rows]
    table = Table(box=SIMPLE)
    table.add_column("cycles")
    for name in measured:
        table.add_column(name, justify="right")
    for operation in dict.fromkeys(name for own in measured.values() for name in own):
        table.add_row(operation, *(str(own.get(operation, "")) for own in measured.values()))
    return [rows, table]


def synthesised(found: Result, kind: Kind) -> Text:
    """Resources of a core of this kind that ``synth`` found, and its times if it was placed."""
    resources = found["resources"]
    rows = [
        ("core", found["name"]),
        ("target", f"{found['target']} ({found.get('device', 'synthesis only')}), {found['tool']}"),
        ("resources", ", ".join(f"{count} {_unit(each)}" for each, count in resources.items())),
        *kind.timed(found),
    ]
    if whole := found.get("with_memories"):
        used = whole["resources"]
        text = f"{used['gates']} GATES, {used['ff']} FF, {whole['fmax_mhz']} MHz"
        rows.insert(3, ("memories of flip-flops too", text))
    if "seeds" in found:
        each = ", ".join(str(seed["mhz"]) for seed in found["seeds"])
        rows.insert(4, ("by seed", f"{each}; best {found['fmax_best_mhz']} MHz"))
    if found["kept"]:
        rows.append(("kept", "from an earlier run on these files; --force runs the tools again"))
    table = Table("module", box=SIMPLE)
    for column in COLUMNS:
        table.add_column(column, justify="right")
    for part in parts(found):
        table.add_row("  " * part.depth + part.label, *(str(count or "") for count in part.counts))
    return [_pairs(rows), table] if table.row_count else [_pairs(rows)]


def _unit(resource: str) -> str:
    return resource.upper().replace("_", " ")


def attacked(found: Result) -> Text:
    """What came of faults, and where the harmful ones were."""
    total = found["faults"] * found["keys"]
    first, end = found["span"]
    rows = [
        ("core", found["name"]),
        ("operation", _operation(found)),
        ("faults", f"{found['faults']} of the kind {found['kind']}, seed {found['seed']}"),
        ("drawn from", f"{found['bits']} bits, cycles {first} to {end - 1}"),
    ]
    if found["invalid"]:
        what = "a point that is none of the curve" if "curve" in found else "numbers of no result"
        rows.insert(2, ("given", f"{what}, to be refused"))
    if found["keys"] > 1:
        rows.append(("secrets", f"{found['keys']}; {found['key_dependent']} faults depend on them"))
    effects = Table("outcome", box=SIMPLE)
    for name in ("runs", "share"):
        effects.add_column(name, justify="right")
    for effect, count in found["effects"].items():
        effects.add_row(effect, str(count), f"{count / total:.2%}")
    places = Table("harmful in", box=SIMPLE)
    places.add_column("runs", justify="right")
    for place, count in list(found["harmful"].items())[:_PLACES]:
        places.add_row(place, str(count))
    return [_pairs(rows), effects, *([places] if found["harmful"] else [])]


def _operation(found: Result) -> str:
    """What is attacked or traced: of a coprocessor with its curve, of others with their size."""
    place = f"on {found['curve']}" if "curve" in found else f"of {found['size']}"
    return f"{found['operation']} {place}, {found['cycles']} cycles"


def traced(found: Result) -> Text:
    """What was recorded of an operation, and where it is."""
    first, end = found["span"]
    return [
        _pairs(
            [
                ("core", found["name"]),
                ("operation", _operation(found)),
                ("operands", ", ".join(found["operands"])),
                ("status", found["status"]),
                ("results", ", ".join(found["results"]) or "none"),
                ("registers", f"{found['registers']}, of {found['bits']} bits"),
                ("cycles", f"{first} to {end - 1}"),
                ("files", ", ".join(found["files"].values())),
            ]
        )
    ]


def leaked(found: Result) -> Text:
    """How far traces of a fixed operand and of random ones are apart, phase by phase."""
    operand = found["operand"]
    groups = f"random {operand}, twice" if found["control"] else f"a fixed {operand}, random ones"
    rows = [
        ("core", found["name"]),
        ("operation", _operation(found)),
        ("traces", f"{found['traces']} of {found['bits']} bits of registers, seed {found['seed']}"),
        ("groups", groups),
        (
            "threshold",
            f"{found['threshold']} for the whole trace, {found['usual']} for a single cycle",
        ),
    ]
    table = Table("largest |t|", box=SIMPLE)
    orders = [found["first"], found["second"]]
    for name in ("of means", "of variances"):
        table.add_column(name, justify="right")
    table.add_row("whole trace", *(str(order["t"]) for order in orders))
    table.add_row("in cycle", *(str(order["cycle"]) for order in orders))
    table.add_row("cycles above the threshold", *(str(order["above"]) for order in orders))
    table.add_section()
    for phase in found["first"]["phases"]:
        table.add_row(phase, *(str(order["phases"][phase]) for order in orders))
    return [_pairs(rows), table]


def correlated(found: Result) -> Text:
    """How many bits of a scalar words told that are predicted."""
    word = found["random_word"]
    rows = [
        ("core", found["name"]),
        ("operation", _operation(found)),
        ("traces", f"{found['traces']}, {_noise(found)}, seed {found['seed']}"),
        ("random words", "fresh" if word is None else f"all {word:#x}, and known"),
        ("right", f"{found['right']:.1%} of {found['bits']} bits, by chance {found['bound']:.1%}"),
        ("all of them", "yes" if found["whole"] else "no"),
        ("correlation", f"{found['chosen']:.2f}, of the other value {found['other']:.2f}"),
        ("by chance", f"up to {found['chance']:.2f}"),
    ]
    return [_pairs(rows)]


def _noise(found: Result) -> str:
    return f"noise of {found['noise']:g} bits" if found["noise"] else "no noise"


def guessed(found: Result) -> Text:
    """How many bits of scalars templates found, beside guesses of who knows nothing."""
    rows = [
        ("core", found["name"]),
        ("operation", _operation(found)),
        ("traces", f"{found['traces']} learned from, {found['attacked']} attacked"),
        ("samples", f"{_noise(found)}, seed {found['seed']}"),
    ]
    table = Table("bits", box=SIMPLE)
    for name in ("guessed", "right", "by chance", "at most", "whole scalars"):
        table.add_column(name, justify="right")
    for goal, name in (("scalar", "of the scalar"), ("loop", "that the ladder takes")):
        own = found[goal]
        shares = (f"{own[key]:.1%}" for key in ("right", "guess", "bound"))
        table.add_row(name, str(own["bits"]), *shares, f"{own['whole']} of {found['attacked']}")
    return [_pairs(rows), table]


def compared(found: Result) -> Text:
    """Cores side by side."""
    table = Table(box=SIMPLE)
    table.add_column("directory", style="bold")
    for core in found["cores"]:
        table.add_column(core["directory"], overflow="fold")
    for line in lines(found["cores"]):
        table.add_row(*line)
    return [table]


def reported(found: Result) -> Text:
    """The file that ``report`` wrote."""
    return [_pairs([("report", found["report"])])]


def bases(found: Result) -> Text:
    """The moduli of two bases and what holds for them."""
    parameters = found["parameters"]
    table = Table(box=SIMPLE)
    for column in ("channel", "base a", "h", "base b", "h", "weight g"):
        table.add_column(column, justify="right")
    columns = (parameters[name] for name in ("base_a", "h_a", "base_b", "h_b", "weights"))
    for channel, cells in enumerate(zip(*columns, strict=True)):
        table.add_row(str(channel), *map(str, cells))
    slack = f"{parameters['slack_a']} and {parameters['slack_b']} bits"
    rows = [
        ("modulus", modulus_text(parameters)),
        ("bases", bases_text(parameters)),
        ("form", parameters["form"]),
        ("Cox", f"t = {parameters['t']}, sigma0 = {parameters['sigma0']}"),
        ("slack of base a and b", slack),
    ]
    return [_pairs(rows), table]


def cost(found: Result) -> Text:
    """Counted operations beside the formulas, of engines, digit multipliers and inversions."""
    engine = _counted(
        f"n = {found['n']}",
        ("EMM, formula", "", "EMM, counted", "EMA", "Cox additions", "stored words", "CMR"),
    )
    for row in found["algorithms"]:
        counted = f"{row['emm']}" if row["agrees"] else f"{row['emm']} (differs)"
        numbers = (row["formula_emm"], counted, row["ema"], row["cox"], row["emw"], row["cmr"])
        engine.add_row(row["name"], row["formula"], *map(str, numbers))
    digits = _counted(
        f"{found['n']} digits of {found['w']} bits",
        ("passes, formula", "", "passes, counted", "products of digits", "additions"),
    )
    for row in found["digits"]:
        published = "–" if row["published"] is None else str(row["published"])
        passes = map(str, (row["steps"], row["products"], row["additions"]))
        digits.add_row(row["algorithm"], row["formula"], published, *passes)
    inversions = _counted(
        "inversion", ("products or steps", "EMM", "EMA", "Cox additions", "modulo 4")
    )
    for row in found["inversions"]:
        kinds = ("steps", "emm", "ema", "cox", "mod4")
        inversions.add_row(row["algorithm"], *(f"{row[kind]:g}" for kind in kinds))
    return [engine, digits, *([inversions] if found["inversions"] else [])]


def _counted(title: str, columns: Iterable[str]) -> Table:
    table = Table(box=SIMPLE, title=title, title_justify="left")
    table.add_column("algorithm")
    for column in columns:
        table.add_column(column, justify="right")
    return table


def _pairs(rows: Iterable[tuple[str, str]]) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(name, value)
    return table
