"""The graph: what it holds for a small project, what must hold for every project, and how it is shown and drawn."""

from __future__ import annotations

import json
import re
import shutil
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from gpuobs.cli import run
from gpuobs.diagnostics import Span
from gpuobs.graph import KINDS, RULES, Graph, Node, draw, graph, reading, text, unused
from gpuobs.ir import AlertingRule, Origin, Program, RecordingRule, RuleFile, RuleGroup
from gpuobs.lower.groups import reads
from gpuobs.pipeline import Compilation, check_project, compile_project
from tests.projects import BASE, project

SPECS = Path(__file__).parent.parent / "specs"

ALERTS = """alerts:
  - name: GpuHot
    tier: info
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 80}
    summary: GPU {{ $labels.gpu }} is hot
  - name: ExporterDown
    tier: page
    expr: up{job="dcgm-exporter"} == 0
    for: 5m
    summary: gone
    description: gone
    runbook: {impact: Blind., diagnose: [look], fix: [restart]}
    scenarios:
      - name: one
        series: {'up{job="dcgm-exporter", instance="n1"}': '0x30'}
        fires: [{at: 20m, labels: {instance: n1}}]
"""


def program(specs: Path) -> Program:
    done = check_project(specs)
    assert done.program is not None, done.diagnostics
    return done.program


@cache
def reference() -> tuple[Program, Graph]:
    policy = program(SPECS)
    return policy, graph(policy)


def arrows(found: Graph) -> list[str]:
    return [f"{a.kind} {a.name} -> {b.kind} {b.name}" for a, b in found.edges]


def lineless(story: str) -> str:
    return re.sub(r":\d+\)", ")", story)


def around(specs: Path, name: str) -> list[str]:
    """The story of a name, without the places."""
    found = graph(program(specs))
    return re.sub(r"  \(.*?:\d+\)", "", text.around(found, found.named(name))).splitlines()


# What it holds -------------------------------------------------------------------------------------------------------


def test_from_the_metric_to_the_receiver(tmp_path: Path) -> None:
    found = graph(program(project(tmp_path, ALERTS)))
    assert arrows(found.around(found.named("GpuHot"))) == [
        "metric DCGM_FI_DEV_GPU_TEMP -> signal temperature",
        "metric gpu_edge_temperature -> signal temperature",
        "metric gpu_junction_temperature -> signal temperature",
        "signal temperature -> rollup gpu:temperature:max5m",
        "rollup gpu:temperature:max5m -> alert GpuHot",
        "alert GpuHot -> receiver slack-infra",
    ]


def test_an_expression_reads_its_metrics_without_a_signal(tmp_path: Path) -> None:
    found = graph(program(project(tmp_path, ALERTS)))
    assert arrows(found.around(found.named("ExporterDown"))) == [
        "metric up -> alert ExporterDown",
        "alert ExporterDown -> receiver pagerduty-infra",
    ]


def test_a_ratio_is_fed_by_its_two_signals_and_read_through_their_rollups() -> None:
    found = graph(program(BASE)).in_use
    assert [arrow for arrow in arrows(found) if "memory" in arrow.partition(" -> ")[2]] == [
        "metric DCGM_FI_DEV_FB_FREE -> signal memory_total",
        "metric DCGM_FI_DEV_FB_RESERVED -> signal memory_total",
        "metric DCGM_FI_DEV_FB_USED -> signal memory_total",
        "metric DCGM_FI_DEV_FB_USED -> signal memory_used",
        "metric gpu_total_vram -> signal memory_total",
        "metric gpu_used_vram -> signal memory_used",
        "signal memory_total -> signal memory_used_ratio",
        "signal memory_total -> rollup gpu:memory_total:avg5m",
        "signal memory_used -> signal memory_used_ratio",
        "signal memory_used -> rollup gpu:memory_used:avg5m",
        "signal memory_used_ratio -> rollup cluster:memory_used_ratio:avg5m",
        "signal memory_used_ratio -> rollup gpu:memory_used_ratio:avg5m",
        "rollup gpu:memory_total:avg5m -> rollup cluster:memory_used_ratio:avg5m",
        "rollup gpu:memory_total:avg5m -> rollup gpu:memory_used_ratio:avg5m",
        "rollup gpu:memory_used:avg5m -> rollup cluster:memory_used_ratio:avg5m",
        "rollup gpu:memory_used:avg5m -> rollup gpu:memory_used_ratio:avg5m",
    ]


