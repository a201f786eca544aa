"""An alert that is silent on the GPUs of another vendor.

An exporter's metric is only there for the GPUs of its vendor. Where the fleet has pools of another
one and a signal that both vendors report, an alert on the signal watches all of them. Only plain
thresholds are looked at; alerts with matchers, which pick what they are about, and those that name
a vendor are left alone.

Bad:

```yaml
alerts:
  - name: GpuHot
    tier: info
    expr: DCGM_FI_DEV_GPU_TEMP > 90
    summary: GPU {{ $labels.gpu }} is hot
    scenarios:
      - name: one hot GPU
        series: {'DCGM_FI_DEV_GPU_TEMP{Hostname="n1", gpu="0"}': '95x10'}
        fires: [{at: 10m, labels: {Hostname: n1}}]
```

Good:

```yaml
alerts:
  - name: GpuHot
    tier: info
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 90}
    summary: GPU {{ $labels.gpu }} is hot
```
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpuobs import promql
from gpuobs.checks._texts import words
from gpuobs.checks._values import thresholds
from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import Expression, expressions
from gpuobs.ir import Program
from gpuobs.policy import Collected, Policy, alternatives
from gpuobs.promql.nodes import Binary, Select, bare, constant
from gpuobs.spec.model import Signal

CODE = "promql/one-vendor"
SEVERITY = "warning"


def check(program: Program) -> Iterator[Diagnostic]:
    policy = program.policy
    if program.foreign or policy is None or len(policy.vendors) < 2:
        return
    shared: dict[str, Mapping[str, str]] = {}
    for expression in expressions(program):
        read = _of_one_vendor(expression, policy) if expression.alert is not None else []
        if not read:
            continue
        vendor = str(read[0][1].exporter.catalog.vendor)
        if vendor not in shared:
            shared[vendor] = _shared_signals(policy, vendor)
        signals = [shared[vendor].get(found.metric.name, "") for _, found in read]
        if all(signals) and not words(expression) & {*policy.vendors, "dcgm"}:
            yield _finding(expression, policy, read[0][0], vendor, signals[0])


def _of_one_vendor(expression: Expression, policy: Policy) -> list[tuple[Select, Collected]]:
    """The metrics that are read, if all are of one vendor's GPUs and compared as they are."""
    read = []
    compared = {bare(threshold.series) for threshold in thresholds(expression)}
    for node in expression.analysis.of(Select):
        found = policy.collected.get(node.selector.name)
        if found is None or node.selector.matchers or node not in compared:
            return []
        read.append((node, found))
    vendors = {found.exporter.catalog.vendor for _, found in read}
    return read if len(vendors) == 1 and "" not in vendors else []


def _shared_signals(policy: Policy, vendor: str) -> Mapping[str, str]:
    """Metrics of a vendor to the signal that has their values for every vendor of the fleet."""
    found: dict[str, tuple[int, str]] = {}
    for name, signal in policy.signals.items():
        if not all(_is_collected(policy, signal, each) for each in policy.vendors):
            continue
        for text, _ in alternatives(signal, vendor):
            metric = _only_metric(policy, text)
            if metric and (metric not in found or len(text) < found[metric][0]):
                found[metric] = len(text), name
    return {metric: name for metric, (_, name) in found.items()}


def _is_collected(policy: Policy, signal: Signal, vendor: str) -> bool:
    for text, _ in alternatives(signal, vendor):
        parsed = promql.parse(text)
        if isinstance(parsed, promql.Parsed):
            return all(each.name in policy.collected for each in promql.selectors(parsed))
    return False


def _only_metric(policy: Policy, text: str) -> str:
    """The metric whose values an expression has, possibly in another unit."""
    parsed = promql.parse(text)
    if not isinstance(parsed, promql.Parsed):
        return ""
    node = bare(parsed.tree)
    while isinstance(node, Binary) and node.name in ("*", "/") and constant(node.rhs) is not None:
        node = bare(node.lhs)
    found = policy.collected.get(node.selector.name) if isinstance(node, Select) else None
    return str(found.metric.name) if found is not None else ""


def _finding(
    expression: Expression, policy: Policy, node: Select, vendor: str, signal: str
) -> Diagnostic:
    others = [pool.name for _, pool, model in policy.pools if model.vendor != vendor]
    message = f"no GPU of pool '{others[0]}' has '{node.selector.name}': the alert is silent there"
    hint = f"signal '{signal}' has it for every vendor: when: {{signal: {signal}, level: gpu, ...}}"
    place = node.selector.name_start, node.selector.name_end
    return expression.warning(place, CODE, message, hint)
