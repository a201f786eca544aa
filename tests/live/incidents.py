"""The reference policy twenty times as fast, on a fleet small enough to break five ways at once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from gpuobs.spec.scalars import Duration, duration
from tests.live.fleets import COUNTED, ROOT

FASTER = 20
DOCUMENTS = ("exporters", "pipeline", "presence", "throttling", "xid")
_DURATION = re.compile(r"(?<![\d.])\d+[smhd](?![A-Za-z0-9])")

FLEET: Mapping[str, Any] = {
    "scrapeInterval": "1s",
    "evaluationInterval": "3s",
    "clusters": [
        {
            "name": "live",
            "pools": [
                {"name": "h100", "gpu": "H100-SXM5-80GB", "nodes": 12, "gpusPerNode": 8},
                {"name": "mi300x", "gpu": "MI300X-192GB", "nodes": 1, "gpusPerNode": 8},
            ],
            "workloads": {"podsPerGpu": 1, "podLifetime": "1000d", "identity": "none"},
        }
    ],
}


def faster(text: str) -> str:
    """A text with every duration in it shortened, names of records that hold one as well."""
    return _DURATION.sub(lambda found: _shorter(found[0]), text)


def _shorter(text: str) -> str:
    return str(duration(max(1.0, round(Duration(text).seconds / FASTER))))


def project(folder: Path, tiers: Mapping[str, Any]) -> Path:
    """Specs of the reference policy's rollups and of some of its alerts, without scenarios, in a hurry.

    `tiers` replaces keys of the Tiers document.
    """
    specs = folder / "specs"
    (specs / "alerts").mkdir(parents=True)
    (specs / "rollups").mkdir()
    fleet = _read("fleet.yaml") | dict(FLEET)
    fleet["exporters"] = [each for each in fleet["exporters"] if each["catalog"] in COUNTED]
    _write(specs / "fleet.yaml", fleet)
    hurried = _in_a_hurry(_read("tiers.yaml")) | dict(tiers)
    for tier in hurried["tiers"].values():
        tier["repeatInterval"] = "4h"  # what arrives twice is told twice
        tier["groupInterval"] = "5s"
    _write(specs / "tiers.yaml", hurried)
    for file in sorted((ROOT / "specs" / "rollups").glob("*.yaml")):
        _write(specs / "rollups" / file.name, _in_a_hurry(_read(f"rollups/{file.name}")))
    for name in DOCUMENTS:
        document = _read(f"alerts/{name}.yaml")
        document["alerts"] = [_without_scenarios(alert) for alert in document["alerts"]]
        _write(specs / "alerts" / f"{name}.yaml", _in_a_hurry(document))
    return specs


def _read(name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "specs" / name).read_text(encoding="utf-8"))
    return found


def _write(file: Path, document: Mapping[str, Any]) -> None:
    file.write_text(yaml.safe_dump(dict(document), sort_keys=False), encoding="utf-8")


def _without_scenarios(alert: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in alert.items() if key != "scenarios"}
    if alert["name"] == "PrometheusRemoteWriteDelayed":
        kept["expr"] = alert["expr"].replace("> 300", "> 15")
    return kept


def _in_a_hurry(document: Mapping[str, Any]) -> dict[str, Any]:
    fast = yaml.safe_load(faster(yaml.safe_dump(dict(document), sort_keys=False)))
    assert isinstance(fast, dict)
    return fast
