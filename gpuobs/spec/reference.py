"""docs/spec.md, written from the language's dataclasses."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from gpuobs.spec.model import KINDS
from gpuobs.spec.scalars import kinds
from gpuobs.spec.schema import schema
from gpuobs.spec.shape import HEADER

_INTRODUCTION = """\
# The spec language

<!-- Written by `make docs` from gpuobs/spec/model/. Do not edit. -->

A spec is a YAML file with one document, anywhere below the specs folder: `.yaml`, `.yml`, or `.jsonnet` that evaluates
to the same data. Hidden files and folders are skipped. Every document begins with three keys:

    apiVersion: gpuobs/v1
    kind: Alerts
    name: hardware-health

Scalars follow YAML 1.2: `on`, `no` and `12:30` are text, and so is `010`, which readers of YAML disagree on. Duplicate
and unknown keys, anchors, aliases, merge keys, tags, tabs in the indentation and second documents are errors.

A template such as `{{ $labels.gpu }}` at the beginning of a value wants quotes, and so does a text with `: ` in it.
Editors check specs as they are typed if a file begins with

    # yaml-language-server: $schema=../docs/schema.json
"""

EXAMPLES = {
    "Fleet": """\
apiVersion: gpuobs/v1
kind: Fleet
name: example
exporters:
  - catalog: nvidia-dcgm
    job: dcgm-exporter
    version: 4.5.3-4.8.2
    collect: [default, profiling]
  - {catalog: prometheus, job: prometheus}
clusters:
  - name: us-east-1
    pools:
      - {name: h100-train, gpu: H100-SXM5-80GB, nodes: 1000, gpusPerNode: 8}
""",
    "MetricCatalog": """\
apiVersion: gpuobs/v1
kind: MetricCatalog
name: rack-sensors
identity: {node: instance}
metrics:
  - name: rack_inlet_temperature_celsius
    kind: gauge
    unit: celsius
    range: [0, 60]
    per: node
    source: the facility team's exporter
""",
    "SignalCatalog": """\
apiVersion: gpuobs/v1
kind: SignalCatalog
name: own-signals
signals:
  - name: fan_speed
    help: fan speed as a share of the highest
    unit: ratio
    range: [0, 1]
    sources:
      nvidia: DCGM_FI_DEV_FAN_SPEED / 100
""",
    "GpuModels": """\
apiVersion: gpuobs/v1
kind: GpuModels
name: own-models
models:
  - name: L4-24GB
    vendor: nvidia
    memory: 24
    tdp: 72
""",
    "Rollups": """\
apiVersion: gpuobs/v1
kind: Rollups
name: thermal
rollups:
  - signal: temperature
    levels:
      gpu: {max: [5m]}
      node: {max: [5m]}
rules:
  - {record: cluster:up:count, expr: count by (cluster) (up == 1), unit: count}
""",
    "Tiers": """\
apiVersion: gpuobs/v1
kind: Tiers
name: default
tiers:
  page: {severity: critical, repeatInterval: 1h, requires: [summary, description, runbook]}
  ticket: {severity: warning}
owners:
  infra: {page: pagerduty-infra, ticket: servicenow-infra}
""",
    "Slos": """\
apiVersion: gpuobs/v1
kind: Slos
name: inference
owner: infra
slos:
  - name: rules-evaluated
    objective: 0.999
    window: 14d
    events:
      error: prometheus_rule_evaluation_failures_total
      total: prometheus_rule_evaluations_total
    by: [cluster]
    minimumTotal: 100
    burn: {fast: {tier: ticket}, medium: {tier: ticket}}
    summary: rules of {{ $labels.cluster }} fail {{ $value | humanize }} times as often as 99.9 % allow
""",
    "Budget": """\
apiVersion: gpuobs/v1
kind: Budget
name: default
limits:
  activeSeriesPerCluster: 3000000
  seriesPerGpu: 120
  headroom: 0.2
labels:
  forbid: [pod_uid, container_id]
""",
    "Checks": """\
apiVersion: gpuobs/v1
kind: Checks
name: default
checks:
  - {code: alert/no-runbook, severity: warning, reason: runbooks live in the wiki until Q3}
  - {code: rule/name, enabled: false, reason: our names predate the convention}
""",
    "Alerts": """\
