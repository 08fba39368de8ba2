import pytest

from residua.errors import SpecificationError, first_possible


def refused_below(bound):
    def make(choice):
        if choice < bound:
            raise SpecificationError(f"{choice} is too small")
        return 10 * choice

    return make


def test_the_first_possible_choice_is_made():
    assert first_possible(iter([1, 2, 3, 4]), refused_below(3)) == 30


def test_the_last_refusal_is_told():
    with pytest.raises(SpecificationError, match=r"^2 is too small$"):
        first_possible([1, 2], refused_below(3))


def test_a_defect_is_no_refusal():
    with pytest.raises(TypeError):
        first_possible(["x", 3], refused_below(3))
