"""Relabelling steps of others: read as steps that can be run, and refused as Prometheus refuses them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gpuobs.diagnostics import Diagnostic, error
from gpuobs.foreign.scrape.forms import Forms, is_label, missing, whole
from gpuobs.foreign.scrape.keys import Version
from gpuobs.foreign.values import UTF8_NAMES
from gpuobs.promql.relabel import Step
from gpuobs.scraping import Reader, Relabeling, camel
from gpuobs.spec.node import Node

_SETTING = ("replace", "hashmod", "lowercase", "uppercase", "keepequal", "dropequal")
_TEMPLATE = re.compile(r"(?:(?:[a-zA-Z_]|\$(?:\{\w+\}|\w+))+\w*)+", re.ASCII)
_DEFAULT = Step()
MOST_STEPS = 200


@dataclass(frozen=True, slots=True)
class _Written:
    """A step's mapping, with its keys in Prometheus' spelling."""

    node: Node
    reader: Reader

    def key(self, name: str) -> str:
        return name if self.reader == "prometheus" else camel(name)

    def get(self, name: str) -> Node | None:
        """The value of a key that has one; the operator takes an empty text for none, but for the replacement's."""
        found = self.node.get(self.key(name))
        if found is None or found.value is None:
            return None
        unset = (
            self.reader == "operator"
            and found.value == ""
            and name not in ("replacement", "separator")
        )
        return None if unset else found

    def text(self, name: str, default: str) -> str:
        found = self.get(name)
        return found.value if found is not None and isinstance(found.value, str) else default

    def step(self) -> Step:
        sources = self.get("source_labels")
        listed = sources.value if sources is not None and isinstance(sources.value, list) else ()
        return Step(
            action=self.text("action", _DEFAULT.action).lower(),
            sources=tuple(each.value for each in listed if isinstance(each.value, str)),
            separator=self.text("separator", _DEFAULT.separator),
            target=self.text("target_label", ""),
            regex=self.text("regex", _DEFAULT.regex),
            replacement=self.text("replacement", _DEFAULT.replacement),
            modulus=whole(self.get("modulus")) or 0,
        )


def read(listed: Node | None, forms: Forms, problems: list[Diagnostic]) -> tuple[Relabeling, ...]:
    """The steps of a list that Prometheus takes; none of them where it refuses one, or where they are too many to follow."""
    if listed is None or not isinstance(listed.value, list):
        return ()
    found, refused = [], False
    for node in listed.value:
        if not isinstance(node.value, dict):
            refused = True
            continue
        written = _Written(node, forms.reader)
        step = written.step()
        wrong = list(_problems(written, step, forms.version))
        refused = refused or bool(wrong) or any(True for _ in forms.problems(node, "step"))
        problems += wrong
        found.append(Relabeling(step=step, written=node))
    return () if refused or len(found) > MOST_STEPS else tuple(found)


def _problems(written: _Written, step: Step, version: Version) -> Iterator[Diagnostic]:
    node, action = written.node, step.action
    if action in _SETTING and not step.target:
        key = written.key("target_label")
        yield missing(node, key, f"{key}: <the label that '{action}' is about>")
    if action == "hashmod" and not step.modulus:
        yield missing(node, written.key("modulus"), f"{written.key('modulus')}: 16")
    yield from _names(written, step, version)
    yield from _superfluous(written, step)


def _names(written: _Written, step: Step, version: Version) -> Iterator[Diagnostic]:
    """Names of labels that are none."""
    sources = written.get("source_labels")
    for node in sources.value if sources is not None and isinstance(sources.value, list) else ():
        if isinstance(node.value, str) and not is_label(node.value, version):
            yield _no_label(node)
    target = written.get("target_label")
    made = step.action == "replace" and "$" in step.target
    if target is not None and step.action in _SETTING and isinstance(target.value, str):
        valid = _is_template(step.target, version) if made else is_label(step.target, version)
        if target.value and not (valid or _is_lax(step, version)):
            yield _no_label(target)
    if step.action == "labelmap" and not _is_template(step.replacement, version):
        place = written.get("replacement")
        message = f"'{step.replacement[:60]}' makes no name of a label"
        hint = "such as $1, or prefix_$1"
        yield error((place or written.node).span, "yaml/bad-value", message, hint)


def _is_lax(step: Step, version: Version) -> bool:
    """Prometheus 2.42 takes a template as the target of steps that do not read it as one."""
    lax = step.action in ("lowercase", "uppercase", "keepequal", "dropequal")
    return lax and version < (2, 46) and _TEMPLATE.fullmatch(step.target) is not None


def _is_template(text: str, version: Version) -> bool:
    return bool(text) if version >= UTF8_NAMES else _TEMPLATE.fullmatch(text) is not None


def _no_label(node: Node) -> Diagnostic:
    message = f"'{node.value[:60]}' is no name of a label"
    return error(node.span, "yaml/bad-value", message, "letters, digits and '_'")


def _superfluous(written: _Written, step: Step) -> Iterator[Diagnostic]:
    """Keys that an action refuses to have beside it."""
    if step.action in ("labeldrop", "labelkeep"):
        refused = ["source_labels"]
        changed: tuple[str, ...] = ("target_label", "modulus", "separator", "replacement")
    elif step.action in ("keepequal", "dropequal"):
        refused = ["regex"]
        changed = ("modulus", "separator", "replacement")
    elif step.action in ("lowercase", "uppercase"):
        refused, changed = [], ("replacement",)
    else:
        return
    defaults = {"target_label": "", "modulus": 0, "separator": ";", "replacement": "$1"}
    fields = {"target_label": step.target, "modulus": step.modulus}
    fields |= {"separator": step.separator, "replacement": step.replacement}
    refused += [name for name in changed if fields[name] != defaults[name]]
    for name in refused:
        if written.get(name) is not None:
            key = written.key(name)
            message = f"'{step.action}' takes no '{key}', and Prometheus refuses the configuration"
            yield error(written.node.key_span(key), "yaml/bad-value", message, f"remove '{key}'")
