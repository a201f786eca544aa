"""A route that no alert can reach.

A route before it takes all that it would take and does not `continue`, or a route above it has excluded that.

Bad:

```yaml
route:
  receiver: default
  routes:
    - {receiver: chat, matchers: ['severity=~"page|info"']}
    - {receiver: pager, matchers: ['severity="page"', 'team="gpu"']}
receivers: [{name: default}, {name: pager}, {name: chat}]
```

Good:

```yaml
route:
  receiver: default
  routes:
    - {receiver: pager, matchers: ['severity="page"', 'team="gpu"']}
    - {receiver: chat, matchers: ['severity=~"page|info"']}
receivers: [{name: default}, {name: pager}, {name: chat}]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.checks._routes import configurations, excluded, implied, levels, written
from gpuobs.diagnostics import Diagnostic, Related, warning
from gpuobs.ir import Program
from gpuobs.routing import Matcher, Route

CODE = "route/unreachable"
SEVERITY = "warning"


def check(program: Program) -> Iterator[Diagnostic]:
    for configuration in configurations(program):
        for parent, index, passed in levels(configuration.route):
            yield from _route(parent.routes[index], parent.routes[:index], passed)


def _route(
    route: Route, before: tuple[Route, ...], passed: tuple[Matcher, ...]
) -> Iterator[Diagnostic]:
    for matcher in route.matchers:
        above = excluded(matcher, passed)
        if above is not None:
            related = (Related(above.span, "taken above"),)
            message = f"no alert comes here: above it all have {written([above])}"
            yield warning(
                matcher.span, CODE, message, "move the route out, or mend a matcher", related
            )
            return
    given = (*passed, *route.matchers)
    for other in before:
        if not other.continues and all(implied(matcher, given) for matcher in other.matchers):
            related = (Related(other.span, "this route"),)
            taken = written(other.matchers) or "everything"
            message = f"no alert comes here: a route before it takes {taken} and does not continue"
            hint = "move this route up, or give the other one 'continue: true'"
            yield warning(
                route.matchers[0].span if route.matchers else route.span,
                CODE,
                message,
                hint,
                related,
            )
            return
