"""What Prometheus refuses in a configuration that is right key by key: values that do not go together."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuobs.diagnostics import Diagnostic, Related, Span, error
from gpuobs.foreign import values
from gpuobs.foreign.scrape.forms import missing
from gpuobs.foreign.scrape.keys import Version
from gpuobs.spec.node import Node
from gpuobs.spec.scalars import Duration

_RULE_PATH = re.compile(r"[^*]*(?:\*[^/]*)?\Z")
_AUTHENTICATIONS = ("basic_auth", "authorization", "oauth2", "sigv4", "azuread", "google_iam")
_BEARER = ("bearer_token", "bearer_token_file")


def problems(root: Node, version: Version) -> Iterator[Diagnostic]:
    """Of a whole prometheus.yml; what is wrong inside one job is told by `job_problems`."""
    shared = root.get("global")
    if shared is not None and isinstance(shared.value, dict):
        yield from _timeout(shared, "1m", "global")
    for key in ("rule_files", "scrape_config_files"):
        for node in _list(root, key):
            if isinstance(node.value, str) and not _RULE_PATH.match(node.value):
                message = "'*' may stand in the last part of a path only"
                yield error(node.span, "yaml/bad-value", message, "name the folders")
    for key in ("remote_write", "remote_read"):
        yield from _names(root, key)
        for node in _mappings(root, key):
            yield from authentications(node)
            if key == "remote_read" and not _given(node, "url"):
                yield missing(node, "url", "url: https://...")
    yield from _alertmanagers(root, version)
    tracing = root.get("tracing")
    if tracing is not None and isinstance(tracing.value, dict) and not _given(tracing, "endpoint"):
        yield missing(tracing, "endpoint", "endpoint: <host:port>", root.key_span("tracing"))


def job_problems(node: Node, shared: Node | None) -> Iterator[Diagnostic]:
    """Of one scrape config, with the `global` that it stands below."""
    interval = _seconds(shared, "scrape_interval")
    yield from _timeout(node, f"{interval:g}s" if interval else "1m", "job")
    yield from authentications(node)
    yield from _discoveries(node)
    yield from _twice(_list(node, "scrape_protocols"))
    if not list(_list(node, "relabel_configs")):
        yield from _addresses(node)


def _twice(listed: list[Node]) -> Iterator[Diagnostic]:
    first: dict[str, Span] = {}
    for node in listed:
        if not isinstance(node.value, str):
            continue
        if node.value.lower() in first:
            related = (Related(first[node.value.lower()], "first here"),)
            message = f"'{node.value[:60]}' is there twice"
            yield error(node.span, "yaml/bad-value", message, "remove it", related)
        first.setdefault(node.value.lower(), node.span)


def authentications(node: Node) -> Iterator[Diagnostic]:
    """More than one way to say who asks."""
    found = [key for key in node.value if key in _AUTHENTICATIONS]
    bearers = [key for key in node.value if key in _BEARER]
    for key in [*found[1:], *(bearers if found else bearers[1:])]:
        other = found[0] if found else bearers[0]
        message = f"'{key}' beside '{other}': Prometheus takes one of them"
        yield error(node.key_span(key), "yaml/bad-value", message, f"remove '{key}' or '{other}'")


def _discoveries(node: Node) -> Iterator[Diagnostic]:
    """Keys that a service discovery cannot be without."""
    required = {
        "kubernetes_sd_configs": "role",
        "dns_sd_configs": "names",
        "file_sd_configs": "files",
        "http_sd_configs": "url",
    }
    for name, key in required.items():
        for each in _mappings(node, name):
            if not _given(each, key):
                yield missing(each, key, f"{key}: ...")
            elif name == "dns_sd_configs" and not _given(each, "port"):
                record = each.get("type")
                if record is not None and record.value in ("A", "AAAA"):
                    yield missing(each, "port", "port: 9400")
            elif name == "file_sd_configs":
                yield from _files(each)
            elif (
                name == "kubernetes_sd_configs"
                and "kubeconfig_file" in each.value
                and "api_server" in each.value
            ):
                message = "'api_server' beside 'kubeconfig_file': Prometheus takes one of them"
                yield error(each.key_span("api_server"), "yaml/bad-value", message)


def _files(node: Node) -> Iterator[Diagnostic]:
    for each in _list(node, "files"):
        if isinstance(each.value, str) and not re.fullmatch(
            r"[^*]*(\*[^/]*)?\.(json|yml|yaml|JSON|YML|YAML)", each.value
        ):
            message = f"'{each.value[:60]}' is no file of targets"
            yield error(each.span, "yaml/bad-value", message, "it ends with .json, .yml or .yaml")


def _addresses(node: Node) -> Iterator[Diagnostic]:
    for group in _mappings(node, "static_configs"):
        for each in _list(group, "targets"):
            if isinstance(each.value, str) and "/" in each.value:
                message = f"'{each.value[:60]}' is no address: a target is a host and a port"
                hint = "the path is metrics_path, and the protocol is scheme"
                yield error(each.span, "yaml/bad-value", message, hint)


def _alertmanagers(root: Node, version: Version) -> Iterator[Diagnostic]:
    alerting = root.get("alerting")
    for node in _mappings(alerting, "alertmanagers") if alerting is not None else ():
        yield from authentications(node)
        yield from _discoveries(node)
        api = node.get("api_version")
        known = ("v2",) if version >= (3, 0) else ("v1", "v2")
        if api is not None and isinstance(api.value, str) and api.value not in known:
            message = f"there is no api_version '{api.value[:60]}'"
            yield error(api.span, "yaml/bad-value", message, "write v2")
        if not list(_list(node, "relabel_configs")):
            yield from _addresses(node)


def _names(root: Node, key: str) -> Iterator[Diagnostic]:
    first: dict[str, Span] = {}
    for node in _mappings(root, key):
        name = node.get("name")
        if name is None or not isinstance(name.value, str) or not name.value:
            continue
        if name.value in first:
            related = (Related(first[name.value], "first here"),)
            message = f"a second '{name.value}', and Prometheus refuses the configuration"
            yield error(name.span, "yaml/bad-value", message, "give it another name", related)
        first.setdefault(name.value, name.span)


def endpoint_problems(node: Node, interval: str) -> Iterator[Diagnostic]:
    """Of an endpoint of a monitor, or a ScrapeConfig, which the operator refuses (from 0.54 on); `interval` is the key of its interval."""
    every, longest = _seconds(node, interval), _seconds(node, "scrapeTimeout")
    if every is not None and longest is not None and longest > every:
        yield _too_long(
            node, "scrapeTimeout", "endpoint", every, ", so that the operator leaves it out"
        )


def _timeout(node: Node, interval: str, what: str) -> Iterator[Diagnostic]:
    """A scrape that may take longer than until the next one."""
    every = _seconds(node, "scrape_interval") or Duration(interval).seconds
    longest = _seconds(node, "scrape_timeout")
    if longest is not None and longest > every:
        yield _too_long(node, "scrape_timeout", what, every)


def _too_long(node: Node, key: str, what: str, every: float, effect: str = "") -> Diagnostic:
    message = f"the timeout of this {what} is longer than its scrape interval of {every:g}s{effect}"
    return error(node.at(key), "yaml/bad-value", message, f"at most {every:g}s")


def _seconds(node: Node | None, key: str) -> float | None:
    found = node.get(key) if node is not None else None
    if found is None or not isinstance(found.value, str) or not values.is_duration(found.value):
        return None
    return Duration(found.value).seconds


def _given(node: Node, key: str) -> bool:
    found = node.get(key)
    return found is not None and found.value not in (None, "", [])


def _list(node: Node, key: str) -> list[Node]:
    found = node.get(key)
    return found.value if found is not None and isinstance(found.value, list) else []


def _mappings(node: Node, key: str) -> list[Node]:
    return [each for each in _list(node, key) if isinstance(each.value, dict)]
