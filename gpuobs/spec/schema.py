"""JSON Schema of the language, generated from its dataclasses, and what it says of a document that it refuses."""

from __future__ import annotations

import re
import types
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields
from typing import Any, Literal, Union, get_args, get_origin

from gpuobs.diagnostics import Diagnostic, Span, error
from gpuobs.names import API_VERSION
from gpuobs.nearest import did_you_mean, nearest
from gpuobs.spec.model import KINDS, Doc, Item, Spec
from gpuobs.spec.node import Node
from gpuobs.spec.scalars import Duration, Scalar
from gpuobs.spec.shape import HEADER, doc_of, hints, key_of

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema(kind: str | None = None) -> dict[str, Any]:
    """The JSON Schema of one kind of document, or of all of them told apart by `kind`."""
    definitions: dict[str, Any] = {}
    for name in [kind] if kind else KINDS:
        _define(KINDS[name], definitions)
    result: dict[str, Any] = {"$schema": DIALECT, "title": f"gpuobs {kind or 'spec'}"}
    if kind:
        result["$ref"] = f"#/$defs/{kind}"
    else:
        result["type"] = "object"
        result["required"] = [*HEADER, "name"]
        result["properties"] = {"apiVersion": {"const": API_VERSION}, "kind": {"enum": list(KINDS)}}
        result["allOf"] = [
            {
                "if": {"properties": {"kind": {"const": name}}, "required": ["kind"]},
                "then": {"$ref": f"#/$defs/{name}"},
            }
            for name in KINDS
        ]
    return {**result, "$defs": {name: definitions[name] for name in sorted(definitions)}}


def _define(item: type[Item], definitions: dict[str, Any]) -> dict[str, str]:
    """A reference to a class's definition, which is added if it is not there."""
    name = item.__name__
    if name not in definitions:
        definitions[name] = {}
        definitions[name] = _object(item, definitions)
    return {"$ref": f"#/$defs/{name}"}


