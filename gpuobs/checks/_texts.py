"""What a rule says of itself: its name, summary and description, in words."""

from __future__ import annotations

import re

from gpuobs.expressions import Expression
from gpuobs.ir import AlertingRule

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_TEMPLATE = re.compile(r"\{\{.*?\}\}", re.DOTALL)


def words(expression: Expression) -> frozenset[str]:
    """The words of a rule's texts in lower case; names are taken apart, templates are left out."""
    rule = expression.rule
    if isinstance(rule, AlertingRule):
        told = (rule.annotations.get("summary", ""), rule.annotations.get("description", ""))
        texts = [rule.alert, *(_TEMPLATE.sub(" ", text) for text in told)]
    else:
        texts = [rule.record]
    return frozenset(word.lower() for text in texts for word in _WORD.findall(text))
