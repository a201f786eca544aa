"""What breaks a limit: the smallest choice without which it would hold."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gpuobs.budget.causes import cause, effects, since
from gpuobs.budget.ledger import ledger
from gpuobs.budget.limits import uses
from gpuobs.ir import Program
from gpuobs.pipeline import check_project
from gpuobs.targets import budget_report
from tests.budget.projects import POOL, whiteboard
from tests.projects import project

POOLS = "\n".join(
    (
        POOL.format(name="large", nodes=100),
        POOL.format(name="small", nodes=10),
        POOL.format(name="cut", nodes=10).replace("}", ", mig: {1g.10gb: 7}}"),
    )
)


def of(folder: Path, limit: int) -> Program:
    limits = f"{{activeSeriesPerCluster: {limit}}}"
    return whiteboard(folder, ecc=True, limits=limits, pools=POOLS)


def because(program: Program) -> str:
    """How the cause of the first broken limit reads when it is undone."""
    use = next(use for use in uses(ledger(program)) if use.exceeded)
    found = cause(effects(program, use), since(program, use))
    return "" if found is None else found.choice.undone


# 100 series for a GPU: 80,000 in the large pool, 8,000 in the small one, 56,000 in the one that is cut. 600 are of 120 scrapes
# and 9 constants: 144,609 in all.
@pytest.mark.parametrize(
    ("limit", "undone"),
    [
        (144_608, "without 'mig' of pool 'cut'"),
        (96_609, "without 'mig' of pool 'cut'"),
        # Whole GPUs alone would still be too much: the next larger setting is the cause.
        (96_608, "without 'gpu_ecc_correct' of ours"),
        (87_009, "without 'gpu_ecc_correct' of ours"),
        (87_008, "without 'hardware' of ours"),
        # No choice alone is enough, and this is the largest.
        (58_208, "without 'hardware' of ours"),
    ],
)
def test_the_smallest_choice_that_suffices(limit: int, undone: str, tmp_path: Path) -> None:
    assert because(of(tmp_path, limit)) == undone


def test_every_choice_is_undone_alone_and_the_account_made_again(tmp_path: Path) -> None:
    program = of(tmp_path, 90_000)
    (use,) = uses(ledger(program))
    assert [(each.choice.undone, each.value, each.suffices) for each in effects(program, use)] == [
        ("without 'hardware' of ours", 58_209, True),
        ("without pool 'large'", 64_109, True),
        ("without 'gpu_ecc_correct' of ours", 87_009, True),
        ("without pool 'cut'", 88_559, True),
        ("without 'mig' of pool 'cut'", 96_609, False),
        ("without pool 'small'", 136_559, False),
    ]


def test_some_nodes_of_a_pool_fit(tmp_path: Path) -> None:
    program = of(tmp_path, 90_000)
    (use,) = uses(ledger(program))
    large = next(each for each in effects(program, use) if "large" in each.choice.undone)
    # 25,891 more than 64,109 at 805 series a node.
    assert large.fitting == 32
    assert 64_109 + 32 * 805 <= 90_000 < 64_109 + 33 * 805


READ = """\
rollups:
  - signal: power
    levels:
      gpu: {avg: [5m]}
      cluster: {sum: [5m]}