def test_nodes_know_where_they_come_from(tmp_path: Path) -> None:
    specs = project(tmp_path, ALERTS)
    found = graph(program(specs))
    by_name = {node: node for node in found.nodes}

    def of(kind: str, name: str) -> tuple[str, str]:
        node = by_name[Node(kind, name)]
        place = f"{Path(node.span.file).name}:{node.span.line}" if node.span else ""
        return node.home, place

    assert of("metric", "DCGM_FI_DEV_GPU_TEMP") == ("nvidia-dcgm", "fleet.yaml:10")
    assert of("metric", "up") == ("prometheus", "fleet.yaml:13")
    assert of("signal", "temperature") == ("built in", "")
    assert of("rollup", "gpu:temperature:max5m") == ("Rollups base", "rollups.yaml:7")
    assert of("alert", "GpuHot") == ("Alerts example", "example.yaml:6")
    assert of("receiver", "slack-infra") == ("Tiers", "tiers.yaml:9")


def test_an_expression_of_a_newer_prometheus_is_read_too(tmp_path: Path) -> None:
    specs = project(tmp_path, "prometheusVersion: '3.5'\n")
    rule = """apiVersion: gpuobs/v1
kind: Rollups
name: newer
rules:
  - {record: 'cluster:up:sum', expr: 'sum by (cluster) ({"up"})', unit: count}
"""
    (specs / "newer.yaml").write_text(rule)
    assert arrows(graph(program(specs)).around([Node("rollup", "cluster:up:sum")])) == [
        "metric up -> rollup cluster:up:sum"
    ]


@pytest.mark.parametrize(
    ("selector", "names"),
    [
        ("a_x", ["a_x"]),
        ("unknown", ["unknown"]),
        ('{__name__="a_x"}', ["a_x"]),
        ('{__name__=~"a_.*"}', ["a_x", "a_y"]),
        ('{__name__=~"a_x|b"}', ["a_x", "b"]),
        ('{__name__=~"a_z?.*"}', ["a_x", "a_y"]),
        ('{__name__=~"a_(x|y)"}', ["a_x", "a_y"]),
        ('{__name__=~"(?i)B|A_X"}', ["a_x", "a_y", "b"]),
        ('{__name__!="b", job="j"}', ["a_x", "a_y"]),
        ('{job="j"}', ["a_x", "a_y", "b"]),
    ],
)
def test_a_pattern_may_read_all_that_can_match(selector: str, names: list[str]) -> None:
    assert list(reading.reads(f"sum({selector})", (2, 42), ("a_x", "a_y", "b"))) == names


def test_rules_without_a_policy_read_what_they_read() -> None:
    origin = Origin(Span("rules.yaml", 1, 1, 1, 1), "rules", "others")
    group = RuleGroup(
        name="g",
        interval="",
        rules=(
            RecordingRule(
                record="a:b:c", expr='sum(strange) / sum({__name__="up"})', origin=origin
            ),
            AlertingRule(alert="A", expr="a:b:c > 1", annotations={}, origin=origin),
        ),
    )
    file = RuleFile(name="others", groups=(group,), origin=origin)
    foreign = Program(
        fleet="none", version=(2, 42), rule_files=(file,), test_files=(), foreign=True
    )
    assert text.whole(graph(foreign)).splitlines() == [
        "metric strange  (no exporter of the fleet)",
        "  rollup a:b:c  (rules.yaml:1)",
        "    alert A  (rules.yaml:1)",
        "metric up  (no exporter of the fleet)",
        "  rollup a:b:c  (rules.yaml:1)  (see above)",
    ]


# What must hold ------------------------------------------------------------------------------------------------------


def test_every_node_is_there_once_and_every_end_of_an_edge_is_a_node() -> None:
    _, found = reference()
    assert len(set(found.nodes)) == len(found.nodes)
    assert {end for edge in found.edges for end in edge} <= set(found.nodes)
    assert list(found.nodes) == sorted(found.nodes, key=lambda node: node.order)


