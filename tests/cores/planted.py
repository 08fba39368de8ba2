"""Faults in the files of a directory: as a user makes them, and as a faulty emitter would."""

import hashlib
import json
import re

from residua.cores import directory as directories
from residua.cores.directory import Directory
from residua.cores.manifest import MANIFEST
from residua.toolchain.planted.mutation import VARIABLE

SWITCH = f"""
  reg [7:0] planted;
  initial planted = $c32("(getenv(\\"{VARIABLE}\\") ? atoi(getenv(\\"{VARIABLE}\\")) : 0)");
"""
"""A register that tells which fault a simulation has, as `mutation` chooses mutants."""

MODULE = re.compile(r"^module \w+(?: \([^;]*\))?;\n", re.MULTILINE)
"""The head of a module, after which its declarations begin."""


def rehash(path):
    """Make the manifest agree with the files, as who changes them on purpose does."""
    manifest = json.loads((path / MANIFEST).read_text())
    for name in manifest["files"]:
        manifest["files"][name] = hashlib.sha256((path / name).read_bytes()).hexdigest()
    (path / MANIFEST).write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n")


def emitted(monkeypatch, path):
    """Have the specification give the directory as it is now: an emitter's fault, made twice."""
    rehash(path)
    names = [*json.loads((path / MANIFEST).read_text())["files"], MANIFEST]
    texts = {name: (path / name).read_text() for name in names}
    monkeypatch.setattr(directories, "kept_files", lambda _specification: texts)


def replaced(monkeypatch, path, name, old, new):
    """The directory with ``old`` replaced in a file, as a faulty emitter would have written it."""
    text = (path / name).read_text()
    assert old in text, (name, old)
    (path / name).write_text(text.replace(old, new, 1))
    emitted(monkeypatch, path)
    return Directory.open(path)


def switched(text, faults):
    """Verilog with faults, of which a simulation has the one that `VARIABLE` numbers from 1 on.

    Each fault is a few edits: a place in one of the modules, the expression that stands there for
    its ``@``, and the wrong one.
    """
    for number, edits in enumerate(faults, 1):
        for place, right, wrong in edits:
            choice = f"(planted == {number} ? {wrong} : {right})"
            old, new = (place.replace("@", one) for one in (right, choice))
            assert old in text, old
            text = text.replace(old, new, 1)
    return MODULE.sub(lambda header: header[0] + SWITCH, text)
