import json
from pathlib import Path

import pytest

from residua.cores import directory as directories
from residua.cores.directory import Directory, build
from residua.cores.inversion.core import InversionCore
from residua.cores.rns_montgomery.core import RnsMontgomeryCore
from residua.cores.rns_montgomery.specification import RnsMontgomerySpecification
from residua.cores.specification.reading import check, check_any, load
from residua.errors import SpecificationError
from residua.machines.values import run

SMALL = {"modulus": 0x1000B, "width": 12}


def contents(path: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(path)): p.read_bytes() for p in sorted(path.rglob("*")) if p.is_file()
    }


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return build(
        check(RnsMontgomerySpecification, SMALL), tmp_path_factory.mktemp("built") / "core"
    )


def test_same_input_same_bytes_and_spec_can_be_fed_back(built, tmp_path):
    again = build(check(RnsMontgomerySpecification, SMALL), tmp_path / "again")
    resolved = build(
        load(RnsMontgomerySpecification, built.path / "spec.toml", {}), tmp_path / "resolved"
    )
    assert contents(again.path) == contents(built.path)
    assert contents(resolved.path) == contents(built.path)


def test_no_paths_in_any_file(built):
    for content in contents(built.path).values():
        assert str(built.path.parent).encode() not in content


def test_manifest_describes_all_files_and_the_interface(built):
    manifest = json.loads((built.path / "manifest.json").read_text())
    assert sorted(manifest["files"]) == sorted(set(contents(built.path)) - {"manifest.json"})
    widths = {port["name"]: port["width"] for port in manifest["ports"]}
    assert widths["result"] == manifest["parameters"]["rowers"] * 13
    assert [word["vector"] for word in manifest["interface"]["operands"]] == [
        "x_a", "x_b", "y_a", "y_b"
    ]  # fmt: skip
    assert manifest["cycles"]["latency"] >= 1
    assert 0 < manifest["utilisation"] <= 1


def test_header_names_configuration_cycles_and_licence(built):
    text = (built.path / f"rtl/{built.name}.v").read_text()
    header = text[: text.index("module ")]
    for part in (
        built.manifest["configuration"],
        f"Latency:        {built.manifest['cycles']['latency']} cycles",
        f"Interval:       {built.manifest['cycles']['interval']} cycles",
        "belong to whoever generates them",
        "residua build spec.toml -o DIR",
    ):
        assert part in header


def test_opens_elsewhere(built, tmp_path):
    moved = tmp_path / "moved"
    moved.mkdir()
    for name, content in contents(built.path).items():
        (moved / name).parent.mkdir(parents=True, exist_ok=True)
        (moved / name).write_bytes(content)
    opened = Directory.open(moved)
    assert opened.made.parameters == built.made.parameters
    assert all(path.is_file() for path in opened.sources() + opened.sources("ecp5"))


def test_named_core(tmp_path):
    made = build(
        check(RnsMontgomerySpecification, {**SMALL, "name": "field_unit"}), tmp_path / "core"
    )
    assert made.name == "field_unit"
    assert "module field_unit (" in (made.path / "rtl/field_unit.v").read_text()


def test_changed_file_is_refused(tmp_path):
    made = build(check(RnsMontgomerySpecification, SMALL), tmp_path / "core")
    top = made.sources()[0]
    top.write_text(top.read_text() + "\n")
    with pytest.raises(SpecificationError, match=r"\.v is not as it was built: build again$"):
        Directory.open(made.path)


def test_what_is_no_core_directory_is_refused(tmp_path):
    with pytest.raises(SpecificationError, match="not a directory that residua build wrote"):
        Directory.open(tmp_path)
    (tmp_path / "manifest.json").write_text("[]")
    with pytest.raises(SpecificationError, match="is not a manifest of Residua"):
        Directory.open(tmp_path)
    (tmp_path / "manifest.json").write_text('{"schema": 99}')
    with pytest.raises(SpecificationError, match="has schema 99, and this version reads 2"):
        Directory.open(tmp_path)


def test_existing_directory_is_left_alone(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").write_text("mine")
    with pytest.raises(SpecificationError, match="exists and is not empty"):
        build(check(RnsMontgomerySpecification, SMALL), tmp_path / "out")
    assert contents(tmp_path) == {"out/mine": b"mine"}


@pytest.mark.parametrize(
    ("values", "noun"),
    [
        (SMALL, "a multiplier"),
        ({"algorithm": "iddmm", "bits": 16}, "a digit multiplier"),
        ({"algorithm": "modexp", "bits": 16}, "an exponentiator on digits"),
        ({"algorithm": "rsa-crt", "bits": 32}, "an RSA core on digits"),
    ],
)
def test_a_core_of_another_kind_is_called_what_it_is(values, noun, tmp_path):
    made = build(check_any(values), tmp_path / "out")
    with pytest.raises(SpecificationError, match=rf"is the directory of {noun}$"):
        made.core(InversionCore)


@pytest.fixture
def before(tmp_path):
    """The directory of a core, with a result."""
    made = build(check(RnsMontgomerySpecification, SMALL), tmp_path / "out")
    made.store("verify", {"passed": True})
    return made


OTHER = {**SMALL, "width": 13}


def test_a_core_is_replaced_if_that_is_forced(before, tmp_path):
    with pytest.raises(SpecificationError, match="name another one, or give --force to replace"):
        build(check(RnsMontgomerySpecification, OTHER), before.path)
    assert Directory.open(before.path).results()
    build(check(RnsMontgomerySpecification, OTHER), before.path, force=True)
    fresh = build(check(RnsMontgomerySpecification, OTHER), tmp_path / "fresh")
    assert contents(before.path) == contents(fresh.path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fresh", "out"]


def test_a_core_of_an_earlier_schema_is_replaced(before):
    manifest = json.loads((before.path / "manifest.json").read_text())
    (before.path / "manifest.json").write_text(json.dumps({**manifest, "schema": 1}))
    build(check(RnsMontgomerySpecification, SMALL), before.path, force=True)
    assert Directory.open(before.path).manifest == manifest


def test_results_on_the_same_files_stay(before):
    build(check(RnsMontgomerySpecification, SMALL), before.path, force=True)
    assert Directory.open(before.path).results() == {"verify": {"passed": True}}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("rtl/primitives.v", "mine", "is not as it was built, and is not overwritten"),
        ("rtl/mine.v", "mine", "is not a file of this core"),
        ("manifest.json", "[]", "is not a manifest of Residua"),
        ("manifest.json", '{"files": {"../mine": ""}}', "is not as it was built"),
        ("manifest.json", '{"files": {}}', "is not a file of this core"),
    ],
)
def test_what_is_not_as_it_was_built_is_never_overwritten(before, name, text, message):
    (before.path / name).write_text(text)
    kept = contents(before.path)
    with pytest.raises(SpecificationError, match=message):
        build(check(RnsMontgomerySpecification, OTHER), before.path, force=True)
    assert contents(before.path) == kept


