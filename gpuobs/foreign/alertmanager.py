"""Alertmanager configurations of others, and AlertmanagerConfig objects: routes, receivers, inhibition and times, with places.

What Alertmanager would refuse of them is told: receivers and times that are not there, matchers that cannot be read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from gpuobs.diagnostics import Diagnostic, error
from gpuobs.foreign.structure import first_key
from gpuobs.nearest import did_you_mean
from gpuobs.promql import re2
from gpuobs.routing import (
    Configuration,
    Inhibition,
    Integration,
    Matcher,
    Receiver,
    Route,
    TimeInterval,
)
from gpuobs.routing.model import Operator
from gpuobs.scraping import camel
from gpuobs.spec.node import Node

# labels/parse.go of Alertmanager: the value may stand in quotes or not.
_MATCHER = re.compile(r'\s*"?([a-zA-Z_:][a-zA-Z0-9_:]*)"?\s*(=~|!~|!=|=)\s*(.*?)\s*', re.DOTALL)
_PART = re.compile(r'(?:[^,"\\]|\\.|"(?:[^"\\]|\\.)*"?)+', re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED = {"n": "\n", '"': '"', "\\": "\\"}
_OPERATORS: tuple[Operator, ...] = ("=", "!=", "=~", "!~")


def configuration(root: Node, kind: str) -> tuple[Configuration | None, list[Diagnostic]]:
    """What a document says; `kind` is `configuration` or an object's. None where it has no route."""
    reader = _Reader(of_operator=kind != "configuration")
    if not reader.of_operator:
        return reader.made(root, None), reader.problems
    spec = root.get("spec")
    if spec is None:
        return None, []
    namespace = _text(root.get("metadata"), "namespace")
    return reader.made(spec, namespace or "default"), reader.problems


def _text(node: Node | None, *path: str) -> str:
    found = node.get(*path) if node is not None else None
    return found.value if found is not None and isinstance(found.value, str) else ""


def _list(node: Node | None, *path: str) -> list[Node]:
    found = node.get(*path) if node is not None else None
    return list(found.value) if found is not None and isinstance(found.value, list) else []


def _mappings(node: Node | None, *path: str) -> Iterator[Node]:
    return (each for each in _list(node, *path) if isinstance(each.value, dict))


