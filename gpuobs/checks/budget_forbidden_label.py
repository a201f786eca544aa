"""A label that the Budget forbids is on series all the same.

A label with ever new values, such as the UID of a pod, makes a series for each that nobody asks for again. The Budget names
such labels once, and they stay out of what is scraped, of records and of alerts. Scrapes drop them by themselves, unless the
label tells series apart, which would be one without it.

Bad:

```yaml
apiVersion: gpuobs/v1
kind: Budget
name: default
limits: {}
labels: {forbid: [health_watch]}
```

Good:

```yaml
apiVersion: gpuobs/v1
kind: Budget
name: default
limits: {}
labels: {forbid: [pci_bus_id]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.budget.causes import brought
from gpuobs.budget.ledger import Ledger
from gpuobs.checks._budget import account, of_identity
from gpuobs.diagnostics import Diagnostic, Related, Span, error
from gpuobs.exporters import ExporterInUse
from gpuobs.expressions import result
from gpuobs.ir import Program, RecordingRule, Rule

CODE = "budget/forbidden-label"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    found = account(program)
    budget = program.policy.budget if program.policy is not None else None
    if found is None or budget is None or budget.labels is None:
        return
    identity = of_identity(found.policy)
    for index, label in enumerate(map(str, budget.labels.forbid)):
        if label in identity:
            continue
        related = (Related(budget.labels.where("forbid", index), "forbidden here"),)
        for exporter in found.policy.exporters:
            yield from _scraped(found, exporter, label, related)
        yield from _made(program, label, related)


def _scraped(
    found: Ledger, exporter: ExporterInUse, label: str, related: tuple[Related, ...]
) -> Iterator[Diagnostic]:
    """What its scrape cannot drop: once for an exporter, however many of its metrics have the label."""
    have = [name for name, metric in exporter.collected() if label in exporter.labels_of(metric)]
    if have:
        more = f" and {len(have) - 1:,} more" if len(have) > 1 else ""
        message = f"series of '{have[0]}'{more} have the forbidden label '{label}'"
        hint = f"it cannot be dropped: series that differ in '{label}' alone would be one"
        yield error(_place(found, exporter, label, have), CODE, message, hint, related)


def _place(found: Ledger, exporter: ExporterInUse, label: str, have: list[str]) -> Span:
    """What brings the label: a target label, an entry of `collect`, or else the exporter."""
    spec = exporter.spec
    if label in spec.target_labels:
        return spec.written.at_key("targetLabels", label)
    for index, entry in enumerate(spec.collect):
        names = {line.name for line in brought(found, spec, entry)}
        if entry == label or names.issuperset(have):
            return spec.where("collect", index)
    return spec.where("catalog")


def _made(program: Program, label: str, related: tuple[Related, ...]) -> Iterator[Diagnostic]:
    """Rules that put the label on their series themselves; what they take over is told of the exporter."""
    first: dict[Span, Rule] = {}
    for rule in program.rules:
        if _makes(program, rule, label):
            first.setdefault(rule.origin.span, rule)
    for place, rule in first.items():
        name = rule.record if isinstance(rule, RecordingRule) else rule.alert
        message = f"'{name}' has the forbidden label '{label}'"
        yield error(place, CODE, message, f"leave '{label}' out", related)


def _makes(program: Program, rule: Rule, label: str) -> bool:
    if label in rule.labels:
        return True
    if isinstance(rule, RecordingRule) and rule.keeps is not None:
        return label in rule.keeps
    shape = result(program, rule) if label in rule.expr else None
    labels = shape.labels if shape is not None else None
    return labels is not None and label in labels.possible and labels.origin(label) != label
