"""Spaces of cores: points, conditions, and refusals that say what is wrong."""

from pathlib import Path

import pytest

from residua.cores.specification.reading import check_any
from residua.errors import SpecificationError
from residua.explore.designs import space
from residua.explore.designs.conditions import filtered
from residua.explore.designs.figures import COLUMNS, FIGURES, derived

SMALL = {"modulus": "0x1000b", "width": [11, 12]}


def test_points_are_all_combinations_in_order():
    made = space.check({"keys": SMALL | {"rowers": ["default", 1], "levels_per_register": [1, 2]}})
    assert made.size == len(made.points) == 8
    assert made.points[0] == {"modulus": "0x1000b", "width": 11, "levels_per_register": 1}
    assert made.points[3] == SMALL | {"width": 11, "rowers": 1, "levels_per_register": 2}
    assert [point["width"] for point in made.points] == [11] * 4 + [12] * 4


def test_ranges_and_lists_of_one():
    keys = {"width": {"from": 15, "to": 21, "step": 3}, "curve": [["P-256", "P-384"], "P-521"]}
    points = space.check({"keys": keys}).points
    assert [point["width"] for point in points] == [15, 15, 18, 18, 21, 21]
    assert points[0]["curve"] == ["P-256", "P-384"]


def test_parts_with_keys_of_their_own():
    parts = [{"modulus": 65537, "width": [11, 12]}, {"modulus": 65537, "digit": [5, 7]}]
    values = {"keys": parts, "where": ["digit IS NULL OR digit > 5", "coalesce(width, 0) <> 11"]}
    assert space.check(values).points == [
        {"modulus": 65537, "width": 12},
        {"modulus": 65537, "digit": 7},
    ]


def test_ranges_among_alternatives():
    made = space.check(
        {"keys": {"width": ["default", {"from": 15, "to": 17}, 20], "modulus": 65537}}
    )
    assert [point.get("width") for point in made.points] == [None, 15, 16, 17, 20]


def test_conditions_choose_points():
    keys = SMALL | {"rowers": ["default", 1], "schedule": ["latency", "interval"]}
    where = ["rowers IS NULL OR schedule = 'interval'", "width * 2 < 24"]
    points = space.check({"keys": keys, "where": where}).points
    assert [(point.get("rowers"), point["schedule"]) for point in points] == [
        (None, "latency"),
        (None, "interval"),
        (1, "interval"),
    ]
    assert {point["width"] for point in points} == {11}


MANY = {"from": 1, "to": 9999}
LARGE = {"modulus": 65537, "width": MANY, "channels": MANY, "rowers": MANY}


@pytest.mark.parametrize(
    ("values", "size"),
    [
        ({"keys": SMALL | {"width": {"from": 8, "to": 64}, "channels": MANY}}, 57 * 9999),
        ({"keys": LARGE}, 9999**3),
        ({"keys": LARGE, "where": ["width = channels", "rowers = 2"]}, 9999**3),
        ({"keys": {"width": MANY, "rowers": [1, 2] * 10}, "where": ["width <> 7"]}, 199980),
    ],
)
def test_points_that_are_too_many_are_not_listed(values, size):
    made = space.check(values)
    assert made.size == size
    assert made.points is None


def test_conditions_may_leave_few_points_of_many():
    values = {"keys": {"width": MANY, "channels": {"from": 1, "to": 200}}}
    made = space.check(values | {"where": ["width = channels * 49"]})
    assert made.size > space.MOST_POINTS
    assert [point["width"] for point in made.points] == [49 * n for n in range(1, 201)]