@dataclass(slots=True)
class _Reader:
    """Reads one document, in Alertmanager's spelling or in the operator's, and collects what is wrong with it."""

    of_operator: bool
    problems: list[Diagnostic] = field(default_factory=list)

    def made(self, root: Node, namespace: str | None) -> Configuration | None:
        top = root.get("route")
        if top is None or not isinstance(top.value, dict):
            return None
        route = self._route(top)
        if namespace is not None:
            own = Matcher(label="namespace", operator="=", value=namespace, span=top.span)
            route = replace(route, matchers=(*route.matchers, own))
        receivers = tuple(self._receivers(root))
        times = tuple(self._times(root))
        found = Configuration(
            route=route,
            receivers=receivers,
            inhibitions=tuple(
                self._inhibition(each) for each in _mappings(root, self._key("inhibit_rules"))
            ),
            times=times,
            namespace=namespace,
            span=first_key(root),
        )
        self._references(top, {each.name for each in receivers}, {each.name for each in times})
        return found

    def _key(self, key: str) -> str:
        return camel(key) if self.of_operator else key

    def _route(self, node: Node) -> Route:
        by = node.get(self._key("group_by"))
        names = [each.value for each in _list(node, self._key("group_by"))]
        waits = [
            _text(node, self._key(key)) or None
            for key in ("group_wait", "group_interval", "repeat_interval")
        ]
        return Route(
            receiver=_text(node, "receiver") or None,
            matchers=tuple(self._matchers(node, "matchers", "match", "match_re")),
            group_by=tuple(map(str, names)) if by is not None else None,
            group_wait=waits[0],
            group_interval=waits[1],
            repeat_interval=waits[2],
            continues=_text(node, "continue") == "true",
            mute_times=tuple(
                str(each.value) for each in _list(node, self._key("mute_time_intervals"))
            ),
            active_times=tuple(
                str(each.value) for each in _list(node, self._key("active_time_intervals"))
            ),
            routes=tuple(self._route(each) for each in _mappings(node, "routes")),
            span=first_key(node),
            written=node,
        )

    def _receivers(self, root: Node) -> Iterator[Receiver]:
        for node in _mappings(root, "receivers"):
            ways = tuple(
                Integration(kind=key, settings=each.plain(), span=each.span)
                for key in node.value
                for each in _mappings(node, key)
            )
            yield Receiver(name=_text(node, "name"), integrations=ways, span=node.at("name"))

    def _times(self, root: Node) -> Iterator[TimeInterval]:
        for key in ("time_intervals", "mute_time_intervals"):
            for node in _mappings(root, self._key(key)):
                spans = _mappings(node, self._key("time_intervals"))
                yield TimeInterval(
                    name=_text(node, "name"),
                    intervals=tuple(each.plain() for each in spans),
                    span=node.at("name"),
                )

    def _inhibition(self, node: Node) -> Inhibition:
        if self.of_operator:
            sources = tuple(self._objects(node, "sourceMatch"))
            targets = tuple(self._objects(node, "targetMatch"))
        else:
            sources, targets = (
                tuple(self._matchers(node, f"{side}_matchers", f"{side}_match", f"{side}_match_re"))
                for side in ("source", "target")
            )
        return Inhibition(
            sources=sources,
            targets=targets,
            equal=tuple(str(each.value) for each in _list(node, "equal")),
            span=first_key(node),
            written=node,
        )

    # Matchers --------------------------------------------------------------------------------------------------------

    def _matchers(self, node: Node, listed: str, equal: str, pattern: str) -> Iterator[Matcher]:
        """In the three spellings that there are: texts, and maps for values and for patterns."""
        if self.of_operator:
            yield from self._objects(node, listed)
            return
        for each in _list(node, listed):
            if isinstance(each.value, str):
                yield from self._read(each)
        spellings: tuple[tuple[str, Operator], ...] = ((equal, "="), (pattern, "=~"))
        for key, operator in spellings:
            found = node.get(key)
            for label, value in (
                found.value.items() if found and isinstance(found.value, dict) else ()
            ):
                text = str(value.value) if value.value is not None else ""
                yield self._checked(label, operator, text, value)

    def _objects(self, node: Node, key: str) -> Iterator[Matcher]:
        for each in _mappings(node, key):
            kind = _text(each, "matchType") or ("=~" if _text(each, "regex") == "true" else "=")
            operator = next((known for known in _OPERATORS if known == kind), None)
            if operator is None:
                message = f"'{kind}' is no way to match"
                self._wrong(each.get("matchType") or each, message, "write =, !=, =~ or !~")
                continue
            yield self._checked(_text(each, "name"), operator, _text(each, "value"), each)

    def _read(self, node: Node) -> Iterator[Matcher]:
        text = node.value.strip()
        if text.startswith("{") and text.endswith("}"):
            text = text[1:-1]
        for part in _PART.findall(text):
            if not part.strip():
                continue
            found = _MATCHER.fullmatch(part)
            if found is None or found[3].startswith("="):
                message = f"'{part.strip()[:60]}' is no matcher"
                self._wrong(node, message, """such as 'severity="critical"'""")
                continue
            label, value = found[1], found[3]
            operator = next(known for known in _OPERATORS if known == found[2])
            if len(value) > 1 and value.startswith('"') and value.endswith('"'):
                value = _ESCAPE.sub(lambda each: _ESCAPED.get(each[1], each[0]), value[1:-1])
            elif '"' in value:
                self._wrong(node, f"the quotes of '{part.strip()[:60]}' do not pair", "close them")
                continue
            yield self._checked(label, operator, value, node)

    def _checked(self, label: str, operator: Operator, value: str, node: Node) -> Matcher:
        if operator in ("=~", "!~"):
            wrong = re2.problem(value, (3, 5))
            if wrong:
                self._wrong(node, f"'{value[:60]}' is no pattern: {wrong}", "RE2 reads it")
        return Matcher(label=label, operator=operator, value=value, span=node.span)

    def _wrong(self, node: Node, message: str, hint: str) -> None:
        self.problems.append(error(node.span, "route/matcher-syntax", message, hint))

    # Names -----------------------------------------------------------------------------------------------------------

    def _references(self, node: Node, receivers: set[str], times: set[str]) -> None:
        """Receivers and times that routes name and that are not there."""
        name = node.get("receiver")
        if name is not None and isinstance(name.value, str) and name.value not in receivers:
            message = f"no receiver '{name.value}'"
            hint = did_you_mean(name.value, receivers) or "add it to 'receivers'"
            self.problems.append(error(name.span, "route/receiver-missing", message, hint))
        for key in ("mute_time_intervals", "active_time_intervals"):
            for each in _list(node, self._key(key)):
                if str(each.value) not in times:
                    message = f"no time interval '{each.value}'"
                    hint = did_you_mean(str(each.value), times) or "add it to the time intervals"
                    self.problems.append(error(each.span, "route/time-interval", message, hint))
        for child in _mappings(node, "routes"):
            self._references(child, receivers, times)
