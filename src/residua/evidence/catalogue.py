"""All campaigns, by the names that ``residua evidence`` knows them by."""

from importlib import import_module
from typing import NamedTuple

from residua.errors import SpecificationError
from residua.evidence.campaign import Campaign


class Entry(NamedTuple):
    """A campaign: the module with its ``CAMPAIGN``, and what it is, for the help."""

    module: str
    text: str


CAMPAIGNS = {
    "multipliers": Entry("residua.evidence.campaigns.multipliers", "products on the engine"),
    "hbe": Entry("residua.papers.hbe.campaign", "hierarchical base extensions"),
    "sbmm": Entry("residua.papers.sbmm.campaign", "single-base products"),
    "digits": Entry("residua.evidence.campaigns.digits", "digit multipliers"),
    "rsa": Entry("residua.evidence.campaigns.rsa", "signatures against OpenSSL's"),
    "powers": Entry("residua.evidence.campaigns.powers", "powers on the engine"),
    "inversions": Entry("residua.evidence.campaigns.inversions", "modular inverses"),
    "ecpm": Entry("residua.evidence.campaigns.ecpm", "the point multiplier of 2006"),
    "ecdh": Entry("residua.evidence.campaigns.key_agreements", "key agreements through buses"),
    "handshakes": Entry("residua.evidence.campaigns.handshakes", "handshakes of TLS"),
    "systems": Entry("residua.evidence.campaigns.systems", "systems on boards"),
    "sbmm-ladders": Entry("residua.papers.sbmm.ladder_campaign", "points on SBMM"),
    "resets": Entry("residua.evidence.campaigns.resets", "a reset in every cycle"),
    "constant-time": Entry("residua.evidence.campaigns.constant_time", "cycles by secret"),
    "requests": Entry("residua.evidence.campaigns.requests", "random requests"),
    "netlists": Entry("residua.evidence.campaigns.netlists", "synthesised netlists, simulated"),
    "mutants": Entry("residua.evidence.campaigns.mutants", "faults that verification finds"),
    "faults": Entry("residua.evidence.campaigns.faults", "faults in running cores"),
    "leakage": Entry("residua.evidence.campaigns.leakage", "traces of running cores"),
    "templates": Entry("residua.evidence.campaigns.templates", "bits that single traces tell"),
    "correlation": Entry("residua.evidence.campaigns.correlation", "bits that many traces tell"),
    "proofs": Entry("residua.evidence.proofs.claims", "everything that is proved"),
    "clocks": Entry("residua.evidence.benchmarks.multipliers", "clocks of cores"),
    "devices": Entry("residua.evidence.benchmarks.devices", "cores on other devices"),
    "points": Entry("residua.evidence.benchmarks.coprocessors", "cycles of coprocessors"),
    "tables-hbe": Entry("residua.papers.hbe.tables", "tables of a paper"),
    "tables-sbmm": Entry("residua.papers.sbmm.tables", "of another one"),
    "tables-iddmm": Entry("residua.papers.iddmm.tables", "of another one"),
    "tables-inversion": Entry("residua.papers.inversion.tables", "of another one"),
    "tables-ecpm": Entry("residua.papers.ecpm.tables", "of another one"),
}
"""A new campaign is a line here."""


def campaign(name: str) -> Campaign:
    """Load a campaign.

    Raises:
        SpecificationError: there is none of this name.
    """
    if name not in CAMPAIGNS:
        raise SpecificationError(f"there is no campaign '{name}': one of {', '.join(CAMPAIGNS)}")
    found: Campaign = import_module(CAMPAIGNS[name].module).CAMPAIGN
    return found
