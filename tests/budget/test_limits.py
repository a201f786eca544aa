"""What is used of each limit: numbers that can be computed by hand, with the sum that they come from."""

from __future__ import annotations

from pathlib import Path

from gpuobs.budget.ledger import ledger
from gpuobs.budget.limits import uses
from gpuobs.pipeline import check_project
from tests.budget.projects import whiteboard
from tests.projects import project

ALL = """{activeSeriesPerCluster: 500000, headSeriesPerCluster: 600000, seriesPerGpu: 60, recordedShare: 0.1,
  samplesPerSecondPerCluster: 40000, longTermWriteReduction: 20, seriesReadPerEvaluation: 1000}"""


def test_the_whiteboard_of_1000_nodes_with_8_gpus_and_60_metrics(tmp_path: Path) -> None:
    program = whiteboard(tmp_path, limits=ALL)
    # 480,000 are the hardware's: labels that follow the GPU add nothing. 1,000 scrapes have five series each, and three
    # constants say what the pool has.
    used = [(use.limit, use.value, use.arithmetic) for use in uses(ledger(program))]
    assert used == [
        (
            "activeSeriesPerCluster",
            485003,
            "1,000 nodes x 8 GPUs x 60 metrics + 5,000 of the scrapes themselves + 3 recorded",
        ),
        ("headSeriesPerCluster", 485003, "485,003 active + 0 that ended within 3 h"),
        ("seriesPerGpu", 60, "480,000 series of pool 'h100' / 8,000 GPUs"),
        ("recordedShare", 3 / 480000, "3 recorded / 480,000 scraped"),
        (
            "samplesPerSecondPerCluster",
            485000 / 15 + 3 / 60,
            "485,000 scraped / 15s + 3 recorded / 1m",
        ),
        ("seriesReadPerEvaluation", 0, "0"),
    ]


def test_a_label_of_40_values_multiplies_and_labels_of_the_gpu_do_not(tmp_path: Path) -> None:
    program = whiteboard(tmp_path, ecc=True, limits="{activeSeriesPerCluster: 900000}")
    (account,) = ledger(program).clusters
    (use,) = uses(ledger(program))
    assert account.scraped == 480_000 + 320_000
    assert use.arithmetic == (
        "1,000 nodes x 8 GPUs x 60 metrics + 1,000 nodes x 8 GPUs x 40 values of block "
        "+ 5,000 of the scrapes themselves + 3 recorded"
    )


def test_a_limit_holds_at_its_value_and_its_headroom_at_its_own(tmp_path: Path) -> None:
    found = []
    for number, limit in enumerate((485002, 485003, 606253, 606254)):
        folder = tmp_path / str(number)
        folder.mkdir()
        (use,) = uses(ledger(whiteboard(folder, limits=f"{{activeSeriesPerCluster: {limit}}}")))
        found.append((use.exceeded, use.within_headroom))
    assert found == [(True, False), (False, True), (False, True), (False, False)]


def test_a_promise_is_met_or_not_and_has_no_headroom(tmp_path: Path) -> None:
    storage = "storage:\n  longTerm: {kind: mimir, raw: [gpu_0, gpu_1, gpu_2]}\n"
    program = whiteboard(tmp_path, limits="{longTermWriteReduction: 20}", storage=storage)
    (use,) = uses(ledger(program))
    scraped, sent = 485000 / 15, 3 * 8000 / 15 + 3 / 60
    assert (use.value, use.at_least) == (scraped / sent, True)
    assert (use.exceeded, use.within_headroom) == (False, False)
    assert use.arithmetic == "32,333 samples a second scraped / 1,600 sent"


def test_series_of_a_gpu_are_those_of_the_pool_that_has_most(tmp_path: Path) -> None:
    pools = """\
      - {name: train, gpu: H100-SXM5-80GB, nodes: 100, gpusPerNode: 8}
      - {name: share, gpu: H100-SXM5-80GB, nodes: 2, gpusPerNode: 4, mig: {1g.10gb: 7}}"""
    program = whiteboard(tmp_path, limits="{seriesPerGpu: 60}", pools=pools)
    (use,) = uses(ledger(program))
    assert (use.value, use.arithmetic) == (420, "3,360 series of pool 'share' / 8 GPUs")


def test_each_cluster_is_held_against_each_limit(tmp_path: Path) -> None:
    program = whiteboard(
        tmp_path,
        limits="{activeSeriesPerCluster: 10000, seriesPerGpu: 70}",
        pools="""\
      - {name: h100, gpu: H100-SXM5-80GB, nodes: 10, gpusPerNode: 8}
  - name: two
    pools:
      - {name: h100, gpu: H100-SXM5-80GB, nodes: 20, gpusPerNode: 8}""",
    )
    assert [(use.cluster, use.limit, use.value) for use in uses(ledger(program))] == [
        # A cluster that says nothing of its workloads has one pod a GPU, whose labels add no series.
        ("one", "activeSeriesPerCluster", 4800 + 50 + 6),
        ("one", "seriesPerGpu", 60),
        ("two", "activeSeriesPerCluster", 9600 + 100 + 6),
        ("two", "seriesPerGpu", 60),
    ]


def test_without_a_budget_nothing_is_limited(tmp_path: Path) -> None:
    done = check_project(project(tmp_path, "rules: []\n"))
    assert done.program is not None
    assert uses(ledger(done.program)) == ()
