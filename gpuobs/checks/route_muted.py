"""A page that nobody gets while its route is muted.

A muted route takes its alerts all the same: they do not fall back to the route above it. At these times nobody is told, unless
a route before or after it takes them too.

Bad:

```yaml
route:
  receiver: default
  routes:
    - {receiver: pager, matchers: ['severity="page"'], mute_time_intervals: [nights]}
receivers: [{name: default}, {name: pager}, {name: chat}]
time_intervals:
  - name: nights
    time_intervals: [{times: [{start_time: '00:00', end_time: '06:00'}]}]
```

Good:

```yaml
route:
  receiver: default
  routes:
    - {receiver: pager, matchers: ['severity="page"'], mute_time_intervals: [nights], continue: true}
    - {receiver: chat, matchers: ['severity="page"']}
receivers: [{name: default}, {name: pager}, {name: chat}]
time_intervals:
  - name: nights
    time_intervals: [{times: [{start_time: '00:00', end_time: '06:00'}]}]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.checks._routes import configurations, finite, levels, pages, written
from gpuobs.diagnostics import Diagnostic, Span, error
from gpuobs.ir import Program
from gpuobs.routing import Configuration, Matcher, Route, Undecided, landings

CODE = "route/muted"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    for configuration in configurations(program):
        for parent, index, passed in levels(configuration.route):
            route = parent.routes[index]
            matchers = (*passed, *route.matchers)
            told = route.receiver or parent.receiver or ""
            if (
                _times(route)
                and pages(configuration, told, matchers)
                and _alone(configuration, matchers)
            ):
                when = (
                    ", ".join(route.mute_times)
                    or f"other times than {', '.join(route.active_times)}"
                )
                message = f"alerts with {written(route.matchers) or 'any label'} reach nobody at {when}: a muted route keeps them"
                hint = "add a route that takes them at these times, behind this one with 'continue: true'"
                yield error(_place(route), CODE, message, hint)


def _times(route: Route) -> tuple[str, ...]:
    return (*route.mute_times, *route.active_times)


def _alone(configuration: Configuration, matchers: tuple[Matcher, ...]) -> bool:
    """Whether an alert that has just what the matchers want is told by muted routes alone."""
    labels = {each.label: (finite(each) or ("",))[0] for each in matchers}
    try:
        found = landings(configuration, {label: value for label, value in labels.items() if value})
    except Undecided:
        return False
    return all(_times(each.route) for each in found)


def _place(route: Route) -> Span:
    if route.written is None:
        return route.span
    key = next(
        (
            each
            for each in route.written.value
            if "ime" in each and "nterval" in each and "mute" in each
        ),
        "",
    )
    return route.written.at(key, 0) if key else route.span
