"""Relabelling as Prometheus does it: of one series' labels, and of what is known of the labels of many.

From Prometheus' model/relabel/relabel.go. label_replace() and label_join() copy labels by the same rules.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from gpuobs.promql import re2
from gpuobs.promql.labelset import MADE, NAME, Labels
from gpuobs.promql.selecting import Matcher

_REFERENCE = re.compile(r"\$(?:(\$)|(\w+)|\{(\w+)\})", re.ASCII)
_EVERYTHING = (".*", "(.*)")
_LEGACY_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
# Where the sources are joined before they are matched; no label that is stored has such a name.
_JOINED = "__joined__"
_MOST_BUCKETS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One relabelling step; the defaults are Prometheus' own."""

    action: str = "replace"
    sources: tuple[str, ...] = ()
    separator: str = ";"
    target: str = ""
    regex: str = "(.*)"
    replacement: str = "$1"
    modulus: int = 0


def relabelled(
    labels: Mapping[str, str], steps: Iterable[Step], *, utf8_names: bool = False
) -> dict[str, str] | None:
    """One series' labels after all steps, None where one of them drops it. Patterns are those of `re2.anchored`.

    A label without a name, which a labelmap can make, is kept: Prometheus refuses the whole scrape for it, as it does
    for series without `__name__`. `utf8_names` is how Prometheus 3 is: a step may make a label of any name.
    """
    found = {label: value for label, value in sorted(labels.items()) if value}
    changed: set[str] = set()
    for step in steps:
        if _dropped(found, step):
            return None
        for label, value in _changes(found, step, utf8_names).items():
            # Labels that a step changes are walked over last, in the order of their first change.
            if not value or label not in changed:
                found.pop(label, None)
            if value:
                found[label] = value
                changed.add(label)
            else:
                changed.discard(label)
    return found


def _dropped(labels: Mapping[str, str], step: Step) -> bool:
    value = _source(labels, step)
    if step.action in ("keep", "drop"):
        return (_regex(step).fullmatch(value) is None) == (step.action == "keep")
    if step.action in ("keepequal", "dropequal"):
        return (value == labels.get(step.target, "")) == (step.action == "dropequal")
    return False


def _changes(labels: Mapping[str, str], step: Step, utf8_names: bool) -> dict[str, str]:
    """The labels that a step sets; an empty value takes a label away."""
    value, regex = _source(labels, step), _regex(step)
    match step.action:
        case "replace":
            match = regex.fullmatch(value)
            target = expanded(match, step.target) if match else ""
            if match is not None and _is_name(target, utf8_names):
                return {target: expanded(match, step.replacement)}
        case "lowercase":
            return {step.target: "".join(map(_lower, value))}
        case "uppercase":
            return {step.target: "".join(map(_upper, value))}
        case "hashmod":
            digest = hashlib.md5(value.encode(), usedforsecurity=False).digest()
            return {step.target: str(int.from_bytes(digest[8:], "big") % step.modulus)}
        case "labelmap":
            named = ((regex.fullmatch(label), text) for label, text in labels.items())
            return {expanded(m, step.replacement): text for m, text in named if m}
        case "labeldrop" | "labelkeep":
            keep = step.action == "labelkeep"
            return {k: "" for k in labels if (regex.fullmatch(k) is not None) != keep}
    return {}


def _is_name(label: str, utf8_names: bool) -> bool:
    return bool(label if utf8_names else _LEGACY_NAME.fullmatch(label))


def _lower(character: str) -> str:
    """One character for one, as Go does it."""
    return character.lower()[0]


def _upper(character: str) -> str:
    """One character for one, as Go does it; where Python has several, the title case may be the one."""
    forms = (character.upper(), character.title(), character)
    return next(form for form in forms if len(form) == 1)


def _source(labels: Mapping[str, str], step: Step) -> str:
    return step.separator.join(labels.get(source, "") for source in step.sources)


def _regex(step: Step) -> re.Pattern[str]:
    regex = re2.anchored(step.regex)
    assert regex is not None, step.regex
    return regex


def expanded(match: re.Match[str], template: str) -> str:
    """A template of Go's regexp with the groups of a match; what is no group is empty."""

    def group(reference: re.Match[str]) -> str:
        name = reference[2] or reference[3]
        if reference[1]:
            return "$"
        key: int | str = int(name) if name.isdigit() else name
        try:
            return match[key] or ""
        except IndexError:
            return ""

    return _REFERENCE.sub(group, template)


def references(template: str) -> Iterator[str]:
    """The groups that a template names."""
    for match in _REFERENCE.finditer(template):
        if match[1] is None:
            yield match[2] or match[3]


# Of many series ------------------------------------------------------------------------------------------------------


