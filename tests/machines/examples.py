"""Routines with all that a field program can do, on two moduli and a page without any."""

from functools import cache

from residua.algorithms.fields.field import Constant, FieldProgram, Flag
from residua.algorithms.fields.rns_field import closed_domain, load, lower, unload
from residua.algorithms.montgomery import MontgomeryDomain
from residua.curves import ladder
from residua.hardware.engine.datapath_design import EngineOptions
from residua.hardware.engine.processor_design import ProcessorDesign
from residua.machines.routine import Source
from residua.numbers.bases import Base
from residua.numbers.residues import Redundant
from residua.numbers.search import search_bases

MODULI = ((1 << 61) - 1, (1 << 59) - 55)
"""The moduli of both pages, both prime."""

CONSTANTS = ({"a": -3, "b": 12345678901}, {"a": 17, "b": -1})
WIDTH, CHANNELS, WORDS = 12, 8, 6
NUMBER, FLAG, OTHER = "number", Flag("flag"), Flag("other")


def copy(target: str, source: str) -> FieldProgram:
    program = FieldProgram(f"{target} = {source}")
    program.output(target, program.combine(target, (program.input(source), 1)))
    return program


def mixed() -> FieldProgram:
    """Sums of products of both signs, constants, combinations, loads and selections."""
    program = FieldProgram("mixed")
    x, y = program.input("x"), program.input("y")
    a, b = Constant("a"), Constant("b")
    u = program.product_sum("u", (x, y, -1), (x, a, 1), (y, b, -1))
    v = program.product_sum("v", (x, x, -1), (u, u, -1), multiple=2)
    w = program.combine("w", (x, 3), (y, -2))
    negated = program.select("negated", FLAG, u, v, -1)
    chosen = program.select("chosen", OTHER, w, negated)
    program.output("x", program.product("x", chosen, u))
    program.output("y", program.product_sum("y", (v, w, 1), (negated, y, 1)))
    program.output("z", program.load("z", Constant("b")))
    return program


def body() -> FieldProgram:
    """A round of a loop: x and y change places if a bit says so, then one of them changes."""
    program = FieldProgram("body")
    x, y = program.input("x"), program.input("y")
    first = program.select("first", FLAG, y, x)
    second = program.select("second", FLAG, x, y)
    program.output("x", program.product_sum("x", (first, first, 1), (first, second, -1)))
    program.output("y", program.product_sum("y", (second, Constant("a"), 1), (first, second, 1)))
    return program


FIELD_PROGRAMS = {
    "to_x": copy("x", NUMBER),
    "to_y": copy("y", NUMBER),
    "from_x": copy(NUMBER, "x"),
    "from_y": copy(NUMBER, "y"),
    "from_z": copy(NUMBER, "z"),
    "mixed": mixed(),
    "body": body(),
    **{f"to_{name}": copy(name, NUMBER) for name in ("x0", "z0", "x1", "z1")},
    **{f"from_{name}": copy(NUMBER, name) for name in ("x0", "z0", "x1", "z1")},
    "ladder_step": ladder.step(),
}
LOOPS = ("body", "ladder_step")
ONLY_FIRST_PAGE = ("from_z",)


def all_constants(page: int) -> dict[str, int]:
    """The named constants of a page, those of the ladder included."""
    own = CONSTANTS[page]
    return ladder.constants(MODULI[page], own["a"], own["b"] % MODULI[page]) | own


@cache
def domains(columns: int = 1) -> tuple[MontgomeryDomain, ...]:
    """A domain for each page, all on the same bases; with hierarchical extensions if asked."""
    pair = search_bases(max(MODULI), WIDTH, CHANNELS, columns=columns)
    base_a, base_b = Base(pair.base_a.moduli), Base(pair.base_b.moduli)
    closed = []
    for page, modulus in enumerate(MODULI):
        domain = MontgomeryDomain(
            modulus,
            base_a,
            base_b,
            pair.cox,
            pair.cox,
            modulus,
            "quadratic",
            skips_quotient=True,
            columns=columns,
        )
        programs = [(program, all_constants(page)) for program in FIELD_PROGRAMS.values()]
        closed.append(closed_domain(domain, programs, (WORDS, WIDTH), Redundant(1)))
    return tuple(closed)


def sources(columns: int = 1) -> list[Source]:
    """All routines; some are not on the second page, none on the third."""
    representation = Redundant(1)
    found = []
    for name, program in FIELD_PROGRAMS.items():
        pages = [
            lower(program, domain, all_constants(page), representation)
            for page, domain in enumerate(domains(columns))
            if not (page and name in ONLY_FIRST_PAGE)
        ]
        pages += [None] * (3 - len(pages))
        found.append(Source(name, tuple(pages), loop=name in LOOPS))
    own = domains(columns)
    loads = [load(NUMBER, domain, WORDS, WIDTH, representation) for domain in own]
    unloads = [unload(NUMBER, domain, representation) for domain in own]
    found.append(Source("load", (*loads, None)))
    found.append(Source("unload", (*unloads, None), serial=True))
    return found


@cache
def processor(rowers: int, columns: int = 1) -> ProcessorDesign:
    """A processor with all routines."""
    options = EngineOptions(rowers=rowers, reduction="multiply")
    return ProcessorDesign(sources(columns), options)