def test_every_read_of_a_rule_is_an_edge_or_goes_through_its_signal() -> None:
    policy, found = reference()
    for rule in policy.rules:
        alert = isinstance(rule, AlertingRule)
        node = Node("alert", rule.alert) if alert else Node("rollup", rule.record)  # type: ignore[union-attr]
        feeders = found.feeders[node]
        within = {n for s in feeders if s.kind == "signal" for n in found.feeders[s]}
        named = {n.name for n in (*feeders, *within)}
        assert set(reads(rule.expr, policy.version)) <= named, node


def test_every_alert_ends_at_a_receiver_and_every_metric_in_use_feeds_a_rule() -> None:
    _, found = reference()
    alerts = [node for node in found.nodes if node.kind == "alert"]
    assert [a for a in alerts if [u.kind for u in found.users[a]] != ["receiver"]] == []
    for node in found.in_use.nodes:
        if node.kind in ("metric", "signal"):
            assert any(below.kind in RULES for below in found.below([node])), node


def test_the_part_around_a_node_has_what_feeds_it_and_who_uses_it_and_nothing_else() -> None:
    _, found = reference()
    for node in found.nodes:
        part = found.around([node])
        assert set(part.nodes) == found.above([node]) | found.below([node])
        assert part.around([node]) == part


# In a terminal -------------------------------------------------------------------------------------------------------


def test_the_story_of_a_rollup(tmp_path: Path) -> None:
    assert around(project(tmp_path, ALERTS), "gpu:temperature:max5m") == [
        "rollup gpu:temperature:max5m",
        "fed by 3 metrics, 1 signal:",
        "  signal temperature",
        "    metric DCGM_FI_DEV_GPU_TEMP  (nvidia-dcgm)",
        "    metric gpu_edge_temperature  (amd-device-metrics)",
        "    metric gpu_junction_temperature  (amd-device-metrics)",
        "used by 1 alert, 1 receiver:",
        "  alert GpuHot",
        "    receiver slack-infra",
    ]


def test_a_part_that_comes_again_is_shown_once() -> None:
    assert around(BASE, "DCGM_FI_DEV_FB_USED") == [
        "metric DCGM_FI_DEV_FB_USED  (nvidia-dcgm)",
        "used by 3 signals, 4 rollups:",
        "  signal memory_total",
        "    signal memory_used_ratio",
        "      rollup cluster:memory_used_ratio:avg5m",
        "      rollup gpu:memory_used_ratio:avg5m",
        "    rollup gpu:memory_total:avg5m",
        "      rollup cluster:memory_used_ratio:avg5m",
        "      rollup gpu:memory_used_ratio:avg5m",
        "  signal memory_used",
        "    signal memory_used_ratio  (see above)",
        "    rollup gpu:memory_used:avg5m",
        "      rollup cluster:memory_used_ratio:avg5m",
        "      rollup gpu:memory_used_ratio:avg5m",
    ]


def test_rules_in_a_circle_end(tmp_path: Path) -> None:
    circle = """rules:
  - {record: 'cluster:gpus:hot', expr: 'cluster:gpus:warm * 2', unit: gpus}
  - {record: 'cluster:gpus:warm', expr: 'cluster:gpus:hot / 2', unit: gpus}
  - {record: 'cluster:gpus:self', expr: 'cluster:gpus:self', unit: gpus}
"""
    specs = project(tmp_path, circle)
    assert around(specs, "cluster:gpus:hot") == [
        "rollup cluster:gpus:hot",
        "fed by 1 rollup:",
        "  rollup cluster:gpus:warm",
        "    rollup cluster:gpus:hot  (in a circle)",
        "used by 1 rollup:",
        "  rollup cluster:gpus:warm",
        "    rollup cluster:gpus:hot  (in a circle)",
    ]
    assert around(specs, "cluster:gpus:self") == [
        "rollup cluster:gpus:self",
        "fed by itself:",
        "  rollup cluster:gpus:self  (in a circle)",
        "used by itself:",
        "  rollup cluster:gpus:self  (in a circle)",
    ]


