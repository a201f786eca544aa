"""A metric that a rule reads, and that no GPU it asks for can report.

Architectures differ, and under MIG many fields are gone. The exporter leaves such a field out without a word, and the rule
gives nothing. A rule that some of the GPUs answer is left alone, and so is one that reads something else besides.

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

from gpuobs import names, promql
from gpuobs.budget.census import lacks
from gpuobs.diagnostics import Diagnostic, Span, warning
from gpuobs.ir import Program, RecordingRule, Rule
from gpuobs.policy import Collected, Policy
from gpuobs.promql.nodes import Binary, Call, Node
from gpuobs.promql.selecting import Selector
from gpuobs.spec.document import place
from gpuobs.spec.model import GpuModel, Pool

CODE = "exporter/field-unsupported"
SEVERITY = "warning"


def check(program: Program) -> Iterator[Diagnostic]:
    if program.policy is None or program.foreign:
        return
    lacking, told = _lacking(program.policy), set[tuple[Span, str]]()
    for rule in program.rules if lacking else ():
        parsed = promql.parse(rule.expr, program.version)
        if isinstance(parsed, promql.Refused) or any(map(_answers, promql.walk(parsed.tree))):
            continue
        for selector in promql.selectors(parsed):
            span = _place(rule, selector)
            if selector.name in lacking and (span, selector.name) not in told:
                told.add((span, selector.name))
                yield from _finding(program.policy, rule, selector, span)


def _lacking(policy: Policy) -> frozenset[str]:
    """Metrics that some pool lacks whose GPUs their exporter reports."""
    return frozenset(
        name
        for name, collected in policy.collected.items()
        if any(lacks(pool, model, collected.metric) for pool, model in _pools(policy, collected))
    )


def _answers(node: Node) -> bool:
    """Whether a part of an expression can have a result where one that it reads has none."""
    if isinstance(node, Binary):
        return node.name in ("or", "unless")
    return isinstance(node, Call) and node.name.startswith("absent")


def _place(rule: Rule, selector: Selector) -> Span:
    """The metric in an expression that was written; else what the rule was made of."""
    written = rule.part("expr")
    if written is None:
        return rule.origin.span
    return place(written, selector.name_start, selector.name_end)


def _pools(policy: Policy, collected: Collected) -> list[tuple[Pool, GpuModel]]:
    vendor = collected.exporter.catalog.vendor
    return [(pool, model) for _, pool, model in policy.pools if model.vendor == vendor]


def _finding(policy: Policy, rule: Rule, selector: Selector, span: Span) -> Iterator[Diagnostic]:
    collected = policy.collected[selector.name]
    asked = {m.value for m in selector.matchers if (m.label, m.op) == (names.POOL, "=")}
    pools = [each for each in _pools(policy, collected) if not asked or each[0].name in asked]
    if not pools or not all(lacks(pool, model, collected.metric) for pool, model in pools):
        return
    pool, model = pools[0]
    why = "under MIG" if pool.mig and "mig" in collected.metric.unsupported else f"on {model.name}"
    reader = rule.record if isinstance(rule, RecordingRule) else rule.alert
    message = (
        f"no GPU that is asked for reports '{selector.name}': pool '{pool.name}' has none {why}"
    )
    hint = f"'{reader}' gives nothing: read another metric, or leave it out"
    yield warning(span, CODE, message, hint)
