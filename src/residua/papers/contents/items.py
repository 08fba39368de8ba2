"""The algorithms, tables and figures of the five papers, and what there is of each.

Where an item is say its citations in docstrings (`residua.papers.contents.citations`). Here stands
what no docstring can say: which items are models only, and which are not reproduced, and why.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

HARDWARE = "hardware"
MODEL = "model only"
BESIDE = "published beside measured or counted"
ABSENT = "not reproduced"


@dataclass(frozen=True)
class Item:
    """An algorithm, a table, a figure or another part of a paper.

    Attributes:
        kind: ``Algorithm``, ``Table`` or ``Figure``, empty for a part without a number.
        number: as the paper prints it.
        title: what it is.
        status: what there is of it.
        note: what is left out, or takes its place.
        phrase: for a part without a number, a regular expression of what docstrings say of it.
        heading: for a part without a number, its heading on the page of results.
    """

    kind: str
    number: str
    title: str
    status: str
    note: str = ""
    phrase: str = ""
    heading: str = ""

    @property
    def label(self) -> str:
        """The item as a text cites it."""
        return f"{self.kind} {self.number}" if self.kind else self.title


@dataclass(frozen=True)
class Paper:
    """A paper.

    Attributes:
        short: what docstrings call it.
        title: its title, with authors, venue and year.
        words: the words in a docstring after which a number is one of this paper.
        folders: modules in which a number without such a word is one of this paper.
        page: its page of results, in docs.
        campaigns: pages of its cores simulated in volume, in docs, by their titles.
        items: its contents.
    """

    short: str
    title: str
    words: tuple[str, ...]
    folders: tuple[str, ...]
    page: str
    campaigns: dict[str, str]
    items: tuple[Item, ...]


def _numbered(
    kind: str,
    status: str,
    titles: Mapping[str, str],
    *,
    notes: Mapping[str, str] = MappingProxyType({}),
    models: tuple[str, ...] = (),
    absent: Mapping[str, str] = MappingProxyType({}),
) -> list[Item]:
    """Items by their numbers; ``models`` and ``absent`` (with reasons) have another status."""
    found = []
    for number, title in titles.items():
        own = ABSENT if number in absent else MODEL if number in models else status
        note = absent.get(number) or notes.get(number, "")
        found.append(Item(kind, number, title, own, note))
    return found


def _part(title: str, status: str, phrase: str, note: str = "", heading: str = "") -> Item:
    """A part without a number."""
    return Item("", "", title, status, note, phrase, heading)


SBMM = Paper(
    "SBMM",
    "Bigou, Tisserand: Single Base Modular Multiplication for Efficient Hardware RNS "
    "Implementations of ECC, CHES 2015",
    ("SBMM",),
    ("papers.sbmm", "algorithms.split", "algorithms.single_base"),
    "results/sbmm.md",
    {
        "single-base products": "results/sbmm-campaign.md",
        "point multiplication": "results/sbmm_ladder.md",
    },
    (
        *_numbered(
            "Algorithm",
            HARDWARE,
            {
                "1": "Base extension (KBE)",
                "2": "RNS Montgomery reduction",
                "3": "Split",
                "4": "Single-base multiplication",
                "5": "Compress",
            },
        ),
        _part(
            "Section 4.3: primes",
            HARDWARE,
            r"SBMM section 4\.3",
        ),
        *_numbered(
            "Table",
            BESIDE,
            {
                "1": "Precomputed words",
                "2": "Products and precomputed words",
                "3": "(n, w) of the designs",
                "4": "Designs with DSP blocks",
                "5": "Designs without DSP blocks",
                "6": "Formulas of the (X, Z) ladder",
                "7": "Products of point operations",
            },
            notes={"6": "computed by coprocessors"},
        ),
        *_numbered(
            "Figure",
            BESIDE,
            {
                "1": "Architecture with a narrow channel",
                "2": "Area saved",
                "3": "Time of one product",
                "4": "Flow of SBMM and Compress in a ladder step",
            },
            notes={"1": "drawn from the design here", "4": "drawn from the formulas"},
        ),
    ),
)

HBE = Paper(
    "HBE",
    "Djath, Bigou, Tisserand: Hierarchical Approach in RNS Base Extension for Asymmetric "
    "Cryptography, ARITH 2019",
    ("HBE",),
    ("papers.hbe",),
    "results/hbe.md",
    {"base extensions and products": "results/hbe-campaign.md"},
    (
        *_numbered(
            "Algorithm",
            HARDWARE,
            {
                "1": "Base extension of Kawamura (KBE)",
                "2": "Hierarchical base extension (HBE)",
                "3": "RNS Montgomery multiplication",
            },
        ),
        _part("Extension of Bajard and Imbert", HARDWARE, r"Bajard-Imbert|its \[12\]"),
        _part("Mixed-radix extension (MRS)", MODEL, r"through mixed-radix digits"),
        _part(
            "Position-residue products (HPR) of degree 4",
            MODEL,
            r"d = 4 is the other column",
            "degree 2 is SBMM, which is hardware",
        ),
        *_numbered(
            "Table",
            BESIDE,
            {
                "I": "Elementary operations",
                "II": "Costs of three products",
                "III": "Base extensions alone",
            },
        ),
        *_numbered(
            "Figure",
            BESIDE,
            {
                "1": "The Cox-Rower architecture",
                "2": "Cost of a base extension",
                "3": "HBE architecture, c = 2, n = 4",
                "4": "Cost of a Montgomery product",
                "5": "Cost of an HPR product, d = 2",
                "6": "Cost of an HPR product, d = 4",
            },
            notes={"3": "drawn from the design here", "6": "counted on the model"},
            absent={"1": "the engine has a figure of its own"},
        ),
    ),
)

ECPM = Paper(
    "ECPM",
    "Schinianakis, Kakarountas, Stouraitis: A New Approach to Elliptic Curve Cryptography: an RNS "
    "Architecture, 2006",
    ("ECPM",),
    ("papers.ecpm", "hardware.ecpm", "curves.jacobian", "cores.ecpm"),
    "results/ecpm.md",
    {"sums, doubles and multiples": "results/ecpm-campaign.md"},
    (
        _part("Extended RNS, (1) to (4)", HARDWARE, r"equations \(1\) to \(4\)"),
        _part("Shenoy-Kumaresan extension, (1) to (4)", MODEL, r"ECPM eq\. \(1\) to \(4\)"),
        _part("Doubling (9) and addition (10)", HARDWARE, r"Formulas \(10\) and \(9\)"),
        *_numbered(
            "Algorithm",
            HARDWARE,
            {"1": "Binary method", "2": "Modular addition and subtraction", "3": "Horner's rule"},
        ),
        *_numbered(
            "Table",
            BESIDE,
            {"I": "Delays of the main operations"},
        ),
        *_numbered(
            "Figure",
            HARDWARE,
            {
                "1": "Modular adder",
                "2": "Modular subtracter",
                "3": "Modular multiplier",
                "4": "RNS structures",
                "5": "ECA: point adder",
                "6": "ECD: point doubler",
                "7": "ECPM: point multiplier",
            },
        ),
    ),
)

PM = Paper(
    "PM",
    "Bigou, Tisserand: Improving Modular Inversion in RNS using the Plus-Minus Method, CHES 2013 "
    "(slides)",
    (),
    (),
    "results/inversion.md",
    {"inversions": "results/inversions.md"},
    (
        _part("Algorithm (2/4): PM-RNS", HARDWARE, r"slides, algorithm\s\(2/4\)"),
        _part("Algorithm (3/4): mod4, the Cox", HARDWARE, r"slides, algorithm\s\(3/4\)"),
        _part("Algorithm (4/4): hat form", HARDWARE, r"slides, algorithm\s\(4/4\)"),
        _part(
            "Inversion by Fermat's theorem (FLT-RNS)",
            HARDWARE,
            r"by Fermat's theorem, or by a unit",
        ),
        _part("Operations count", BESIDE, r"slides' table of operations", heading="Operations"),
        _part(
            "FPGA results, with and without hard blocks",
            BESIDE,
            r"row of the tables of implementations",
            heading="Implementations",
        ),
        _part("Global architecture", ABSENT, "", "the page of the inversion describes the unit"),
    ),
)

IDDMM = Paper(
    "IDDMM",
    "Morales-Sandoval, Diaz Perez: Novel algorithms and hardware architectures for Montgomery "
    "Multiplication over GF(p), 2015",
    ("IDDMM", "report"),
    ("papers.iddmm", "algorithms.digits", "hardware.digit"),
    "results/iddmm.md",
    {"products and powers on digits": "results/digits.md", "RSA": "results/rsa.md"},
    (
        *_numbered(
            "Algorithm",
            HARDWARE,
            {"1": "IDDMM, a carry for each product", "2": "IDDMM, one carry for both"},
        ),
        *_numbered(
            "Table",
            BESIDE,
            {
                "1": "Notation",
                "2": "Comparison of algorithms",
                "3": "Area and time of the architectures",
                "4": "Gates and cycles by k",
                "5": "Against related work",
                "6": "Against software",
                "7": "Against other hardware",
            },
            absent={"1": "the glossary has the symbols"},
        ),
        *_numbered(
            "Figure",
            HARDWARE,
            {
                "1": "R2MM",
                "2": "MWR2MM",
                "3": "MWR2^kMM",
                "4": "IMM",
                "5": "Product of a number and a digit",
                "6": "Architecture 1",
                "7": "Architecture 2",
                "8": "Multiplier, divide and conquer",
                "9": "Multiplier of two bits",
                "10": "Adders of the multiplier",
            },
            models=("3", "4"),
            absent={
                "5": "it is a part of both architectures",
                "10": "synthesis makes the adders",
            },
        ),
        *_numbered(
            "Figure",
            BESIDE,
            {
                "11": "Architecture 1, Spartan-3",
                "12": "Architecture 2, Spartan-3",
                "13": "Architecture 1, Virtex-5",
                "14": "Architecture 2, Virtex-5",
            },
        ),
    ),
)

PAPERS = (SBMM, HBE, ECPM, PM, IDDMM)
"""All papers, in the order of the page."""
