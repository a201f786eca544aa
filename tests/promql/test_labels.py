"""The labels that a result can have: an upper bound, exact where the expression says it all."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from gpuobs import promql
from gpuobs.promql.analysis import analyse
from gpuobs.promql.labelset import Labels
from gpuobs.promql.shapes import Shape
from gpuobs.verify.promtool import Promtool
from tests.promql.worlds import Given

LABELS = {
    "gpu": frozenset({"cluster", "node", "gpu"}),
    "node": frozenset({"cluster", "node", "rack"}),
    "lat_bucket": frozenset({"node", "le"}),
}

KNOWN = [
    ("gpu", "cluster gpu node"),
    ('gpu{pool="a"}', "cluster gpu node pool"),
    ('gpu{pool!="a", x=~"b"}', "cluster gpu node"),
    ('{__name__="gpu"}', "cluster gpu node"),
    ("rate(gpu[5m])", "cluster gpu node"),
    ("max_over_time(gpu[1h:5m])", "cluster gpu node"),
    ("-gpu", "cluster gpu node"),
    ("sum(gpu)", ""),
    ("sum by (node, absent) (gpu)", "node"),
    ("sum without (gpu) (gpu)", "cluster node"),
    ("topk by (node) (3, gpu)", "cluster gpu node"),
    ('count_values by (node) ("v", gpu)', "node v"),
    ('count_values(("v"), gpu)', "v"),
    ("gpu + 1", "cluster gpu node"),
    ("1 + gpu", "cluster gpu node"),
    ("scalar(node) * gpu", "cluster gpu node"),
    ("gpu > bool 1", "cluster gpu node"),
    ("gpu + gpu", "cluster gpu node"),
    ("gpu + on (node) gpu", "node"),
    ("gpu > on (node) gpu", "node"),
    ("gpu + ignoring (gpu) gpu", "cluster node"),
    ("gpu * on (node) group_left (rack) node", "cluster gpu node rack"),
    ("node * on (node) group_right (rack) gpu", "cluster gpu node rack"),
    ("unknown + on (node) gpu", "node"),
    ("gpu and on (node) node", "cluster gpu node"),
    ("gpu unless node", "cluster gpu node"),
    ("gpu or node", "cluster gpu node rack"),
    ("absent(gpu{a='b', c=~'d'})", "a"),
    ("absent((gpu{a='b'}))", "a"),
    ("absent(gpu{a!='c', a='b'})", "a"),
    ("absent(sum(gpu{a='b'}))", ""),
    ("absent_over_time(gpu{a='b'}[5m])", "a"),
    ("vector(1)", ""),
    ("time()", ""),
    ("vector(scalar(gpu))", ""),
    ("minute()", ""),
    ("minute(gpu)", "cluster gpu node"),
    ('label_replace(gpu, "host", "$1", "node", "(.*)")', "cluster gpu host node"),
    ('label_join(gpu, ("host"), ",", "node")', "cluster gpu host node"),
    ("histogram_quantile(0.9, lat_bucket)", "node"),
    ("histogram_quantile(scalar(gpu), lat_bucket)", "node"),
    ("histogram_fraction(-1, 1, gpu)", "cluster gpu node"),
    ("quantile_over_time(scalar(node), gpu[5m])", "cluster gpu node"),
    ("clamp(gpu, scalar(node), 5)", "cluster gpu node"),
    ("holt_winters(gpu[5m], 0.5, 0.5)", "cluster gpu node"),
]
UNKNOWN = [
    "unknown",
    "unknown or gpu",
    "rate(unknown[5m])",
    "sum without (a) (unknown)",
    "unknown * on (node) group_left (rack) node",
    '{__name__=~"gpu|node"}',
    '{cluster="a"}',
    'label_replace(unknown, "a", "", "", "")',
]


def possible(text: str) -> frozenset[str] | None:
    parsed = promql.parse(text)
    assert isinstance(parsed, promql.Parsed), parsed
    return labels(parsed, LABELS)


def labels(parsed: promql.Parsed, known: Mapping[str, frozenset[str]]) -> frozenset[str] | None:
    """The labels that a result can have; None where others can be there too."""
    world = Given({name: Shape(labels=Labels(possible=has)) for name, has in known.items()})
    found = analyse(parsed.tree, world).result.labels
    return None if found.open else found.possible


@pytest.mark.parametrize(("text", "wanted"), KNOWN, ids=[text for text, _ in KNOWN])
def test_possible_labels(text: str, wanted: str) -> None:
    assert possible(text) == frozenset(wanted.split())


@pytest.mark.parametrize("text", UNKNOWN)
def test_unknown_labels(text: str) -> None:
    assert possible(text) is None


def test_grouping_bounds_an_unknown_metric() -> None:
    assert possible("sum by (a) (unknown)") == frozenset({"a"})


SERIES = (
    'gpu{cluster="c",node="n",gpu="0",pool="a",x="b"}',
    'node{cluster="c",node="n",rack="r"}',
    'lat_bucket{node="n",le="1"}',
    'lat_bucket{node="n",le="+Inf"}',
)


@pytest.mark.promtool
def test_no_result_has_a_label_that_is_not_possible(promtool: Promtool, tmp_path: Path) -> None:
    texts = [text for text, _ in KNOWN if _readable(text, promtool.number)]
    carried = {name: labels | {"pool", "x"} for name, labels in LABELS.items()}
    for text, got in _evaluated(promtool, texts, tmp_path / "labels.yaml").items():
        parsed = promql.parse(text, promtool.number)
        assert isinstance(parsed, promql.Parsed)
        bound = labels(parsed, carried)
        assert bound is None or set(re.findall(r'(\w+)="', got)) - {"__name__"} <= bound, text


def _readable(text: str, version: tuple[int, int]) -> bool:
    return isinstance(promql.parse(text, version), promql.Parsed)


def _evaluated(promtool: Promtool, texts: list[str], file: Path) -> dict[str, str]:
    """The samples of each expression, in promtool's words: it prints them where it expected others."""
    wrong = [{"labels": '{never="so"}', "value": 12345}]
    tests = {
        "interval": "1m",
        "input_series": [{"series": series, "values": "1+0x10"} for series in SERIES],
        "promql_expr_test": [
            {"expr": text, "eval_time": "9m", "exp_samples": wrong} for text in texts
        ],
    }
    file.write_text(json.dumps({"evaluation_interval": "1m", "tests": [tests]}), encoding="utf-8")
    command = [str(promtool.path), "test", "rules", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.findall(r'expr: (".*"), time: 9m,\s*exp:.*\s*got:(.*)', done.stdout + done.stderr)
    assert len(found) == len(texts), done.stderr
    return {json.loads(text): got for text, got in found}
