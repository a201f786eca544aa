"""Every real mistake is reported at its place, and what is right is not; respected public rules are left alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gpuobs.foreign import world
from tests.judgement.runner import Case, cases, corpus, judged


@pytest.mark.parametrize("case", list(cases()), ids=lambda case: case.name)
def test_case(case: Case, tmp_path: Path) -> None:
    verdict = judged(case, tmp_path)
    assert verdict.right, [(f.span.line, f.code, f.message) for f in verdict.findings]


@pytest.mark.skipif("GPUOBS_CORPORA" not in os.environ, reason="GPUOBS_CORPORA names no folder")
def test_respected_rules_are_left_alone() -> None:
    files = sorted(Path(os.environ["GPUOBS_CORPORA"]).rglob("*.y*ml"))
    rules, findings = corpus(files, world.built_in())
    assert len(findings) <= rules * 5 / 100, [(f.code, f.message) for f in findings]
