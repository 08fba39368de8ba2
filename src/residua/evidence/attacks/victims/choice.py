"""Which operation of a core is attacked."""

from residua.cores.coprocessor.core import CoprocessorCore
from residua.cores.directory import Directory
from residua.curves.parameters import MontgomeryCurve
from residua.errors import SpecificationError
from residua.evidence.attacks.victims.coprocessor import PointVictim
from residua.evidence.attacks.victims.powers import PowerCore, PowerVictim, powers_of, refuses
from residua.evidence.attacks.victims.victim import Victim


def attacked_core(directory: Directory) -> CoprocessorCore | PowerCore:
    """The core of a directory.

    Raises:
        SpecificationError: it is none that is attacked.
    """
    core = directory.made
    found = core if isinstance(core, CoprocessorCore) else powers_of(core)
    if found is None:
        raise SpecificationError(
            f"{directory.path} is the directory of {directory.noun}: coprocessors, "
            "exponentiators and RSA cores are what is attacked so far"
        )
    return found


def victim_of(
    directory: Directory, curve: int, seed: int, *, keys: int, invalid: bool = False
) -> Victim:
    """The operation of a directory's core, with random secrets.

    Args:
        directory: of a coprocessor, an exponentiator or an RSA core.
        curve: index of the curve, 0 for cores that have none.
        seed: chooses all numbers.
        keys: how many secrets there are.
        invalid: what is given has to be refused.

    Raises:
        SpecificationError: the core is another one, has no such curve, or refuses nothing.
    """
    core = attacked_core(directory)
    if isinstance(core, CoprocessorCore):
        return PointVictim(core, curve, seed, keys=keys, invalid=invalid)
    return PowerVictim(core, curve, seed, keys=keys, invalid=invalid)


def has_invalid(directory: Directory) -> bool:
    """Whether a core has something to refuse; of coprocessors that of the first curve.

    Raises:
        SpecificationError: the core is none that is attacked.
    """
    core = attacked_core(directory)
    if isinstance(core, CoprocessorCore):
        return not isinstance(core.core.curves[0], MontgomeryCurve)
    return refuses(core)
