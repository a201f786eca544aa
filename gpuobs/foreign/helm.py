"""Helm templates: not YAML until Helm has rendered them, so they are not read, but for one mistake that can be seen."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from pathlib import Path

from gpuobs.diagnostics import Diagnostic, Span, error
from gpuobs.spec.node import Source

# An action's strings may hold anything; the four alternatives begin with different characters.
_ACTION = re.compile(
    r"\{\{-?\s*(?P<code>/\*.*?\*/|(?:\"(?:[^\"\\\n]|\\.)*\"|`[^`]*`|[^\"`{}]|\}(?!\})|\{(?!\{))*)\}\}",
    re.DOTALL,
)
_STRING = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|`[^`]*`|/\*.*?\*/", re.DOTALL)
# Objects and functions that Helm has and Prometheus' templates have not.
_HELM = re.compile(
    r"(?<![\w)\]])\.(?:Values|Release|Chart|Capabilities|Files|Template)\b"
    r"|(?<![\w.$])(?:include|tpl|toYaml|nindent|indent|quote|default|fail|required|lookup)\b"
)
_CONTROL = re.compile(
    r"^\s*\{\{-?\s*(?:if|else|end|range|with|define|template|block)\b", re.MULTILINE
)
_PROMETHEUS = re.compile(r"\$(?P<name>labels|value|externalLabels|externalURL)\b(?!\s*(?::=|,))")
_OWN = re.compile(r"\$(labels|value|externalLabels|externalURL)\s*(?::=|,)")


def has_constructs(source: Source) -> bool:
    """Whether a text has something in it that only Helm can make sense of."""
    return any(
        _HELM.search(_STRING.sub("", action["code"])) for action in _ACTION.finditer(source.text)
    )


def has_control(source: Source) -> bool:
    """Whether lines of a text are actions, which a YAML text has only within a value."""
    return _CONTROL.search(source.text) is not None


def wraps(source: Source) -> bool:
    """Whether template actions are wrapped in others, as is done for Helm alone."""
    return any(
        action["code"].lstrip().startswith(("`{{", '"{{'))
        for action in _ACTION.finditer(source.text)
    )


def in_chart(path: Path) -> bool:
    """Whether a file lies among the templates of a chart."""
    return any(
        folder.name == "templates" and (folder.parent / "Chart.yaml").is_file()
        for folder in path.absolute().parents
    )


def in_templates(path: Path) -> bool:
    """Whether a file lies where charts have their templates."""
    return "templates" in path.absolute().parts[:-1]


def named_as_chart(path: Path) -> bool:
    """Whether a file is placed or called as parts of charts are."""
    return in_templates(path) or path.name.startswith("chart")


def problems(source: Source) -> Iterator[Diagnostic]:
    """Prometheus' own template actions that Helm would evaluate; none where Jinja renders the file."""
    if "{%" in source.text:
        return
    actions = list(_ACTION.finditer(source.text))
    starts = [0, *(match.end() for match in re.finditer("\n", source.text))]
    own = {name for action in actions for name in _OWN.findall(action["code"])}
    for action in actions:
        used = _PROMETHEUS.search(_STRING.sub("", action["code"]))
        if used is not None and used["name"] not in own:
            message = f"Helm evaluates this before Prometheus does, and has no '${used['name']}'"
            hint = "write {{`" + action.group() + "`}}"
            if "`" in action.group():
                hint = "write '{{' as {{ \"{{\" }}, and '}}' as {{ \"}}\" }}"
            yield error(
                _span(source, starts, *action.span()), "alert/template-escape", message, hint
            )


def _span(source: Source, starts: Sequence[int], start: int, end: int) -> Span:
    """A stretch of the text, with the offsets at which its lines start."""
    line, end_line = bisect_right(starts, start), bisect_right(starts, end - 1)
    return Span(
        source.file, line, start - starts[line - 1] + 1, end_line, end - starts[end_line - 1] + 1
    )
