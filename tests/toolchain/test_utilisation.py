"""What instances take: by the names of cells, with all that is inside, by family."""

from residua.toolchain.utilisation import Family, Instances, Utilisation, families, family

CELLS = {
    "core.engine.rower_0.left_LUT4_Z": "LUT4",
    "core.engine.rower_0.sum_CCU2C_S0": "CCU2C",
    "core.engine.rower_10.signal.word_TRELLIS_FF_Q": "TRELLIS_FF",
    "core.engine.MULT18X18D_P": "MULT18X18D",
    "core.engineer_LUT4_Z": "LUT4",
    "bus.ready_LUT4_Z": "LUT4",
    "memory": "DP16KD",
}
INSTANCES = Instances(["core", "core.engine", "core.engine.rower_0", "core.engine.rower_10"])


def test_holding():
    """Dots belong to names of signals, too, and an instance is no prefix of another name."""
    assert INSTANCES.holding("core.engine.rower_10.signal.word_TRELLIS_FF_Q") == (
        "core.engine.rower_10"
    )
    assert INSTANCES.holding("core.engineer_LUT4_Z") == "core"
    assert INSTANCES.holding("core.engine.MULT18X18D_P") == "core.engine"
    assert INSTANCES.holding("bus.ready_LUT4_Z") == INSTANCES.holding("memory") == ""


def test_what_is_inside_counts():
    assert INSTANCES.utilisation(CELLS) == {
        "core": Utilisation(lut=4, ff=1, carry=1, dsp=1, bram=0),
        "core.engine": Utilisation(lut=3, ff=1, carry=1, dsp=1, bram=0),
        "core.engine.rower_0": Utilisation(lut=3, ff=0, carry=1, dsp=0, bram=0),
        "core.engine.rower_10": Utilisation(lut=0, ff=1, carry=0, dsp=0, bram=0),
    }


def test_families():
    assert family("core.row_1_565.rower_12") == "core.row_*.rower_*"
    assert family("word_2x.level_3") == "word_2x.level_*"
    rowers = Utilisation(lut=3, ff=1, carry=1, dsp=0, bram=0)
    found = families(INSTANCES.utilisation(CELLS))
    assert [one.name for one in found] == ["core", "core.engine", "core.engine.rower_*"]
    assert found[-1] == Family("core.engine.rower_*", 2, rowers)
