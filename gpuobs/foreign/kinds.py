"""What a document is, told by its content: rules, promtool tests, configurations of Prometheus or Alertmanager, or none of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from gpuobs.foreign.reader import Document
from gpuobs.nearest import nearest
from gpuobs.spec.node import Node

Format = Literal["prometheus", "operator", "mimir", "thanos"]

_LISTS = frozenset({"List", "PrometheusRuleList"})
_TEST_KEYS = frozenset(
    "rule_files evaluation_interval group_eval_order tests fuzzy_compare start_timestamp".split()
)
_SCRAPES = ("ServiceMonitor", "PodMonitor", "ScrapeConfig", "Prometheus", "PrometheusAgent")
# Any of these keys makes a file one of Prometheus'; `global` and `alerting` others have too.
_CONFIGURATION = frozenset("scrape_configs scrape_config_files remote_write remote_read".split())
_GLOBAL = frozenset(
    "scrape_interval scrape_timeout evaluation_interval external_labels query_log_file".split()
)
_ONLY_MIMIR = ("source_tenants", "align_evaluation_time_on_interval", "evaluation_delay")


@dataclass(frozen=True, slots=True)
class RuleSet:
    """Groups that one reader loads together: a plain file, a PrometheusRule or a namespace of Mimir's ruler.

    `holder` is the mapping in which `groups` stands, if it is one of fixed keys, and `document` is what it is a part of.
    """

    format: Format
    name: str
    holder: Node | None
    groups: Node | None
    document: Document


@dataclass(frozen=True, slots=True)
class PromtoolTests:
    """A test file of promtool's."""

    document: Document


@dataclass(frozen=True, slots=True)
class Scrapes:
    """What Prometheus scrapes and where it sends samples.

    `kind` is `configuration` (a prometheus.yml), `jobs` (a list of scrape configs), an object's kind, or `values` (the
    `remoteWrite` of an object that a chart makes).
    """

    kind: str
    document: Document


@dataclass(frozen=True, slots=True)
class Routes:
    """Who is told of alerts: `kind` is `configuration` (an alertmanager.yml), or an object's kind."""

    kind: str
    document: Document


@dataclass(frozen=True, slots=True)
class Other:
    """A Kubernetes object that has no rules; or, without a kind, what nobody knows."""

    kind: str


Content = RuleSet | PromtoolTests | Scrapes | Routes | Other


def contents(document: Document, thanos: bool) -> Iterator[Content]:
    """What a document has in it; with `thanos`, groups with a key of Thanos' are for its ruler."""
    root = document.root
    if isinstance(root.value, list) and _are_jobs(root.value):
        yield Scrapes("jobs", document)
    elif isinstance(root.value, list):
        for item in root.value:
            yield from contents(Document(item, document.start), thanos)
    elif not isinstance(root.value, dict):
        yield Other("")
    elif "kind" in root.value and ("apiVersion" in root.value or _is_rule_object(root)):
        yield from _kubernetes(document, thanos)
    else:
        yield from _plain(document, thanos)


def _is_rule_object(root: Node) -> bool:
    return bool(root.value["kind"].value == "PrometheusRule")


def _kubernetes(document: Document, thanos: bool) -> Iterator[Content]:
    root = document.root
    kind = str(root.value["kind"].value)
    if kind in _LISTS:
        items = root.get("items")
        for item in items.value if items is not None and isinstance(items.value, list) else ():
            yield from contents(Document(item, document.start), thanos)
    elif kind in _SCRAPES:
        yield Scrapes(kind, document)
    elif kind == "AlertmanagerConfig":
        yield Routes(kind, document)
    elif not _is_rule_object(root):
        spec = str(root.value["apiVersion"].value).startswith("gpuobs/")
        yield Other("" if spec else kind)
    else:
        name = root.get("metadata", "name")
        written = str(name.value) if name is not None else ""
        yield RuleSet("operator", written, root.get("spec"), root.get("spec", "groups"), document)


def _plain(document: Document, thanos: bool) -> Iterator[Content]:
    root = document.root
    keys = root.value.keys()
    if _is_configuration(root):
        yield Scrapes("configuration", document)
    elif _are_remote_writes(root):
        yield Scrapes("values", document)
    elif _is_routing(root):
        yield Routes("configuration", document)
    elif "tests" in keys or ("rule_files" in keys and keys <= _TEST_KEYS):
        yield PromtoolTests(document)
    elif "groups" in keys:
        yield RuleSet(*_ruler(root, thanos), root, root.get("groups"), document)
    elif len(keys) == 1 and nearest("groups", keys) is not None:
        yield RuleSet("prometheus", "", root, None, document)
    elif keys and all(_are_groups(node) for node in root.value.values()):
        for namespace, groups in root.value.items():
            yield RuleSet("mimir", namespace, None, groups, document)
    else:
        yield Other("")


def _is_configuration(root: Node) -> bool:
    """Whether this is a prometheus.yml: neither `global` nor `alerting` alone makes one of a file."""
    shared, alerting = root.get("global"), root.get("alerting")
    has_global = shared is not None and isinstance(shared.value, dict)
    return (
        not _CONFIGURATION.isdisjoint(root.value)
        or (has_global and shared is not None and not _GLOBAL.isdisjoint(shared.value))
        or (alerting is not None and alerting.get("alertmanagers") is not None)
    )


def _is_routing(root: Node) -> bool:
    """Whether this is an alertmanager.yml: it has a route with a receiver, or a list of receivers."""
    receivers = root.get("receivers")
    return root.get("route", "receiver") is not None or (
        receivers is not None
        and isinstance(receivers.value, list)
        and all(isinstance(each.value, dict) and "name" in each.value for each in receivers.value)
    )


def _are_remote_writes(root: Node) -> bool:
    """Whether a mapping has the operator's `remoteWrite`, with an address in its first entry."""
    return root.get("remoteWrite", 0, "url") is not None


def _are_jobs(items: list[Node]) -> bool:
    """Whether a list has scrape configs, such as the operator takes beside its objects."""
    return bool(items) and all(
        isinstance(each.value, dict) and "job_name" in each.value for each in items
    )


def _ruler(root: Node, thanos: bool) -> tuple[Format, str]:
    """Whose ruler reads a mapping with `groups`, and the namespace where that is Mimir's."""
    groups = root.value["groups"].value
    keys = {key for group in _mappings(groups) for key in group.value}
    namespace = root.get("namespace")
    if namespace is not None or not keys.isdisjoint(_ONLY_MIMIR):
        return "mimir", str(namespace.value) if namespace is not None else ""
    return ("thanos" if thanos and "partial_response_strategy" in keys else "prometheus"), ""


def _are_groups(node: Node) -> bool:
    """Whether this is a list of rule groups, as under each namespace of what Mimir's ruler returns."""
    items = list(_mappings(node.value))
    return bool(items) and all({"name", "rules"} <= item.value.keys() for item in items)


def _mappings(items: object) -> Iterator[Node]:
    for item in items if isinstance(items, list) else ():
        if isinstance(item.value, dict):
            yield item
