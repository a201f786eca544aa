"""A page that only the default receiver gets, which tells nobody.

No route below the first takes the alert, by the labels that its rule gives; the first route drops it.

Bad:

```yaml
route:
  receiver: "null"
  routes:
    - {receiver: pager, matchers: ['team="gpu"']}
receivers: [{name: "null"}, {name: pager}]
---
groups:
  - name: gpu.alerts
    rules:
      - {alert: GpusHot, expr: avg(DCGM_FI_DEV_GPU_TEMP) > 80, labels: {severity: page}}
```

Good:

```yaml
route:
  receiver: "null"
  routes:
    - {receiver: pager, matchers: ['team="gpu"']}
receivers: [{name: "null"}, {name: pager}]
---
groups:
  - name: gpu.alerts
    rules:
      - {alert: GpusHot, expr: avg(DCGM_FI_DEV_GPU_TEMP) > 80, labels: {severity: page, team: gpu}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.checks._routes import PAGING, tells_nobody
from gpuobs.diagnostics import Diagnostic, error
from gpuobs.ir import AlertingRule, Program
from gpuobs.notified import given, possible_labels
from gpuobs.routing import Configuration, Undecided, landings

CODE = "route/default-only"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    whole = [each for each in program.routings if each.namespace is None]
    for configuration in whole:
        for rule in program.alerting:
            if not PAGING.isdisjoint(rule.labels.values()) and _is_dropped(
                program, configuration, rule
            ):
                yield _finding(program, configuration, rule)


def _is_dropped(program: Program, configuration: Configuration, rule: AlertingRule) -> bool:
    """Whether no label that the expression may give could lead the alert anywhere else."""
    labels = possible_labels(program, rule)
    matched = {each.label for route in configuration.route.walk() for each in route.matchers}
    if any(labels.can_have(label) for label in matched - given(rule).keys()):
        return False
    try:
        found = landings(configuration, given(rule))
    except Undecided:
        return False
    return all(tells_nobody(configuration, each.receiver) for each in found)


def _finding(program: Program, configuration: Configuration, rule: AlertingRule) -> Diagnostic:
    told = configuration.route.receiver
    message = f"'{rule.alert}' reaches '{told}' alone, which tells nobody"
    hint = "give its rule the labels that a route matches"
    objects = [each.namespace for each in program.routings if each.namespace is not None]
    if objects and "namespace" not in given(rule):
        message += ": it has no 'namespace', and the operator hands AlertmanagerConfig objects only alerts of their own"
        hint = f"give its rule the label namespace: {objects[0]}, or set alertmanagerConfigMatcherStrategy to None"
    return error(rule.place("alert"), CODE, message, hint)
