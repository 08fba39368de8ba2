"""SBMM's tables and figures: published numbers, counts against formulas, rows that are kept."""

import pytest
from tests.papers.making import make, stored

from residua.algorithms.position_residue import multiply, operand
from residua.errors import SpecificationError
from residua.evidence import candidates
from residua.machines.counts import count
from residua.papers.sbmm import costs as sbmm_costs
from residua.papers.sbmm import figures as sbmm_figures
from residua.papers.sbmm import flow as sbmm_flow
from residua.papers.sbmm import ladder as sbmm_ladder
from residua.papers.sbmm import published as sbmm_published
from residua.papers.sbmm import synthesis as sbmm_synthesis
from residua.papers.sbmm import tables as sbmm_tables
from residua.papers.sbmm.published import DEVICES, GAINS, PARAMETERS, SIZES, TABLE_4, TABLE_5


@pytest.mark.parametrize("table", [TABLE_4, TABLE_5], ids=["4", "5"])
def test_published_times_are_cycles_by_frequencies(table):
    """Guards against misprints of ours; MHz are rounded."""
    assert len(table) == 18
    for row in table.values():
        low, high = (1000 * row.cycles / (row.mhz + shift) for shift in (0.5, -0.5))
        assert low - 0.5 <= row.nanoseconds <= high + 0.5


def test_published_savings():
    """Section 6.2: 26 to 46 % with DSP blocks, 40 to 46 % without, but for 192 bits on K7."""
    with_dsp, without = (
        {(d, s): sbmm_figures.saved(table, d, s) for d in DEVICES for s in SIZES}
        for table in (TABLE_4, TABLE_5)
    )
    # 25.4 % is printed as 26.
    assert min(with_dsp.values()) > 0.25
    assert max(with_dsp.values()) < 0.47
    del without["K7", 192]
    assert min(without.values()) > 0.395
    assert max(without.values()) < 0.47


def test_published_parameters_hold_the_field():
    for (algorithm, bits), (n, w) in PARAMETERS.items():
        assert n * w >= bits + (algorithm == "MM")


@pytest.mark.parametrize("n", [8, 12, 16, 24])
def test_counts(n):
    """ERRATA E5 for Split and SBMM; what is published for MM and Compress."""
    assert count(sbmm_costs.montgomery_program(n)).emm == 2 * n * n + 4 * n
    assert 2 * count(sbmm_costs.split_program(n)).emm == n * n + 3 * n
    assert count(sbmm_costs.product_program(n)).emm == n * n + 6 * n
    by_name = {entry["operation"]: entry for entry in sbmm_tables.cost_data()}
    index = sbmm_tables.CHANNELS.index(n)
    assert by_name["Compress"]["counted"][index] == 2 * n
    assert by_name["SBMM + Compress"]["counted"][index] == n * n + 8 * n
    assert by_name["SBMM + Compress"]["published"][index] == n * n + 7 * n
    assert by_name["Split"]["published"][index] == n * n / 2 + n


@pytest.mark.parametrize("n", list(GAINS))
def test_point_operations(n):
    """ERRATA E5: 6n^2 + 57n and 7n^2 + 56n; MM as published."""
    found = {(e["algorithm"], e["operation"]): e for e in sbmm_tables.point_data()}
    index = sbmm_tables.CHANNELS.index(n)
    counted = {key: entry["counted"][index] for key, entry in found.items()}
    published = {key: entry["published"][index] for key, entry in found.items()}
    assert counted["MM", "ADD"] == published["MM", "ADD"] == 12 * n * n + 34 * n
    assert counted["MM", "DBL"] == published["MM", "DBL"] == 14 * n * n + 32 * n
    assert counted["SBMM", "ADD"] == 6 * n * n + 57 * n
    assert counted["SBMM", "DBL"] == 7 * n * n + 56 * n
    assert published["SBMM", "ADD + DBL"] == 13 * n * n + 100 * n
    assert 1 - published["SBMM", "ADD + DBL"] / published["MM", "ADD + DBL"] == pytest.approx(
        GAINS[n] / 100, abs=0.01
    )
    gains = dict(zip(GAINS, (20.8, 28.8, 33.4, 38.4, 41.1), strict=True))
    assert 100 * sbmm_tables._gain(n) == pytest.approx(gains[n], abs=0.05)


class Plain:
    """The same arithmetic on integers modulo a prime."""

    def __init__(self, prime, values):
        self.prime, self.products = prime, 0
        self.reductions = self.compressions = 0
        self.field = sbmm_costs.Field(values.__getitem__, self.product, self.combine, self.compress)

    def product(self, terms):
        self.products += len(terms)
        self.reductions += 1
        return sum(x * y * sign for x, y, sign in terms) % self.prime

    def combine(self, terms):
        return sum(value * multiple for value, multiple in terms) % self.prime

    def compress(self, value):
        self.compressions += 1
        return value


