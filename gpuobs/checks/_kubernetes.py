"""Labels that Kubernetes' discovery gives targets, by the objects that they are of, without `__meta_kubernetes_`.

From prometheus/discovery/kubernetes, up to version 3.11.
"""

from __future__ import annotations

from collections.abc import Iterable

META = "__meta_kubernetes_"
# What each role's targets have besides their own; of endpoints those of service and pod.
OBJECTS = {
    "node": ("node_",),
    "pod": ("namespace", "pod_"),
    "service": ("namespace", "service_"),
    "endpoints": ("namespace", "endpoints_", "endpoint_", "service_", "pod_"),
    "endpointslice": ("namespace", "endpointslice_", "service_", "pod_"),
    "ingress": ("namespace", "ingress_"),
}
_NAMES = {
    "namespace": ("",),
    "node_": "name provider_id".split(),
    "pod_": (
        "name ip ready phase node_name host_ip uid controller_kind controller_name deployment_name cronjob_name job_name "
        "container_init container_name container_id container_image container_port_name container_port_number "
        "container_port_protocol"
    ).split(),
    "service_": (
        "name type cluster_ip loadbalancer_ip external_name port_name port_number port_protocol"
    ).split(),
    "endpoints_": ["name"],
    "endpoint_": (
        "hostname node_name ready port_name port_protocol address_target_kind address_target_name"
    ).split(),
    "endpointslice_": (
        "name address_type address_target_kind address_target_name endpoint_conditions_ready endpoint_conditions_serving "
        "endpoint_conditions_terminating endpoint_hostname endpoint_node_name endpoint_zone port port_app_protocol "
        "port_name port_protocol"
    ).split(),
    "ingress_": "name class_name host path scheme".split(),
}
_OF_ANY_NAME = ("label_", "labelpresent_", "annotation_", "annotationpresent_")
_OWN_OF_ANY_NAME = ("node_address_", "endpointslice_endpoint_topology_")
_PLAIN = ("_name", "_ip", "_uid", "_kind", "_phase", "_ready", "_number", "_protocol", "_zone")
_CLOSE = 0.75


def meant(label: str, objects: Iterable[str]) -> str:
    """The label of some objects that one is a misspelling of; empty where it is a label, or like none."""
    rest = label.removeprefix(META)
    names = {f"{each}{name}" for each in objects for name in _NAMES.get(each, ())}
    begins = [f"{each}{kind}" for each in objects if each != "namespace" for kind in _OF_ANY_NAME]
    begins += [each for each in _OWN_OF_ANY_NAME if each.startswith(tuple(objects))]
    if rest in names or rest.startswith(tuple(begins)):
        return ""
    if rest.endswith("_namespace") and "namespace" in names:
        return f"{META}namespace"
    from difflib import get_close_matches

    thing, kind, last = (*rest.split("_", 2), "", "")[:3]
    close = get_close_matches(rest, sorted(names), 1, _CLOSE)
    close = close or [
        f"{each}{last}" for each in get_close_matches(f"{thing}_{kind}_", begins, 1, _CLOSE)
    ]
    return f"{META}{close[0]}" if close else ""


def is_plain(label: str) -> bool:
    """Whether a label's values are those of names, numbers and labels of Kubernetes: letters, digits, '-', '_' and '.'."""
    rest = label.removeprefix(META)
    if rest == label or "_annotation_" in rest:
        return False
    return rest == "namespace" or "_label_" in rest or rest.endswith(_PLAIN)