def _object(item: type[Item], definitions: dict[str, Any]) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    required: list[str] = []
    if issubclass(item, Spec):
        properties["apiVersion"] = {"const": API_VERSION, "description": "Version of the language."}
        properties["kind"] = {"const": item.__name__, "description": "Kind of this document."}
        required += HEADER
    for field in fields(item):
        if field.name == "node":
            continue
        annotation, doc = doc_of(hints(item)[field.name])
        key = key_of(field.name)
        properties[key] = _documented(_schema_of(annotation, definitions), doc)
        if field.default is not MISSING:
            properties[key]["default"] = _plain(field.default)
        elif field.default_factory is MISSING:
            required.append(key)
    return {
        "description": (item.__doc__ or "").split("\n\n")[0].strip(),
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _documented(inner: dict[str, Any], doc: Doc) -> dict[str, Any]:
    result = {"description": doc.text, **inner}
    if doc.minimum is not None:
        result["minimum"] = doc.minimum
    if doc.non_empty:
        bounds = {"string": "minLength", "array": "minItems", "object": "minProperties"}
        result[bounds[inner["type"]]] = 1
    return result


def _schema_of(annotation: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return {"type": "string", "enum": list(arguments)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [_schema_of(argument, definitions) for argument in arguments]}
    if origin is tuple and arguments[-1] is Ellipsis:
        return {"type": "array", "items": _schema_of(arguments[0], definitions)}
    if origin is tuple:
        items = [_schema_of(argument, definitions) for argument in arguments]
        size = len(items)
        return {"type": "array", "prefixItems": items, "minItems": size, "maxItems": size}
    if origin is not None and issubclass(origin, Mapping):
        result = {"type": "object", "additionalProperties": _schema_of(arguments[1], definitions)}
        if issubclass(arguments[0], Scalar):
            result["propertyNames"] = _scalar(arguments[0])
        return result
    if annotation is type(None):
        return {"type": "null"}
    if issubclass(annotation, Scalar):
        return _scalar(annotation)
    if issubclass(annotation, Item):
        return dict(_define(annotation, definitions))
    names = {str: "string", int: "integer", float: "number", bool: "boolean"}
    return {"type": names[annotation]}


def _scalar(annotation: type[Scalar]) -> dict[str, Any]:
    return {"type": "string", "title": annotation.__name__, "pattern": annotation.pattern}


# Explaining ----------------------------------------------------------------------------------------------------------

_SCALARS = {scalar.__name__: scalar for scalar in Scalar.__subclasses__()}
_WANTED = {
    "object": "a mapping",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "nothing",
}
_SPELLED = re.compile(
    r"\s*([0-9]+)\s*(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)\s*\Z"
)


def explain(node: Node) -> list[Diagnostic]:
    """Every way in which a document departs from its schema, each at its smallest place."""
    header = list(_header(node))
    if header:
        return header
    from jsonschema import Draft202012Validator

    kind = node.value["kind"].value
    validator = Draft202012Validator(schema(kind))
    return [
        diagnostic
        for problem in validator.iter_errors(node.plain())
        for diagnostic in _explained(node, problem)
    ]


def _header(node: Node) -> Iterator[Diagnostic]:
    values = node.value
    first = next(iter(values), None)
    top = node.key_span(first) if first is not None else node.span
    if "apiVersion" not in values:
        hint = f"apiVersion: {API_VERSION}"
        yield error(top, "yaml/missing-key", "the key 'apiVersion' is missing", hint)
    elif values["apiVersion"].value != API_VERSION:
        message = f"'{values['apiVersion'].value}' is no version of this language"
        hint = f"apiVersion: {API_VERSION}"
        yield error(values["apiVersion"].span, "yaml/bad-value", message, hint)
    if "kind" not in values:
        hint = "kind: one of " + ", ".join(KINDS)
        yield error(top, "yaml/missing-key", "the key 'kind' is missing", hint)
    elif not isinstance(values["kind"].value, str) or values["kind"].value not in KINDS:
        written = str(values["kind"].value)
        message = f"no kind of document is called '{written}'"
        yield error(values["kind"].span, "yaml/bad-value", message, did_you_mean(written, KINDS))


def _explained(root: Node, problem: Any) -> Iterator[Diagnostic]:
    node = root.get(*problem.absolute_path)
    assert node is not None
    keyword = problem.validator
    if keyword == "anyOf":
        yield from _meant(root, node, problem)
    elif keyword == "additionalProperties":
        yield from _unknown_keys(root, node, problem)
    elif keyword == "required":
        yield from _missing_key(node, problem)
    elif keyword == "propertyNames" or (keyword == "pattern" and "propertyNames" in problem.absolute_schema_path):
        yield _bad_key(node, problem)
    elif keyword in ("minLength", "minItems", "minProperties", "maxItems"):
        yield _wrong_size(root, node, problem)
    else:
        yield _wrong_value(node, keyword, problem.schema)


def _meant(root: Node, node: Node, problem: Any) -> Iterator[Diagnostic]:
    """The branch of a choice whose type the author wrote; all branches by name where none fits."""
    branches: dict[int, list[Any]] = {}
    for inner in problem.context:
        branches.setdefault(inner.schema_path[0], []).append(inner)
    for index, inners in branches.items():
        typed = any(i.validator == "type" and list(i.path) == [] for i in inners)
        if not typed and problem.schema["anyOf"][index].get("type") != "null":
            for inner in inners:
                inner.parent = problem
                yield from _explained(root, inner)
            return
    wanted = [_described(branch) for branch in problem.schema["anyOf"] if branch.get("type") != "null"]
    yield _wrong_type(node, " or ".join(wanted), problem.schema["anyOf"][0])


def _described(branch: Mapping[str, Any]) -> str:
    if branch.get("title") in _SCALARS:
        return _SCALARS[branch["title"]].what
    return _WANTED.get(branch.get("type", "object"), "another value")


def _unknown_keys(root: Node, node: Node, problem: Any) -> Iterator[Diagnostic]:
    known = problem.schema.get("properties", {})
    for key in node.value:
        if key not in known:
            message = f"no key '{key}' here"
            yield error(node.key_span(key), "yaml/unknown-key", message, _key_hint(key, known, node, problem))


def _key_hint(key: str, known: Mapping[str, Any], node: Node, problem: Any) -> str:
    camel = key_of(key)
    if camel != key and camel in known:
        return f"did you mean '{camel}'?"
    match = nearest(key, known)
    if match is not None:
        return f"did you mean '{match}'?"
    for name, inner in known.items():
        target = inner.get("$ref", "").rpartition("/")[2]
        if target and any(key_of(f.name) == key for f in fields(_CLASSES()[target])):
            return f"it belongs under '{name}'"
    return "keys: " + ", ".join(k for k in known if k not in HEADER)


def _CLASSES() -> dict[str, type[Item]]:  # noqa: N802
    def below(item: type[Item]) -> Iterator[type[Item]]:
        for inner in item.__subclasses__():
            yield inner
            yield from below(inner)

    return {item.__name__: item for item in below(Item)}


def _missing_key(node: Node, problem: Any) -> Iterator[Diagnostic]:
    key = re.match(r"'([^']*)' is a required", problem.message)
    assert key is not None
    inner = problem.schema["properties"][key[1]]
    first = next(iter(node.value), None)
    span = node.key_span(first) if first is not None else _start(node)
    example = inner.get("const", "")
    message = f"the key '{key[1]}' is missing"
    hint = f"add '{key[1]}: {example or '...'}': {inner.get('description', '')}".rstrip(": ")
    yield error(span, "yaml/missing-key", message, hint)


def _start(node: Node) -> Span:
    return Span(node.source.file, node.line, node.column, node.line, node.column + 1)


def _bad_key(node: Node, problem: Any) -> Diagnostic:
    key = problem.instance
    span = node.key_span(key) if key in (node.keys or {}) else node.span
    scalar = _SCALARS.get(problem.schema.get("title", ""))
    what = scalar.what if scalar else "a key of this form"
    hint = f"such as '{scalar.example}'" if scalar else ""
    return error(span, "yaml/bad-value", f"'{key}' is not {what}", hint)


def _wrong_size(root: Node, node: Node, problem: Any) -> Diagnostic:
    if "prefixItems" in problem.schema:
        size = problem.schema["minItems"]
        return error(node.span, "yaml/bad-value", f"this list has not {size} entries", "such as [0, 100]")
    name = problem.absolute_path[-1] if problem.absolute_path else "this"
    return error(_short(node), "yaml/bad-value", f"'{name}' is empty", "fill it in, or leave it out")


def _short(node: Node) -> Span:
    return node.span if node.line == node.end_line else _start(node)


def _wrong_value(node: Node, keyword: str, rule: Mapping[str, Any]) -> Diagnostic:
    value = node.value
    if keyword == "type":
        return _wrong_type(node, _described(rule), rule)
    if keyword == "enum":
        message = f"'{value}' is none of the values that are allowed here"
        hint = did_you_mean(str(value), rule["enum"]) or "allowed: " + ", ".join(rule["enum"])
        return error(node.span, "yaml/bad-value", message, hint)
    if keyword == "const":
        return error(node.span, "yaml/bad-value", f"'{value}' should be '{rule['const']}'")
    if keyword == "minimum":
        message = f"{value} is less than {rule['minimum']:g}"
        return error(node.span, "yaml/bad-value", message, f"{rule['minimum']:g} or more")
    scalar = _SCALARS.get(rule.get("title", ""), Scalar)
    message = f"'{_clipped(str(value))}' is not {scalar.what}"
    return error(_short(node), "yaml/bad-value", message, _scalar_hint(scalar, value))


def _clipped(text: str) -> str:
    line = text.strip().split("\n")[0]
    return line if len(line) <= 60 else line[:57] + "..."


def _scalar_hint(scalar: type[Scalar], value: Any) -> str:
    if scalar is Duration:
        match = _SPELLED.match(str(value).lower())
        if match:
            unit = "ms" if match[2].startswith(("ms", "milli")) else match[2][0]
            return f"write {match[1]}{unit}"
    return f"such as {scalar.example}" if scalar.example else ""


def _wrong_type(node: Node, wanted: str, rule: Mapping[str, Any]) -> Diagnostic:
    value = node.value
    if isinstance(value, dict):
        written = "a mapping"
    elif isinstance(value, list):
        written = "a list"
    elif value is None:
        written = "nothing"
    elif isinstance(value, bool):
        written = f"the boolean {str(value).lower()}"
    elif isinstance(value, int | float):
        written = f"the number {value:g}" if isinstance(value, float) else f"the number {value}"
    else:
        written = f"the text '{_clipped(value)}'"
    hint = ""
    scalar = _SCALARS.get(rule.get("title", ""))
    if scalar is Duration and isinstance(value, int) and not isinstance(value, bool):
        hint = f"with its unit: {value}s or {value}m"
    elif rule.get("type") == "array" and not isinstance(value, dict | list) and value is not None:
        hint = f"[{value}]"
    elif rule.get("type") == "string" and not isinstance(value, dict | list) and value is not None:
        hint = f'in quotes: "{str(value).lower() if isinstance(value, bool) else value}"'
    elif isinstance(value, str) and rule.get("type") in ("number", "integer", "boolean"):
        match = re.match(r"([0-9.]+)\s*%\Z", value)
        hint = f"as a ratio: {float(match[1]) / 100:g}" if match else "without quotes and without a unit"
    return error(_short(node), "yaml/wrong-type", f"{written} stands where {wanted} is wanted", hint)
