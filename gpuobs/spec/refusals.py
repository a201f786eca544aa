"""What is wrong with a document of the wrong shape: the JSON Schema's errors in the words of the author.

Each mistake is said once, at the smallest place, with what to write instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from gpuobs.diagnostics import Diagnostic, Span, error, in_order
from gpuobs.names import API_VERSION
from gpuobs.nearest import did_you_mean, nearest
from gpuobs.spec.model import KINDS
from gpuobs.spec.node import Node
from gpuobs.spec.scalars import Duration, Retention, Scalar, kinds
from gpuobs.spec.schema import schema
from gpuobs.spec.shape import HEADER, key_of
from gpuobs.spec.spelled import spelled

_SCALARS = {scalar.__name__: scalar for scalar in kinds()}
_WANTED = {
    "object": "a mapping",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
}
_EMPTY = ("minLength", "minItems", "minProperties")
_TRUTH = {"yes": "true", "on": "true", "y": "true", "no": "false", "off": "false", "n": "false"}


def explain(node: Node) -> list[Diagnostic]:
    """Every way in which a document departs from its schema."""
    problems = list(_header(node))
    kind = node.value["kind"].value if "kind" in node.value else None
    if isinstance(kind, str) and kind in KINDS:
        for problem in _validator(kind).iter_errors(node.plain()):
            found = _explained(node, problem)
            evaluated = node.source.file.endswith(".jsonnet")
            problems += (_named(problem, one) if evaluated else one for one in found)
    return in_order(problems)


def _named(problem: Any, found: Diagnostic) -> Diagnostic:
    """With the path in words, for a document that was evaluated and whose places are lost."""
    steps = [f"[{step}]" if isinstance(step, int) else f".{step}" for step in problem.absolute_path]
    path = "".join(steps).lstrip(".")
    return replace(found, message=f"{found.message} (at {path})") if path else found


@cache
def _validator(kind: str) -> Any:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(_schema(kind))


@cache
def _schema(kind: str) -> Mapping[str, Any]:
    return schema(kind)


def _header(node: Node) -> Iterator[Diagnostic]:
    """What is wrong with `apiVersion` and `kind`, which decide how everything else is read."""
    values = node.value
    top = _first(node)
    if "apiVersion" not in values:
        hint = f"apiVersion: {API_VERSION}"
        yield error(top, "yaml/missing-key", "the key 'apiVersion' is missing", hint)
    elif values["apiVersion"].value != API_VERSION:
        written = values["apiVersion"]
        message = f"{_written(written)} is no version of this language"
        yield error(_short(written), "yaml/bad-value", message, f"apiVersion: {API_VERSION}")
    if "kind" not in values:
        hint = "kind: one of " + ", ".join(KINDS)
        yield error(top, "yaml/missing-key", "the key 'kind' is missing", hint)
        return
    kind = values["kind"]
    if not isinstance(kind.value, str):
        message = f"{_written(kind)} stands where a kind of document is wanted"
        hint = "kind: one of " + ", ".join(KINDS)
        yield error(_short(kind), "yaml/wrong-type", message, hint)
    elif kind.value not in KINDS:
        message = f"no kind of document is called '{_clipped(kind.value)}'"
        yield error(_short(kind), "yaml/bad-value", message, did_you_mean(kind.value, KINDS))


def _explained(root: Node, problem: Any) -> Iterator[Diagnostic]:
    path = list(problem.absolute_path)
    node = root.get(*path)
    if node is None or path in (["apiVersion"], ["kind"]):
        return
    keyword = problem.validator
    if "propertyNames" in problem.absolute_schema_path:
        yield _bad_key(node, problem)
    elif keyword == "anyOf":
        yield from _meant(root, node, problem)
    elif keyword == "additionalProperties":
        yield from _unknown_keys(root, node, problem)
    elif keyword == "required":
        yield from _missing_key(node, problem)
    elif keyword == "type":
        yield _wrong_type(node, [problem.schema])
    elif keyword in _EMPTY and "prefixItems" not in problem.schema:
        message = f"'{path[-1]}' is empty"
        yield error(_short(node), "yaml/bad-value", message, "fill it in, or leave it out")
    else:
        yield _bad_value(node, keyword, problem.schema)


# Keys ----------------------------------------------------------------------------------------------------------------


def _unknown_keys(root: Node, node: Node, problem: Any) -> Iterator[Diagnostic]:
    known = problem.schema.get("properties", {})
    for key in node.value:
        if key not in known:
            hint = _key_hint(key, known, root, problem)
            yield error(node.key_span(key), "yaml/unknown-key", f"no key '{key}' here", hint)


def _key_hint(key: str, known: Mapping[str, Any], root: Node, problem: Any) -> str:
    camel = key_of(re.sub(r"[-\s]", "_", key))
    if camel in known:
        return f"did you mean '{camel}'?"
    name, colon, value = key.partition(":")
    if colon and name in known:
        return f"a space is missing after the colon: '{name}: {value}'"
    for other, inner in known.items():
        if key in _properties(root, inner):
            return f"it belongs under '{other}'"
    for depth in range(len(problem.absolute_path) - 1, -1, -1):
        if key in _keys_at(root, list(problem.absolute_path)[:depth]):
            above = list(problem.absolute_path)[depth]
            return f"it belongs further out, beside '{above}'"
    match = nearest(key, known)
    if match is not None:
        return f"did you mean '{match}'?"
    return "keys: " + ", ".join(k for k in known if k not in HEADER)


def _properties(root: Node, inner: Mapping[str, Any]) -> Mapping[str, Any]:
    """The keys of the class that a property's schema refers to, directly or as one of several choices."""
    definitions = _schema(root.value["kind"].value)["$defs"]
    for choice in inner.get("anyOf", [inner]):
        name = choice.get("$ref", "").rpartition("/")[2]
        if name:
            properties: Mapping[str, Any] = definitions[name]["properties"]
            return properties
    return {}


