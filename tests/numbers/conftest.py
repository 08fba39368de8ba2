"""What tests of numbers share."""

import pytest


@pytest.fixture(scope="module")
def own_answers(tmp_path_factory):
    """Random questions are not asked again: their answers do not fill the cache of all others."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield
