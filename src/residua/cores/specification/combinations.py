"""Checks of keys that several kinds of cores share, together."""

from residua.errors import SpecificationError


def check_bases(
    base_a: tuple[int, ...] | None, base_b: tuple[int, ...] | None, channels: int | None
) -> int | None:
    """The number of channels that given bases and ``channels`` agree on, None if neither is there.

    Raises:
        SpecificationError: they contradict each other, or one base is missing.
    """
    if (base_a is None) != (base_b is None):
        lacking = "base_a" if base_a is None else "base_b"
        raise SpecificationError(f"{lacking} is missing: bases are given in pairs")
    if base_a is None or base_b is None:
        return channels
    if len(base_a) != len(base_b) or not base_a:
        raise SpecificationError(
            f"base_a has {len(base_a)} moduli and base_b {len(base_b)}: both need the same number, "
            "at least 1"
        )
    if channels not in (None, len(base_a)):
        raise SpecificationError(
            f"channels = {channels}, but base_a has {len(base_a)} moduli: leave out channels or "
            "give as many"
        )
    return len(base_a)


def check_extra_bits(extra_bits: int, width: int) -> None:
    """Refuse an extra modulus of more bits than the others.

    Raises:
        SpecificationError: it has more.
    """
    if extra_bits > width:
        raise SpecificationError(
            f"extra_bits = {extra_bits}: the extra modulus has no more bits than the others, "
            f"which have w = {width}"
        )


def check_extension(extension: str, columns: int | None) -> int:
    """c, the moduli in a row; 1 for extensions that have no rows.

    Raises:
        SpecificationError: columns are given for such an extension.
    """
    if extension == "hierarchical":
        return columns or 2
    if columns is not None:
        raise SpecificationError(
            f"columns = {columns}: extension = '{extension}' has no rows; give "
            "extension = 'hierarchical' too"
        )
    return 1


def divisors(number: int) -> list[int]:
    """The positive divisors, in order."""
    return [divisor for divisor in range(1, number + 1) if number % divisor == 0]


def check_rowers(channels: int | None, rowers: int | None) -> None:
    """Refuse rowers that cannot share the channels evenly.

    Raises:
        SpecificationError: the rowers that can.
    """
    if channels is not None and rowers is not None and channels % rowers:
        raise SpecificationError(
            f"rowers = {rowers} cannot share n = {channels} channels evenly: "
            f"{', '.join(map(str, divisors(channels)))} can"
        )
