"""docs/spec.md and docs/schema.json are what the dataclasses say."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuobs.spec.model import KINDS
from gpuobs.spec.reference import EXAMPLES, write
from gpuobs.spec.shape import shape
from tests.spec.reading import node_of

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("name", ["spec.md", "schema.json"])
def test_the_committed_file_is_fresh(name: str, tmp_path: Path) -> None:
    write(tmp_path)
    assert (DOCS / name).read_text(encoding="utf-8") == (tmp_path / name).read_text(
        encoding="utf-8"
    )


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_an_example_that_is_one(kind: str) -> None:
    spec, problems = shape(node_of(EXAMPLES[kind]))
    assert problems == []
    assert type(spec).__name__ == kind
