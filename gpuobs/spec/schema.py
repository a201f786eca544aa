"""JSON Schema of the language, generated from its dataclasses."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any, Literal, Union, get_args, get_origin

from gpuobs.names import API_VERSION
from gpuobs.spec.model import KINDS, Doc, Item, Spec
from gpuobs.spec.scalars import Scalar
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


def _object(item: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    required: list[str] = []
    if issubclass(item, Spec):
        properties["apiVersion"] = {"const": API_VERSION, "description": "Version of the language."}
        properties["kind"] = {"const": item.__name__, "description": "Kind of this document."}
        required += HEADER
    for field in fields(item):
        if field.name == "written":
            continue
        annotation, doc = doc_of(hints(item)[field.name])
        key = key_of(field.name)
        properties[key] = _documented(_schema_of(annotation, definitions), doc)
        if field.default is not MISSING and field.default is not None:
            properties[key]["default"] = _plain(field.default)
        elif field.default is MISSING and field.default_factory is MISSING:
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
        return {"enum": list(arguments)}
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
