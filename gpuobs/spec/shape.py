"""Nodes to the language's dataclasses: a fast structural pass, compiled from the dataclasses themselves.

It only says yes or no. What is wrong with a refused document is explained by the JSON Schema of the same dataclasses.
"""

from __future__ import annotations

import re
import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from gpuobs.diagnostics import Diagnostic
from gpuobs.names import API_VERSION
from gpuobs.spec.model import KINDS, Doc, Item, Spec
from gpuobs.spec.node import Node
from gpuobs.spec.scalars import Scalar

Shaper = Callable[[Node], Any]
HEADER = ("apiVersion", "kind")


class Refused(Exception):
    """The node is not of the wanted shape."""


def shape(node: Node) -> tuple[Spec | None, list[Diagnostic]]:
    """A document as its dataclass; None and the reasons where it has another shape."""
    values = node.value
    kind = values["kind"].value if "kind" in values else None
    version = values["apiVersion"].value if "apiVersion" in values else None
    if version == API_VERSION and isinstance(kind, str) and kind in KINDS:
        try:
            item: Any = KINDS[kind]
            return shaper(item)(node), []
        except Refused:
            pass
    from gpuobs.spec.refusals import explain

    problems = explain(node)
    if not problems:
        raise AssertionError(f"{node.source.file}: refused by the shape and not by the schema")
    return None, problems


def key_of(field_name: str) -> str:
    """A field's YAML key: camelCase, without a trailing underscore."""
    first, *rest = field_name.rstrip("_").split("_")
    return first + "".join(word.capitalize() for word in rest)


@cache
def hints(item: Any) -> Mapping[str, Any]:
    """A dataclass's field types, with their documentation."""
    return get_type_hints(item, include_extras=True)


def doc_of(annotation: Any) -> tuple[Any, Doc]:
    """A field's type and documentation."""
    if get_origin(annotation) is Annotated:
        inner, *extras = get_args(annotation)
        return inner, next(extra for extra in extras if isinstance(extra, Doc))
    return annotation, Doc("")


@cache
def shaper(item: Any) -> Shaper:
    """The function that makes this dataclass of a mapping node."""
    header = HEADER if issubclass(item, Spec) else ()
    known: dict[str, tuple[str, Shaper]] = {}
    required: list[str] = []
    for field in fields(item):
        if field.name == "written":
            continue
        annotation, doc = doc_of(hints(item)[field.name])
        known[key_of(field.name)] = field.name, _bounded(_shaper_of(annotation), doc)
        if field.default is MISSING and field.default_factory is MISSING:
            required.append(key_of(field.name))

    def make(node: Node) -> Any:
        values = node.value
        if type(values) is not dict:
            raise Refused
        arguments: dict[str, Any] = {"written": node}
        for key, child in values.items():
            if key in known:
                name, shape_child = known[key]
                arguments[name] = shape_child(child)
            elif key not in header:
                raise Refused
        for key in required:
            if key not in values:
                raise Refused
        return item(**arguments)

    return make


def _bounded(inner: Shaper, doc: Doc) -> Shaper:
    if doc.minimum is None and not doc.non_empty:
        return inner

    def bounded(node: Node) -> Any:
        value = inner(node)
        if doc.minimum is not None and value is not None and value < doc.minimum:
            raise Refused
        if doc.non_empty and not value:
            raise Refused
        return value

    return bounded


def _shaper_of(annotation: Any) -> Shaper:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return _one_of(frozenset(arguments))
    if origin in (Union, types.UnionType):
        return _either([_shaper_of(argument) for argument in arguments])
    if origin is tuple:
        if arguments[-1] is Ellipsis:
            return _list_of(_shaper_of(arguments[0]))
        return _pair_of([_shaper_of(argument) for argument in arguments])
    if origin is not None and issubclass(origin, Mapping):
        return _mapping_of(_key_shaper(arguments[0]), _shaper_of(arguments[1]))
    if annotation is type(None):
        return _null
    if issubclass(annotation, Scalar):
        return _scalar(annotation)
    if issubclass(annotation, Item):
        return shaper(annotation)
    return _BASIC[annotation]


def _one_of(values: frozenset[Any]) -> Shaper:
    def one_of(node: Node) -> Any:
        if type(node.value) is not str or node.value not in values:
            raise Refused
        return node.value

    return one_of


def _either(choices: list[Shaper]) -> Shaper:
    def either(node: Node) -> Any:
        for choice in choices:
            try:
                return choice(node)
            except Refused:
                continue
        raise Refused

    return either


def _list_of(inner: Shaper) -> Shaper:
    def list_of(node: Node) -> tuple[Any, ...]:
        if type(node.value) is not list:
            raise Refused
        return tuple(inner(child) for child in node.value)

    return list_of


def _pair_of(inner: list[Shaper]) -> Shaper:
    def pair_of(node: Node) -> tuple[Any, ...]:
        if type(node.value) is not list or len(node.value) != len(inner):
            raise Refused
        return tuple(make(child) for make, child in zip(inner, node.value, strict=True))

    return pair_of


def _mapping_of(key: Callable[[str], Any], inner: Shaper) -> Shaper:
    def mapping_of(node: Node) -> dict[Any, Any]:
        if type(node.value) is not dict:
            raise Refused
        return {key(name): inner(child) for name, child in node.value.items()}

    return mapping_of


def _key_shaper(annotation: type[str]) -> Callable[[str], Any]:
    if not issubclass(annotation, Scalar):
        return str
    matches = re.compile(annotation.pattern).search

    def key(name: str) -> str:
        if not matches(name):
            raise Refused
        return annotation(name)

    return key


def _scalar(annotation: type[Scalar]) -> Shaper:
    matches = re.compile(annotation.pattern).search

    def scalar(node: Node) -> Scalar:
        if type(node.value) is not str or not matches(node.value):
            raise Refused
        return annotation(node.value)

    return scalar


def _null(node: Node) -> None:
    if node.value is not None:
        raise Refused


def _text(node: Node) -> str:
    if type(node.value) is not str:
        raise Refused
    return node.value


def _integer(node: Node) -> int:
    if type(node.value) is float and node.value == int(node.value):
        return int(node.value)
    if type(node.value) is not int:
        raise Refused
    return node.value


def _number(node: Node) -> float:
    if type(node.value) is not int and type(node.value) is not float:
        raise Refused
    return node.value


def _boolean(node: Node) -> bool:
    if type(node.value) is not bool:
        raise Refused
    return node.value


_BASIC: dict[Any, Shaper] = {str: _text, int: _integer, float: _number, bool: _boolean}