def test_points_that_conditions_exclude():
    made = space.check({"keys": SMALL | {"rowers": ["default", 1]}, "where": ["rowers IS NULL"]})
    assert made.excluded([{"width": 12, "rowers": 1}, {"width": 11}, {"rowers": 2}]) == {0, 2}
    assert made.excluded([]) == set()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "keys is missing"),
        ({"keys": []}, r"tables \[\[keys\]\] with the alternatives"),
        ({"keys": {"widht": [3]}}, r"unknown key 'widht' \(did you mean width or"),
        ({"keys": {"width": []}}, "width has no alternatives"),
        ({"keys": {"width": {"from": 3}}}, "a range has whole numbers"),
        ({"keys": {"width": {"from": 5, "to": 3}}}, "a range has whole numbers"),
        ({"keys": {"name": "one"}}, "a name of its own; leave it out"),
        ({"keys": SMALL, "objective": ["ms"]}, "unknown key 'objective': those of a space are"),
        ({"keys": SMALL, "objectives": []}, "objectives: tuple should have at least 1 item"),
        ({"keys": SMALL, "objectives": ["speed"]}, "objective 'speed' is no figure: cycles"),
        ({"keys": SMALL, "objectives": ["ms", "ms"]}, "an objective is there twice"),
        ({"keys": SMALL, "limits": ["luts < 9"]}, "'luts < 9' is no condition here: .*\"lut\""),
        ({"keys": SMALL, "limits": ["lut <"]}, "'lut <' is no condition here"),
        ({"keys": SMALL, "limits": ["lut < 9) OR (TRUE"]}, "no condition"),
        ({"keys": SMALL, "limits": ["TRUE; DROP TABLE own"]}, "no condition"),
        ({"keys": SMALL, "seeds": 0}, "seeds: input should be greater than or equal to 1"),
        ({"keys": SMALL, "target": "ecp6"}, "target 'ecp6' is unknown: ecp5"),
        ({"keys": SMALL, "target": "xc7"}, "needs a clock, which target 'xc7' has not, but ecp5, "),
        ({"keys": SMALL, "where": ["width = 4"]}, "the space is empty: none of its 2 combinations"),
        ({"keys": SMALL, "where": ["columns = 2"]}, "'columns = 2' is no condition here"),
        ({"keys": [SMALL, {"curve": "P-256"}], "where": ["columns = 2"]}, "no condition here"),
        ({"keys": SMALL | {"channels": {"from": 1, "to": 10**12}}},
         "the range from 1 to 1000000000000 has more than 100000 numbers: give a larger step"),
        ({"keys": LARGE, "where": ["columns = 2"]}, "'columns = 2' is no condition here"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(values, message):
    with pytest.raises(SpecificationError, match=message):
        _ = space.check(values, "file: ").points


@pytest.mark.parametrize(
    ("text", "message"),
    [(None, "cannot read the space"), ("keys = [", "is no TOML"), ("", "keys is missing")],
)
def test_files_that_are_none(tmp_path, text, message):
    path = tmp_path / "space.toml"
    if text is not None:
        path.write_text(text)
    with pytest.raises(SpecificationError, match=message):
        space.read(path)


def test_figures_that_follow_from_others():
    found = derived({"cycles": 200, "interval": 50, "lut": 1000, "mhz": 100.0})
    assert found["ms"] == pytest.approx(0.002)
    assert found["per_second"] == pytest.approx(2e6)
    assert found["lut_ms"] == pytest.approx(2)
    assert found.keys() <= FIGURES.keys()
    assert derived({"cycles": 200}) == {"cycles": 200}


def test_a_figure_that_is_not_known_meets_no_condition():
    rows = [{"lut": 10}, {"ff": 10}, {"lut": 30, "ff": 1}]
    assert filtered(rows, COLUMNS, ["lut < 20"]) == [0]
    assert filtered(rows, COLUMNS, []) == [0, 1, 2]
    assert filtered(rows, COLUMNS, ["lut >= 10", "lut + coalesce(ff, 0) > 20"]) == [2]


SPACES = sorted((Path(__file__).parents[2] / "spaces").glob("*.toml"))


def refusal(keys):
    try:
        check_any(keys)
    except SpecificationError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("path", SPACES, ids=[path.stem for path in SPACES])
def test_alternatives_of_the_spaces_are_values_of_their_keys(path):
    """Combinations may be refused, as a width without bases, but no value that none could have."""
    for part in space.read(path).keys:
        first = {name: values[0] for name, values in part.items()}
        for name, values in part.items():
            told = [refusal(space.without_defaults(first | {name: value})) for value in values]
            assert [text for text in told if "expected" in text] == []


def test_an_alternative_that_is_no_value_is_noticed():
    told = refusal({"curve": "P-256", "register_memory": "distributed"})
    assert told.startswith("register_memory = 'distributed': expected block")
