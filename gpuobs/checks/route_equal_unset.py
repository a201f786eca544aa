"""Inhibition by a label that alerts lack.

To Alertmanager a label that both alerts lack is equal in both. A source without `node`, because its expression aggregates it
away, silences every target that has no `node` either, whatever it is about.

Bad:

```yaml
route: {receiver: default}
inhibit_rules:
  - source_matchers: ['alertname="NodeDown"']
    target_matchers: ['severity=~"warning|page"']
    equal: [node]
receivers: [{name: default}, {name: pager}, {name: chat}]
```

Good:

```yaml
route: {receiver: default}
inhibit_rules:
  - source_matchers: ['alertname="NodeDown"', 'node!=""']
    target_matchers: ['severity=~"warning|page"']
    equal: [node]
receivers: [{name: default}, {name: pager}, {name: chat}]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs import names
from gpuobs.checks._routes import configurations, finite, needs_label
from gpuobs.diagnostics import Diagnostic, Span, warning
from gpuobs.ir import AlertingRule, Program
from gpuobs.notified import given, possible_labels
from gpuobs.routing import Inhibition, take

CODE = "route/equal-unset"
SEVERITY = "warning"
_QUIET = frozenset({"info", "none", "low", "debug", "notice"})


def check(program: Program) -> Iterator[Diagnostic]:
    for configuration in configurations(program):
        for rule in configuration.inhibitions:
            loose = [label for label in rule.equal if not _is_held(rule, label)]
            if loose and len(loose) == len(rule.equal) and not _are_quiet(rule):
                yield from _rule(program, rule, loose)


def _is_held(rule: Inhibition, label: str) -> bool:
    """Whether a label is on one of the two for sure, so that it is equal only where both have it."""
    held = needs_label(label, rule.sources) or needs_label(label, rule.targets)
    return held or label == names.ALERTNAME


def _are_quiet(rule: Inhibition) -> bool:
    """Whether only what wakes nobody is silenced."""
    found = [finite(each) for each in rule.targets if each.label == "severity"]
    return any(values is not None and _QUIET.issuperset(values) for values in found)


def _rule(program: Program, rule: Inhibition, loose: list[str]) -> Iterator[Diagnostic]:
    sources = [alert for alert in program.alerting if take(rule.sources, given(alert))]
    lacking = [alert for alert in sources if all(_may_lack(program, alert, each) for each in loose)]
    if sources and not lacking:
        return
    label = loose[0]
    who = f"'{lacking[0].alert}' has no '{label}'" if lacking else f"a source without '{label}'"
    then = "and silences" if lacking else "silences"
    message = f"{who} {then} every target that has none either: what both lack is equal"
    hint = f'add {label}!="" to the source\'s matchers'
    yield warning(_place(rule, label), CODE, message, hint)


def _may_lack(program: Program, alert: AlertingRule, label: str) -> bool:
    return label not in given(alert) and label not in possible_labels(program, alert).certain


def _place(rule: Inhibition, label: str) -> Span:
    if rule.written is None:
        return rule.span
    return rule.written.at("equal", rule.equal.index(label))
