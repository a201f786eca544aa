"""Rollups in, whole expressions out."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from gpuobs.budget.ledger import ledger
from gpuobs.ir import Program, RecordingRule
from gpuobs.pipeline import compile_project
from tests.projects import project

MIG = """\
clusters:
  - name: one
    pools:
      - {name: a100, gpu: A100-SXM4-40GB, nodes: 2, gpusPerNode: 8, mig: {1g.5gb: 4, 3g.20gb: 1}}
"""


def compiled(folder: Path, text: str, fleet: str = "") -> Program:
    specs = project(folder, text)
    if fleet:
        other = project(folder / "fleet", fleet)
        (specs / "fleet.yaml").write_text((other / "fleet.yaml").read_text())
    done = compile_project(specs)
    assert done.program is not None, done.diagnostics
    return done.program


def rules(program: Program, record: str) -> list[RecordingRule]:
    return [
        rule
        for file in program.rule_files
        for group in file.groups
        for rule in group.rules
        if isinstance(rule, RecordingRule) and rule.record == record
    ]


def expressions(folder: Path, text: str, record: str, fleet: str = "") -> list[str]:
    return [rule.expr for rule in rules(compiled(folder, text, fleet), record)]


def rollup(signal: str, levels: str) -> str:
    return f"rollups:\n  - signal: {signal}\n    levels: {levels}\n"


def test_a_gauge_is_clamped_and_folded_at_every_scrape(tmp_path: Path) -> None:
    nvidia, amd = expressions(tmp_path, rollup("power", "{gpu: {avg: [1m]}}"), "gpu:power:avg1m")
    assert nvidia == dedent("""\
        max by (cluster, pool, node, gpu, gpu_uuid, model) (
          label_replace(
            label_replace(
              label_replace(
                avg_over_time((max by (cluster, pool, Hostname, gpu, UUID, modelName) (DCGM_FI_DEV_POWER_USAGE <= 10000))[1m:15s]),
                "node", "$1", "Hostname", "(.*)"
              ),
              "gpu_uuid", "$1", "UUID", "(.*)"
            ),
            "model", "$1", "modelName", "(.*)"
          )
        )""")
    assert "gpu_package_power" in amd


def test_vendors_are_told_apart_by_a_static_label(tmp_path: Path) -> None:
    program = compiled(tmp_path, rollup("power", "{gpu: {avg: [1m]}}"))
    assert [rule.labels for rule in rules(program, "gpu:power:avg1m")] == [
        {"vendor": "nvidia"},
        {"vendor": "amd"},
    ]


def test_a_longer_window_builds_on_the_evaluation_interval(tmp_path: Path) -> None:
    found = expressions(tmp_path, rollup("power", "{gpu: {avg: [1h, 1m]}}"), "gpu:power:avg1h")
    assert found == ["avg_over_time(gpu:power:avg1m[59m59s])"]


def test_a_mean_above_the_gpu_level_is_over_gpus(tmp_path: Path) -> None:
    found = expressions(tmp_path, rollup("power", "{node: {avg: [5m]}}"), "node:power:avg5m")
    assert found == ["avg by (cluster, pool, node, model, vendor) (gpu:power:avg5m)"]


def test_the_fleet_divides_sums_by_counts_of_the_clusters(tmp_path: Path) -> None:
    text = rollup("utilization", "{cluster: {avg: [5m], by: [model]}, fleet: {avg: [5m]}}")
    program = compiled(tmp_path, text)
    names = ("cluster:utilization:sum5m", "cluster:utilization:count5m", "fleet:utilization:avg5m")
    assert [rule.expr for name in names for rule in rules(program, name)] == [
        "sum by (cluster, model) (gpu:utilization:avg5m)",
        "count by (cluster, model) (gpu:utilization:avg5m)",
        "sum(cluster:utilization:sum5m) / sum(cluster:utilization:count5m)",
    ]


def test_a_ratio_is_divided_after_summing(tmp_path: Path) -> None:
    text = rollup("power_used_ratio", "{cluster: {avg: [5m]}}")
    fleet = (
        "exporters:\n"
        "  - {catalog: nvidia-dcgm, job: d, version: 4.5.3-4.8.2, collect: [default, profiling, exp, ecc, power-limits]}\n"
        "  - {catalog: amd-device-metrics, job: a}\n"
    )
    assert expressions(tmp_path, text, "cluster:power_used_ratio:avg5m", fleet) == [
        "sum by (cluster) (gpu:power:avg5m) / sum by (cluster) (gpu:power_limit:avg5m)"
    ]


def test_a_counter_is_rated_metric_by_metric(tmp_path: Path) -> None:
    text = rollup("energy", "{gpu: {rate: [5m]}}")
    nvidia = expressions(tmp_path, text, "gpu:energy:rate5m")[0]
    assert "( rate(DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION[5m]) ) / 1000" in " ".join(nvidia.split())


def test_mig_ratios_are_weighted_by_compute_slices_of_any_profile(tmp_path: Path) -> None:
    text = rollup("tensor_active", "{gpu: {avg: [1m]}}")
    found = " ".join(expressions(tmp_path, text, "gpu:tensor_active:avg1m", MIG)[0].split())
    by = "(cluster, pool, Hostname, gpu, UUID, modelName, GPU_I_ID)"
    metric = "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE"
    shares = {
        '=~"1g\\\\.10gb|1g\\\\.5gb|1g\\\\.5gb\\\\+me"': "1 / 7",
        '="2g.10gb"': "2 / 7",
        '="3g.20gb"': "3 / 7",
        '="4g.20gb"': "4 / 7",
        '="7g.40gb"': "7 / 7",
    }
    for profiles, share in shares.items():
        assert f"max by {by} ( {metric}{{GPU_I_PROFILE{profiles}}} <= 1 ) * {share}" in found
    assert f'max by {by} ( {metric}{{GPU_I_PROFILE=""}} <= 1 )' in found


def test_mig_presence_counts_a_gpu_once(tmp_path: Path) -> None:
    text = rollup("profiling_present", "{gpu: {avg: [1m]}}")
    found = expressions(tmp_path, text, "gpu:profiling_present:avg1m", MIG)[0]
    assert "sum by" not in found


def test_mig_memory_is_added_up_and_board_power_is_not(tmp_path: Path) -> None:
    text = rollup("memory_used", "{gpu: {avg: [1m]}}") + rollup("power", "{gpu: {avg: [1m]}}")[9:]
    program = compiled(tmp_path, text, MIG)
    memory, power = (
        " ".join(rules(program, f"gpu:{signal}:avg1m")[0].expr.split())
        for signal in ("memory_used", "power")
    )
    assert "sum by (cluster, pool, Hostname, gpu, UUID, modelName) ( max by (" in memory
    assert "sum by" not in power


def test_series_written_and_read_follow_from_the_fleet(tmp_path: Path) -> None:
    text = rollup(
        "power", "{gpu: {avg: [5m]}, node: {avg: [5m]}, cluster: {avg: [5m], by: [model]}}"
    )
    program = compiled(tmp_path, text)
    first = [
        rules(program, name)[0]
        for name in ("gpu:power:avg5m", "node:power:avg5m", "cluster:power:avg5m")
    ]
    found = {
        rule.record: (
            rule.labels.get("vendor"),
            sum(cost.writes or 0 for cost in ledger(program).rules if cost.rule is rule),
            sum(cost.reads or 0 for cost in ledger(program).rules if cost.rule is rule),
        )
        for rule in first
    }
    assert found == {
        "gpu:power:avg5m": ("nvidia", 32, 32),
        "node:power:avg5m": (None, 6, 48),
        "cluster:power:avg5m": (None, 2, 48),
    }


def test_a_chain_that_mimir_cuts_is_said(tmp_path: Path) -> None:
    windows = ", ".join(f"{minutes}m" for minutes in range(1, 25))
    specs = project(tmp_path, rollup("power_limit", f"{{gpu: {{max: [{windows}]}}}}"))
    fleet = (specs / "fleet.yaml").read_text().replace("exp, ecc]", "exp, ecc, power-limits]")
    (specs / "fleet.yaml").write_text(fleet + "storage: {longTerm: {kind: mimir}}\n")
    done = compile_project(specs)
    assert {(d.code, d.severity) for d in done.diagnostics} == {("rule/group-cut", "warning")}
    assert done.program is not None
    sizes = {
        group.name: len(group.rules)
        for file in done.program.rule_files
        for group in file.groups
        if "power_limit" in group.name
    }
    assert sizes == {
        "gpuobs.rollup.example.power_limit": 20,
        "gpuobs.rollup.example.power_limit.2": 4,
    }


def test_a_signal_that_no_vendor_reports_is_refused(tmp_path: Path) -> None:
    specs = project(tmp_path, rollup("unhealthy", "{gpu: {max: [5m]}}"))
    fleet = (specs / "fleet.yaml").read_text()
    (specs / "fleet.yaml").write_text(
        "\n".join(line for line in fleet.splitlines() if "mi300x" not in line) + "\n"
    )
    done = compile_project(specs)
    assert [(d.code, d.message, d.hint) for d in done.diagnostics] == [
        (
            "rollup/no-source",
            "'unhealthy' has no source for 'nvidia'",
            "'amd' has one; give it 'sources: {nvidia: <expression>}' in a SignalCatalog of your own, "
            "or leave the rollup out",
        )
    ]


def test_labels_follow_the_exporters_version(tmp_path: Path) -> None:
    specs = project(tmp_path, rollup("power", "{gpu: {avg: [1m]}}"))
    fleet = (specs / "fleet.yaml").read_text().replace("4.5.3-4.8.2", "4.6.0-4.8.3")
    (specs / "fleet.yaml").write_text(fleet)
    program = compile_project(specs).program
    assert program is not None
    assert (
        "max by (cluster, pool, hostname, gpu, UUID, modelName)"
        in rules(program, "gpu:power:avg1m")[0].expr
    )