def test_a_foreign_directory_is_never_overwritten(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").write_text("mine")
    with pytest.raises(SpecificationError, match="name another one or remove it"):
        build(check(RnsMontgomerySpecification, SMALL), tmp_path / "out", force=True)
    assert contents(tmp_path) == {"out/mine": b"mine"}


def test_a_link_to_a_core_is_not_replaced(before, tmp_path):
    (tmp_path / "link").symlink_to(before.path)
    kept = contents(before.path)
    with pytest.raises(SpecificationError, match="exists and is not empty"):
        build(check(RnsMontgomerySpecification, OTHER), tmp_path / "link", force=True)
    assert contents(before.path) == kept


def test_a_core_stays_if_another_fails_to_take_its_place(before, tmp_path, monkeypatch):
    kept, rename = contents(before.path), Path.replace

    def fail(self, target):
        if self.name == "whole":
            raise OSError(28, "No space left on device")
        return rename(self, target)

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(SpecificationError, match="No space left on device"):
        build(check(RnsMontgomerySpecification, OTHER), before.path, force=True)
    assert contents(before.path) == kept
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_empty_directory_is_taken(tmp_path):
    (tmp_path / "out").mkdir()
    made = Directory.open(build(check(RnsMontgomerySpecification, SMALL), tmp_path / "out").path)
    assert made.name.startswith("rns_montgomery_2x12_")


def test_nothing_stays_of_a_failed_build(tmp_path, monkeypatch):
    written = []

    def fail(self, *_args, **_kwargs):
        written.append(self)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(directories.Path, "write_text", fail)
    with pytest.raises(SpecificationError, match=r"cannot write .*: No space left on device"):
        build(check(RnsMontgomerySpecification, SMALL), tmp_path / "new" / "parents" / "out")
    assert written
    assert list(tmp_path.iterdir()) == []


def test_impossible_request_leaves_nothing(tmp_path):
    with pytest.raises(SpecificationError):
        build(
            check(RnsMontgomerySpecification, {"modulus": "P-521", "width": 8}),
            tmp_path / "new" / "out",
        )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "values",
    [
        {"modulus": 0x1000B, "width": 12},
        {"modulus": "P-192", "rowers": 6},
        {"modulus": "P-192", "bases": "any", "schedule": "interval"},
        {"modulus": "P-192", "form": "reordered"},
        {"modulus": "P-256", "width": 33},
    ],
    ids=str,
)
def test_core_multiplies_numbers_below_the_modulus(values):
    core = RnsMontgomeryCore(check(RnsMontgomerySpecification, values))
    domain, modulus = core.domain, core.domain.modulus
    constant = core.program.representation.constant

    def words(value, base, factor):
        return [constant(m, value * f) for m, f in zip(base, factor, strict=True)]

    for x, y in [
        (0, 0),
        (1, 1),
        (modulus - 1, modulus - 1),
        (modulus // 3, -modulus),
        (5, modulus),
    ]:
        inputs = {}
        for name, value in (("x", x), ("y", y)):
            inputs[f"{name}_a"] = words(value, domain.base_a, domain.factor_a)
            inputs[f"{name}_b"] = words(value, domain.base_b, domain.factor_b)
        outputs = run(core.program, inputs)
        for vector, base, factor in (
            (outputs["s_a"], domain.base_a, domain.factor_a),
            (outputs["s_b"], domain.base_b, domain.factor_b),
        ):
            plain = [r * pow(f, -1, m.value) for r, f, m in zip(vector, factor, base, strict=True)]
            result = base.signed_integer(plain)
            low, high = core.ranges["results"]
            assert low <= result <= high
            assert (result * domain.base_a.product - x * y) % modulus == 0


def test_given_bases_keep_their_order():
    found = RnsMontgomeryCore(check(RnsMontgomerySpecification, {"modulus": "P-192"})).parameters
    given = RnsMontgomeryCore(
        check(
            RnsMontgomerySpecification,
            {"modulus": "P-192", "base_a": found["base_a"], "base_b": found["base_b"]},
        )
    ).parameters
    assert (given["base_a"], given["base_b"]) == (found["base_a"], found["base_b"])
    assert given["w"] == 17


def test_form_falls_back_only_if_it_is_open():
    # Modulo these, one of the constants needs a weight beyond 16 to be a square.
    pair = {"modulus": 65537, "base_a": [257 * 255], "base_b": [65535 - 2], "width": 16}
    with pytest.raises(SpecificationError):
        RnsMontgomeryCore(check(RnsMontgomerySpecification, {**pair, "form": "quadratic"}))
