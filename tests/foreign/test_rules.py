"""Rules of others as the program has them."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuobs.foreign import world
from gpuobs.foreign.files import read_files
from gpuobs.ir import AlertingRule, Origin, RecordingRule, RuleFile

FILE = """\
groups:
  - name: gpu
    interval: 30s
    labels: {team: gpu, severity: none}
    rules:
      - record: node:gpu_temp:max
        expr: max by (Hostname) (DCGM_FI_DEV_GPU_TEMP)
      - alert: GpuHot
        expr: |
          DCGM_FI_DEV_GPU_TEMP > 85
        for: 5m
        keep_firing_for: 10m
        labels: {severity: page, level: 1}
        annotations: {summary: hot, description: }
      - {alert: Broken, expr: up ==, for: 5 m}
"""


def read(folder: Path, text: str) -> tuple[RuleFile, ...]:
    (folder / "rules.yaml").write_text(text, encoding="utf-8")
    (file,) = read_files([Path("rules.yaml")], world.built_in())
    return file.rule_files


def test_rules_have_what_was_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (file,) = read(tmp_path, FILE)
    (group,) = file.groups
    record, alert = group.rules
    assert (file.name, group.name, group.interval) == ("rules.yaml", "gpu", "30s")
    assert record == RecordingRule(
        record="node:gpu_temp:max",
        expr="max by (Hostname) (DCGM_FI_DEV_GPU_TEMP)",
        labels={"team": "gpu", "severity": "none"},
        origin=Origin(record.origin.span, "a rule file of Prometheus", "node:gpu_temp:max"),
    )
    assert alert == AlertingRule(
        alert="GpuHot",
        expr="DCGM_FI_DEV_GPU_TEMP > 85\n",
        for_="5m",
        keep_firing_for="10m",
        labels={"team": "gpu", "severity": "page", "level": "1"},
        annotations={"summary": "hot", "description": ""},
        origin=Origin(alert.origin.span, "a rule file of Prometheus", "GpuHot"),
    )
    assert (alert.origin.span.line, alert.place("labels", "severity").column) == (8, 28)
    assert group.written is not None
    assert alert.written is group.written.get("rules", 1)


def test_each_object_and_each_namespace_is_a_file_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    one = "  - {apiVersion: monitoring.coreos.com/v1, kind: PrometheusRule, metadata: {name: %s}, spec: {groups: []}}\n"
    objects = "apiVersion: v1\nkind: List\nitems:\n" + one % "a" + one % "b"
    assert [file.name for file in read(tmp_path, objects)] == ["rules.yaml#a", "rules.yaml#b"]
    namespaces = "a: [{name: x, rules: []}]\nb: [{name: y, rules: []}]\n"
    assert [file.name for file in read(tmp_path, namespaces)] == ["rules.yaml#a", "rules.yaml#b"]
    stream = "namespace: a\ngroups: []\n---\nnamespace: b\ngroups: []\n"
    assert [file.name for file in read(tmp_path, stream)] == ["rules.yaml#a", "rules.yaml#b"]
