"""PromQL in small functions named after what they mean. Only lowering writes queries, and only with these."""

from __future__ import annotations

from collections.abc import Iterable

_WIDTH = 100
# An operand that may stand behind the last line of a long one.
_SHORT = 16


def call(function: str, *arguments: str) -> str:
    """`function(a, b)`, broken into lines where it would be too long to read."""
    return _fold(function, arguments)


def aggregate(operator: str, by: Iterable[str], *arguments: str) -> str:
    """`operator by (labels) (...)`; without labels a single series."""
    labels = ", ".join(by)
    return _fold(f"{operator} by ({labels}) " if labels else operator, arguments)


def binary(left: str, operator: str, right: str) -> str:
    """`left operator right`; the operands are bracketed by the caller where they need it."""
    if "\n" not in left + right and len(left) + len(operator) + len(right) + 2 <= _WIDTH:
        return f"{left} {operator} {right}"
    if len(right) <= _SHORT and "\n" not in right:
        return f"{left} {operator} {right}"
    return f"{left}\n{operator}\n{right}"


def bracket(expression: str) -> str:
    return _fold("", (expression,))


def over_time(reduction: str, expression: str, window: str) -> str:
    """A reduction over a window of a selector, or of a subquery whose window holds its step."""
    return f"{reduction}_over_time({expression}[{window}])"


def subquery(reduction: str, expression: str, window: str, step: str) -> str:
    """A reduction over a window of an expression, evaluated at every step."""
    inner = bracket(expression)
    if "\n" in inner:
        return f"{reduction}_over_time(\n{_indent(f'{inner}[{window}:{step}]')}\n)"
    return f"{reduction}_over_time({inner}[{window}:{step}])"


def renamed(expression: str, labels: Iterable[tuple[str, str]]) -> str:
    """The expression with each label's value under a second name: pairs of canonical and written label."""
    for canonical, written in labels:
        if canonical != written:
            arguments = f'"{canonical}", "$1", "{written}", "(.*)"'
            expression = _fold("label_replace", (expression, arguments))
    return expression


def matcher(label: str, values: Iterable[str]) -> str:
    """A matcher for one of some literal values."""
    values = tuple(values)
    if len(values) == 1:
        return f'{label}="{quoted(values[0])}"'
    return f'{label}=~"{quoted("|".join(_literal(value) for value in values))}"'


def no_matcher(label: str, values: Iterable[str]) -> str:
    """A matcher for none of some literal values; an empty one stands for series without the label."""
    values = tuple(values)
    if len(values) == 1:
        return f'{label}!="{quoted(values[0])}"'
    return f'{label}!~"{quoted("|".join(_literal(value) for value in values))}"'


def selector(metric: str, matchers: Iterable[str]) -> str:
    inside = ", ".join(matchers)
    return f"{metric}{{{inside}}}" if inside else metric


def quoted(text: str) -> str:
    """Text for the inside of a double-quoted PromQL string."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def number(value: float) -> str:
    """A number as a person would write it."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _literal(value: str) -> str:
    return "".join(f"\\{char}" if char in "\\.+*?()[]{}|^$" else char for char in value)


def _fold(head: str, arguments: Iterable[str]) -> str:
    arguments = tuple(arguments)
    line = f"{head}({', '.join(arguments)})"
    if "\n" not in line and len(line) <= _WIDTH:
        return line
    inside = ",\n".join(_indent(argument) for argument in arguments)
    return f"{head}(\n{inside}\n)"


def _indent(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.split("\n"))
