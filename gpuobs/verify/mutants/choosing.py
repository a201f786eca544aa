"""Mutations of what is read: matchers, windows, offsets."""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.promql import Matcher, Parsed, Selector
from gpuobs.promql.nodes import Select, Subquery, walk
from gpuobs.spec.scalars import duration
from gpuobs.verify.mutants.comparing import IsWhole
from gpuobs.verify.mutants.edits import Edit, replaced

_NEGATED = {"=": "!=", "!=": "=", "=~": "!~", "!~": "=~"}


def matchers(parsed: Parsed, _: IsWhole) -> Iterator[Edit]:
    """Each matcher dropped, and each one negated."""
    for node in walk(parsed.tree):
        if not isinstance(node, Select):
            continue
        for matcher in node.selector.matchers:
            if matcher.label == "__name__":
                continue
            place = matcher.label_start, matcher.value_end
            written = parsed.text[slice(*place)]
            start, end = node.selector.start, node.selector.end
            text = _without(parsed.text, node.selector, matcher)
            if text:
                said = f"the matcher '{written}' is dropped"
                yield Edit("matcher", start, end, text, place, said, node)
            yield _negated(parsed, node, matcher)


def _without(text: str, selector: Selector, matcher: Matcher) -> str:
    """A selector without one of its matchers; empty where that selects everything."""
    named = text[selector.name_start : selector.name_end]
    head = named if selector.name_start == selector.start else ""
    kept = [text[m.label_start : m.value_end] for m in selector.matchers if m is not matcher]
    if selector.name and not head and not any(m.label == "__name__" for m in selector.matchers):
        kept.insert(0, named)
    if not kept:
        return head
    return f"{head}{{{', '.join(kept)}}}"


def _negated(parsed: Parsed, node: Select, matcher: Matcher) -> Edit:
    text = _NEGATED[matcher.op]
    span = matcher.label_end, matcher.value_start
    return replaced("matcher", parsed.text, span, text, node)._replace(
        place=(matcher.label_start, matcher.value_end),
        said=f"the matcher '{parsed.text[matcher.label_start : matcher.value_end]}' is negated",
    )


def windows(parsed: Parsed, _: IsWhole) -> Iterator[Edit]:
    """Each window halved and doubled."""
    for node in walk(parsed.tree):
        if isinstance(node, Select | Subquery) and node.window is not None:
            window = node.window
            for seconds in (window.seconds // 2, window.seconds * 2):
                if seconds:
                    span = window.start, window.end
                    text = str(duration(seconds))
                    yield replaced("window", parsed.text, span, text, node)


def offsets(parsed: Parsed, _: IsWhole) -> Iterator[Edit]:
    for node in walk(parsed.tree):
        if isinstance(node, Select | Subquery) and node.offset is not None:
            inside = [t for t in parsed.tokens if node.start <= t.start < node.end]
            at = max(n for n, t in enumerate(inside) if t.text.lower() == "offset")
            last = at + 2 if inside[at + 1].text in "+-" else at + 1
            span = inside[at].start, inside[last].end
            yield Edit("offset", *span, "", span, f"'{parsed.text[slice(*span)]}' is dropped", node)
