"""A matcher that excludes nothing.

A pattern that takes the empty text takes alerts without the label too. Who writes `team=~".*"` often means alerts that have a
team, and gets all of them; what stands below is dead.

Bad:

```yaml
route:
  receiver: default
  routes:
    - {receiver: chat, matchers: ['team=~".*"']}
receivers: [{name: default}, {name: pager}, {name: chat}]
```

Good:

```yaml
route:
  receiver: default
  routes:
    - {receiver: chat, matchers: ['team=~".+"']}
receivers: [{name: default}, {name: pager}, {name: chat}]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.checks._routes import configurations, is_always_true
from gpuobs.diagnostics import Diagnostic, warning
from gpuobs.ir import Program

CODE = "route/always-true"
SEVERITY = "warning"


def check(program: Program) -> Iterator[Diagnostic]:
    for configuration in configurations(program):
        routes = [matcher for route in configuration.route.walk() for matcher in route.matchers]
        rules = [
            matcher
            for rule in configuration.inhibitions
            for matcher in (*rule.sources, *rule.targets)
        ]
        for matcher in (*routes, *rules):
            if is_always_true(matcher):
                message = f"'{matcher.label}=~\"{matcher.value}\"' takes every alert, those without '{matcher.label}' too"
                hint = f'write {matcher.label}=~".+" for those that have it, or remove the matcher'
                yield warning(matcher.span, CODE, message, hint)
