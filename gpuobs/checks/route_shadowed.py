"""A route that loses alerts to one before it.

The first route that matches takes an alert, unless it continues. Where one route looks at the severity and a later one at the
team, alerts that both want go to the first alone, and the second never hears of them.

Bad:

```yaml
route:
  receiver: default
  routes:
    - {receiver: chat, matchers: ['severity="warning"']}
    - {receiver: pager, matchers: ['team="gpu"']}
receivers: [{name: default}, {name: pager}, {name: chat}]
```

Good:

```yaml
route:
  receiver: default
  routes:
    - {receiver: chat, matchers: ['severity="warning"'], continue: true}
    - {receiver: pager, matchers: ['team="gpu"']}
receivers: [{name: default}, {name: pager}, {name: chat}]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.checks._routes import configurations, finite, implied, levels, tells_nobody, written
from gpuobs.diagnostics import Diagnostic, Related, warning
from gpuobs.ir import Program
from gpuobs.routing import Configuration, Route

CODE = "route/shadowed"
SEVERITY = "warning"


def check(program: Program) -> Iterator[Diagnostic]:
    for configuration in configurations(program):
        for parent, index, _ in levels(configuration.route):
            yield from _route(configuration, parent, index)


def _route(configuration: Configuration, parent: Route, index: int) -> Iterator[Diagnostic]:
    route = parent.routes[index]
    for other in parent.routes[:index]:
        if _takes_from(configuration, parent, other, route):
            related = (Related(other.span, "taken here"),)
            taken = written(other.matchers)
            name = route.receiver or parent.receiver
            message = f"alerts with {taken} go to '{other.receiver or parent.receiver}' alone: '{name}' never hears of them"
            hint = "give the other route 'continue: true', move this one up, or let it match these alone"
            yield warning(route.matchers[0].span, CODE, message, hint, related)
            return


def _takes_from(configuration: Configuration, parent: Route, other: Route, route: Route) -> bool:
    """Whether two routes look at different labels, so that it is by their order alone who is told."""
    if other.continues or not other.matchers or not route.matchers:
        return False
    labels = {matcher.label for matcher in other.matchers}
    if "alertname" in labels or not labels.isdisjoint(matcher.label for matcher in route.matchers):
        return False
    if any(finite(matcher) is None for matcher in other.matchers):
        return False
    if all(implied(matcher, ()) for matcher in route.matchers):
        return False
    told = other.receiver or parent.receiver or ""
    return told != (route.receiver or parent.receiver) and not tells_nobody(configuration, told)
