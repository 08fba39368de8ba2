"""Redundant residue: every reduction of a coprocessor is checked (RRNS).

Both bases have one modulus more, 2^w, of which no number is made. The result of a reduction has a
residue modulo 2^w from those of the operands, and another one from its own residues when they go to
the other base (`residua.algorithms.montgomery.divide`). They differ if a residue was wrong, a
constant or the Cox, but for one fault in 2^w: the operation ends then, and nothing leaves.
"""


def refusal(
    *, plain: bool, combs: bool = False, residues: bool = False, chooses: bool = False
) -> str:
    """Why a core cannot have it; nothing if it can.

    Args:
        plain: it computes by RNS Montgomery multiplication with extensions that have no rows.
        combs: base points are multiplied by combs.
        residues: elements are inverted by a unit that takes residues.
        chooses: each operation has bases of its own.
    """
    reasons = {
        "it is for algorithm = 'rns-montgomery' with extension = 'kawamura', where a reduction has "
        "one word of each residue": not plain,
        "fixed_base = 'comb' has tables without such residues": combs,
        "inversion = 'plus-minus-ct' gives residues back without this one": residues,
        "random-bases has no modulus that stays where it is": chooses,
    }
    return "; ".join(reason for reason, holds in reasons.items() if holds)
