"""A metric that rules read, and that no GPU of the fleet can report.

Architectures differ, and under MIG many fields are gone. The exporter leaves such a field out without a word, and the rule
gives nothing. A rule that reads something else where it is missing is left alone.

Bad:

```yaml
clusters:
  - name: one
    pools:
      - {name: a100, gpu: A100-SXM4-40GB, nodes: 4, gpusPerNode: 8, mig: {1g.5gb: 7}}
      - {name: mi300x, gpu: MI300X-192GB, nodes: 2, gpusPerNode: 8}
---
rules:
  - record: node:gpu_copy_utilization:max
    expr: max by (Hostname) (DCGM_FI_DEV_MEM_COPY_UTIL)
    unit: percent
```

Good:

```yaml
clusters:
  - name: one
    pools:
      - {name: a100, gpu: A100-SXM4-40GB, nodes: 4, gpusPerNode: 8, mig: {1g.5gb: 7}}
      - {name: mi300x, gpu: MI300X-192GB, nodes: 2, gpusPerNode: 8}
---
rules:
  - record: node:gpu_dram_active:max
    expr: max by (Hostname) (DCGM_FI_PROF_DRAM_ACTIVE)
    unit: ratio
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs import promql
from gpuobs.budget.census import lacks
from gpuobs.diagnostics import Diagnostic, Span, warning
from gpuobs.ir import Program, RecordingRule, Rule
from gpuobs.policy import Collected, Policy
from gpuobs.promql.nodes import Binary

CODE = "exporter/field-unsupported"
SEVERITY = "warning"


def check(program: Program) -> Iterator[Diagnostic]:
    if program.policy is None or program.foreign:
        return
    nowhere = _nowhere(program.policy)
    told = set[tuple[Span, str]]()
    for rule in program.rules if nowhere else ():
        parsed = promql.parse(rule.expr, program.version)
        if isinstance(parsed, promql.Refused) or _has_other(parsed):
            continue
        for selector in promql.selectors(parsed):
            place = rule.origin.span
            if selector.name in nowhere and (place, selector.name) not in told:
                told.add((place, selector.name))
                yield _finding(program.policy, rule, nowhere[selector.name], selector.name)


def _nowhere(policy: Policy) -> dict[str, Collected]:
    """Metrics of GPUs that every pool of their vendor lacks."""
    found = {}
    for name, collected in policy.collected.items():
        vendor = collected.exporter.catalog.vendor
        pools = [(pool, model) for _, pool, model in policy.pools if model.vendor == vendor]
        if pools and all(lacks(pool, model, collected.metric) for pool, model in pools):
            found[name] = collected
    return found


def _has_other(parsed: promql.Parsed) -> bool:
    """Whether another part of an expression may have a result where one has none."""
    return any(isinstance(node, Binary) and node.name == "or" for node in promql.walk(parsed.tree))


def _finding(policy: Policy, rule: Rule, collected: Collected, name: str) -> Diagnostic:
    vendor = collected.exporter.catalog.vendor
    pools = [(pool, model) for _, pool, model in policy.pools if model.vendor == vendor]
    pool, model = pools[0]
    why = "under MIG" if pool.mig and "mig" in collected.metric.unsupported else f"on {model.name}"
    reader = rule.record if isinstance(rule, RecordingRule) else rule.alert
    message = f"no GPU of the fleet reports '{name}': pool '{pool.name}' has none of it {why}"
    hint = f"'{reader}' gives nothing: read another metric, or leave it out"
    return warning(rule.origin.span, CODE, message, hint)
