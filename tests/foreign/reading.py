"""What tests of rule files of others share: a text checked against the built-in fleet, its findings as lines."""

from __future__ import annotations

from pathlib import Path

from gpuobs import foreign
from gpuobs.foreign import world
from gpuobs.foreign.reader import read_stream
from gpuobs.spec.document import decode
from tests.spec.reading import said


def stream(text: str) -> list[object]:
    """The documents of a text that has no mistake in it, without their places."""
    source, problems = decode("a.yaml", text.encode())
    assert source is not None, problems
    documents, problems = read_stream(source)
    assert problems == []
    return [document.root.plain() for document in documents]


def stream_says(text: str) -> list[str]:
    source, problems = decode("a.yaml", text.encode())
    return said(text, problems if source is None else read_stream(source)[1])


def codes(folder: Path, **files: str) -> set[str]:
    """The codes of what is found in files, each written as `name.yaml`."""
    paths = []
    for name, text in files.items():
        paths.append(folder / f"{name}.yaml")
        paths[-1].write_text(text, encoding="utf-8")
    return {found.code for found in foreign.lint(paths, world.built_in()).diagnostics}
