"""Faults in the files of a directory: as a user makes them, and as a faulty emitter would."""

import hashlib
import json

from residua.cores import directory as directories
from residua.cores.directory import Directory
from residua.cores.manifest import MANIFEST


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
