"""Systems whose coprocessors have a clock of their own, slower or faster."""

import pytest
from tests.small_curves import TINY

from residua.cores.directory import build
from residua.cores.specification.reading import check_any
from residua.systems import soc_directory
from residua.systems.host import simulated_host
from residua.systems.soc_directory import SocRequest

TIMEOUT = 120.0
"""Seconds for an answer."""


@pytest.fixture(scope="module")
def cores(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cores")
    buses = {"first": "wishbone", "second": "axi-lite"}
    return tuple(
        build(check_any({"curve": [TINY], "bus": bus, "name": name}), folder / name)
        for name, bus in buses.items()
    )


@pytest.mark.parametrize("core_megahertz", [11.3, 50.0, 87.5])
def test_the_self_test(cores, core_megahertz, tmp_path):
    request = SocRequest(cores, baud=500_000, core_megahertz=core_megahertz)
    directory = soc_directory.build(request, tmp_path / "soc")
    with simulated_host(directory, TIMEOUT) as host:
        assert [curve.core for curve in host.curves] == ["first", "second"]
        assert host.self_test() == 8
