"""A central Prometheus takes what the specs say of two clusters', by the generated jobs and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from gpuobs.budget.ledger import ledger
from gpuobs.ir import Program
from gpuobs.simulate.server import serving, simulation
from tests.live.fleets import built, project, scraping
from tests.live.servers import prometheus

_POOL = {"name": "h100", "gpu": "H100-SXM5-80GB", "gpusPerNode": 8}
FLEET: Mapping[str, Any] = {
    "apiVersion": "gpuobs/v1",
    "kind": "Fleet",
    "name": "federated",
    "scrapeInterval": "5s",
    "evaluationInterval": "5s",
    "exporters": [
        {
            "catalog": "nvidia-dcgm",
            "job": "dcgm-exporter",
            "version": "4.5.3-4.8.2",
            "collect": [
                "default",
                "profiling",
                "clocks",
                "power-limits",
                "DCGM_FI_DEV_GPU_TEMP_LIMIT",
            ],
        }
    ],
    "clusters": [
        {"name": "one", "pools": [{**_POOL, "nodes": 2}], "workloads": {"podLifetime": "1000d"}},
        {"name": "two", "pools": [{**_POOL, "nodes": 1}], "workloads": {"podLifetime": "1000d"}},
    ],
    "storage": {
        "replicas": 2,
        "longTerm": {
            "kind": "federation",
            "levels": ["node", "cluster"],
            "raw": ["DCGM_FI_DEV_XID_ERRORS"],
        },
    },
}
BUDGET: Mapping[str, Any] = {
    "apiVersion": "gpuobs/v1",
    "kind": "Budget",
    "name": "federated",
    "limits": {"headroom": 0},
}


def test_the_center_holds_what_the_account_sends(tmp_path: Path) -> None:
    program = built(project(tmp_path, FLEET, BUDGET), tmp_path / "out")
    assert program.policy is not None
    jobs = tmp_path / "out" / "scrape" / "central"
    (jobs / "targets").mkdir()
    with ExitStack() as stack:
        url = stack.enter_context(serving(simulation(program.policy)))
        for cluster in ("one", "two"):
            config = scraping(tmp_path / "out", cluster, url)
            server = stack.enter_context(prometheus(config, tmp_path / cluster))
            targets = f"- targets: ['{server.url.removeprefix('http://')}']\n"
            (jobs / "targets" / f"{cluster}.yaml").write_text(targets)
        central = stack.enter_context(prometheus(jobs / "federate.yaml", tmp_path / "central"))
        expected = _sent(program)
        selected = '{__name__=~".+", cluster!=""}'
        counts = f"count by (cluster, __name__) ({selected})"

        def seen() -> Counter[tuple[str, str]]:
            return Counter(
                {(k["cluster"], k["__name__"]): int(value) for k, value in central.query(counts)}
            )

        central.wait_until(lambda: seen() == expected, 90)
        assert central.number("count(up == 1)") == 2
        # What is federated keeps the labels that it has in its cluster.
        found = central.api("series", **{"match[]": 'DCGM_FI_DEV_XID_ERRORS{cluster="one"}'})
        assert {each["job"] for each in found} == {"dcgm-exporter"}
        assert not [each for each in found if "prometheus_replica" in each]


def _sent(program: Program) -> Counter[tuple[str, str]]:
    found: Counter[tuple[str, str]] = Counter()
    for account in ledger(program).clusters:
        for line in account.sent_lines:
            found[account.name, line.name] += line.active
        for rule in account.sent_rules:
            found[account.name, rule.name] += rule.writes or 0
    return +found
