"""No claim of a shape is refuted by what promtool computes, and what once was stays right."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from gpuobs import promql
from gpuobs.pipeline import check_project
from gpuobs.promql.analysis import analyse
from gpuobs.promql.interval import Interval
from gpuobs.promql.shapes import Shape
from gpuobs.verify.promtool import Promtool
from gpuobs.world import world
from tests.projects import project
from tests.promql.soundness import judged, report

# At most this share of the expressions may fail at evaluation, and at least these shares must be told something.
_FAILING = 0.02
_TELLING = {
    "labels closed": 0.9,
    "a label certain": 0.4,
    "values known": 0.4,
    "range bounded": 0.7,
    "never NaN": 0.5,
    "count bounded": 0.5,
    "reads bounded": 0.4,
}


@pytest.mark.promtool
@pytest.mark.parametrize("seed", [1, 2])
def test_promtool_refutes_no_claim(promtool: Promtool, seed: int) -> None:
    judgement = judged(promtool, seed, expressions=400, fleets=4)
    assert not judgement.refuted, "\n".join(report(judgement))
    assert judgement.failed <= _FAILING * judgement.pairs
    assert judgement.empty < 0.7 * judgement.pairs
    for sort, share in _TELLING.items():
        assert judgement.telling[sort] >= share * judgement.pairs, sort


FLEET = """clusters:
  - name: one
    pools:
      - {name: train, gpu: A100-SXM4-40GB, nodes: 2, gpusPerNode: 4}
      - {name: old, gpu: A100-PCIe-80GB, nodes: 3, gpusPerNode: 2}
    workloads: {podLifetime: 10m}
"""


def shape(text: str, folder: Path) -> Shape:
    program = check_project(project(folder, FLEET)).program
    parsed = promql.parse(text)
    assert program is not None
    assert isinstance(parsed, promql.Parsed)
    return analyse(parsed.tree, world(program)).result


TEMP = "DCGM_FI_DEV_GPU_TEMP"
COUNTS = [
    # A GPU is held by one pod at a time, and by two within a time shorter than a pod's.
    (TEMP, 14),
    (f"max_over_time({TEMP}[5m])", 28),
    (f"max_over_time({TEMP}[15m])", 42),
    (f"count by (Hostname) (max_over_time({TEMP}[5m]))", 5),
    (f"max_over_time(sum by (exported_pod) ({TEMP})[5m:1m])", 30),
    (f"max_over_time(topk(1, {TEMP})[5m:1m])", 28),
    # What the exporter calls this model is not known, so that the pool can have any name.
    (f'{TEMP}{{modelName="any"}}', 6),
    # A copy counts as what it is a copy of, and a made label by its values.
    (f"count by (gpu) ({TEMP})", 4),
    (f'count by (gpu) (label_replace({TEMP}, "gpu", "$1", "UUID", "(.*)"))', 14),
    (f'count by (node) (label_replace({TEMP}, "node", "$1", "Hostname", "(.*)"))', 5),
    (f'count by (cluster) (label_replace({TEMP}, "cluster", "set", "gpu", "0"))', 2),
    (f'count by (gpu) (label_replace({TEMP}, "gpu", "$1$2", "UUID", "(.)(.*)"))', 14),
    # Where some series lack the label there is one more group, and inventories are of no exporter.
    (f"count by (gpu) (max by (gpu) ({TEMP}) or max by (Hostname) ({TEMP}))", 9),
    (f"count by (job) ({TEMP} or max by (Hostname) ({TEMP}))", 2),
    (f"count by (pool) (pool:gpus:inventory or {TEMP})", 16),
]


@pytest.mark.parametrize(("text", "wanted"), COUNTS, ids=[text for text, _ in COUNTS])
def test_numbers_of_series(text: str, wanted: int, tmp_path: Path) -> None:
    assert shape(text, tmp_path).count == wanted


INF = math.inf
RANGES = [
    ("vector(49) / 49", Interval(1, 1)),
    ("vector(1) / (vector(0) < -1)", Interval(INF, -INF)),
    ("vector(1) * (vector(0) < -1)", Interval(INF, -INF)),
    ("vector(1) - scalar(vector(0) < -1)", Interval(INF, -INF, nan=True)),
    ("quantile(0.9, exp(vector(1)))", Interval(0, INF, nan=True)),
    ("quantile(0.9, vector(1))", Interval(1, 1)),
    ("quantile_over_time(0.9, exp(vector(1))[5m:1m])", Interval(0, INF, nan=True)),
    ("stddev_over_time(exp(vector(1))[5m:1m])", Interval(0, INF, nan=True)),
    ("stddev_over_time(vector(1)[5m:1m])", Interval(0, INF)),
    ("avg_over_time(ln(vector(1))[5m:1m])", Interval(-INF, INF, nan=True)),
    (f'sum({TEMP}{{cluster="none"}} / {TEMP})', Interval(0, INF, nan=True)),
    ("round(vector(1), Inf)", Interval(nan=True)),
    ("vector(2) ^ scalar(vector(2))", Interval(4, 4, nan=True)),
]


@pytest.mark.parametrize(("text", "wanted"), RANGES, ids=[text for text, _ in RANGES])
def test_ranges(text: str, wanted: Interval, tmp_path: Path) -> None:
    assert shape(text, tmp_path).range == wanted


BY_JOB = f"max by (job) ({TEMP})"
LABELS = [
    (f'label_replace({BY_JOB}, "name", "$1", "__name__", "(.*)")', "job", "job name"),
    (f'label_replace({BY_JOB}, "name", "$1", "__name__", "(.+)")', "job", "job name"),
    (f'label_join({BY_JOB}, "name", "", "__name__")', "job", "job name"),
    (f'count_values without (v) ("v", {BY_JOB})', "job", "job"),
    (f'count_values by (job) ("v", {BY_JOB})', "job v", "job v"),
    (f'count_values("v", {BY_JOB})', "v", "v"),
    (f'absent({TEMP}{{gpu="1", job!="x", job="y"}})', "gpu", "gpu job"),
]


@pytest.mark.parametrize(("text", "certain", "possible"), LABELS, ids=[row[0] for row in LABELS])
def test_labels(text: str, certain: str, possible: str, tmp_path: Path) -> None:
    found = shape(text, tmp_path).labels
    assert found.certain == frozenset(certain.split())
    assert found.possible == frozenset(possible.split())


def test_a_value_that_is_set_is_among_the_known_ones(tmp_path: Path) -> None:
    text = f'label_replace({TEMP}, "cluster", "set", "__name__", ".+")'
    assert shape(text, tmp_path).labels.values["cluster"] == {"one", "set"}


EXPORTERS = """exporters:
  - catalog: nvidia-dcgm
    job: dcgm
    version: 4.5.3-4.8.2
    labels: {cluster: k8s}
    collect: [default, profiling, exp, ecc]
"""


def test_a_renamed_target_label_is_certain_under_its_new_name_only(tmp_path: Path) -> None:
    fleet = FLEET + EXPORTERS
    program = check_project(project(tmp_path, fleet)).program
    assert program is not None
    known = world(program).metric(TEMP)
    assert known is not None
    assert "k8s" in known.labels.certain
    assert "cluster" not in known.labels.certain
