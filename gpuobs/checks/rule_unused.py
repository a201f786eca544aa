"""A recording rule that no other rule and no alert reads.

It is paid for at every evaluation. Dashboards and people may read it all the same, which gpuobs does not see, so this is off
until the project's Checks document switches it on. `gpuobs graph --unused` lists what is unused, rollups too.

Bad:

```yaml
apiVersion: gpuobs/v1
kind: Checks
name: default
checks:
  - {code: rule/unused, reason: our dashboards read rollups only}
---
rules:
  - {record: cluster:gpus:hot, expr: count by (cluster) (gpu:temperature:max5m > 80), unit: gpus}
```

Good:

```yaml
rules:
  - {record: cluster:gpus:hot, expr: count by (cluster) (gpu:temperature:max5m > 80), unit: gpus}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs import promql
from gpuobs.diagnostics import Diagnostic, warning
from gpuobs.ir import Program, RecordingRule
from gpuobs.promql import re2
from gpuobs.promql.labelset import NAME

CODE = "rule/unused"
SEVERITY = "warning"


def check(program: Program) -> Iterator[Diagnostic]:
    read, patterns = _read(program)
    for rule in program.rules:
        if not isinstance(rule, RecordingRule) or rule.part("expr") is None or rule.record in read:
            continue
        if not any(_may_match(pattern, rule.record) for pattern in patterns):
            message = f"no rule and no alert reads '{rule.record}'"
            yield warning(rule.place("record"), CODE, message, "remove it, if no dashboard does")


def _read(program: Program) -> tuple[set[str], set[str]]:
    """Names that rules read, and patterns of names."""
    names, patterns = set[str](), set[str]()
    for file in (*program.rule_files, *program.known):
        for rule in file.rules:
            parsed = promql.parse(rule.expr, program.version)
            for selector in parsed.selectors if isinstance(parsed, promql.Parsed) else ():
                if selector.name:
                    names.add(selector.name)
                    continue
                named = [m.value for m in selector.matchers if m.label == NAME and m.op == "=~"]
                patterns.update(named or (".*",))
    return names, patterns


def _may_match(pattern: str, name: str) -> bool:
    regex = re2.anchored(pattern)
    return regex is None or regex.fullmatch(name) is not None
