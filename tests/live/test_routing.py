"""The generated configuration in Alertmanager's own tool: it is valid, and every alert reaches a receiver of its owner."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from gpuobs.ir import Program
from tests.live.fleets import ROOT, built
from tests.live.servers import ALERTMANAGERS, amtool, put_templates


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> tuple[Program, Path]:
    """The reference policy, and the folder with its Alertmanager's files."""
    out = tmp_path_factory.mktemp("routing")
    return built(ROOT / "specs", out), out / "alertmanager"


def _amtool(version: str, folder: Path, *arguments: str) -> str:
    put_templates(folder, version)
    command = [str(amtool(version)), *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("version", ALERTMANAGERS)
def test_the_configuration_is_valid(policy: tuple[Program, Path], version: str) -> None:
    assert "SUCCESS" in _amtool(version, policy[1], "check-config", "alertmanager.yaml")


@pytest.mark.parametrize("version", ALERTMANAGERS)
def test_every_alert_reaches_a_receiver_of_its_owner(
    policy: tuple[Program, Path], version: str
) -> None:
    program, folder = policy
    assert program.policy is not None
    owners = program.policy.tiers.owners
    wanted = {(each.labels["owner"], each.labels["tier"]) for each in program.alerting}
    said = {
        (owner, tier): _amtool(
            version,
            folder,
            *("config", "routes", "test", "--config.file=alertmanager.yaml"),
            *(f"owner={owner}", f"tier={tier}", "alertname=Any"),
        )
        for owner, tier in wanted
    }
    assert said == {(owner, tier): owners[owner][tier] for owner, tier in wanted}  # type: ignore[index]
