"""Nodes to dataclasses, and that shape and JSON Schema draw the same line."""

from __future__ import annotations

import json
import types
from collections.abc import Mapping
from dataclasses import MISSING, fields
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from gpuobs.spec.document import read
from gpuobs.spec.model import KINDS, Alerts, Doc, Item, Levels, Operations, Rollup, Rollups, Spec
from gpuobs.spec.scalars import Duration, Identifier, Name, Scalar
from gpuobs.spec.schema import schema
from gpuobs.spec.shape import HEADER, doc_of, hints, key_of, shape
from tests.spec.reading import node_of


def test_a_document_becomes_its_dataclass() -> None:
    node = node_of(
        "apiVersion: gpuobs/v1\nkind: Rollups\nname: thermal\n"
        "rollups:\n  - signal: temperature\n    levels: {gpu: {max: [5m], by: [pool]}}\n"
    )
    operations = node.value["rollups"].value[0].value["levels"].value["gpu"]
    levels = node.value["rollups"].value[0].value["levels"]
    rollup = node.value["rollups"].value[0]
    wanted = Rollups(
        written=node,
        name=Name("thermal"),
        rollups=(
            Rollup(
                written=rollup,
                signal=Identifier("temperature"),
                levels=Levels(
                    written=levels,
                    gpu=Operations(written=operations, max=(Duration("5m"),), by=("pool",)),  # type: ignore[arg-type]
                ),
            ),
        ),
    )
    assert shape(node) == (wanted, [])


def test_a_value_keeps_its_place() -> None:
    spec, _ = shape(
        node_of(
            "apiVersion: gpuobs/v1\nkind: Alerts\nname: a\nowner: infra\nalerts:\n"
            "  - {name: A, tier: page, for: 5m}\n"
        )
    )
    assert isinstance(spec, Alerts)
    alert = spec.alerts[0]
    assert (alert.for_, alert.for_.seconds) == ("5m", 300)
    span = alert.where("for")
    assert (span.line, span.column, span.end_column) == (6, 32, 34)


@pytest.mark.parametrize(
    ("field_name", "key"),
    [("name", "name"), ("for_", "for"), ("keep_firing_for", "keepFiringFor"), ("p5", "p5")],
)
def test_keys_are_camel_case(field_name: str, key: str) -> None:
    assert key_of(field_name) == key


# Agreement -----------------------------------------------------------------------------------------------------------

_GOOD = {
    "Name": ["a", "a-1", "x" * 63],
    "Identifier": ["a", "sm_active"],
    "MetricName": ["A:b_1", "up"],
    "LabelName": ["a", "_x1"],
    "AlertName": ["A", "GpuHot1"],
    "CheckCode": ["rule/name", "a-1/b-2"],
    "Sentence": ["older", " a\n"],
    "PromQL": ["up == 0", " x\n"],
    "Duration": ["5m", "1h30m", "0s", "5ms"],
    "Retention": ["13mo", "15d"],
    "PrometheusVersion": ["2.42", "3.5.1"],
    "Version": ["4.5.3-4.8.2", "v1.2.0"],
    "MigProfile": ["1g.10gb", "1g.5gb+me"],
    "SecretKey": ["a/b", "slack.gpu/api_url"],
    "ClockTimes": ["00:00-24:00", "22:30-23:00"],
    "WeekdayRange": ["sunday", "monday:friday"],
    "DateRange": ["1", "-7:-1"],
    "Interval": ["5m", "10s", "1h30m"],
    "Word": ["critical", "sev-1", "é"],
    "ReceiverName": ["pager", "slack-{namespace}"],
    "Channel": ["#gpu", "@a{owner}", "C012"],
    "MailAddresses": ["a@b.c", "A b <a@b.c>, {owner}@d.e"],
    "MailAddress": ["a@b.c", "A b <a@b.c>"],
    "HostPort": ["mail:25", "[::1]:587"],
    "WebAddress": ["https://a", "HTTP://a.b:1/c?d=%20#e"],
}
_ODD: list[Any] = [
    None, True, False, 0, 1, -1, 1.5, 2.0, "", "a", "A b", "5m\n", "a\n", "1 hour", "5", [], ["a"], [1, 2, 3],
    {}, {"a": 1}, {"a b": "c"}, [None, 1],
]  # fmt: skip


