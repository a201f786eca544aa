"""A group's interval that does not fit what it reads, or who reads it.

A query finds no sample that is older than five minutes, so what is recorded less often has gaps. A recording rule that runs
more often than the group it reads from writes every value several times. One that runs more often than the exporter is scraped
does so too.

Bad:

```yaml
groups:
  - name: utilization
    interval: 10m
    rules:
      - {record: "node:gpu_util:max", expr: max by (Hostname) (DCGM_FI_DEV_GPU_UTIL)}
```

Good:

```yaml
groups:
  - name: utilization
    interval: 2m
    rules:
      - {record: "node:gpu_util:max", expr: max by (Hostname) (DCGM_FI_DEV_GPU_UTIL)}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.checks._rules import side_by_side
from gpuobs.diagnostics import Diagnostic, Span, warning
from gpuobs.ir import Program, RecordingRule, RuleGroup
from gpuobs.lower.groups import reads
from gpuobs.spec.scalars import Duration

CODE = "rule/interval"
SEVERITY = "warning"

# Prometheus' default --query.lookback-delta, in seconds.
_LOOKBACK = 300


def check(program: Program) -> Iterator[Diagnostic]:
    groups = [group for group in side_by_side(program) if group.interval and _records(group)]
    writers = {rule.record: group for group in groups for rule in _records(group)}
    for group in groups:
        if _seconds(group) > _LOOKBACK:
            message = (
                f"queries look back 5m, so that what is recorded every {group.interval} has gaps"
            )
            yield warning(_place(group), CODE, message, "interval: 2m")
        read = [name for rule in _records(group) for name in reads(rule.expr, program.version)]
        slower = [writers[name] for name in read if name in writers]
        slowest = max(slower, key=_seconds, default=group)
        if _seconds(slowest) > _seconds(group):
            message = f"group '{slowest.name}', which this one reads, has a value every {slowest.interval} only"
            yield warning(_place(group), CODE, message, f"interval: {slowest.interval}")
        yield from _quicker_than_scrape(program, group, read)


def _quicker_than_scrape(
    program: Program, group: RuleGroup, read: list[str]
) -> Iterator[Diagnostic]:
    assert program.policy is not None
    scrape = program.policy.fleet.scrape_interval
    collected = [name for name in read if name in program.policy.collected]
    if collected and _seconds(group) < scrape.seconds:
        message = f"'{collected[0]}' is scraped every {scrape}, less often than this"
        yield warning(_place(group), CODE, message, f"interval: {scrape}")


def _records(group: RuleGroup) -> list[RecordingRule]:
    return [rule for rule in group.rules if isinstance(rule, RecordingRule)]


def _seconds(group: RuleGroup) -> float:
    return Duration(group.interval).seconds


def _place(group: RuleGroup) -> Span:
    if group.written is None:
        return group.rules[0].origin.span
    return group.written.at("interval")
