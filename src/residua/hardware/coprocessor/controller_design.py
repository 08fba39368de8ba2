"""What a controller is made for."""

from dataclasses import dataclass

from residua.hardware.coprocessor.control_program import ControlProgram


@dataclass(frozen=True)
class ControllerDesign:
    """A control program and what it is to drive.

    ``rounds`` is the number of digits that a scalar has on each curve. What ``checks_scalars`` asks
    at the end of an operation whether its scalar was the right one. What ``watches_random`` ends an
    operation whose random words are not what they should be, what ``checks_residues`` one with a
    residue that was wrong.
    """

    program: ControlProgram
    rounds: tuple[int, ...]
    checks_scalars: bool = False
    watches_random: bool = False
    checks_residues: bool = False

    @property
    def curves(self) -> int:
        """Number of curves."""
        return len(self.rounds)
