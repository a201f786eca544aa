"""A rate of a sum of counters.

A sum falls when one of its counters begins again: a GPU is reset, a series ends. rate() and
increase() take the fall for a restart of the sum and report all that the other counters ever
counted as new. Every counter needs its own rate, and then the sum.

Bad:

```yaml
rules:
  - record: node:ecc_corrected:sum
    expr: sum by (Hostname) (DCGM_FI_DEV_ECC_SBE_VOL_TOTAL)
    unit: errors
  - record: node:ecc_corrected:increase10m
    expr: increase(node:ecc_corrected:sum[10m])
    unit: errors
```

Good:

```yaml
rules:
  - record: node:ecc_corrected:increase10m
    expr: sum by (Hostname) (increase(DCGM_FI_DEV_ECC_SBE_VOL_TOTAL[10m]))
    unit: errors
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs import promql
from gpuobs.checks._values import inner, inside, named
from gpuobs.diagnostics import Diagnostic, Related
from gpuobs.expressions import Expression, expressions
from gpuobs.ir import Program, RecordingRule
from gpuobs.promql.functions import FUNCTIONS
from gpuobs.promql.nodes import Call, Node, Select, Subquery, bare
from gpuobs.promql.shapes import MEAN, SUMMED

CODE = "promql/rate-after-aggregation"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        for node in expression.analysis.of(Call):
            if FUNCTIONS[node.name].wants != "counter":
                continue
            of = inner(node.args[0])
            shape = expression.analysis[of]
            if shape.kind in ("counter", "bucket") and shape.traits & {SUMMED, MEAN}:
                what = "sum" if SUMMED in shape.traits else "mean"
                message = (
                    f"'{named(expression, of)}' is a {what} of counters: when one of them begins "
                    f"again, {node.name}() takes all the others for new"
                )
                rule = _recorded(program, of)
                hint = _hint(expression, node, of, rule)
                yield expression.error(node, CODE, message, hint, _related(rule))


def _recorded(program: Program, of: Node) -> RecordingRule | None:
    """The one rule that records a series."""
    if not isinstance(of, Select):
        return None
    rules = [
        rule
        for file in (*program.rule_files, *program.known)
        for rule in file.rules
        if isinstance(rule, RecordingRule) and rule.record == of.selector.name
    ]
    return rules[0] if len(rules) == 1 else None


def _related(rule: RecordingRule | None) -> tuple[Related, ...]:
    if rule is None or rule.written is None:
        return ()
    return (Related(rule.place("expr"), f"'{rule.record}' is recorded here"),)


def _hint(expression: Expression, node: Call, of: Node, rule: RecordingRule | None) -> str:
    text, tree = expression.parsed.text, of
    if rule is not None:
        parsed = promql.parse(rule.expr, expression.program.version)
        if isinstance(parsed, promql.Parsed):
            text, tree = parsed.text, parsed.tree
    spelt = inside(text, tree, node.name, _window(expression, node))
    if spelt is None:
        return f"take {node.name}() of every counter, and then the sum"
    matched = isinstance(of, Select) and bool(of.selector.matchers)
    return f"{spelt}{', with the matchers inside' if matched else ''}"


def _window(expression: Expression, node: Call) -> str:
    argument = bare(node.args[0])
    assert isinstance(argument, Select | Subquery)
    assert argument.window is not None
    return expression.parsed.text[argument.window.start : argument.window.end]