def of_labels(labels: Labels, name: str, steps: Iterable[Step]) -> Labels | None:
    """What is known of the labels of a metric's series after all steps; None where none is left."""
    found: Labels | None = labels
    for step in steps:
        if found is None:
            break
        if step.action in ("keep", "drop"):
            found = _filtered(found, name, step)
        elif step.action in ("labeldrop", "labelkeep", "labelmap"):
            found = _named(found, step)
        elif step.action not in ("keepequal", "dropequal"):
            found = _set(found, step)
    return found


def _filtered(labels: Labels, name: str, step: Step) -> Labels | None:
    regex = re2.anchored(step.regex)
    keep = step.action == "keep"
    if regex is None or len(step.sources) != 1:
        return labels
    (source,) = step.sources
    if source == NAME:
        return labels if (regex.fullmatch(name) is not None) == keep else None
    known = labels.values.get(source) if labels.can_have(source) else frozenset[str]()
    left = known is None or any((regex.fullmatch(value) is not None) == keep for value in known)
    missing = source not in labels.certain and (regex.fullmatch("") is not None) == keep
    if not left and not missing:
        return None
    matcher = Matcher(source, "=~" if keep else "!~", step.regex, 0, 0, 0, 0)
    return labels.narrowed((matcher,))


def _named(labels: Labels, step: Step) -> Labels:
    regex = re2.anchored(step.regex)
    if regex is None:
        # Any label may be gone, and others may be there.
        return replace(labels, certain=frozenset(), open=labels.open or step.action == "labelmap")
    matched = {
        label: match for label in sorted(labels.possible) if (match := regex.fullmatch(label))
    }
    if step.action == "labeldrop":
        return labels.drop(matched)
    if step.action == "labelkeep":
        return labels.drop(labels.possible - matched.keys())
    found = labels
    for label, match in matched.items():
        target = expanded(match, step.replacement)
        if label in labels.certain and sum(_maps(m, step, target) for m in matched.values()) == 1:
            found = copied(found, label, target) if target else found
        elif target:
            found = found.with_label(target, None, target in found.certain, MADE)
    return found


def _maps(match: re.Match[str], step: Step, target: str) -> bool:
    return expanded(match, step.replacement) == target


def _set(labels: Labels, step: Step) -> Labels:
    """Steps that set one label from the value of others. Where its name is made of a value, it may be any label."""
    if step.action == "replace" and "$" in step.target:
        return Labels(
            possible=labels.possible, open=True, origins=dict.fromkeys(labels.possible, MADE)
        )
    source = step.sources[0] if len(step.sources) == 1 else _JOINED
    read = labels if source != _JOINED else joined(labels, _JOINED, step.separator, step.sources)
    if step.action == "replace":
        found = replaced(read, step.target, step.replacement, source, step.regex)
    elif step.action == "hashmod":
        few = step.modulus <= _MOST_BUCKETS
        values = frozenset(map(str, range(step.modulus))) if few else None
        found = read.with_label(step.target, values, True, MADE)
    else:
        found = copied(read, source, step.target)
        values = found.values.get(step.target)
        if values is not None:
            change = str.lower if step.action == "lowercase" else str.upper
            values = frozenset(map(change, values))
        if found.can_have(step.target):
            found = found.with_label(step.target, values, step.target in found.certain, MADE)
    return found.drop((_JOINED,)) if source == _JOINED else found


def replaced(labels: Labels, target: str, replacement: str, source: str, pattern: str) -> Labels:
    """The target is set where the pattern matches the source, and stays as it was where it does not."""
    literal = "$" not in replacement
    if pattern in _EVERYTHING:
        if literal:
            return labels.with_value(target, replacement, MADE)
        if replacement in ("$1", "${1}") and pattern == "(.*)":
            return copied(labels, source, target)
    regex = re2.anchored(pattern)
    if not _readable(labels, source) and regex is not None and regex.fullmatch("") is None:
        return labels
    known = labels.values.get(target) if labels.can_have(target) else frozenset[str]()
    values = {*known, replacement} - {""} if literal and known is not None else None
    certain = target in labels.certain and literal and bool(replacement)
    return labels.with_label(target, None if values is None else frozenset(values), certain, MADE)


def joined(labels: Labels, target: str, separator: str, sources: tuple[str, ...]) -> Labels:
    """The target is the sources' values with a separator between them."""
    if len(sources) == 1:
        return copied(labels, sources[0], target)
    certain = any(source in labels.certain for source in sources) or (
        bool(separator) and len(sources) > 1
    )
    if not certain and not any(_readable(labels, source) for source in sources):
        return labels.drop((target,))
    return labels.with_label(target, None, certain, MADE)


def copied(labels: Labels, source: str, target: str) -> Labels:
    if not _readable(labels, source):
        return labels.drop((target,))
    origin = MADE if source == NAME else labels.origin(source)
    return labels.with_label(target, labels.values.get(source), source in labels.certain, origin)


def _readable(labels: Labels, source: str) -> bool:
    """Whether a label can be copied from: the metric's name, which is none of the labels here, can."""
    return source == NAME or labels.can_have(source)