def _keys_at(root: Node, path: list[str | int]) -> Mapping[str, Any]:
    """The keys that may stand in the mapping under a path of the document."""
    whole = _schema(root.value["kind"].value)
    here: Mapping[str, Any] = whole
    for step in [None, *path]:
        if isinstance(step, int):
            here = here.get("items", {})
        elif step is not None:
            extra = here.get("additionalProperties")
            here = here.get("properties", {}).get(step) or (
                extra if isinstance(extra, dict) else {}
            )
        for choice in here.get("anyOf", [here]):
            name = choice.get("$ref", "").rpartition("/")[2]
            here = whole["$defs"][name] if name else here
    properties: Mapping[str, Any] = here.get("properties", {})
    return properties


def _missing_key(node: Node, problem: Any) -> Iterator[Diagnostic]:
    found = re.match(r"'([^']*)' is a required", problem.message)
    key = found[1] if found else ""
    if key in HEADER and not problem.absolute_path:
        return  # said by _header
    known = problem.schema["properties"]
    if any(other not in known and _misspelt(other, key) for other in node.value):
        return  # said as the unknown key
    meaning = problem.schema["properties"][key].get("description", "")
    hint = f"add '{key}: ...': {meaning}" if meaning else f"add '{key}: ...'"
    yield error(_first(node), "yaml/missing-key", f"the key '{key}' is missing", hint)


def _misspelt(written: str, key: str) -> bool:
    return key_of(written) == key or nearest(written, [key]) is not None


def _bad_key(node: Node, problem: Any) -> Diagnostic:
    key = problem.instance
    scalar = _SCALARS.get(problem.schema.get("title", ""), Scalar)
    message = f"the key '{_clipped(key)}' is not {scalar.what}"
    return error(node.key_span(key), "yaml/bad-value", message, f"such as {scalar.example}")


# Values --------------------------------------------------------------------------------------------------------------


def _meant(root: Node, node: Node, problem: Any) -> Iterator[Diagnostic]:
    """The choice whose type the author wrote; all choices by name where none fits."""
    choices = problem.schema["anyOf"]
    branches: dict[int, list[Any]] = {}
    for inner in problem.context:
        branches.setdefault(inner.schema_path[0], []).append(inner)
    for inners in branches.values():
        if not any(inner.validator == "type" and not inner.path for inner in inners):
            for inner in inners:
                yield from _explained(root, inner)
            return
    yield _wrong_type(node, [choice for choice in choices if choice.get("type") != "null"])


def _wrong_type(node: Node, wanted: list[Mapping[str, Any]]) -> Diagnostic:
    words = " or ".join(_described(rule) for rule in wanted)
    message = f"{_written(node)} stands where {words} is wanted"
    hint = _type_hint(node.value, wanted[0])
    return error(_short(node), "yaml/wrong-type", message, hint)


