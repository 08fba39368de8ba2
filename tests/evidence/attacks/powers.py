"""RSA cores and exponentiators that are attacked and recorded."""

from contextlib import contextmanager

from tests.cores.generated import BLINDED_RSA, ENGINE_RSA, EXPONENTIATION, PUBLIC_KEYS
from tests.schedules import quick_schedules

from residua.cores.directory import build
from residua.cores.specification.reading import check_any

CORES = {
    "engine": ENGINE_RSA | {"exponent": 5},
    "blinded": BLINDED_RSA,
    "digits": {"algorithm": "rsa-crt", "bits": 32, "digit": 8, "exponent": 17},
    "power": EXPONENTIATION,
    "loaded": {"algorithm": "modexp", "bits": 20, "digit": 8, "bus": "axi"},
    "public": PUBLIC_KEYS,
}


@contextmanager
def made_in(folder):
    """What makes these cores below a folder, with quick schedules as long as they are used."""
    with quick_schedules():
        yield Made(folder)


class Made:
    """Directories of these cores, each made when it is asked for."""

    def __init__(self, folder):
        self.folder, self.found = folder, {}

    def __call__(self, name):
        if name not in self.found:
            self.found[name] = build(check_any(CORES[name]), self.folder / name)
        return self.found[name]
