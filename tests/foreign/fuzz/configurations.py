"""Prometheus configurations made to break what reads them: steps of every action with odd patterns, in either spelling."""

from __future__ import annotations

from typing import Any

import yaml

from gpuobs.foreign.scrape.forms import ACTIONS, ROLES
from gpuobs.scraping import camel
from tests.foreign.fuzz.chance import DURATIONS, LABELS, NAMES, NUMBERS, TEXTS, Chance

_SOURCES = (
    *LABELS,
    *"__address__ __meta_kubernetes_pod_name __meta_kubernetes_namespace __tmp_x __name__ exported_pod".split(),
)
_PATTERNS = (
    "gpu|UUID|device|pci_bus_id", "(.*)", ".*", ".+", "", "DCGM_FI", "DCGM_FI_.*", "__meta_kubernetes_pod_label_(.+)", "([^:]+)(?::\\d+)?;(.*)",
    "(a+)+$", "(", "[", "(?i)x", "x{1000}", "x{1001}", "up", "GPU_I", "__name__|job", "^a$", "|", "\\", "(?<n>a)", "a" * 600,
)  # fmt: skip
_TARGETS = (*LABELS, "$1", "${1}_x", "__tmp_x", "__address__", "instance", "", "é", "a b")
_KEYS = (
    "sample_limit label_limit honor_labels scrape_interval scrape_timeout params scheme basic_auth tls_config scrape_protocols x"
).split()


def configuration(chance: Chance) -> str:
    """A prometheus.yml, a list of jobs, or an object of the operator."""
    kind = chance.random()
    made: Any = {"scrape_configs": [_job(chance) for _ in range(chance.randrange(4))]}
    if kind < 0.2:
        made = [_job(chance)]
    elif kind < 0.4:
        made = _monitor(chance)
    elif kind < 0.6:
        made["remote_write"] = [
            {"url": chance.of(TEXTS), "write_relabel_configs": _steps(chance)} for _ in range(2)
        ]
    if isinstance(made, dict) and chance.random() < 0.3:
        made["global"] = {chance.of(_KEYS): _odd(chance) for _ in range(3)}
    return yaml.dump(made, Dumper=yaml.CSafeDumper, allow_unicode=True)


def _odd(chance: Chance) -> Any:
    odd: list[Any] = [
        None,
        True,
        [],
        {},
        [[]],
        {"a": {}},
        chance.of(TEXTS),
        chance.of(DURATIONS),
        chance.of(NUMBERS),
        -1,
        1e308,
        5,
    ]
    return chance.choice(odd)  # fmt: skip


def _job(chance: Chance) -> dict[str, Any]:
    job: dict[str, Any] = {"job_name": chance.of(("dcgm-exporter", "amd", "a", chance.of(TEXTS)))}
    discovery = chance.random()
    if discovery < 0.4:
        labels = {chance.of(LABELS): chance.of(TEXTS) for _ in range(chance.randrange(3))}
        targets = [
            chance.of(("a:1", "b:1", "", "http://a/", chance.of(TEXTS)))
            for _ in range(chance.randrange(4))
        ]
        job["static_configs"] = [{"targets": targets, "labels": labels}, _odd(chance)]
    elif discovery < 0.8:
        job["kubernetes_sd_configs"] = [{"role": chance.of((*ROLES, "", "x"))}]
    else:
        job[chance.of(("file_sd_configs", "consul_sd_configs", "static_configs"))] = _odd(chance)
    job |= {chance.of(_KEYS): _odd(chance) for _ in range(chance.randrange(3))}
    return {**job, "relabel_configs": _steps(chance), "metric_relabel_configs": _steps(chance)}


def _monitor(chance: Chance) -> dict[str, Any]:
    kind = chance.of(("ServiceMonitor", "PodMonitor", "ScrapeConfig", "Prometheus"))
    endpoints = {"ServiceMonitor": "endpoints", "PodMonitor": "podMetricsEndpoints"}
    steps = {key: _operator(_steps(chance)) for key in ("relabelings", "metricRelabelings")}
    spec: dict[str, Any] = {"selector": {}, "sampleLimit": _odd(chance)}
    spec |= {endpoints[kind]: [steps, _odd(chance)]} if kind in endpoints else steps
    spec |= {"remoteWrite": [{"url": "x", "writeRelabelConfigs": _operator(_steps(chance))}]}
    metadata = {"name": chance.of(("dcgm-exporter", *TEXTS))}
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": kind,
        "metadata": metadata,
        "spec": spec,
    }


def _operator(steps: list[Any]) -> list[Any]:
    return [
        {camel(k): v for k, v in each.items()} if isinstance(each, dict) else each for each in steps
    ]


def _steps(chance: Chance) -> list[Any]:
    """Steps, mostly such that Prometheus takes them all and the checks get to see them."""
    wild = chance.random() < 0.3
    return [_step(chance, wild) for _ in range(chance.randrange(6))]


def _step(chance: Chance, wild: bool) -> Any:
    if wild and chance.random() < 0.1:
        return _odd(chance)
    action = chance.of((*ACTIONS, "Keep", chance.of(TEXTS)) if wild else ACTIONS)
    step: dict[str, Any] = {"action": action, "regex": chance.of((*_PATTERNS, chance.of(NAMES)))}
    if not wild:
        step["regex"] = chance.of(
            (*_PATTERNS[:10], *NAMES[:9], *LABELS[:9], "a|gpu", "UUID|Hostname|__name__")
        )
    if action not in ("labeldrop", "labelkeep", "labelmap"):
        step["source_labels"] = [chance.of(_SOURCES) for _ in range(chance.randrange(4))]
        step["target_label"] = chance.of(_TARGETS if wild else (*LABELS[:9], "__tmp_x", "instance"))
    if chance.random() < 0.4 and action in ("replace", "labelmap"):
        step["replacement"] = chance.of(
            ("$1", "${1}", "x", "", "$2$1", "$", *TEXTS) if wild else ("$1", "x", "x_$1")
        )
    if action == "hashmod":
        step["modulus"] = chance.choice([0, 1, 4, 2**63, 2**70, -1] if wild else [1, 4, 2**63])
    if action in ("keepequal", "dropequal", "lowercase", "uppercase"):
        step.pop("regex")
    if wild and chance.random() < 0.1:
        step[chance.of(("separator", "modulus", "regex", "seperator", "source_labels"))] = _odd(
            chance
        )
    return step