def test_a_name_of_two_things_tells_both_stories() -> None:
    _, found = reference()
    story = text.around(found, found.named("pcie_rx")).splitlines()
    assert story[:5] == [
        "metric pcie_rx  (amd-device-metrics)",
        "used by 1 signal:",
        "  signal pcie_rx_bytes  (no rollup records it)",
        "",
        "signal pcie_rx",
    ]


def test_what_nothing_feeds_and_nobody_uses(tmp_path: Path) -> None:
    specs = project(tmp_path, ALERTS)
    nobody = "used by no rule and no alert; dashboards are not known here"
    assert around(specs, "pool:nodes:inventory") == [
        "rollup pool:nodes:inventory",
        "fed by nothing",
        nobody,
    ]
    assert around(specs, "scrape_series_added") == [
        "metric scrape_series_added  (prometheus)",
        nobody,
    ]


def test_all_of_a_small_project_is_trees_and_of_a_large_one_counts() -> None:
    small = text.whole(graph(program(BASE))).splitlines()
    assert small[0] == "metric DCGM_EXP_XID_ERRORS_COUNT  (nvidia-dcgm)"
    assert small[1] == "  signal xid_events"
    _, found = reference()
    large = text.whole(found).splitlines()
    assert large[0].split() == ["in", "use", "alerts", "on", "it"]
    assert "  pagerduty-infra                                18" in large
    assert max(len(line) for line in large) <= 110


def test_a_chain_of_a_thousand_rules_is_shown() -> None:
    nodes = tuple(Node("rollup", f"a:b:c{number:04}") for number in range(1_000))
    chain = Graph(nodes, tuple(pairwise(nodes)))
    assert len(text.around(chain, nodes[:1]).splitlines()) == 1_002


# For other programs --------------------------------------------------------------------------------------------------


def test_json_names_nodes_and_edges(tmp_path: Path) -> None:
    specs = project(tmp_path, ALERTS)
    found = graph(program(specs))
    data = json.loads(draw.as_json(found.around(found.named("ExporterDown"))))
    files = [Path(node.pop("file")).name for node in data["nodes"]]
    assert files == ["fleet.yaml", "example.yaml", "tiers.yaml"]
    assert data == {
        "nodes": [
            {"id": "metric:up", "kind": "metric", "name": "up", "home": "prometheus", "line": 13},
            {
                "id": "alert:ExporterDown",
                "kind": "alert",
                "name": "ExporterDown",
                "home": "Alerts example",
                "line": 10,
            },
            {
                "id": "receiver:pagerduty-infra",
                "kind": "receiver",
                "name": "pagerduty-infra",
                "home": "Tiers",
                "line": 9,
            },
        ],
        "edges": [
            {"from": "metric:up", "to": "alert:ExporterDown"},
            {"from": "alert:ExporterDown", "to": "receiver:pagerduty-infra"},
        ],
    }


def test_mermaid_and_dot(tmp_path: Path) -> None:
    found = graph(program(project(tmp_path, ALERTS)))
    part = found.around(found.named("ExporterDown"))
    assert draw.as_mermaid(part).splitlines() == [
        "flowchart LR",
        '  n0[/"up"/]',
        '  n1{{"ExporterDown"}}',
        '  n2>"pagerduty-infra"]',
        "  n0 --> n1",
        "  n1 --> n2",
    ]
    assert draw.as_dot(part).splitlines() == [
        "digraph gpuobs {",
        "  rankdir=LR;",
        '  node [fontname="sans-serif"];',
        '  "metric:up" [label="up", shape=parallelogram];',
        '  "alert:ExporterDown" [label="ExporterDown", shape=hexagon];',
        '  "receiver:pagerduty-infra" [label="pagerduty-infra", shape=cds];',
        '  "metric:up" -> "alert:ExporterDown";',
        '  "alert:ExporterDown" -> "receiver:pagerduty-infra";',
        "}",
    ]


