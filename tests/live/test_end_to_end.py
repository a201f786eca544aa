"""From a fault to the one who is told: simulated exporters, a real Prometheus and Alertmanager with generated files, webhooks.

Everything is twenty times as fast as in the reference policy. Five faults happen at once, on five things that have nothing to do
with each other; each must arrive once, with its labels, at its owner, and be resolved when it is over.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpuobs.simulate.server import serving, simulation
from tests.live import incidents
from tests.live.fleets import ROOT, built, scraping
from tests.live.inbox import Inbox, inbox
from tests.live.servers import alertmanager, free_port, prometheus

# Receiver, alert, and the labels that say where, of all that people are told.
TOLD = {
    ("pagerduty-infra", "GpuXidReboot", "live-h100-0001", "3"),
    ("pagerduty-infra", "GpuThermalSlowdownSevere", "live-h100-0002", "5"),
    ("servicenow-platform", "GpuExporterDown", "", ""),
    ("servicenow-platform", "GpuProfilingStale", "live-h100-0004", ""),
    ("pagerduty-platform", "PrometheusRemoteWriteDelayed", "", ""),
}
FAULTS = (
    "xid-79@live-h100-0001/gpu3",
    "thermal-throttle@live-h100-0002/gpu5",
    "exporter-down@live-h100-0003",
    "profiling-lock@live-h100-0004",
)


@dataclass
class Run:
    """What arrived before the faults, while they lasted, and after them."""

    before: list[tuple[str, dict[str, Any]]]
    during: list[tuple[str, dict[str, Any]]]
    after: list[tuple[str, dict[str, Any]]]


def _place(receiver: str, alert: dict[str, Any]) -> tuple[str, str, str, str]:
    labels = alert["labels"]
    return receiver, labels["alertname"], labels.get("node", ""), labels.get("gpu", "")


def _scraping(out: Path, url: str, box: Inbox, manager: str, port: int) -> dict[str, Any]:
    """The generated configuration, with Prometheus' own metrics from itself."""
    config = scraping(out, "live", url, f"{box.url}/write")
    config["alerting"]["alertmanagers"] = [
        {"static_configs": [{"targets": [manager.removeprefix("http://")]}]}
    ]
    for job in config["scrape_configs"]:
        if job["job_name"] == "prometheus":
            for key in ("http_sd_configs", "proxy_url", "relabel_configs"):
                job.pop(key, None)
            labels = {"cluster": "live"}
            job["static_configs"] = [{"targets": [f"127.0.0.1:{port}"], "labels": labels}]
    return config


def _wait(box: Inbox, wanted: set[tuple[str, str, str, str]], status: str, seconds: float) -> None:
    """Until all has arrived, or long enough to see that it does not."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0.5)
        if wanted <= {_place(*each) for each in box.alerts() if each[1]["status"] == status}:
            return


def _webhooks(url: str) -> dict[str, Any]:
    """Every receiver of the reference policy as a webhook, at a path with its name."""
    tiers = yaml.safe_load((ROOT / "specs" / "tiers.yaml").read_text(encoding="utf-8"))
    names = [name for name in tiers["receivers"] if "{" not in name]
    receivers = {name: {"webhook": {"url": f"{url}/{name}"}} for name in names}
    workloads = {"ticket": "slack-gpu-infra", "info": "slack-gpu-infra"}
    owners = {**tiers["owners"], "workloads": workloads}
    return {"receivers": receivers, "owners": owners}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    folder = tmp_path_factory.mktemp("incidents")
    with ExitStack() as stack:
        box = stack.enter_context(inbox())
        program = built(incidents.project(folder, _webhooks(box.url)), folder / "out")
        assert program.policy is not None
        fleet = simulation(program.policy)
        url = stack.enter_context(serving(fleet))
        routes = folder / "out" / "alertmanager" / "alertmanager.yaml"
        manager = stack.enter_context(alertmanager(routes, folder / "alertmanager"))
        port = free_port()
        config = _scraping(folder / "out", url, box, manager.url, port)
        server = stack.enter_context(
            prometheus(
                config, folder / "prometheus", port=port, args=["--query.lookback-delta=15s"]
            )
        )
        server.wait_until(lambda: server.number("count(node:gpus:count)") == 13, 60)
        server.wait_until(lambda: any(path == "/write" for _, path, _ in box.posts), 60)
        time.sleep(40)
        before = box.alerts()

        box.posts.clear()
        box.blocked.add("/write")
        fleet.strike(*FAULTS)
        _wait(box, TOLD, "firing", 150)
        time.sleep(25)
        during = box.alerts()

        box.posts.clear()
        box.blocked.clear()
        fleet.strike()
        _wait(box, TOLD, "resolved", 150)
        yield Run(before, during, box.alerts())


def test_a_healthy_fleet_tells_nobody_anything(run: Run) -> None:
    assert run.before == []


def test_each_fault_arrives_once_at_its_owner_and_nothing_else_does(run: Run) -> None:
    # A notification of a group that grew names its older alerts again.
    assert Counter(_place(*each) for each in run.during) == Counter(TOLD)


def test_what_arrives_says_what_is_broken_who_owns_it_and_what_to_type_first(run: Run) -> None:
    (alert,) = (
        each for _, each in run.during if each["labels"]["alertname"] == "GpuThermalSlowdownSevere"
    )
    labels, notes = alert["labels"], alert["annotations"]
    assert {
        key: labels[key] for key in ("cluster", "node", "gpu", "owner", "tier", "severity")
    } == {
        "cluster": "live",
        "node": "live-h100-0002",
        "gpu": "5",
        "owner": "infra",
        "tier": "page",
        "severity": "critical",
    }
    assert notes["summary"].startswith("GPU 5 on live-h100-0002 is slowed down by heat for ")
    assert "Diagnose:\n1. " in notes["runbook"]
    assert notes["runbook_url"].endswith("/runbooks/GpuThermalSlowdownSevere.md")


def test_what_is_over_is_resolved(run: Run) -> None:
    over = {_place(*each) for each in run.after if each[1]["status"] == "resolved"}
    assert over == TOLD
