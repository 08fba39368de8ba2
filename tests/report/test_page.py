import re
from html.parser import HTMLParser

import pytest

from residua.cores.directory import Directory, build
from residua.cores.rns_montgomery.specification import RnsMontgomerySpecification
from residua.cores.specification.reading import check
from residua.report import page

VOID = {"meta", "br", "link", "img"}


class Balanced(HTMLParser):
    """Checks that every element that opens closes in order."""

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, _attrs):
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def core(tmp_path_factory):
    return build(
        check(RnsMontgomerySpecification, {"modulus": 0x1000B, "width": 12}),
        tmp_path_factory.mktemp("page") / "core",
    )


def test_page_is_well_formed_self_contained_and_repeatable(core):
    text = page.render(core)
    checker = Balanced()
    checker.feed(text)
    assert not checker.open
    assert not re.search(r"(?:src|href)=|@import|url\((?!#)", text)
    assert text == page.render(Directory.open(core.path))
    assert str(core.path) not in text
    for part in (core.name, core.manifest["configuration"], "Pipeline occupancy", "<svg"):
        assert part in text


def test_results_appear(core):
    core.store("verify", {
        "vectors": 123456, "mismatches": 0, "passed": True, "oracle_checks": 7, "stalls": False,
        "seed": 1, "cycles": {"latency": 30, "interval": None},
    })  # fmt: skip
    resources = {"lut": 4321, "ff": 99, "dsp": 2, "bram": 0, "carry": 5}
    plain = {
        "target": "xc7", "tool": "yosys", "resources": resources, "fmax_mhz": None,
        "latency_ns": None, "area_time": None,
    }  # fmt: skip
    placed = {
        **plain, "target": "ecp5", "device": "LFE5U-85F speed 8", "fmax_mhz": 225.0,
        "fmax_limit_mhz": 225.0, "latency_ns": 133.3, "interval_ns": 100.0, "area_time": 1.5,
        "seeds": [{"seed": 1, "mhz": 231.5}],
    }  # fmt: skip
    core.store("synth-xc7", plain)
    core.store("synth-ecp5", placed)
    text = page.render(core)
    for part in ("123456", "4321", "231.5 MHz", "133.3 ns", "Capped at 225.0 MHz", "passed"):
        assert part in text
    written = page.write(core)
    assert written["results"] == ["synth-ecp5", "synth-xc7", "verify"]
