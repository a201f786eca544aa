"""Changes: what each costs on the whiteboard, and what does not fit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gpuobs.budget import changes
from gpuobs.budget.changes import Change, Unfit
from gpuobs.budget.ledger import ClusterAccount, ledger
from gpuobs.ir import Program
from tests.budget.projects import whiteboard


def after(program: Program, change: Change) -> ClusterAccount:
    assert program.policy is not None
    (account,) = ledger(program, change(program.policy)).clusters
    return account


SCRAPED: tuple[tuple[Change, str, int], ...] = (
    (changes.add_nodes("h100", 1), "+1 node in pool 'h100'", 1001 * 8 * 60),
    (changes.add_nodes("one/h100", -10), "-10 nodes in pool 'one/h100'", 990 * 8 * 60),
    (changes.add_gpus("h100", 1), "+1 GPU in each node of pool 'h100'", 1000 * 9 * 60),
    (
        changes.mig("h100", {"1g.10gb": 7}),
        "pool 'h100' cut by MIG into 7 x 1g.10gb",
        1000 * 8 * 7 * 60,
    ),
    (changes.mig("h100", {}), "pool 'h100' without MIG", 1000 * 8 * 60),
    (changes.collect("gpu_ecc_correct"), "collect 'gpu_ecc_correct'", 1000 * 8 * (60 + 40)),
    (changes.uncollect("gpu_7"), "do not collect 'gpu_7'", 1000 * 8 * 59),
    (changes.uncollect("hardware"), "do not collect 'hardware'", 0),
    (
        changes.label("ours", "team", 3),
        "label 'team' with 3 values on every series of 'ours'",
        1000 * 8 * 60 * 3,
    ),
    (
        changes.together([changes.add_nodes("h100", 1), changes.uncollect("gpu_7")]),
        "+1 node in pool 'h100' and do not collect 'gpu_7'",
        1001 * 8 * 59,
    ),
)


@pytest.mark.parametrize(("change", "name", "scraped"), SCRAPED, ids=str)
def test_series_that_exporters_write(
    change: Change, name: str, scraped: int, tmp_path: Path
) -> None:
    assert (str(change), after(whiteboard(tmp_path), change).scraped) == (name, scraped)


def test_shorter_scrapes_triple_the_samples_and_leave_the_series(tmp_path: Path) -> None:
    program = whiteboard(tmp_path)
    (before,) = ledger(program).clusters
    quick = after(program, changes.scrape_interval("5s"))
    assert (quick.active, quick.scraped_per_second) == (
        before.active,
        3 * before.scraped_per_second,
    )


def test_quicker_evaluations_record_more_samples(tmp_path: Path) -> None:
    quick = after(whiteboard(tmp_path), changes.evaluation_interval("30s"))
    assert (quick.recorded, quick.recorded_per_second) == (3, 3 / 30)


def test_pods_multiply_series_once_their_labels_are_there(tmp_path: Path) -> None:
    program = whiteboard(tmp_path, nodes=1, workloads="{podLifetime: 4h}")
    shared = after(program, changes.pods_per_gpu("one", 2))
    assert (shared.scraped, shared.churned) == (2 * 480, 2 * 480 * 3 // 4)
    short = after(program, changes.pod_lifetime("one", "1h"))
    assert (short.scraped, short.churned) == (480, 480 * 3)
    bare = after(program, changes.without_pod_labels("one"))
    assert (bare.scraped, bare.churned) == (480, 0)


STORE = "storage:\n  longTerm: {kind: mimir, levels: [fleet]}\n"


def test_what_is_sent_and_kept(tmp_path: Path) -> None:
    program = whiteboard(tmp_path, storage=STORE)
    (before,) = ledger(program).clusters
    assert after(program, changes.send_raw("gpu_7")).sent == before.sent + 8000
    assert after(program, changes.send_level("gpu")).sent == before.sent
    assert after(program, changes.retention("warm", "30d")).warm == 2 * before.warm
    assert after(program, changes.retention("cold", "26mo")).cold == 2 * before.cold
    assert after(program, changes.replicas(3)).scraped == before.scraped


REFUSED: tuple[tuple[Callable[[], Change], str], ...] = (
    (lambda: changes.add_nodes("h1000", 1), "no pool 'h1000'; did you mean 'h100'?"),
    (
        lambda: changes.add_nodes("h100", -1000),
        "0 nodes of 'h100'; there must be at least 1",
    ),
    (
        lambda: changes.mig("h100", {"1g.5gb": 7}),
        "H100-SXM5-80GB has no MIG profile '1g.5gb'; it has 1g.10gb, 1g.20gb, 2g.20gb, 3g.40gb, 4g.40gb, "
        "7g.80gb, 1g.10gb+me",
    ),
    (
        lambda: changes.collect("gpu_ecc_corect"),
        "no exporter has a metric or a group 'gpu_ecc_corect'; did you mean 'gpu_ecc_correct'?",
    ),
    (lambda: changes.collect("gpu_7"), "'gpu_7' of 'ours' is collected already"),
    (lambda: changes.uncollect("gpu_ecc_correct"), "'gpu_ecc_correct' of 'ours' is not collected"),
    (
        lambda: changes.collect("theirs/gpu_7"),
        "no exporter of this fleet has the catalog 'theirs'; known: ours",
    ),
    (lambda: changes.label("ours", "gpu", 2), "series of 'ours' have a label 'gpu' already"),
    (
        lambda: changes.label("ours", "my-team", 2),
        "'my-team' is not a label name; such as gpu_uuid",
    ),
    (
        lambda: changes.scrape_interval("15"),
        "'15' is not a Prometheus duration; such as 5m",
    ),
    (lambda: changes.scrape_interval("0s"), "'0s' is no time; it must be longer than 0s"),
    (
        lambda: changes.together([changes.scrape_interval("2m")]),
        "rules are evaluated every 1m, more often than new samples arrive (2m); evaluationInterval: 2m or longer",
    ),
    (
        lambda: changes.together([changes.evaluation_interval("10h")]),
        "rules are evaluated every 10h, longer than the 5m for which Prometheus looks back to a sample; "
        "evaluationInterval: 5m or shorter",
    ),
    (lambda: changes.pods_per_gpu("two", 2), "no cluster 'two'; known: one"),
    (
        lambda: changes.without_pod_labels("one"),
        "series of cluster 'one' carry no pod labels already",
    ),
    (lambda: changes.replicas(0), "0 replicas of 'Prometheus'; there must be at least 1"),
    (lambda: changes.retention("cold", "13 months"), "'13 months' is not a retention; such as 15d"),
    (lambda: changes.send_level("fleet"), "rollups of level 'fleet' are sent already"),
    (
        lambda: changes.send_raw("gpu_99"),
        "no metric and no group 'gpu_99' is collected; did you mean 'gpu_9'?",
    ),
)


@pytest.mark.parametrize(("make", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_what_does_not_fit(make: Callable[[], Change], message: str, tmp_path: Path) -> None:
    program = whiteboard(tmp_path, storage=STORE)
    assert program.policy is not None
    with pytest.raises(Unfit) as refused:
        make()(program.policy)
    assert str(refused.value) == message


def test_nothing_is_sent_where_there_is_no_store(tmp_path: Path) -> None:
    program = whiteboard(tmp_path)
    assert program.policy is not None
    with pytest.raises(Unfit, match="the fleet has no long-term store to send to"):
        changes.send_raw("gpu_7")(program.policy)


def test_a_sidecar_sends_everything(tmp_path: Path) -> None:
    storage = "storage:\n  longTerm: {kind: thanos, mode: sidecar}\n"
    program = whiteboard(tmp_path, storage=storage)
    assert program.policy is not None
    with pytest.raises(Unfit, match="a sidecar sends every series already"):
        changes.send_raw("gpu_7")(program.policy)


def test_a_pool_of_two_clusters_is_told_by_its_cluster(tmp_path: Path) -> None:
    program = whiteboard(
        tmp_path,
        pools="""\
      - {name: h100, gpu: H100-SXM5-80GB, nodes: 1, gpusPerNode: 8}
  - name: two
    pools:
      - {name: h100, gpu: H100-SXM5-80GB, nodes: 1, gpusPerNode: 8}""",
    )
    assert program.policy is not None
    with pytest.raises(Unfit) as refused:
        changes.add_nodes("h100", 1)(program.policy)
    assert refused.value.hint == "write 'one/h100' or 'two/h100'"