"""


def test_a_record_that_others_read_is_no_choice_of_its_own(tmp_path: Path) -> None:
    budget = (
        "apiVersion: gpuobs/v1\nkind: Budget\nname: default\nlimits: {recordedShare: 0.001}\n---\n"
    )
    specs = project(tmp_path, budget + READ)
    program = check_project(specs).program
    assert program is not None
    use = next(use for use in uses(ledger(program)) if use.exceeded)
    undone = {each.choice.undone for each in effects(program, use)}
    assert "without 'cluster:power:sum5m'" in undone
    assert "without 'gpu:power:avg5m'" not in undone
    assert "without the rollup of 'power'" in undone


JSONNET = """\
{apiVersion: 'gpuobs/v1', kind: 'Rollups', name: 'more', rollups: [
  {signal: 'power', levels: {gpu: {avg: ['5m']}, cluster: {sum: ['5m']}}},
  {signal: 'energy', levels: {gpu: {increase: ['10m']}}},
]}
"""


def test_rules_of_a_jsonnet_file_are_choices_of_their_own_though_they_have_one_place(
    tmp_path: Path,
) -> None:
    budget = "apiVersion: gpuobs/v1\nkind: Budget\nname: default\nlimits: {recordedShare: 0.001}\n"
    specs = project(tmp_path, budget)
    (specs / "more.jsonnet").write_text(JSONNET, encoding="utf-8")
    program = check_project(specs).program
    assert program is not None
    use = next(use for use in uses(ledger(program)) if use.exceeded)
    undone = {
        each.choice.undone
        for each in effects(program, use)
        if each.choice.span.file.endswith(".jsonnet")
    }
    assert undone == {"without 'cluster:power:sum5m'", "without 'gpu:energy:increase10m'"}


# What has grown since the last build -----------------------------------------------------------------------------------


def report(program: Program) -> str:
    made = {artifact.path: artifact for artifact in budget_report.render(program)}
    return made["budget/report.json"].content.decode()


def grown(folder: Path, before: dict[str, Any], now: dict[str, Any], limits: str) -> str:
    """The cause of a broken limit, when what was built last is another fleet."""
    (folder / "before").mkdir()
    (folder / "now").mkdir()
    last = report(whiteboard(folder / "before", **before))
    program = replace(whiteboard(folder / "now", limits=limits, **now), last_report=last)
    use = next(use for use in uses(ledger(program)) if use.exceeded)
    found = cause(effects(program, use), since(program, use))
    return "" if found is None else found.choice.undone


TWO = f"{POOL.format(name='old', nodes=100)}\n{POOL.format(name='new', nodes='NODES')}"


@pytest.mark.parametrize(
    ("before", "now", "limits", "undone"),
    [
        # Without the last build the cause would be the counter of 40 blocks, which is the smallest choice.
        ({"nodes": 100, "ecc": True}, {"nodes": 150, "ecc": True}, "{activeSeriesPerCluster: 100000}", "without pool 'h100'"),
        ({"pools": TWO.replace('NODES', '10'), "ecc": True}, {"pools": TWO.replace('NODES', '50'), "ecc": True}, "{activeSeriesPerCluster: 110000}", "without pool 'new'"),
        ({"nodes": 100}, {"nodes": 100, "ecc": True}, "{activeSeriesPerCluster: 60000}", "without 'gpu_ecc_correct' of ours"),
        ({"nodes": 100, "ecc": True}, {"nodes": 100, "ecc": True, "intervals": "scrapeInterval: 5s\n"}, "{samplesPerSecondPerCluster: 10000}", "with 'scrapeInterval: 15s'"),
        ({"nodes": 100, "ecc": True, "intervals": "scrapeInterval: 5s\n"}, {"nodes": 190, "ecc": True, "intervals": "scrapeInterval: 5s\n"}, "{samplesPerSecondPerCluster: 20000}", "without pool 'h100'"),
        ({"nodes": 100}, {"nodes": 100, "ecc": True}, "{seriesPerGpu: 80}", "without 'gpu_ecc_correct' of ours"),
        # Each is all that there is; more of it are more nodes.
        ({"nodes": 100}, {"nodes": 150}, "{activeSeriesPerCluster: 60000}", "without pool 'h100'"),
        # Nothing has grown: it is the limit that is another one.
        ({"nodes": 100, "ecc": True}, {"nodes": 100, "ecc": True}, "{activeSeriesPerCluster: 60000}", "without 'gpu_ecc_correct' of ours"),
    ],
)  # fmt: skip
def test_what_has_grown_is_the_cause(
    before: dict[str, Any], now: dict[str, Any], limits: str, undone: str, tmp_path: Path
) -> None:
    assert grown(tmp_path, before, now, limits) == undone


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "{}", '{"clusters": {"one": {}}}', '{"clusters": {"one": {"totals": 1}}}'],
)
def test_a_report_that_is_none_changes_nothing(text: str, tmp_path: Path) -> None:
    program = of(tmp_path, 90_000)
    assert because(replace(program, last_report=text)) == because(program)
