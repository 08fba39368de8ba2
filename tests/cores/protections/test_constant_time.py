"""Cores with protections: their cycles depend on what is tested alone, proved."""

from dataclasses import replace

import pytest

from residua.cores.coprocessor.boundary import coprocessor_boundary
from residua.cores.proofs.constant_time import prove_netlist
from residua.cores.proofs.netlist import read_netlist


def netlist_of(directory, out_dir, *, without=None):
    """The core's gates, with one of the verdicts that count left out."""
    boundary = coprocessor_boundary(directory.made.core.design)
    verdicts = {name: wire for name, wire in boundary.verdicts.items() if name != without}
    sources = directory.sources(top=directory.name)
    return read_netlist(sources, directory.name, out_dir, replace(boundary, verdicts=verdicts))


@pytest.mark.parametrize("name", ["halves", "digits", "shared comb"])
def test_time_depends_on_what_is_tested_alone(made, name, tmp_path):
    netlist = netlist_of(made(name), tmp_path)
    assert not netlist.leaks
    assert prove_netlist(netlist, out_dir=tmp_path).passed


def test_the_proof_sees_the_tests(made, tmp_path):
    """Without the verdict on random words among those that count it fails."""
    netlist = netlist_of(made("digits"), tmp_path, without="controller.random_unfit")
    assert netlist.leaks or not prove_netlist(netlist, out_dir=tmp_path).passed
