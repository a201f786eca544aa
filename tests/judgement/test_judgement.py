"""Every real mistake is reported at its place, and what is right is not; respected public rules are left alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gpuobs.budget.ledger import ledger
from gpuobs.foreign import lint, world
from gpuobs.pipeline import check_project
from tests.judgement.runner import FOLDER, Case, cases, corpus, judged


@pytest.mark.parametrize("case", list(cases()), ids=lambda case: case.name)
def test_case(case: Case, tmp_path: Path) -> None:
    verdict = judged(case, tmp_path)
    assert verdict.right, [(f.span.line, f.code, f.message) for f in verdict.findings]


def test_labels_that_follow_the_gpu_add_no_series_and_40_blocks_do() -> None:
    program = check_project(FOLDER / "cases" / "C01").program
    assert program is not None
    (cluster,) = ledger(program).clusters
    by_metric = {line.name: line.active for line in cluster.lines}
    assert by_metric.pop("gpu_ecc_correct") == 1000 * 8 * 40
    assert sum(by_metric.values()) == 1000 * 8 * 60
    assert cluster.scraped == 800_000


def test_a_node_cut_by_mig_has_seven_times_the_samples() -> None:
    found = [finding.message for finding in check_project(FOLDER / "cases" / "C02").diagnostics]
    assert found == [
        "a GPU of 'main' has 420 series, 68 % above 'seriesPerGpu: 250': 3,360 series of pool 'cut' / 8 GPUs"
    ]


def test_a_sample_limit_loses_the_whole_node_that_is_cut_by_mig() -> None:
    program = check_project(FOLDER / "cases" / "C02").program
    assert program is not None
    found = lint([FOLDER / "cases" / "C02-scrape" / "p.yml"], world.of_project(program))
    assert [(each.code, each.span.line, each.message) for each in found.diagnostics] == [
        (
            "budget/sample-limit",
            3,
            "a target of pool 'cut' brings up to 3,360 samples, and with more than 2,000 all of them are lost: "
            "8 GPUs x 7 MIG instances x 60 metrics",
        )
    ]


@pytest.mark.skipif("GPUOBS_CORPORA" not in os.environ, reason="GPUOBS_CORPORA names no folder")
def test_respected_rules_are_left_alone() -> None:
    files = sorted(Path(os.environ["GPUOBS_CORPORA"]).rglob("*.y*ml"))
    rules, findings = corpus(files, world.built_in())
    assert len(findings) <= rules * 5 / 100, [(f.code, f.message) for f in findings]