def test_formulas_are_right():
    """Table 6 on a curve, against the affine group law; and how much it takes."""
    from residua.curves.affine import add, double
    from residua.curves.catalogue import find_curve

    curve = find_curve("P-192")
    p, point = curve.prime, curve.base_point
    two = double(curve, point)
    three, four = add(curve, two, point), double(curve, two)
    z1, z2 = 1234567, 7654321
    values = {
        "x1": three[0] * z1 % p,
        "z1": z1,
        "x2": two[0] * z2 % p,
        "z2": z2,
        "a": curve.a,
        "b": curve.b,
        "-4b": -4 * curve.b % p,
        "-xg": -point[0] % p,
    }
    adder = Plain(p, values)
    x, z = sbmm_costs.addition(adder.field)
    assert x * pow(z, -1, p) % p == add(curve, three, two)[0]
    assert (adder.reductions, adder.products, adder.compressions) == (6, 11, 3)
    doubler = Plain(p, values | {"x1": two[0] * z1 % p})
    x, z = sbmm_costs.doubling(doubler.field)
    assert x * pow(z, -1, p) % p == four[0]
    assert (doubler.reductions, doubler.products, doubler.compressions) == (7, 9, 4)
    assert sbmm_costs.COMPRESSIONS == {"ADD": 3, "DBL": 4}


def test_stored_words():
    """MM: all of its 2n^2 + 4n products by constants but those of operands are of one constant."""
    words = sbmm_costs.stored_words(sbmm_costs.montgomery_program(8))
    counts = count(sbmm_costs.montgomery_program(8))
    assert words.narrow == 0
    assert 2 * 8 * 8 < words.full <= counts.emw
    own = sbmm_costs.domain(8)
    program = sbmm_costs.product_program(8)
    found = sbmm_costs.stored_words(program)
    assert 0 < found.full < words.full
    assert 0 < found.narrow < 8
    again = sbmm_costs.Program("twice", program.representation)
    ranges = sbmm_costs.single_base.compressed_ranges(own, program.representation)
    x, y = (operand(again, own, name, ranges) for name in "xy")
    multiply(again, own, x, y)
    multiply(again, own, x, y)
    # The same constants twice are stored once.
    assert sbmm_costs.stored_words(again) == found


@pytest.mark.parametrize("bits", SIZES)
def test_designs_have_the_published_parameters(bits):
    whole, half, full = (sbmm_synthesis.core(kind, bits) for kind in sbmm_synthesis.KINDS)
    assert (half.channels, half.width) == PARAMETERS["SBMM", bits]
    assert (whole.channels, whole.width) == PARAMETERS["MM", bits]
    assert (2 * half.rowers, whole.rowers) == (half.channels, whole.channels)
    assert half.domain == full.domain
    assert full.rowers == full.channels
    assert half.domain.modulus.bit_length() == bits


