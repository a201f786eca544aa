"""An annotation among the labels.

One indentation too many makes `summary` a label. Every server accepts it: nobody gets to read the text, and where it holds a
template each change of it is a new alert, which grouping and inhibition do not know.

Bad:

```yaml
alerts:
  - name: GpuHot
    tier: info
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85}
    summary: GPU {{ $labels.gpu }} is hot
    labels:
      description: GPU {{ $labels.gpu }} of {{ $labels.node }} slows down soon.
```

Good:

```yaml
alerts:
  - name: GpuHot
    tier: info
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85}
    summary: GPU {{ $labels.gpu }} is hot
    description: GPU {{ $labels.gpu }} of {{ $labels.node }} slows down soon.
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs import names
from gpuobs.diagnostics import Diagnostic, Span, error
from gpuobs.ir import AlertingRule, Program
from gpuobs.spec.node import Node

CODE = "alert/annotation-as-label"
SEVERITY = "error"

_TEXTS = (names.SUMMARY, names.DESCRIPTION, "message")
_ANNOTATIONS = (*_TEXTS, names.RUNBOOK, names.RUNBOOK_URL, "annotations")


def check(program: Program) -> Iterator[Diagnostic]:
    for rule in program.alerting:
        labels = rule.part("labels")
        misplaced = _misplaced(rule, labels) if labels is not None else []
        if labels is not None and misplaced:
            # A text shows best what went wrong; `annotations` itself is an empty label.
            shown = next((name for name in misplaced if name in _TEXTS), misplaced[0])
            many = len(misplaced) > 1
            listed = " and ".join(f"'{name}'" for name in misplaced)
            message = f"{listed} {'are labels' if many else 'is a label'} of '{rule.alert}' here"
            yield error(_entry(labels, shown), CODE, message, _hint(program, misplaced))


def _misplaced(rule: AlertingRule, labels: Node) -> list[str]:
    """Labels that were meant as annotations: the rule has no others, or they hold a sentence."""
    if not isinstance(labels.value, dict):
        return []
    alone = rule.annotations.keys() <= {names.RUNBOOK_URL}
    return [
        name
        for name, text in labels.value.items()
        if name in _ANNOTATIONS and (alone or _is_sentence(str(text.value)))
    ]


def _is_sentence(text: str) -> bool:
    """Whether a text is made anew for every alert, and is no mere value."""
    return "{{" in text and " " in text.partition("{{")[0] + text.rpartition("}}")[2]


def _entry(labels: Node, name: str) -> Span:
    key, value = labels.key_span(name), labels.value[name].span
    return Span(key.file, key.line, key.column, value.end_line, value.end_column)


def _hint(program: Program, misplaced: list[str]) -> str:
    moved = [name for name in misplaced if name != "annotations"]
    listed = " and ".join(f"'{name}:'" for name in moved) or "the texts"
    if not program.foreign:
        return f"write {listed} beside 'labels:', not below"
    return f"put {listed} below 'annotations:', which stands beside 'labels:'"
