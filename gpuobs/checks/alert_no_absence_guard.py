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
from gpuobs.exporters import ExporterInUse
from gpuobs.ir import AlertingRule, Program

CODE = "alert/no-absence-guard"
SEVERITY = "warning"

# The catalog of the server that evaluates the rules.
_SERVER = "prometheus"


def check(program: Program) -> Iterator[Diagnostic]:
    presence = Presence(program)
    resting: dict[str, list[AlertingRule]] = {}
    exporters: dict[str, ExporterInUse] = {}
    for rule in _pages(program):
        parsed = promql.parse(rule.expr, program.version)
        if isinstance(parsed, promql.Parsed):
            for catalog, exporter in presence.exporters(parsed).items():
                exporters[catalog] = exporter
                resting.setdefault(catalog, []).append(rule)
    unnoticed = [
        catalog
        for catalog, exporter in exporters.items()
        if catalog != _SERVER and not any(presence.notices(a, exporter) for a in program.alerting)
    ]
    if unnoticed:
        pages = {page.alert: page for catalog in unnoticed for page in resting[catalog]}
        yield _finding([exporters[c].spec.job for c in unnoticed], list(pages.values()))


def _pages(program: Program) -> Iterator[AlertingRule]:
    assert program.policy is not None
    for _, alert in program.policy.all_alerts():
        if is_page(alert.tier, program.policy.tiers.tiers[alert.tier]):
            yield program.alerts[str(alert.name)]


def _finding(jobs: list[str], pages: list[AlertingRule]) -> Diagnostic:
    listed = " or ".join(f"'{job}'" for job in jobs)
    more = f" and {len(pages) - 1} more" if len(pages) > 1 else ""
    message = f"no alert notices when job {listed} is gone, and '{pages[0].alert}'{more} cannot fire on it then"
    matcher = f'job="{jobs[0]}"' if len(jobs) == 1 else f'job=~"{"|".join(jobs)}"'
    hint = f"add an alert with 'expr: up{{{matcher}}} == 0'"
    return warning(pages[0].origin.span, CODE, message, hint)
