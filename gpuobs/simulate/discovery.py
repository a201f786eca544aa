"""What Kubernetes' service discovery would say of each target, in the form of `http_sd_configs`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from gpuobs.simulate.entities import Target


def group(target: Target, pool_label: str) -> dict[str, Any]:
    """One target with the labels of roles endpoints and pod (discovery/kubernetes/endpoints.go, pod.go, node metadata)."""
    return {"targets": [target.address], "labels": dict(sorted(_labels(target, pool_label)))}


def _labels(target: Target, pool_label: str) -> Iterator[tuple[str, str]]:
    usual, endpoint = target.exporter.catalog.usual, target.exporter.spec.endpoint
    namespace = str(endpoint.namespace) if endpoint and endpoint.namespace else ""
    namespace = namespace or (usual.namespace if usual else "") or "monitoring"
    selector = dict(endpoint.selector if endpoint else {}) or dict(usual.selector if usual else {})
    port = (endpoint.port if endpoint else "") or (usual.port if usual else "") or "metrics"
    service = str(target.exporter.catalog.name)
    pod = f"{service}-{target.number:05d}"
    at = "__meta_kubernetes_"
    yield f"{at}namespace", namespace
    yield f"{at}service_name", service
    yield f"{at}endpoints_name", service
    yield f"{at}endpoint_port_name", port
    yield f"{at}endpoint_ready", "true"
    yield f"{at}endpoint_node_name", target.name
    yield f"{at}pod_name", pod
    yield f"{at}pod_node_name", target.name
    yield f"{at}pod_container_name", service
    yield f"{at}pod_container_port_name", port
    yield f"{at}pod_container_port_number", target.address.rpartition(":")[2]
    yield f"{at}pod_ready", "true"
    yield f"{at}pod_phase", "Running"
    yield f"{at}node_name", target.name
    for label, value in selector.items():
        for thing in ("service", "pod"):
            yield f"{at}{thing}_label_{sanitised(label)}", value
            yield f"{at}{thing}_labelpresent_{sanitised(label)}", "true"
    if target.node is not None:
        yield f"{at}node_label_{sanitised(pool_label)}", str(target.node.pool.name)
        yield f"{at}node_labelpresent_{sanitised(pool_label)}", "true"


def sanitised(label: str) -> str:
    """A Kubernetes label as Prometheus writes it in a label's name (util/strutil, SanitizeLabelName)."""
    return re.sub(r"[^a-zA-Z0-9_]", "_", label)
