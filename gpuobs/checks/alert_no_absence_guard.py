"""Pages on an exporter whose silence no alert notices.

An exporter that hangs ends its series, and with them every alert on them: the hardware is broken and all is quiet. Some alert
must read the exporter's `up`, or `absent()`, or compare what reports with the inventory or with what was there before. This
is asked of every exporter on which a page rests, but not of Prometheus itself, which could tell nobody.

Bad:

```yaml
alerts:
  - name: GpuHot
    tier: page
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, match: {vendor: [nvidia]}, above: 85}
    for: 5m
    summary: GPU {{ $labels.gpu }} on {{ $labels.node }} is hot
    description: It slows down soon.
    runbook: {impact: Jobs slow down., diagnose: [nvidia-smi -q -d TEMPERATURE], fix: [Check the fans.]}
```

Good:

```yaml
alerts:
  - name: GpuHot
    tier: page
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, match: {vendor: [nvidia]}, above: 85}
    for: 5m
    summary: GPU {{ $labels.gpu }} on {{ $labels.node }} is hot
    description: It slows down soon.
    runbook: {impact: Jobs slow down., diagnose: [nvidia-smi -q -d TEMPERATURE], fix: [Check the fans.]}
  - name: GpuExporterDown
    tier: info
    expr: up{job=~"dcgm-exporter|amd-gpu-exporter"} == 0
    for: 5m
    summary: GPU exporter {{ $labels.instance }} does not answer
    scenarios:
      - name: one exporter is down
        series: {'up{job="dcgm-exporter", instance="10.0.0.1:9400"}': '1x10 0x30'}
        fires: [{at: 20m, labels: {instance: "10.0.0.1:9400"}}]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs import promql
from gpuobs.checks._presence import Presence
from gpuobs.checks._tiers import is_page
from gpuobs.diagnostics import Diagnostic, warning
from gpuobs.ir import AlertingRule, Program
from gpuobs.policy import ExporterInUse

CODE = "alert/no-absence-guard"
SEVERITY = "warning"

# The catalog of the server that evaluates the rules.
_SERVER = "prometheus"


def check(program: Program) -> Iterator[Diagnostic]:
    presence = Presence(program)
    resting: dict[str, tuple[ExporterInUse, list[AlertingRule]]] = {}
    for rule in _pages(program):
        parsed = promql.parse(rule.expr, program.version)
        if isinstance(parsed, promql.Parsed):
            for catalog, exporter in presence.exporters(parsed).items():
                resting.setdefault(catalog, (exporter, []))[1].append(rule)
    for catalog, (exporter, pages) in resting.items():
        if catalog != _SERVER and not any(presence.notices(a, exporter) for a in program.alerting):
            yield _finding(exporter, pages)


def _pages(program: Program) -> Iterator[AlertingRule]:
    assert program.policy is not None
    for _, alert in program.policy.all_alerts():
        if is_page(alert.tier, program.policy.tiers.tiers[alert.tier]):
            yield program.alerts[str(alert.name)]


def _finding(exporter: ExporterInUse, pages: list[AlertingRule]) -> Diagnostic:
    job, first = exporter.spec.job, pages[0]
    more = f" and {len(pages) - 1} more" if len(pages) > 1 else ""
    message = (
        f"no alert notices when job '{job}' is gone, and then '{first.alert}'{more} cannot fire"
    )
    hint = f"""add an alert with 'expr: up{{job="{job}"}} == 0'"""
    return warning(first.origin.span, CODE, message, hint)
