"""What Kubernetes' service discovery would say of each target, in the form of `http_sd_configs`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from gpuobs.simulate.entities import Target

_META = "__meta_kubernetes_"


def group(target: Target, pool_label: str) -> dict[str, Any]:
    """One target with the labels that roles endpoints, endpointslice and pod give it, with attach_metadata for the node.

    From discovery/kubernetes of Prometheus: endpoints.go, endpointslice.go, pod.go and node.go.
    """
    labels = {f"{_META}{name}": value for name, value in sorted(_labels(target, pool_label))}
    return {"targets": [target.address], "labels": labels}


def _labels(target: Target, pool_label: str) -> Iterator[tuple[str, str]]:
    usual, endpoint = target.exporter.catalog.usual, target.exporter.spec.endpoint
    namespace = str(endpoint.namespace) if endpoint and endpoint.namespace else ""
    selector = dict(endpoint.selector if endpoint else {}) or dict(usual.selector if usual else {})
    selector = selector or {"app.kubernetes.io/name": target.exporter.catalog.name}
    port = (endpoint.port if endpoint else "") or (usual.port if usual else "") or "metrics"
    service = str(target.exporter.catalog.name)
    yield "namespace", namespace or str(usual.namespace or "" if usual else "") or "monitoring"
    yield "service_name", service
    yield from _of_endpoint(target, service, port)
    yield from _of_pod(target, service, port)
    yield "node_name", target.name
    for label, value in selector.items():
        for thing in ("service", "pod"):
            yield from _label(thing, label, value)
    if target.node is not None:
        yield from _label("node", pool_label, str(target.node.pool.name))


def _of_endpoint(target: Target, service: str, port: str) -> Iterator[tuple[str, str]]:
    yield "endpoints_name", service
    yield "endpoint_port_name", port
    yield "endpoint_port_protocol", "TCP"
    yield "endpoint_ready", "true"
    yield "endpoint_node_name", target.name
    yield "endpoint_address_target_kind", "Pod"
    yield "endpoint_address_target_name", _pod(target, service)
    yield "endpointslice_name", f"{service}-slice"
    yield "endpointslice_port_name", port
    yield "endpointslice_endpoint_conditions_ready", "true"
    yield "endpointslice_address_target_kind", "Pod"
    yield "endpointslice_address_target_name", _pod(target, service)


def _of_pod(target: Target, service: str, port: str) -> Iterator[tuple[str, str]]:
    host, _, number = target.address.rpartition(":")
    yield "pod_name", _pod(target, service)
    yield "pod_ip", host
    yield "pod_node_name", target.name
    yield "pod_container_name", service
    yield "pod_container_port_name", port
    yield "pod_container_port_number", number
    yield "pod_ready", "true"
    yield "pod_phase", "Running"


def _pod(target: Target, service: str) -> str:
    return f"{service}-{target.number:05d}"


def _label(thing: str, label: str, value: str) -> Iterator[tuple[str, str]]:
    """A Kubernetes label, as Prometheus writes it in the name of a meta label (util/strutil, SanitizeLabelName)."""
    name = re.sub(r"[^a-zA-Z0-9_]", "_", label)
    yield f"{thing}_label_{name}", value
    yield f"{thing}_labelpresent_{name}", "true"