QUOTED = r'"(?:[^"\\]|\\.)*"'
DOT = re.compile(
    rf'digraph gpuobs {{\n  rankdir=LR;\n  node \[fontname="sans-serif"\];\n'
    rf"(?:  {QUOTED} \[label={QUOTED}, shape=[a-z]+\];\n)*(?:  {QUOTED} -> {QUOTED};\n)*}}"
)
# A text in quotes has no quote, no markup, and '#' and ';' only around a number.
TEXT = r'"(?:[\w:. /-]|#\d+;)+"'
MERMAID = re.compile(
    rf"flowchart LR(?:\n  n\d+(?:\[/{TEXT}/\]|\(\[{TEXT}\]\)|\[{TEXT}\]|\{{\{{{TEXT}\}}\}}|>{TEXT}\]))*"
    r"(?:\n  n\d+ --> n\d+)*"
)


@given(st.lists(st.tuples(st.sampled_from(sorted(KINDS)), st.text()), unique=True, max_size=8))
def test_any_name_can_be_drawn(named: list[tuple[str, str]]) -> None:
    nodes = tuple(Node(kind, name) for kind, name in named)
    drawn = Graph(nodes, tuple(pairwise(nodes)))
    assert DOT.fullmatch(draw.as_dot(drawn))
    assert MERMAID.fullmatch(draw.as_mermaid(drawn))
    ids = [node["id"] for node in json.loads(draw.as_json(drawn))["nodes"]]
    assert ids == [f"{kind}:{name}" for kind, name in named]


# What nobody uses ----------------------------------------------------------------------------------------------------


def test_a_signal_that_no_rollup_records_and_the_metrics_that_feed_only_it(tmp_path: Path) -> None:
    own = """signals:
  - {name: clock_of_memory, help: clock, unit: hertz, sources: {nvidia: DCGM_FI_DEV_MEM_CLOCK * 1000000}}
"""
    policy = program(project(tmp_path, own))
    report = unused.unused(graph(policy), policy)
    assert [node.name for node in report.signals] == ["clock_of_memory"]
    dcgm = report.exporters[0]
    assert "DCGM_FI_DEV_MEM_CLOCK" in dcgm.unused["default"]
    assert "DCGM_FI_DEV_GPU_TEMP" not in dcgm.names
    assert "signals of this project that no rollup records:\n  clock_of_memory" in (
        unused.as_text(report)
    )


def test_a_group_that_nobody_uses_is_to_be_removed_and_one_in_part_is_written_out(
    tmp_path: Path,
) -> None:
    exporters = """exporters:
  - catalog: nvidia-dcgm
    job: dcgm-exporter
    version: 4.5.3-4.8.2
    collect: [DCGM_FI_DEV_GPU_TEMP, DCGM_FI_DEV_FB_USED, DCGM_FI_DEV_SHUTDOWN_TEMP, profiling, power-limits]
clusters:
  - name: one
    pools: [{name: h100, gpu: H100-SXM5-80GB, nodes: 4, gpusPerNode: 8}]
"""
    specs = project(tmp_path, exporters)
    rollups = """apiVersion: gpuobs/v1
kind: Rollups
name: base
rollups:
  - {signal: temperature, levels: {gpu: {max: [5m]}}}
  - {signal: sm_active, levels: {gpu: {avg: [5m]}}}
"""
    (specs / "rollups.yaml").write_text(rollups)
    policy = program(specs)
    (dcgm,) = unused.unused(graph(policy), policy).exporters
    assert list(dcgm.unused) == [
        "DCGM_FI_DEV_FB_USED",
        "DCGM_FI_DEV_SHUTDOWN_TEMP",
        "profiling",
        "power-limits",
    ]
    assert dcgm.collect == ("DCGM_FI_DEV_GPU_TEMP", "DCGM_FI_PROF_SM_ACTIVE")


def _rules(done: Compilation) -> dict[str, bytes]:
    """All rules and their tests but those of the budget, whose numbers are those of what is collected."""
    folders = ("prometheus/", "prometheus-operator/", "tests/")
    return {
        each.path: each.content
        for each in done.artifacts
        if each.path.startswith(folders) and "alerts-budget" not in each.path
    }


