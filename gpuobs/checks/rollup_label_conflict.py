"""A label that a rule sets although its series have it already.

A rule's own label wins. The series that the label told apart become one, the evaluation fails, and nothing is recorded.
The same goes for a signal that is told apart by a label of the GPU, which the gpu level keeps anyway.

Bad:

```yaml
rules:
  - {record: cluster:gpus:hot, expr: count by (cluster) (gpu:temperature:max5m > 80), unit: gpus, labels: {cluster: all}}
```

Good:

```yaml
rules:
  - {record: cluster:gpus:hot, expr: count by (cluster) (gpu:temperature:max5m > 80), unit: gpus, labels: {team: infra}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs import promql
from gpuobs.checks._rules import expression
from gpuobs.diagnostics import Diagnostic, error
from gpuobs.ir import Program, RecordingRule

CODE = "rollup/label-conflict"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    for rule in () if program.foreign else program.rules:
        written = expression(program, rule) if isinstance(rule, RecordingRule) else None
        if written is None or rule.written is None:
            continue
        labels = promql.possible_labels(written[1], program.labels_of) or frozenset()
        for label in rule.labels:
            if label in labels and not _constant(written[1], label):
                message = f"the series of this expression have the label '{label}', which the rule overwrites"
                span = rule.written.at_key("labels", label)
                yield error(
                    span, CODE, message, f"choose another name, or aggregate '{label}' away"
                )


def _constant(parsed: promql.Parsed, label: str) -> bool:
    """Whether the expression selects one value of a label."""
    return any(
        matcher.label == label and matcher.op == "="
        for selector in promql.selectors(parsed)
        for matcher in selector.matchers
    )
