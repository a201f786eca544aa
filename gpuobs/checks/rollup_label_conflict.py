"""A label that a rule sets although its series have it already.

A rule's own label wins. The series that the label told apart become one, the evaluation fails, and nothing is recorded.
The same goes for a signal that is told apart by a label of the GPU, which the gpu level keeps anyway.

Bad:

```yaml
rules:
  - {record: cluster:gpus:hot, expr: count by (model) (gpu:temperature:max5m > 80), unit: gpus, labels: {model: any}}
```

Good:

```yaml
rules:
  - {record: cluster:gpus:hot, expr: count by (cluster) (gpu:temperature:max5m > 80), unit: gpus, labels: {team: infra}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.diagnostics import Diagnostic, error
from gpuobs.expressions import expressions
from gpuobs.ir import Program, RecordingRule

CODE = "rollup/label-conflict"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in () if program.foreign else expressions(program):
        rule, labels = expression.rule, expression.result.labels
        for label in rule.labels if isinstance(rule, RecordingRule) else ():
            constant = len(labels.values.get(label, ())) == 1
            if label in labels.possible and not constant and rule.written is not None:
                message = f"the series of this expression have the label '{label}', which the rule overwrites"
                span = rule.written.at_key("labels", label)
                yield error(
                    span, CODE, message, f"choose another name, or aggregate '{label}' away"
                )