def test_who_follows_the_advice_gets_the_same_rules_and_has_nothing_unused(tmp_path: Path) -> None:
    policy, found = reference()
    advice = {e.exporter.spec.job: e.collect for e in unused.unused(found, policy).exporters}
    specs = tmp_path / "specs"
    shutil.copytree(SPECS, specs)
    fleet = yaml.safe_load((specs / "fleet.yaml").read_text())
    for exporter in fleet["exporters"]:
        if exporter["job"] in advice:
            exporter["collect"] = list(advice[exporter["job"]])
    (specs / "fleet.yaml").write_text(yaml.safe_dump(fleet))
    done = compile_project(specs)
    assert done.program is not None
    assert _rules(done) == _rules(compile_project(SPECS))
    assert unused.unused(graph(done.program), done.program).exporters == ()


def test_a_metric_that_a_scenario_feeds_is_kept() -> None:
    policy, found = reference()
    dcgm = unused.unused(found, policy).exporters[0]
    assert "DCGM_FI_DEV_XID_ERRORS" in dcgm.collect


def test_series_that_come_with_every_target_or_every_alert_are_never_unused() -> None:
    policy, found = reference()
    names = {name for each in unused.unused(found, policy).exporters for name in each.names}
    assert names.isdisjoint({"up", "scrape_series_added", "ALERTS", "ALERTS_FOR_STATE"})


def test_the_report_as_json(tmp_path: Path) -> None:
    policy = program(project(tmp_path, ALERTS))
    report = unused.unused(graph(policy), policy)
    data = json.loads(unused.as_json(report))
    assert list(data) == ["exporters", "rollups", "signals"]
    assert list(data["exporters"][0]) == [
        "catalog",
        "job",
        "file",
        "line",
        "collected",
        "unused",
        "collect",
    ]
    assert {"pool:gpus:inventory", "fleet:sm_active:avg5m"} <= {r["name"] for r in data["rollups"]}


# Its page ------------------------------------------------------------------------------------------------------------


def test_the_page_shows_what_the_command_says() -> None:
    """But for the lines, which change with every edit of the specs."""
    _, found = reference()
    page = (SPECS.parent / "docs" / "graph.md").read_text(encoding="utf-8")
    told = dict(re.findall(r"\$ gpuobs graph (\S+)\n(.*?)\n```", page, re.DOTALL))
    assert sorted(told) == ["DCGM_FI_DEV_POWER_USAGE", "GpuPowerAboveLimit"]
    for name, story in told.items():
        assert lineless(story) == lineless(text.around(found, found.named(name)))
    (picture,) = re.findall(r"```mermaid\n(.*?)\n```", page, re.DOTALL)
    assert picture == draw.as_mermaid(found.around(found.named("GpuPowerAboveLimit")))


# The command ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["gpu:temperature:max5"], 2, "did you mean 'gpu:temperature:max5m'?"),
        (["nothing-of-the-kind"], 2, "nothing is called 'nothing-of-the-kind'."),
        (
            ["DCGM_FI_DEV_VIDEO_CLOCK"],
            2,
            "'DCGM_FI_DEV_VIDEO_CLOCK' of catalog 'nvidia-dcgm' is not collected on this fleet.",
        ),
        (["--unused", "temperature"], 2, "--unused is a list of all, as text or json"),
        (["--unused", "--format", "dot"], 2, "--unused is a list of all, as text or json"),
    ],
)
def test_what_the_command_refuses(
    arguments: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["graph", "--specs", str(BASE), *arguments]) == code
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("format_", ["text", "json", "mermaid", "dot"])
@pytest.mark.parametrize("name", [[], ["temperature"]])
def test_every_format_of_the_whole_and_of_a_part(
    format_: str, name: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["graph", "--specs", str(BASE), "--format", format_, *name]) == 0
    out, err = capsys.readouterr()
    assert ("gpu:temperature:max5m" in out, err) == (True, "")


def test_unused_is_a_report_and_no_check(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["graph", "--specs", str(BASE), "--unused"]) == 0
    assert "rollups that no rule and no alert reads; dashboards may:" in capsys.readouterr().out


def test_specs_with_a_mistake_have_no_graph(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    specs = project(tmp_path, "alerts:\n  - {name: Odd}\n")
    assert run(["graph", "--specs", str(specs)]) == 1
    out, err = capsys.readouterr()
    assert (out, "error yaml/missing-key" in err) == ("", True)
