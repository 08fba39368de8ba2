"""The C driver with one instruction of its machine code left out, each of them in turn.

Run as a program with a library, and "at once" if the core verifies in one operation, it prints the
offset of the first instruction without which ecdsa_verify takes what is no signature. It is a
process of its own, since each fault is a fork.
"""

import ctypes
import gc
import mmap
import os
import platform
import re
import resource
import signal
import subprocess
import sys
from functools import cache
from pathlib import Path

from tests.cores import c_driver, driver_core
from tests.cores.c_driver import INVALID, VALID, CDriver, compile_files
from tests.cores.driver_core import ModelCore, StatusError, Weierstrass
from tests.small_curves import TINY

from residua.cores.coprocessor.driver.curves import DriverCurve
from residua.cores.kept_files import MAKERS_STATE
from residua.curves.parameters import curve_from_parameters
from residua.toolchain.kept.runs import keep_run

NOTHING = {"x86_64": b"\x90", "aarch64": bytes.fromhex("1f2003d5")}
"""The instruction that does nothing, by machine."""

TRAP = {"x86_64": b"\xcc", "aarch64": bytes.fromhex("000020d4")}
"""The one that ends the process."""

TOGETHER = 16
"""Instructions that are looked at together, whether one of them is executed."""

CODE = re.compile(r"^\s*([0-9a-f]+):\t((?:[0-9a-f]{2,8} )+)")
FUNCTION = re.compile(r"^[0-9a-f]+ <(\w+)>:")
LAST = "residua_ecc_ecdsa_verify"
OF_THE_COMPILER = {"_init", "_fini", "_start", "deregister_tm_clones", "register_tm_clones",
                   "__do_global_dtors_aux", "frame_dummy"}  # fmt: skip
SECONDS = 0.1
"""Of a processor, for one fault."""

POLLS = 40

CURVE = DriverCurve.of(curve_from_parameters(TINY))
WORDS = 2
"""Of a number, more than those of the curve."""

KEY, NONCE, DIGEST = 99, 12345, bytes([1, 2])


CALLED = "{global: model_core; residua_ecc_open; residua_ecc_ecdsa_verify; local: *;};"


def compile_verification(files, directory):
    """The library with what a verification needs and nothing else."""
    script = directory / "exported"
    script.write_text(CALLED)
    sections = ["-ffunction-sections", "-Wl,--gc-sections", f"-Wl,--version-script={script}"]
    return compile_files(files, directory, ["-Os", *sections])


def available():
    """Whether the faults can be made on this machine."""
    return platform.machine() in NOTHING


def made_core(verifies):
    return ModelCore([CURVE], WORDS, latency=1, randomness=0, verifies=verifies)