apiVersion: gpuobs/v1
kind: Alerts
name: thermal
owner: infra
alerts:
  - name: GpuTemperatureHigh
    tier: ticket
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: {default: 85, H200-SXM5-141GB: 88}}
    for: 10m
    summary: GPU {{ $labels.gpu }} on {{ $labels.node }} is at {{ $value | humanize }} degrees
    runbook:
      impact: The GPU slows down, and with it every job that spans it.
      diagnose: [compare the node's other GPUs, look at the inlet temperature]
      fix: [clean or replace the fan tray, lower the power limit until then]
    scenarios:
      - name: one hot GPU among eight
        series: {'DCGM_FI_DEV_GPU_TEMP{gpu="3"}': 70x10 90x30}
        fires: [{at: 30m, labels: {gpu: "3"}}]
        quiet: [{at: 12m}]
""",
}


def markdown() -> str:
    """The whole reference: every kind, the classes below it in the order of their first use, and the forms of text."""
    definitions = schema()["$defs"]
    parts = [_INTRODUCTION, _kinds(definitions)]
    done: set[str] = set()
    for kind in KINDS:
        parts.append(
            f"## {kind}\n\n{definitions[kind]['description']}\n\n{_indented(EXAMPLES[kind])}"
        )
        for name in _below(kind, definitions, done):
            if name != kind:
                parts.append(f"### {name}\n\n{definitions[name]['description']}\n")
            parts.append(_table(definitions[name]))
    parts.append(_forms())
    return "\n".join(parts)


def write(docs: Path) -> None:
    """Writes spec.md and schema.json into the documentation's folder."""
    (docs / "spec.md").write_text(markdown(), encoding="utf-8")
    (docs / "schema.json").write_text(json.dumps(schema(), indent=2) + "\n", encoding="utf-8")


def _kinds(definitions: Mapping[str, Any]) -> str:
    rows = [f"| [{kind}](#{kind.lower()}) | {definitions[kind]['description']} |" for kind in KINDS]
    return "\n".join(["| kind | what it says |", "|---|---|", *rows, ""])


def _indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())


def _below(name: str, definitions: Mapping[str, Any], done: set[str]) -> Iterator[str]:
    """A class and those that it refers to, each once in the whole page."""
    if name in done:
        return
    done.add(name)
    yield name
    for rule in definitions[name]["properties"].values():
        for reference in _references(rule):
            yield from _below(reference, definitions, done)


def _references(rule: Any) -> Iterator[str]:
    if isinstance(rule, dict):
        if "$ref" in rule:
            yield rule["$ref"].rpartition("/")[2]
        for inner in rule.values():
            yield from _references(inner)
    elif isinstance(rule, list):
        for inner in rule:
            yield from _references(inner)


def _table(definition: Mapping[str, Any]) -> str:
    rows = ["| key | type | default | meaning |", "|---|---|---|---|"]
    for key, rule in definition["properties"].items():
        if key in HEADER and "const" in rule:  # of the document, and told in the introduction
            continue
        default = "required" if key in definition["required"] else _default(rule)
        meaning = rule["description"].replace("|", "\\|")
        rows.append(f"| `{key}` | {_type(rule)} | {default} | {meaning} |")
    return "\n".join([*rows, ""])


def _default(rule: Mapping[str, Any]) -> str:
    value = rule.get("default")
    if value is None or value in ("", [], {}):
        return ""
    return f"`{value if isinstance(value, str) else json.dumps(value)}`"


def _type(rule: Mapping[str, Any]) -> str:
    """A schema in words, with links to what is described elsewhere on the page."""
    if "$ref" in rule:
        name = rule["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in rule:
        choices = [choice for choice in rule["anyOf"] if choice.get("type") != "null"]
        return " or ".join(_type(choice) for choice in choices)
    if "enum" in rule:
        return "one of " + ", ".join(f"`{value}`" if value else "empty" for value in rule["enum"])
    if rule["type"] == "array":
        return _list(rule)
    if rule["type"] == "object":
        key = _type(rule.get("propertyNames", {"type": "string"}))
        return f"mapping of {key} to {_type(rule['additionalProperties'])}"
    if "title" in rule:
        return f"[{rule['title']}](#forms-of-text)"
    words = {"string": "text", "integer": "whole number", "boolean": "true or false"}
    return words.get(rule["type"], "number") + _bound(rule)


def _list(rule: Mapping[str, Any]) -> str:
    if "prefixItems" in rule:
        return "pair of " + _type(rule["prefixItems"][0]) + ", or null for none"
    return f"list of {_type(rule['items'])}" + (", not empty" if rule.get("minItems") else "")


def _bound(rule: Mapping[str, Any]) -> str:
    return f", {rule['minimum']:g} or more" if "minimum" in rule else ""


def _forms() -> str:
    rows = ["## Forms of text", "", "| form | what it is | such as |", "|---|---|---|"]
    for scalar in kinds():
        what = (scalar.__doc__ or "").strip().split("\n")[0]
        rows.append(f"| {scalar.__name__} | {what} | `{scalar.example}` |")
    return "\n".join([*rows, ""])
