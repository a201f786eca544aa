"""Notifications as they arrive: the texts that a real Alertmanager makes of the generated templates."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from gpuobs.pipeline import compile_project
from tests.live.inbox import Inbox, inbox
from tests.live.servers import ALERTMANAGERS, Server, alertmanager
from tests.projects import project

TIERS = """\
tiers:
  page: {severity: critical, groupBy: [cluster], groupWait: 1s}
  ticket: {severity: warning, groupBy: [cluster], groupWait: 1s}
  info: {severity: info}
owners:
  infra: {page: chat, ticket: "chat-{namespace}"}
default: others
dashboardUrl: https://grafana.example.com/d/gpu?orgId=1#top
secretsFolder: FOLDER
receivers:
  chat: {slack: {apiUrl: slack/url, channel: "#gpu"}}
  chat-{namespace}: {slack: {apiUrl: slack/url, channel: "#gpu-{namespace}"}}
  others: {slack: {apiUrl: slack/url, channel: "#others"}}
"""
_HOT = {"alertname": "GpuHot", "owner": "infra", "tier": "page", "severity": "critical"}
_LINK = "https://grafana.example.com/d/gpu?orgId=1&from=now-3h&to=now"


@contextmanager
def _running(folder: Path, version: str) -> Iterator[tuple[Server, Inbox]]:
    """An Alertmanager with the generated files, whose Slack is a server of ours."""
    done = compile_project(project(folder, TIERS.replace("FOLDER", str(folder / "secrets"))))
    assert done.artifacts, done.diagnostics
    for artifact in done.artifacts:
        if artifact.path.startswith("alertmanager/"):
            (folder / artifact.path).parent.mkdir(exist_ok=True)
            (folder / artifact.path).write_bytes(artifact.content)
    with inbox() as found:
        (folder / "secrets" / "slack").mkdir(parents=True)
        (folder / "secrets" / "slack" / "url").write_text(f"{found.url}/slack")
        file = folder / "alertmanager" / "alertmanager.yaml"
        with alertmanager(file, folder / "alertmanager", version=version) as server:
            yield server, found


def _alert(labels: Mapping[str, str], **annotations: str) -> dict[str, Any]:
    return {"labels": {"cluster": "c1", **labels}, "annotations": annotations}


def _told(folder: Path, version: str, *alerts: dict[str, Any]) -> tuple[str, str, str]:
    """Channel, title and text of the one message that alerts end in."""
    with _running(folder, version) as (server, found):
        request = urllib.request.Request(
            f"{server.url}/api/v2/alerts",
            json.dumps(alerts).encode(),
            {"Content-Type": "application/json"},
        )
        urllib.request.urlopen(request, timeout=60).close()
        server.wait_until(lambda: bool(found.at("/slack")), 60)
        (message,) = found.at("/slack")
    (attached,) = message["attachments"]
    return message["channel"], attached["title"], attached["text"]


@pytest.mark.parametrize("version", ALERTMANAGERS)
def test_one_alert(version: str, tmp_path: Path) -> None:
    one = _alert(
        {**_HOT, "node": "n1", "gpu": "3"},
        summary="GPU 3 on n1 is at 93 °C",
        description="It slows down.",
        value="93 °C",
        runbook="Diagnose:\n1. nvidia-smi -q",
        runbook_url="https://git.example.com/GpuHot.md",
    )
    text = f"""\
GpuHot, page for infra
- GPU 3 on n1 is at 93 °C (value: 93 °C)
  {_LINK}&var-cluster=c1&var-node=n1&var-gpu=3#top

It slows down.

Diagnose:
1. nvidia-smi -q

Runbook: https://git.example.com/GpuHot.md"""
    assert _told(tmp_path, version, one) == ("#gpu", "[FIRING] GPU 3 on n1 is at 93 °C", text)


@pytest.mark.parametrize("version", ALERTMANAGERS)
def test_several_alerts_with_nothing_in_common(version: str, tmp_path: Path) -> None:
    lost = _alert(
        {**_HOT, "alertname": "GpuLost"},
        summary="A GPU is gone",
        description="Gone.",
        runbook="1. nvidia-smi -L",
        runbook_url="https://git.example.com/GpuLost.md",
    )
    hot = _alert({**_HOT, "gpu": "3"}, summary="GPU 3 is hot", description="It slows down.")
    text = f"""\
Several alerts, page for infra
- A GPU is gone
  https://git.example.com/GpuLost.md
  {_LINK}&var-cluster=c1#top
- GPU 3 is hot
  {_LINK}&var-cluster=c1&var-gpu=3#top

For instance: Gone.

For instance: 1. nvidia-smi -L
"""
    channel, title, told = _told(tmp_path, version, hot, lost)
    assert (channel, title, told.rstrip()) == ("#gpu", "[FIRING:2] 2 alerts in c1", text.rstrip())


@pytest.mark.parametrize("version", ALERTMANAGERS)
def test_an_alert_that_others_wrote(version: str, tmp_path: Path) -> None:
    channel, title, text = _told(tmp_path, version, _alert({"alertname": "Watchdog"}))
    assert (channel, title) == ("#others", "[FIRING] Watchdog")
    assert text.rstrip() == f"Watchdog\n- Watchdog\n  {_LINK}&var-cluster=c1#top"


@pytest.mark.parametrize("version", ALERTMANAGERS)
def test_labels_and_texts_of_any_kind(version: str, tmp_path: Path) -> None:
    odd = '{{ template "x" }} "é" <b> \\ & %'
    labels = {**_HOT, "tier": "ticket", "namespace": "nlp", "node": odd}
    channel, title, text = _told(tmp_path, version, _alert(labels, summary=odd, value=odd))
    assert (channel, title) == ("#gpu-nlp", f"[FIRING] {odd}")
    escaped = "%7B%7B+template+%22x%22+%7D%7D+%22%C3%A9%22+%3Cb%3E+%5C+%26+%25"
    assert text.rstrip() == (
        f"GpuHot, ticket for infra\n- {odd} (value: {odd})\n"
        f"  {_LINK}&var-cluster=c1&var-node={escaped}&var-namespace=nlp#top"
    )
