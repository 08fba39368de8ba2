"""Tables of `residua primes` and `residua curve` for a terminal."""

from typing import Any

from rich.box import SIMPLE
from rich.console import RenderableType
from rich.table import Table

Result = dict[str, Any]
Text = list[RenderableType]


def primes(found: Result) -> Text:
    """A search, and the pick if there is one."""
    taken = f", {found['taken_over']} of them from before" if found["taken_over"] else ""
    rows = [
        ("primes", f"{found['count']} of {found['bits']} bits, {found['form']}{taken}"),
        ("bases", f"n = {found['channels']}, w = {found['width']}"),
        ("file", found["file"]),
    ]
    if found["pick"]:
        table = found["pick"]
        rows += [
            ("proved", f"P = {table['p']}"),
            ("base a, h", _offsets(table["base_a"])),
            ("base b, h", _offsets(table["base_b"])),
            ("m_gamma", f"2^{table['gamma']}" if table["gamma"] else "none"),
            (
                "for",
                f"{table['chain']['text']}: M_b >= {table['m_b_at_least_in_m_a']} M_a",
            ),
            ("certificate", f"{len(table['certificate']['steps'])} steps, {found['pick_file']}"),
        ]
    return [pairs(rows)]


def checked(found: Result) -> Text:
    """A file that was checked."""
    proved = "certificate right" if found["proved"] else "no certificates in this file"
    return [
        pairs(
            [
                ("file", found["file"]),
                ("right", f"{found['primes']} of {found['primes']} primes, {proved}"),
            ]
        )
    ]


def curve(found: Result) -> Text:
    """A curve that was made."""
    table = found["curve"]
    rows = [
        ("curve", f"y^2 = x^3 + a x + b, {table['name']}"),
        *[(key, str(table[key])) for key in ("prime", "a", "b", "x", "y")],
        ("order", str(table.get("order", "not known: residua build needs it"))),
        ("cofactor", str(table.get("cofactor", "not known"))),
        ("file", found["file"]),
    ]
    return [pairs(rows)]


def pairs(rows: list[tuple[str, str]]) -> Table:
    """Names and values."""
    table = Table(box=SIMPLE, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table


def _offsets(base: Result) -> str:
    return f"2^{base['w']} - " + ", ".join(str(h) for h in base["h"])
