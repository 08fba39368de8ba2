"""Measured points of the IDDMM report's design space, and of IDDMM in lanes, several at a time.

A point that was measured before is kept as long as its Verilog is the same.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from typing import Any

from residua.cores.digit.core import DigitMontgomeryCore
from residua.cores.digit.specification import DigitSpecification
from residua.cores.manifest import digest
from residua.cores.specification.reading import check
from residua.hardware.rtl import emit
from residua.output import Progress
from residua.papers import measured
from residua.papers.iddmm.published import (
    ARCHITECTURES,
    BITS,
    DEVICES,
    DIGITS,
    IMPLEMENTATIONS,
    VERSIONS,
)
from residua.papers.measured import Row
from residua.toolchain.process import side_by_side

PLACED_BITS = (256, 1024)
PLACED_DIGITS = (8, 16, 32)
"""What is placed on an ECP5 of the report's architectures: version 4 of these."""

TILED = ((1024, 64), (1024, 32), (512, 16))
"""N and k of version 4 with products of tiles."""

LANES = ((256, 17, 1), (256, 17, 2), (256, 16, 2), (1024, 17, 4), (1024, 17, 8), (2048, 17, 8))
"""N, k and L of IDDMM in lanes, closed below 2 p."""


_TOP = "iddmm"
"""Name of all top modules, so that equal Verilog is recognised."""


@dataclass(frozen=True)
class Point:
    """A point of the design space: what it is called, its specification, and where it is mapped."""

    name: str
    values: Mapping[str, Any]
    families: tuple[str, ...]
    placed: bool

    def core(self) -> DigitMontgomeryCore:
        """The core, which loads its modulus and p', as the report's has them in memory."""
        common = {"algorithm": "iddmm", "inverse": "supplied", "name": _TOP}
        return DigitMontgomeryCore(check(DigitSpecification, {**common, **self.values}))


def point_name(bits: int, digit: int, architecture: int, version: int) -> str:
    """What a point of the report's design space is called."""
    return f"N={bits} k={digit} arch{architecture} ver{version}"


def tiles_name(bits: int, digit: int) -> str:
    """What architecture 2 with products of tiles is called."""
    return f"N={bits} k={digit} arch2 tiles"


def lanes_name(bits: int, digit: int, lanes: int) -> str:
    """What IDDMM in lanes is called."""
    return f"N={bits} k={digit} lanes={lanes}"


def points() -> list[Point]:
    """The cartesian product of the report, then products of tiles, then IDDMM in lanes.

    What Tables 5 to 7 have comes first, the quick points before the others.
    """
    rows = [
        Point(
            point_name(bits, digit, architecture, version),
            {"bits": bits, "digit": digit, "architecture": architecture, "version": version},
            tuple(DEVICES),
            version == 4 and bits in PLACED_BITS and digit in PLACED_DIGITS,
        )
        for digit in DIGITS
        for bits in BITS
        for architecture in ARCHITECTURES
        for version in VERSIONS
    ]
    printed = {point_name(one.bits, one.digit, 2, one.version) for one in IMPLEMENTATIONS}
    lanes = [
        Point(
            lanes_name(bits, digit, count),
            {"bits": bits, "digit": digit, "lanes": count, "variant": "closed"},
            (),
            True,
        )
        for bits, digit, count in LANES
    ]
    tiled = [
        Point(
            tiles_name(bits, digit),
            {"bits": bits, "digit": digit, "multiplier": "tiles"},
            ("xc5v",),
            False,
        )
        for bits, digit in TILED
    ]
    return sorted(rows, key=lambda one: one.name not in printed) + tiled + lanes


def measure(
    chosen: Iterable[Point],
    kept: Mapping[str, Row],
    *,
    seeds: int,
    commit: str,
    workers: int | None = None,
    progress: Progress = lambda step: None,
) -> Iterator[Row]:
    """The rows as they come; those in ``kept`` are taken over as far as they still hold.

    Args:
        chosen: what to measure.
        kept: earlier rows by name.
        seeds: placements of each on the ECP5, numbered from 1; 0 for none.
        commit: what new figures are said to be measured at.
        workers: points at a time, one for each processor by default.
        progress: called at each step.
    """
    waiting = list(chosen)
    total, done, most = len(waiting), 0, workers or os.cpu_count() or 1
    running: set[Future[Row]] = set()
    with side_by_side(most) as pool:
        while waiting or running:
            # Verilog is made here, tools run in the pool.
            while waiting and len(running) < most:
                point = waiting.pop(0)
                row, files = _prepared(point, kept.get(point.name, {}), commit)
                step = _named(point.name, progress)
                running.add(pool.submit(_measured, point, row, files, seeds, commit, step))
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                done += 1
                progress(f"{done} of {total} points")
                yield future.result()


def _prepared(point: Point, old: Row, commit: str) -> tuple[Row, dict[str, str]]:
    """What is known of a point without tools, what still holds of an earlier row, its Verilog."""
    core = point.core()
    files = emit(core.component(), core.name)
    own = digest("".join(files[name] for name in sorted(files)))
    old = old if old.get("verilog") == own else {}
    row: Row = {
        "name": point.name,
        "bits": core.shape.bits,
        "digit": core.request.digit,
        "architecture": core.parameters["architecture"],
        "version": point.values.get("version"),
        "lanes": core.request.lanes,
        "cycles": core.cycles,
        "verilog": own,
        "commit": old.get("commit", commit),
    }
    kept = {name: old[name] for name in (*point.families, "ecp5") if old.get(name)}
    return row | kept, files


def _measured(
    point: Point, row: Row, files: dict[str, str], seeds: int, commit: str, step: Progress
) -> Row:
    """The row with what tools find of it."""
    for family in point.families:
        if family not in row:
            row[family] = measured.mapped(files, _TOP, family, step)
    if point.placed and seeds and len(row.get("ecp5", {}).get("seeds", [])) < seeds:
        row["ecp5"] = measured.placed(files, _TOP, seeds, step)
        row["commit"] = commit
    return row


def _named(name: str, progress: Progress) -> Callable[[str], None]:
    return lambda text: progress(f"{name}: {text}")
