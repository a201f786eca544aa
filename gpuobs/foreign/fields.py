"""The keys of rule files, and which of their readers has them since when.

Prometheus: model/rulefmt/rulefmt.go. Operator: the PrometheusRule resource. Mimir: its fork of rulefmt, and mimirtool's
rwrulefmt. Thanos: pkg/rules/manager.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from gpuobs.foreign.kinds import Format

Type = Literal["text", "expression", "duration", "number", "labels", "annotations", "list", "any"]

READERS: Mapping[Format, str] = {
    "prometheus": "a rule file of Prometheus",
    "operator": "a PrometheusRule",
    "mimir": "a rule file of Mimir",
    "thanos": "a rule file of Thanos",
}
EVERYONE = frozenset(READERS)


@dataclass(frozen=True, slots=True)
class Field:
    """A key's type, its readers, and the Prometheus that first had it."""

    type: Type
    readers: frozenset[Format] = EVERYONE
    since: tuple[int, int] = (0, 0)


_MIMIR: frozenset[Format] = frozenset({"mimir"})
_STRATEGY: frozenset[Format] = frozenset({"operator", "thanos"})

GROUP: Mapping[str, Field] = {
    "name": Field("text"),
    "interval": Field("duration"),
    "query_offset": Field("duration", since=(2, 53)),
    "limit": Field("number", since=(2, 31)),
    "labels": Field("labels", since=(3, 0)),
    "rules": Field("list"),
    "partial_response_strategy": Field("text", _STRATEGY),
    "source_tenants": Field("list", _MIMIR),
    "evaluation_delay": Field("duration", _MIMIR),
    "align_evaluation_time_on_interval": Field("any", _MIMIR),
    "remote_write": Field("list", _MIMIR),
}
RULE: Mapping[str, Field] = {
    "record": Field("text"),
    "alert": Field("text"),
    "expr": Field("expression"),
    "for": Field("duration"),
    "keep_firing_for": Field("duration", since=(2, 42)),
    "labels": Field("labels"),
    "annotations": Field("annotations"),
}
ONLY_ALERTS = ("for", "keep_firing_for", "annotations")
FILE: Mapping[Format, tuple[str, ...]] = {
    "prometheus": ("groups",),
    "thanos": ("groups",),
    "mimir": ("namespace", "groups"),
    "operator": ("groups",),
}
OBJECT = ("apiVersion", "kind", "metadata", "spec", "status")