def test_a_ladder_step_is_counted(tmp_path):
    """The published share beside the measured one."""
    (name, *_) = sbmm_ladder.STEPS
    _, data = make("sbmm", tmp_path, only=[name])
    (row,) = data["rows"]
    assert (row["channels"], row["rowers"], row["compressions"]) == (12, 6, 4)
    assert row["sbmm_full"] <= row["sbmm"] < row["montgomery"]
    marked = row.model_copy(update={"figures": row.figures | {"sbmm": row["montgomery"] // 2}})
    share = 100 * (1 - marked["sbmm"] / row["montgomery"])
    assert sbmm_ladder.cycles({name: marked}).rows[0][-1] == f"33 / {share:.1f} %"


@pytest.fixture
def tools(monkeypatch):
    """Stands in for synthesis and placement, and remembers what was asked for."""
    asked = []

    def mapped(_files, top, target):
        asked.append((top, target))
        return {"lut": 1000 + 100 * ("mm_" not in top), "ff": 200, "dsp": 6, "bram": 0, "carry": 3}

    def placed(_files, top, seeds):
        asked.append((top, f"{seeds} seeds"))
        made = [{"seed": s + 1, "mhz": 200.0} for s in range(seeds)]
        return {"lut": 1100, "fmax_mhz": 200.0, "seeds": made}

    monkeypatch.setattr(candidates, "mapped", mapped)
    monkeypatch.setattr(candidates, "placed", placed)
    return asked


def test_page_without_tools(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    document, data = make("sbmm", one, synthesis=False)
    make("sbmm", two, synthesis=False)
    pictures = {f"sbmm_figure_{number}.svg" for number in range(1, 5)}
    files = {path.name for path in one.iterdir()}
    assert files == {"sbmm.md", "sbmm.html", "sbmm.json", *pictures}
    assert all(path.read_bytes() == (two / path.name).read_bytes() for path in one.iterdir())
    assert data["rows"] == []
    text = (one / "sbmm.md").read_text()
    assert [part.title.split(":")[0] for part in document.parts] == [
        "Tables 1 and 2", "Table 2", "Table 3", "Table 4", "Table 5",
        "Tables 4 and 5 on an ECP5", "Table 7", "Table 7 in cycles",
        "Figure 1", "Figure 2", "Figure 3", "Figure 4",
    ]  # fmt: skip
    assert "| SBMM ADD | 792 / 840 | 1476 / 1548 |" in text
    assert "| SBMM half K7 192 | 58 / – | 18 / – | 3599 / – | 1867 / – | 999 | 272 | 213 |" in text


def test_rows_are_measured_once(tmp_path, tools):
    options = {"seeds": 2, "only": ["192"]}
    _, data = make("sbmm", tmp_path, **options)
    rows = {row.name: row for row in data["rows"]}
    assert set(rows) == {"MM 192", "SBMM half 192", "SBMM full 192"}
    assert len(tools) == 3 * 6
    assert {target for _, target in tools} == {
        "2 seeds",
        *("xc7", "xc6s", "xc5v"),
        *("xc6s without DSP", "ecp5 without DSP"),
    }
    assert rows["SBMM half 192"]["cycles"]["latency"] <= 56
    text = (tmp_path / "sbmm.md").read_text()
    latency = rows["SBMM half 192"]["cycles"]["latency"]
    assert f"| SBMM half S6 192 | 58 / {latency} | 18 / 6 |" in text
    assert (
        f"| SBMM half 192 | {latency} | – | 1100 | – | 200 (200 to 200, 2 placements) "
        f"| {5 * latency} | 1000 | 200 |" in text
    )
    latency = rows["SBMM full 192"]["cycles"]["latency"]
    assert latency < rows["MM 192"]["cycles"]["latency"]
    assert f"| SBMM full K7 192 | – / {latency} | – / 6 | – / 1000 | – / 200 | – | – | – |" in text
    tools.clear()
    make("sbmm", tmp_path, **options)
    assert tools == []
    assert stored("sbmm", tmp_path) == data["rows"]


def test_refusals(tmp_path):
    with pytest.raises(SpecificationError, match=r"no row has '193' in its name: MM 192; SBMM"):
        make("sbmm", tmp_path, only=["193"])
    (tmp_path / "sbmm.json").write_text('{"rows": []}')
    with pytest.raises(SpecificationError, match="no rows of a store"):
        make("sbmm", tmp_path, synthesis=False)


def test_formulas_of_costs_are_shown():
    costs = (sbmm_published.SBMM, sbmm_published.SPLIT, sbmm_published.COMPRESS)
    assert [cost.text for cost in costs] == ["n² + 5n", "n²/2 + n", "2n"]
    assert sbmm_published.SBMM_COMPRESS_WORDS.text == "n²/2 + 4n + 2"


def test_families_of_one_netlist_are_mapped_once():
    """Only without DSP blocks, and not where a memory is a block."""
    row = {"xc6s without DSP": {"lut": 7, "bram": 0}, "xc6s": {"lut": 5, "bram": 0}}
    assert candidates.alike(row, "xc6s") == {"lut": 5, "bram": 0}
    assert candidates.alike(row, "xc7 without DSP") == {"lut": 7, "bram": 0}
    for other in ("xc7", "ecp5 without DSP", "xc3se without DSP"):
        assert candidates.alike(row, other) is None
    row["xc6s without DSP"]["bram"] = 1
    assert candidates.alike(row, "xc7 without DSP") is None


def test_the_page_says_how_many_fewer_words_there_are():
    """The paper's "four times" against its own formulas and against what is counted."""
    note = sbmm_tables.precomputations().notes[0]
    assert "408 / 108 = 3.8" in note
    assert "336 / 161 = 2.1" in note


def test_the_flow_of_a_step_keeps_its_order_and_fills_the_multiplier():
    """Figure 4: 13 products and 7 compressions, each after what it takes."""
    turns = sbmm_flow.flow()
    for call, turn in turns.items():
        assert all(turns[need] < turn for need in call.needs)
    for unit, number in (("SBMM", 13), ("Compress", 7)):
        taken = [turn for call, turn in turns.items() if call.unit == unit]
        assert len(taken) == len(set(taken)) == number
    assert max(turns.values()) < 15
