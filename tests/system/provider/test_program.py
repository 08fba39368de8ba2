"""A program in C that uses the provider by OpenSSL's library, without and with sanitizers."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.system.provider.runs import TIMEOUT, environment

from residua.systems.provider.provider_directory import LIBRARY, NEEDS, SETTINGS, ProviderRequest
from residua.toolchain.c_compiler import STRICT, compile_library

PROGRAM = Path(__file__).with_name("program.c")
SANITIZED = ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")


def library(directory, flags):
    """Make the library again out of the directory, without any warning."""
    folders = [directory / "source", directory / "driver"]
    sources = [path for folder in folders for path in sorted(folder.glob("*.c"))]
    return compile_library(sources, directory / LIBRARY, includes=folders, flags=flags, needs=NEEDS)


@pytest.fixture(scope="module", params=["made", "made_several", "made_rsa"])
def provider(request):
    """A directory with one coprocessor for P-256, with several, or with cores for RSA."""
    return request.param, request.getfixturevalue(request.param)


@pytest.fixture(scope="module", params=[(), SANITIZED], ids=["plain", "sanitized"])
def built(provider, cores, rsa_cores, request, tmp_path_factory):
    """A directory whose library is compiled with flags, and the program compiled with them."""
    folder = tmp_path_factory.mktemp("program")
    name, path = provider
    directory = shutil.copytree(path, folder / "provider")
    used = rsa_cores if name == "made_rsa" else cores
    library(directory, (*ProviderRequest(used).flags, *STRICT, *request.param))
    program = folder / "program"
    command = [os.environ.get("CC", "cc"), *STRICT, "-D_DEFAULT_SOURCE", "-pthread", *request.param]
    subprocess.run([*command, "-o", program, PROGRAM, "-lcrypto"], check=True, timeout=TIMEOUT)
    return directory, program, "rsa" if name == "made_rsa" else "curves"


def test_the_program(built):
    directory, program, subject = built
    ended = subprocess.run(
        [program, directory / SETTINGS, subject],
        env={**environment(None), "OPENSSL_MODULES": str(directory)},
        capture_output=True,
        timeout=2 * TIMEOUT,
        check=False,
    )
    assert (ended.stdout, ended.stderr.decode()) == (b"PASS\n", "")
    assert ended.returncode == 0
