"""Several coprocessors behind one bus: all at work for many clients, and when they break."""

import fcntl
import shutil
from pathlib import Path

import pytest
from tests.system.provider.conftest import INSTANCES
from tests.system.provider.runs import TIMEOUT, all_fail, broken, derivation, done, openssl

from residua.evidence.campaign import Task
from residua.evidence.catalogue import campaign
from residua.evidence.handshakes.running import handshakes
from residua.evidence.handshakes.watched_core import macros, watch
from residua.hardware.bus.register_map import RegisterMap
from residua.report import documents
from residua.systems.provider.provider_directory import SETTINGS, ProviderRequest
from residua.toolchain.c_compiler import STRICT, compile_program
from residua.toolchain.process import run

CHECK = Path(__file__).with_name("queue_check.c")
CLIENTS = 8


@pytest.fixture
def copy(made_several, tmp_path):
    """A directory of the provider that a test may change."""
    return shutil.copytree(made_several, tmp_path / "provider")


def registers(core):
    """Where a core that breaks finds requests, results and their tags."""
    found = RegisterMap(core.made.capabilities)
    status, tag = found["STATUS"], found["CONTROL"].fields["tag"]
    own = {
        "STATUS": status.address,
        "VALID": status.fields["result_valid"].mask,
        "TAG": f"{tag.mask}u",
    }
    return [*macros(core), *(f"-D{name}={value}" for name, value in own.items())]


def test_many_clients(copy, several_cores, tmp_path):
    """Each has its handshake; all coprocessors work, and a request waits in the bus."""
    watched = watch(copy, several_cores[0])
    count = 2 * CLIENTS
    found = handshakes(
        copy,
        "P-256",
        tmp_path / "clients",
        count=count,
        clients=CLIENTS,
        environment=watched.environment,
    )
    assert (found.completed, found.failures) == (count, ())
    counts = watched.counts()
    assert len(counts.requests) == INSTANCES
    assert all(one > count / 2 for one in counts.requests)
    assert counts.most == INSTANCES + 1


def test_the_campaign(tmp_path):
    """A row of a few handshakes, as a page shows it."""
    asked = campaign("handshakes")
    row = asked.row(Task("P-256, 1 coprocessor", 3, "abc", None, tmp_path))
    assert not asked.faults(row)
    assert (row["count"], row["most"], len(row["requests"])) == (3, 1, 1)
    assert "| 3 | 0 |" in documents.markdown(asked.page.document([row]))


@pytest.mark.parametrize(("how", "told"), [("swapped", ""), ("lost", "the core makes no progress")])
def test_requests_that_go_astray(copy, several_cores, tmp_path, how, told):
    """Results that come with each other's tags, and one that never comes, end no handshake well."""
    variables = broken(copy, "P-256", how, 2, registers(several_cores[0]))
    found = handshakes(
        copy,
        "P-256",
        tmp_path / "clients",
        count=CLIENTS,
        clients=CLIENTS,
        environment=variables,
    )
    assert found.completed < CLIENTS
    assert found.failures
    assert told in (tmp_path / "clients" / "server.log").read_text()


@pytest.mark.parametrize("after", [0, 2, 30, 1000])
@pytest.mark.parametrize("how", ["ones", "zeros", "frozen", "noise", "bus"])
def test_a_bus_that_breaks(copy, several_cores, keys, message, how, after):
    """Operations fail, with an error of this provider; none is done by another one."""
    variables = broken(copy, "P-256", how, after, registers(several_cores[0]))
    all_fail(copy, keys, message, variables)
    # Another core is still there.
    assert len(done(copy, *derivation(*keys["X25519"]), **variables)) == 32


def test_a_mapped_device_that_is_taken(copy, keys):
    """Another process that does not give it back is waited for, but not for ever."""
    device, settings = copy / "device", copy / SETTINGS
    device.write_bytes(bytes(4096))
    text = settings.read_text()
    settings.write_text(text.replace("\np256 = simulation\n", f"\np256 = {device}\n"))
    with device.open() as opened:
        fcntl.flock(opened, fcntl.LOCK_EX)
        ended = openssl(copy, *derivation(*keys["P-256"]))
    assert ended.returncode == 1
    assert "another process does not give the core back" in ended.stderr.decode()


@pytest.mark.parametrize(
    "flags",
    [(), ("-g", "-fsanitize=thread"), ("-g", "-fsanitize=address,undefined")],
    ids=["plain", "threads", "addresses"],
)
def test_the_queue_alone(made_several, several_cores, tmp_path, flags):
    """With stand-ins for bus and device: every result, turns of processes, each way to fail."""
    source, driver = made_several / "source", made_several / "driver"
    words = [flag for flag in ProviderRequest(several_cores).flags if flag.startswith("-D")]
    program = compile_program(
        [CHECK, source / "queue.c"],
        tmp_path / "check",
        includes=[source, driver],
        flags=(*STRICT, *words, "-pthread", *flags),
        needs=["crypto"],
    )
    log = tmp_path / "check.log"
    assert run([program], tool="check", cwd=tmp_path, log=log, timeout=TIMEOUT) == "PASS\n"
