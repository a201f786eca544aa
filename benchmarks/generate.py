"""A policy of any size, in the form of the reference policy."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import yaml

_FLEET = """apiVersion: gpuobs/v1
kind: Fleet
name: large
exporters:
  - {catalog: nvidia-dcgm, job: dcgm-exporter, version: 4.5.3-4.8.2, collect: [default, profiling]}
clusters:
  - {name: one, pools: [{name: h100, gpu: H100-SXM5-80GB, nodes: 1000, gpusPerNode: 8}]}
"""
_TIERS = """apiVersion: gpuobs/v1
kind: Tiers
name: default
tiers: {ticket: {severity: warning, requires: [summary]}}
owners: {infra: {ticket: servicenow}}
"""
_HEADER = "apiVersion: gpuobs/v1\nkind: {kind}\nname: {name}\n"


def policy(folder: Path, rules: int) -> Path:
    """A project with half as many recording rules as alerts, 50 to a file, every alert with its derived tests."""
    specs = folder / "specs"
    specs.mkdir(parents=True)
    (specs / "fleet.yaml").write_text(_FLEET)
    (specs / "tiers.yaml").write_text(_TIERS)
    windows = [f"{minutes}m" for minutes in range(1, rules // 6 + 1)]
    (specs / "rollups.yaml").write_text(
        _HEADER.format(kind="Rollups", name="all")
        + "rollups:\n"
        + "".join(
            f"  - signal: {signal}\n    levels: {{gpu: {{{operation}: [{', '.join(windows)}]}}}}\n"
            for signal, operation in (("temperature", "max"), ("power", "avg"))
        )
    )
    for number in range(0, rules - 2 * len(windows), 50):
        alerts = [
            _alert(index, windows)
            for index in range(number, min(number + 50, rules - 2 * len(windows)))
        ]
        text = _HEADER.format(kind="Alerts", name=f"part-{number}") + "owner: infra\nalerts:\n"
        (specs / f"alerts-{number}.yaml").write_text(text + "".join(alerts))
    return folder


def rule_file(path: Path, files: Iterable[str], rules: int) -> Path:
    """A rule file of others: the rules of some files again and again, every expression another text."""
    texts: list[tuple[str, str]] = []
    for file in files:
        for group in yaml.load(Path(file).read_text(), yaml.CSafeLoader)["groups"]:
            texts += [("alert" if "alert" in r else "record", r["expr"]) for r in group["rules"]]
    lines = ["groups:"]
    for index in range(rules):
        kind, expr = texts[index % len(texts)]
        name = f"Alert{index}" if kind == "alert" else f"level:metric{index}:operation"
        if index % 20 == 0:
            lines += [f"  - name: group-{index}", "    rules:"]
        lines += [f"      - {kind}: {name}", "        expr: |"]
        lines += [f"          {line}" for line in f"{expr} # {index}".split("\n")]
    path.write_text("\n".join(lines) + "\n")
    return path


def _alert(index: int, windows: list[str]) -> str:
    window = windows[index % len(windows)]
    return f"""  - name: GpuHot{index}
    tier: ticket
    when: {{signal: temperature, level: gpu, reduce: max, window: {window}, above: {60 + index % 40}}}
    for: {1 + index % 30}m
    summary: GPU {{{{ $labels.gpu }}}} on {{{{ $labels.node }}}} is at {{{{ $value | humanize }}}} degrees
"""
