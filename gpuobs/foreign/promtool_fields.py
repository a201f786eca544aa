"""The fields of a promtool unit test file, and what is wrong with the keys and types of one.

From cmd/promtool/unittest.go, which refuses unknown keys; held by tests against promtool 2.42, 2.53 and 3.5.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gpuobs.diagnostics import Diagnostic, error
from gpuobs.nearest import did_you_mean
from gpuobs.spec.node import Node

_DURATION = re.compile(
    r"0|(?=.)(?:[0-9]+y)?(?:[0-9]+w)?(?:[0-9]+d)?(?:[0-9]+h)?(?:[0-9]+m)?(?:[0-9]+s)?(?:[0-9]+ms)?"
)
Version = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Field:
    """A key: what its value is, and the first version that has it. A list holds values of this form."""

    form: str
    many: bool = False
    since: Version = (0, 0)


Fields = Mapping[str, Field]

FORMS: Mapping[str, Fields] = {
    "file": {
        "rule_files": Field("text", many=True),
        "evaluation_interval": Field("duration"),
        "group_eval_order": Field("text", many=True),
        "tests": Field("test", many=True),
        "fuzzy_compare": Field("true or false", since=(3, 5)),  # prometheus/prometheus#16395
    },
    "test": {
        "name": Field("text"),
        "interval": Field("duration"),
        "input_series": Field("series", many=True),
        "alert_rule_test": Field("alert test", many=True),
        "promql_expr_test": Field("expression test", many=True),
        "external_labels": Field("labels"),
        "external_url": Field("text"),
        "start_timestamp": Field("anything", since=(3, 9)),  # prometheus/prometheus#17636
    },
    "series": {"series": Field("text"), "values": Field("text")},
    "alert test": {
        "eval_time": Field("duration"),
        "alertname": Field("text"),
        "exp_alerts": Field("alert", many=True),
    },
    "alert": {"exp_labels": Field("labels"), "exp_annotations": Field("labels")},
    "expression test": {
        "expr": Field("text"),
        "eval_time": Field("duration"),
        "exp_samples": Field("sample", many=True),
    },
    "sample": {
        "labels": Field("text"),
        "value": Field("number"),
        "histogram": Field("text", since=(2, 48)),  # prometheus/prometheus#12668
    },
}


def problems(node: Node, version: Version, form: str = "file") -> Iterator[Diagnostic]:
    """Unknown keys, keys that this version does not have, and values of another type, anywhere below a mapping."""
    if not isinstance(node.value, dict):
        if node.value is not None:
            yield _wrong(node, f"a mapping with {', '.join(FORMS[form])}")
        return
    for key, value in node.value.items():
        field = FORMS[form].get(key)
        if field is None:
            message = f"promtool knows no '{key}' here"
            hint = did_you_mean(key, FORMS[form])
            yield error(node.key_span(key), "yaml/unknown-key", message, hint)
            continue
        if field.since > version:
            yield _too_new(node, key, field, version)
        if not field.many:
            yield from _value_problems(value, field.form, version)
        elif isinstance(value.value, list):
            for item in value.value:
                yield from _value_problems(item, field.form, version)
        elif value.value is not None:
            yield _wrong(value, "a list")


def _too_new(node: Node, key: str, field: Field, version: Version) -> Diagnostic:
    since, declared = (".".join(map(str, number)) for number in (field.since, version))
    message = f"promtool has '{key}' since {since}, and {declared} refuses the file for it"
    return error(node.key_span(key), "target/unsupported-field", message, f"remove '{key}'")


def _value_problems(node: Node, form: str, version: Version) -> Iterator[Diagnostic]:
    """A value, where nothing is what a missing key is."""
    value = node.value
    if value is None or form == "anything":
        return
    if form in FORMS:
        yield from problems(node, version, form)
    elif form == "labels":
        for label in value.values() if isinstance(value, dict) else [node]:
            if isinstance(label.value, list | dict) or label is node:
                yield _wrong(label, "a text" if label is not node else "a mapping of labels")
    elif isinstance(value, list | dict):
        yield _wrong(node, "a text" if form == "text" else f"a {form}")
    elif form == "duration" and seconds(node) is None:
        message = f"'{value}' is no Prometheus duration"
        yield error(node.span, "yaml/bad-value", message, _duration_hint(value))
    elif form == "number" and (isinstance(value, str | bool)):
        hint = "write it without quotes; '.nan' and '.inf' are what YAML has for NaN and Inf"
        yield _wrong(node, "a number", hint)
    elif form == "true or false" and not isinstance(value, bool):
        yield _wrong(node, form)


def _duration_hint(value: object) -> str:
    return (
        f"such as {value}s, or {value}m" if isinstance(value, int) else "such as 90s, 5m or 1h30m"
    )


def _wrong(node: Node, wanted: str, hint: str = "") -> Diagnostic:
    return error(node.span, "yaml/wrong-type", f"promtool wants {wanted} here", hint)


_UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800, "y": 31536000}


def seconds(node: Node | None, default: float = 0) -> float | None:
    """A duration in seconds, the default where there is none; None where it is none."""
    if node is None or node.value is None:
        return default
    text = "0" if node.value == 0 and not isinstance(node.value, bool) else node.value
    if not isinstance(text, str) or not _DURATION.fullmatch(text):
        return None
    return sum(int(n) * _UNITS[unit] for n, unit in re.findall(r"([0-9]+)(ms|[smhdwy])", text))