def _described(rule: Mapping[str, Any]) -> str:
    if rule.get("title") in _SCALARS:
        return _SCALARS[rule["title"]].what.partition(":")[0]
    return _WANTED[rule.get("type", "object")]


def _written(node: Node) -> str:
    value = node.value
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    return f"'{_clipped(value)}'" if isinstance(value, str) else f"the number {value:.15g}"


def _type_hint(value: Any, rule: Mapping[str, Any]) -> str:
    wanted = rule.get("type", "object")
    if value is None:
        return "fill it in, or remove the key"
    if isinstance(value, dict):
        return (
            "write a value instead of the keys below"
            if wanted != "array"
            else "begin each entry with '- '"
        )
    if isinstance(value, list):
        return (
            "write one value, without '- ' or [ ]"
            if wanted != "object"
            else "write 'key: value' lines, without '- '"
        )
    if isinstance(value, str):
        return _text_hint(value, wanted)
    if (
        rule.get("title") in ("Duration", "Retention")
        and isinstance(value, int)
        and value is not True
    ):
        return f"write it with its unit: {value}s or {value}m" if value else "write 0s"
    text = str(value).lower() if isinstance(value, bool) else f"{value:.15g}"
    if wanted == "array":
        return f"[{text}]"
    return f'quote it: "{text}"' if wanted == "string" else f"write {_article(wanted)}"


def _article(wanted: str) -> str:
    return {"boolean": "true or false", "integer": "a whole number"}.get(
        wanted, "the keys below it"
    )


def _text_hint(value: str, wanted: str) -> str:
    if wanted == "array":
        return (
            "a space is missing after each '-'" if value.startswith("-") else f"[{_clipped(value)}]"
        )
    if wanted == "boolean":
        return f"write {_TRUTH.get(value.strip().lower(), 'true or false')}"
    if wanted == "object":
        return "write 'key: value' lines, indented, below the key"
    number = re.match(r"\s*([-+]?[0-9]*\.?[0-9]+)\s*(%?)", value)
    if number is None:
        return "write a number"
    if number[2]:
        return f"write a number without '%'; a ratio is {float(number[1]) / 100:g}"
    return f"write {number[1]}, without quotes and without a unit"


def _bad_value(node: Node, keyword: str, rule: Mapping[str, Any]) -> Diagnostic:
    value = node.value
    if keyword == "enum":
        message = f"{_written(node)} is none of the values that are allowed here"
        hint = did_you_mean(str(value), rule["enum"]) or "allowed: " + ", ".join(rule["enum"])
    elif keyword == "minimum":
        message, hint = f"{value:.15g} is too low", f"write {rule['minimum']:g} or more"
    elif keyword in ("minItems", "maxItems"):
        message, hint = f"a list of {len(value)}, not of {rule['minItems']}", "such as [0, 100]"
    else:
        scalar = _SCALARS.get(rule.get("title", ""), Scalar)
        message = f"'{_clipped(value)}' is not {scalar.what}"
        meant = _spelled(value, scalar) if issubclass(scalar, Duration | Retention) else ""
        fits = re.search(scalar.pattern, meant)
        hint = f"write {meant}" if meant and fits else f"such as {scalar.example}"
    return error(_short(node), "yaml/bad-value", message, hint)


_LONG = re.compile(r"\s*([0-9]+)\s*(?:(y)(?:ears?|rs?)?|(mo)(?:nths?|n|s)?)\s*")


def _spelled(text: str, scalar: type[Scalar]) -> str:
    """A time in words as Prometheus spells it, years and months included; empty for what is no time at all."""
    long = _LONG.fullmatch(text.lower())
    if long and (long[2] or scalar is Retention):
        return long[1] + (long[2] or long[3])
    return spelled(text) or ""


def _clipped(text: str) -> str:
    line = text.strip().split("\n")[0]
    return line if len(line) <= 60 else line[:57] + "..."


def _first(node: Node) -> Span:
    """Where a mapping is said to lack something: its first key."""
    first = next(iter(node.value), None)
    return _short(node) if first is None else node.key_span(first)


def _short(node: Node) -> Span:
    """A value's place, or its first character where it goes over several lines."""
    if node.line == node.end_line:
        return node.span
    return Span(node.source.file, node.line, node.column, node.line, node.column + 1)
