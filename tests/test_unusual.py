"""Unusual but legal conditions: whatever compiles, its derived tests pass in every promtool."""

from __future__ import annotations

from pathlib import Path

from gpuobs.output import write
from gpuobs.pipeline import compile_project
from gpuobs.verify.promtool import Promtool
from gpuobs.verify.unit_tests import run
from tests.projects import project

ROLLUPS = """apiVersion: gpuobs/v1
kind: Rollups
name: unusual
rollups:
  - signal: tensor_active
    levels:
      gpu: {avg: [1m, 5m, 1d], min: [5m], max: [5m]}
      workload: {avg: [5m]}
      node: {avg: [5m], p90: [5m]}
      cluster: {avg: [5m], count: [5m], by: [model]}
      fleet: {avg: [5m], max: [5m]}
  - signal: energy
    levels: {gpu: {rate: [2m, 1h], increase: [1h]}, fleet: {rate: [1h]}}
  - signal: memory_free
    levels: {gpu: {min: [5m]}, node: {sum: [5m]}}
"""
CONDITIONS = [
    "{signal: tensor_active, level: gpu, reduce: avg, window: 5m, above: 0.9995}",
    "{signal: tensor_active, level: gpu, reduce: avg, window: 5m, above: 0.999999999999}",
    "{signal: tensor_active, level: gpu, reduce: min, window: 5m, below: 1e-7}",
    "{signal: tensor_active, level: gpu, reduce: max, window: 5m, above: 1e-12}",
    "{signal: tensor_active, level: gpu, reduce: avg, window: 5m, above: 0.5, match: {node: [n7]}}",
    '{signal: tensor_active, level: gpu, reduce: avg, window: 5m, above: 0.5, match: {node: ["a.b|c", \'d\\e"f\']}}',
    '{signal: tensor_active, level: gpu, reduce: avg, window: 5m, above: 0.5, match: {gpu: ["3"], pool: [h100]}}',
    "{signal: tensor_active, level: gpu, reduce: avg, window: 5m, above: {default: 0.5, H100-SXM5-80GB: 0.7}}",
    "{signal: tensor_active, level: gpu, reduce: avg, window: 1d, above: 0.5}",
    "{signal: tensor_active, level: workload, reduce: avg, window: 5m, below: 0.5, match: {pod: [p]}}",
    "{signal: tensor_active, level: workload, reduce: avg, window: 5m, below: 0.5}",
    "{signal: tensor_active, level: node, reduce: p90, window: 5m, below: 0.5}",
    "{signal: tensor_active, level: cluster, reduce: avg, window: 5m, above: {default: 0.5, H100-SXM5-80GB: 0.7}}",
    "{signal: tensor_active, level: cluster, reduce: avg, window: 5m, above: 0.5, match: {cluster: [one]}}",
    "{signal: tensor_active, level: fleet, reduce: max, window: 5m, above: 0.5}",
    "{signal: energy, level: gpu, reduce: rate, window: 2m, above: 700}",
    "{signal: energy, level: gpu, reduce: increase, window: 1h, above: 2500000}",
    "{signal: energy, level: fleet, reduce: rate, window: 1h, above: 700}",
    "{signal: memory_free, level: gpu, reduce: min, window: 5m, below: 1073741824}",
    "{signal: memory_free, level: node, reduce: sum, window: 5m, above: 68719476736}",
]
WAITS = ["", "for: 90s", "for: 7m", "for: 10m\n    keepFiringFor: 3m"]


def test_conditions_that_compile_have_tests_that_pass(
    each_promtool: Promtool, tmp_path: Path
) -> None:
    alerts = "alerts:\n" + "".join(
        f"  - name: Unusual{number}\n    tier: info\n    when: {condition}\n    summary: odd\n"
        f"    {WAITS[number % len(WAITS)]}\n"
        for number, condition in enumerate(CONDITIONS)
    )
    specs = project(tmp_path, alerts)
    (specs / "unusual.yaml").write_text(ROLLUPS)
    done = compile_project(specs)
    assert [finding for finding in done.diagnostics if finding.severity == "error"] == []
    assert done.program is not None
    out = tmp_path / "generated"
    write(out, done.artifacts)
    report = run(each_promtool, done.program, out, ())
    assert [finding.message for finding in report.diagnostics] == []
    assert report.assertions > 100