def _values(annotation: Any, doc: Doc) -> st.SearchStrategy[Any]:
    origin, arguments = get_origin(annotation), get_args(annotation)
    least = int(doc.non_empty)
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin in (Union, types.UnionType):
        return st.one_of([_values(argument, doc) for argument in arguments])
    if origin is tuple and arguments[-1] is Ellipsis:
        return st.lists(_values(arguments[0], Doc("")), min_size=least, max_size=2)
    if origin is tuple:
        return st.tuples(*(_values(argument, Doc("")) for argument in arguments)).map(list)
    if origin is not None and issubclass(origin, Mapping):
        keys = _values(arguments[0], Doc(""))
        return st.dictionaries(keys, _values(arguments[1], Doc("")), min_size=least, max_size=2)
    return _simple(annotation, doc)


def _simple(annotation: Any, doc: Doc) -> st.SearchStrategy[Any]:
    if annotation is type(None):
        return st.none()
    if issubclass(annotation, Scalar):
        return st.sampled_from(_GOOD[annotation.__name__])
    if issubclass(annotation, Item):
        return _items(annotation)
    if annotation is str:
        return st.sampled_from(["x", "a b", "true", "5", "é\n"] + ([] if doc.non_empty else [""]))
    if annotation is bool:
        return st.booleans()
    least = int(doc.minimum or 0)
    numbers = st.integers(least, 100)
    return numbers | numbers.map(float) | (st.just(least + 0.5) if annotation is float else numbers)


@cache
def _items(item: Any) -> st.SearchStrategy[dict[str, Any]]:
    required: dict[str, Any] = {}
    optional: dict[str, Any] = {}
    for field in fields(item):
        if field.name == "written":
            continue
        annotation, doc = doc_of(hints(item)[field.name])
        needed = field.default is MISSING and field.default_factory is MISSING
        (required if needed else optional)[key_of(field.name)] = _values(annotation, doc)
    if issubclass(item, Spec):
        required |= {"apiVersion": st.just("gpuobs/v1"), "kind": st.just(item.__name__)}
    few = st.sets(st.sampled_from(sorted(optional)), max_size=5) if optional else st.just(set())
    return few.flatmap(
        lambda keys: st.fixed_dictionaries({**required, **{key: optional[key] for key in keys}})
    )


_CLASSES: dict[str, Any] = dict(KINDS)
_DOCUMENTS = st.sampled_from(sorted(KINDS)).flatmap(lambda kind: _items(_CLASSES[kind]))


def _mutated(draw: st.DrawFn, value: Any) -> Any:
    """The value with one thing in it changed, somewhere."""
    deeper = isinstance(value, dict | list) and value and draw(st.integers(0, 4))
    if isinstance(value, dict):
        key = draw(st.sampled_from(sorted(value))) if value else ""
        if deeper:
            return {**value, key: _mutated(draw, value[key])}
        if draw(st.booleans()):
            return {k: v for k, v in value.items() if k != key}
        return {
            **value,
            draw(st.sampled_from(["name", "a-b", "for_"])): draw(st.sampled_from(_ODD)),
        }
    if isinstance(value, list) and deeper:
        index = draw(st.integers(0, len(value) - 1))
        return [*value[:index], _mutated(draw, value[index]), *value[index + 1 :]]
    return draw(st.sampled_from(_ODD))


@st.composite
def _mutations(draw: st.DrawFn) -> Any:
    document = draw(_DOCUMENTS)
    for _ in range(draw(st.integers(0, 2))):
        document = _mutated(draw, document)
    return document


@cache
def _validator() -> Any:
    return Draft202012Validator(schema())


def _accepted(document: Any) -> bool:
    node, problems = read("a.yaml", json.dumps(document, ensure_ascii=True).encode())
    assert (node is None) == bool(problems)
    if node is None:
        return False
    spec, found = shape(node)
    assert (spec is None) == bool(found)
    assert all(one.message for one in found)
    places = [(one.span, one.code, one.message) for one in found]
    assert len(set(places)) == len(places)
    return spec is not None


@settings(max_examples=200, deadline=None)
@given(_DOCUMENTS)
def test_what_the_classes_allow_is_accepted(document: Any) -> None:
    assert _validator().is_valid(document)
    assert _accepted(document)


@settings(max_examples=400, deadline=None)
@given(_mutations())
def test_shape_and_schema_agree(document: Any) -> None:
    assert _accepted(document) == _validator().is_valid(document)


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(schema())
    for kind in KINDS:
        Draft202012Validator.check_schema(schema(kind))
        assert HEADER[1] in schema(kind)["$defs"][kind]["required"]