def instructions(library):
    """Offset and size of each instruction of the driver, those of the last steps first."""
    command = ["objdump", "-d", "-z", "-w", "--section=.text", library]
    listing = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    function, found = "", {LAST: [], "": []}
    for line in listing.splitlines():
        if start := FUNCTION.match(line):
            function = start[1]
        elif (code := CODE.match(line)) and function not in OF_THE_COMPILER:
            part = found[LAST if function == LAST else ""]
            part.append((int(code[1], 16), len(code[2].replace(" ", "")) // 2))
    return [*reversed(found[LAST]), *reversed(found[""])]


def signatures():
    """What is no signature of the digest: the public key, the digest and the signature of each."""
    n, size = CURVE.order, CURVE.order_size
    group, base = Weierstrass(CURVE), (CURVE.x, CURVE.y)
    r = group.multiply(NONCE, base)[0] % n
    s = pow(NONCE, -1, n) * (int.from_bytes(DIGEST) + r * KEY) % n
    key = b"\x04" + b"".join(c.to_bytes(CURVE.field_size) for c in group.multiply(KEY, base))
    off = key[:-1] + bytes([key[-1] ^ 1])
    neutral = (-r * KEY % n).to_bytes(len(DIGEST))
    pairs = [(r, s ^ 1), (0, s), (r, 0), (0, 0), (r, s + n)]
    cases = [(key, DIGEST, r.to_bytes(size) + s.to_bytes(size))]
    cases += [(key, DIGEST, a.to_bytes(size) + b.to_bytes(size)) for a, b in pairs]
    return [*cases, (off, *cases[1][1:]), (key, neutral, cases[0][2])]


def answer(driver, case):
    """What the driver says, whatever becomes of its core."""
    key, digest, signature = case
    driver.core.clear()
    return driver.library.residua_ecc_ecdsa_verify(
        ctypes.byref(driver.device), 0, key, ctypes.c_size_t(len(key)),
        digest, ctypes.c_size_t(len(digest)), signature,
    )  # fmt: skip


def writable(address, size):
    """Let the pages that hold these bytes be written."""
    first = address // mmap.PAGESIZE * mmap.PAGESIZE
    protect = ctypes.CDLL(None, use_errno=True).mprotect
    protect.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    flags = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
    if protect(first, address + size - first, flags):
        raise OSError(ctypes.get_errno(), "cannot write the driver's code")


def loaded_at(driver, library):
    """The address of the library's offset 0."""
    listing = subprocess.run(["nm", library], check=True, capture_output=True, text=True).stdout
    (offset,) = [line.split()[0] for line in listing.splitlines() if line.split()[-1] == LAST]
    return ctypes.cast(getattr(driver.library, LAST), ctypes.c_void_p).value - int(offset, 16)


def outcome(library, folder, *, verifies):
    """What this program prints, kept by the library and all that runs it."""
    log = folder / "faults.log"
    command = [sys.executable, "-m", __name__, library, *["at once"] * verifies]

    def start():
        with log.open("wb") as sink:
            subprocess.run(command, check=True, stdout=sink)

    read = map(Path, (library, __file__, c_driver.__file__, driver_core.__file__))
    parts = [MAKERS_STATE, sys.version, str(verifies), *(path.read_bytes() for path in read)]
    keep_run("skipped", parts, [log.name], folder, start)
    return log.read_text()


def ended(driver, cases, places, code):
    """How a process ends whose driver has this code at some places: with 1 if it takes a case."""
    child = os.fork()
    if child == 0:
        for address, size in places:
            ctypes.memmove(address, code * (size // len(code)), size)
        signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os._exit(int(any(answer(driver, case) == VALID for case in cases)))
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def reached(driver, cases, places):
    """The instructions near to one that is executed: without any other nothing is another."""
    trap = TRAP[platform.machine()]
    for first in range(0, len(places), TOGETHER):
        group = places[first : first + TOGETHER]
        if ended(driver, cases, group, trap) < 0:
            yield from group


def main(library, verifies):
    faults = instructions(library)
    driver_core.compute = remembered(driver_core.compute)
    driver = CDriver(made_core(verifies), library, polls=POLLS)
    right, *cases = signatures()
    # Also so that a fork has nothing left to compute.
    assert answer(driver, right) == VALID
    assert not {answer(driver, case) for case in cases} & {VALID, 0}
    assert INVALID in {answer(driver, case) for case in cases}
    # Of what the collector leaves alone a fork has to copy less.
    gc.disable()
    gc.freeze()
    start = loaded_at(driver, library)
    first, last = min(faults)[0], max(faults)[0] + 16
    writable(start + first, last - first)
    places = [(start + offset, size) for offset, size in faults]
    for address, size in reached(driver, cases, places):
        if ended(driver, cases, [(address, size)], NOTHING[platform.machine()]) == 1:
            print(f"forged without the instruction at {address - start:#x}")
            return
    print(f"none of {len(faults)} faults forges")


def remembered(compute):
    """The same function, which computes nothing twice, nor what ends with another status."""

    @cache
    def known(curve, operation, numbers):
        try:
            return compute(curve, operation, numbers), None
        except StatusError as error:
            return None, str(error)

    def found(curve, operation, numbers):
        results, status = known(curve, operation, tuple(numbers))
        if status:
            raise StatusError(status)
        return results

    return found


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    main(Path(sys.argv[1]), "at once" in sys.argv[2:])
