"""The search for primes d M_a^2 - c on all cores, with a file that it can go on from.

The file has one JSON object a line: what is searched for, then the primes in an order that depends
on nothing else: {"unit": 0, "h": [...], "p": "0x..."}, M_a being the product of all 2^w - h.
"""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from functools import partial
from io import BufferedRandom
from itertools import count as count_from
from math import prod
from pathlib import Path
from typing import Any

from residua.errors import SpecificationError
from residua.explore.chain import Chain
from residua.numbers.primes.square_primes import Offsets, SquareForm, SquarePrime, SquarePrimeSearch
from residua.numbers.selection.coprime import Style
from residua.output import check_directory, write_whole
from residua.toolchain.executors import in_order, local_workers, submitted, workers

CANDIDATES = "primes.jsonl"
PICK = "pick.json"

_BARREN = 2000
"""Units without a new prime before the search is given up."""

_TASK = 1 << 14
"""Candidates of one task; several units if they have fewer."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Found:
    """Primes that `find` has found, in ``path``; ``taken_over`` of them were there before."""

    search: SquarePrimeSearch
    path: Path
    offsets: tuple[Offsets, ...]
    taken_over: int

    def prime(self, number: int) -> SquarePrime:
        """The prime of this number, counted from 1.

        Raises:
            SpecificationError: there is none of this number.
        """
        if not 1 <= number <= len(self.offsets):
            raise SpecificationError(f"pick = {number}: 1 to the {len(self.offsets)} primes found")
        return self.search.prime(self.offsets[number - 1])


def request(
    *,
    bits: int | None = None,
    width: int | None = None,
    channels: int | None = None,
    multiplier: int = 1,
    offset: int = 2,
    style: Style = "any",
    weight: int = 3,
    largest: int | None = None,
    seed: int = 0,
    moduli: tuple[int, ...] = (),
) -> SquarePrimeSearch:
    """The search for a field size with w and n, of which any two say the third.

    Given ``moduli`` say w, and n too if base a is to have all of them.

    Raises:
        SpecificationError: the numbers do not go together, or what `SquarePrimeSearch` refuses.
    """
    form = SquareForm(multiplier, offset)
    if moduli:
        if min(moduli) < 2:
            raise SpecificationError(f"{min(moduli)} is no channel modulus")
        width = width or (2 * moduli[0] // 3).bit_length()
        channels = channels or (None if bits else 2 * len(moduli))
    width, channels = _sizes(form, bits, width, channels)
    return SquarePrimeSearch(form, width, channels, style, weight, largest, seed, moduli)


def numbers(text: str | None) -> tuple[int, ...]:
    """Integers with commas between, decimal or, after 0x, hexadecimal.

    Raises:
        SpecificationError: something else stands there.
    """
    try:
        return tuple(int(part, 0) for part in text.split(",")) if text else ()
    except ValueError:
        raise SpecificationError(
            f"moduli = {text!r}: give integers, decimal or 0x hexadecimal, with commas between"
        ) from None


def run(
    search: SquarePrimeSearch,
    chain: Chain,
    directory: Path,
    *,
    count: int,
    pick_number: int,
    width_b: int | None = None,
    gamma: int | None = None,
    processes: int | None = None,
    scheduler: str | None = None,
    progress: Progress = lambda done, total: None,
) -> dict[str, Any]:
    """Find primes and pick one: `find`, and `prime_pick.pick` unless ``pick_number`` is 0.

    The prime is proved while the search goes on.
    """
    if not 0 <= pick_number <= count:
        raise SpecificationError(f"pick = {pick_number}: 1 to count = {count}, or 0 for none")

    # A process, since nothing stops a thread in the middle of a proof.
    with local_workers(1) if pick_number else nullcontext() as beside:
        picks: list[Future[dict[str, Any]]] = []

        def use(number: int, offsets: Offsets) -> None:
            if beside and number == pick_number:
                task = submitted(beside, _picked, search, chain, offsets, width_b, gamma)
                picks.append(task)

        found = find(
            search, count, directory,
            processes=processes, scheduler=scheduler, progress=progress, use=use,
        )  # fmt: skip
        if pick_number and not picks:
            use(pick_number, found.offsets[pick_number - 1])
        table = picks[0].result() if picks else None
    if table:
        text = json.dumps(table, indent=2) + "\n"
        write_whole(directory / PICK, text)
    return {
        "count": len(found.offsets),
        "taken_over": found.taken_over,
        "bits": search.bits,
        "form": str(search.form),
        "width": search.width,
        "channels": search.channels,
        "seed": search.seed,
        "file": str(found.path),
        "pick_file": str(directory / PICK) if table else None,
        "pick": table,
    }


def _picked(
    search: SquarePrimeSearch, chain: Chain, offsets: Offsets, width: int | None, gamma: int | None
) -> dict[str, Any]:
    """A task: the proof of a prime of the search, and a base b for it."""
    # SymPy and what else a proof needs take longer to load than many a search.
    from residua.explore.prime_pick import pick  # noqa: PLC0415

    return pick(
        search.prime(offsets), chain,
        style=search.style, weight=search.weight, width=width, gamma=gamma,
    )  # fmt: skip


def find(
    search: SquarePrimeSearch,
    count: int,
    directory: Path,
    *,
    processes: int | None = None,
    scheduler: str | None = None,
    progress: Progress = lambda done, total: None,
    use: Callable[[int, Offsets], None] = lambda number, offsets: None,
) -> Found:
    """The first ``count`` primes of a search, whatever the number of processes.

    Args:
        search: which primes.
        count: how many, at least 1.
        directory: its file of candidates is continued, or made.
        processes: local workers, by default one a core.
        scheduler: the address of a Dask scheduler to use instead.
        progress: called with how many there are and how many there will be.
        use: called with each prime that is found now, and its number from 1 on, at once.

    Raises:
        SpecificationError: there are fewer primes; the file is of another search.
    """
    if count < 1:
        raise SpecificationError(f"the count of primes is at least 1, not {count}")
    check_directory(directory)
    made = not directory.exists()
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / CANDIDATES
    primes: list[Offsets] = []
    try:
        with path.open("a+b") as file:
            kept = _kept(file, _header(search), path)
            primes = [offsets for _, offsets in kept]
            if len(primes) < count:
                primes, unit = _continue(file, kept)
                seen = set(primes)
                for index, offsets in _new(search, unit, seen, processes, scheduler):
                    primes.append(offsets)
                    use(len(primes), offsets)
                    file.write(_line(search, index, offsets))
                    if len(primes) == count:
                        break
                    if len(primes) % 64 == 0:
                        file.flush()
                        progress(len(primes), count)
    except SpecificationError:
        if made and not primes:
            path.unlink()
            directory.rmdir()
        raise
    progress(count, count)
    taken = min(len(kept), count)
    return Found(search, path, tuple(primes[:count]), taken)


def _sizes(
    form: SquareForm, bits: int | None, width: int | None, channels: int | None
) -> tuple[int, int]:
    """w and n."""
    if sum(each is not None for each in (bits, width, channels)) < 2:
        raise SpecificationError(
            "give two of bits, width and channels, or moduli: P has n w bits"
            + (f" and {form.extra_bits()} more" if form.extra_bits() else "")
        )
    if bits is None:
        assert width is not None
        assert channels is not None
        return width, channels
    square = bits - form.extra_bits()
    if width is None:
        assert channels is not None
        width = square // channels if channels > 0 else 0
    if width < 1:
        raise SpecificationError(f"w = {width} is no width of moduli: 8 to 64 bits")
    if channels is None:
        channels = square // width
    if channels * width != square:
        near = channels * width + form.extra_bits()
        raise SpecificationError(
            f"n = {channels} moduli of w = {width} bits do not make P = {form} of {bits} bits: "
            f"it has {near} bits"
        )
    return width, channels


def _header(search: SquarePrimeSearch) -> dict[str, Any]:
    return {"search": asdict(search) | {"largest": search.limit}}


def _line(search: SquarePrimeSearch, unit: int, offsets: Offsets) -> bytes:
    product = prod((1 << search.width) - h for h in offsets)
    table = {"unit": unit, "h": offsets, "p": f"{search.form.value(product):#x}"}
    return (json.dumps(table) + "\n").encode()


def _kept(file: BufferedRandom, header: dict[str, Any], path: Path) -> list[tuple[int, Offsets]]:
    """The unit and moduli of each prime in a file; writes the header into an empty one."""
    file.seek(0)
    lines = file.read().split(b"\n")[:-1]
    if not lines:
        file.truncate(0)
        file.write((json.dumps(header) + "\n").encode())
        return []
    try:
        first, *rest = [json.loads(line) for line in lines]
        found = [(int(each["unit"]), tuple(each["h"])) for each in rest]
    except (ValueError, KeyError, TypeError):
        raise SpecificationError(
            f"{path} is no file of primes: remove it or name another directory"
        ) from None
    if first != json.loads(json.dumps(header)):
        raise SpecificationError(
            f"{path} has the primes of another search, {json.dumps(first)}: "
            "remove it or name another directory"
        )
    return found


def _continue(file: BufferedRandom, kept: list[tuple[int, Offsets]]) -> tuple[list[Offsets], int]:
    """Take the last unit, which may be cut off, out of a file; the rest, and that unit."""
    unit = kept[-1][0] if kept else 0
    whole = [offsets for index, offsets in kept if index < unit]
    file.seek(0)
    lines = file.read().split(b"\n")[: 1 + len(whole)]
    file.truncate(sum(len(line) + 1 for line in lines))
    return whole, unit


def _new(
    search: SquarePrimeSearch,
    first: int,
    seen: set[Offsets],
    processes: int | None,
    scheduler: str | None,
) -> Iterator[tuple[int, Offsets]]:
    """New primes with their units, from unit ``first`` on."""
    barren, size = 0, max(1, _TASK // search.candidates)
    with workers(processes, scheduler) as (executor, count):
        tasks = (range(start, start + size) for start in count_from(first, size))
        for units in in_order(executor, count, partial(_search_units, search), tasks):
            for index, found in units:
                fresh = [each for each in found or [] if each not in seen]
                seen.update(fresh)
                yield from ((index, each) for each in fresh)
                barren = 0 if fresh else barren + 1
                if found is None or barren >= _BARREN:
                    raise SpecificationError(_exhausted(search, len(seen)))


def _search_units(
    search: SquarePrimeSearch, units: range
) -> list[tuple[int, list[Offsets] | None]]:
    """A task: some units of a search with their numbers."""
    return [(index, search.unit(index)) for index in units]


def _exhausted(search: SquarePrimeSearch, found: int) -> str:
    """Why there are not more primes."""
    if search.moduli:
        if len(search.moduli) == search.half and not found:
            value = search.form.value(prod(search.moduli))
            return f"P = {search.form} = {value:#x} of these moduli is composite"
        return (
            f"the {len(search.moduli)} moduli give only {found} primes {search.form} with "
            f"n / 2 = {search.half} of them; more moduli have more"
        )
    if search.half == 1:
        return (
            f"w = {search.width} with h <= {search.limit} gives only {found} primes {search.form} "
            "for n = 2; a wider w or larger h, or more moduli, have more"
        )
    return (
        f"after {found} primes, {_BARREN} more choices of {search.half} moduli of "
        f"w = {search.width} with h <= {search.limit} give no other prime {search.form}; "
        "a wider w, or more moduli, have more"
    )
