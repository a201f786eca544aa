"""What `gpuobs doctor` finds."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from gpuobs import __version__
from gpuobs.verify import doctor
from gpuobs.verify.promtool import Promtool


def _found() -> dict[str, doctor.Finding]:
    return {finding.name: finding for finding in doctor.report()}


def test_what_is_there_is_named_with_its_version(
    promtool: Promtool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(promtool.path.parent), prepend=":")
    found = _found()
    assert found["gpuobs"] == doctor.Finding("gpuobs", __version__)
    assert found["python"].value == f"{sys.version.split()[0]} ({sys.executable})"
    assert found["promtool"].value == f"{promtool.version} ({promtool.path}, on PATH)"
    assert {"click", "pyyaml", "jsonschema", "promql-parser", "grafanalib", "jsonnet"} <= set(found)
    assert all(finding.ok or finding.optional for finding in found.values())


def test_a_promtool_that_is_passed_over_is_said(
    promtool: Promtool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(promtool.path.parent))
    monkeypatch.setenv("PROMTOOL", "/opt/promtool")
    help_ = "$PROMTOOL names '/opt/promtool', which is used only where PATH has none"
    assert _found()["promtool"].help == help_


def test_what_is_missing_is_said_with_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("PROMTOOL", raising=False)
    found = _found()
    assert not found["promtool"].ok
    assert "'gpuobs doctor --fetch'" in found["promtool"].help
    assert found["amtool"] == doctor.Finding(
        "amtool",
        "missing: only checking Alertmanager configuration needs it",
        ok=False,
        help="apt install prometheus-alertmanager",
        optional=True,
    )
    assert found["git"].optional
