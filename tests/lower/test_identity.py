"""Relabelling that makes two series one is refused with the two; what keeps them apart is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuobs.pipeline import check_project
from tests.projects import project

EXPORTERS = """exporters:
  - catalog: nvidia-dcgm
    job: dcgm-exporter
    version: 4.5.3-4.8.2
    collect: [default, profiling, exp, ecc, per-link]
    metricRelabelings:
      - {{sourceLabels: [__name__], regex: DCGM_FI_DEV_NONE, action: drop}}
      - {step}
  - {{catalog: amd-device-metrics, job: amd-gpu-exporter}}
  - {{catalog: kube-state-metrics, job: kube-state-metrics{honor}}}
  - {{catalog: prometheus, job: prometheus}}
"""


def told(folder: Path, step: str, more: str = "", honor: str = "") -> list[str]:
    text = EXPORTERS.format(step=step, honor=honor) + more
    found = check_project(project(folder, text)).diagnostics
    return [d.message for d in found if d.code == "scrape/identity-dropped"]


@pytest.mark.parametrize(
    "step",
    [
        "{action: labeldrop, regex: pci_bus_id|device}",
        "{action: labeldrop, regex: Hostname_.*}",
        "{action: labeldrop, regex: exported_container}",
        "{action: labelmap, regex: UUID, replacement: uuid}",
        # What is left depends on values, of which nothing is known, or on a pattern that is not followed.
        "{action: labeldrop, regex: '(health_|x)+watch'}",
        "{sourceLabels: [health_watch], regex: 'A(.*)', targetLabel: health_watch}",
        "{sourceLabels: [xid], regex: '0', action: drop}",
    ],
)
def test_series_stay_apart(tmp_path: Path, step: str) -> None:
    assert told(tmp_path, step) == []


@pytest.mark.parametrize(
    ("step", "one", "other"),
    [
        (
            "{action: labeldrop, regex: health_watch}",
            'DCGM_EXP_GPU_HEALTH_STATUS{health_watch="PCIE"}',
            'DCGM_EXP_GPU_HEALTH_STATUS{health_watch="NVLINK"}',
        ),
        (
            "{action: labeldrop, regex: nvlink}",
            'DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_PER_LINK_TOTAL{nvlink="nvlink-0"}',
            'DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_PER_LINK_TOTAL{nvlink="nvlink-1"}',
        ),
        (
            "{targetLabel: health_watch, replacement: any}",
            'DCGM_EXP_GPU_HEALTH_STATUS{health_watch="PCIE"}',
            'DCGM_EXP_GPU_HEALTH_STATUS{health_watch="NVLINK"}',
        ),
    ],
)
def test_two_series_that_become_one_are_shown(
    tmp_path: Path, step: str, one: str, other: str
) -> None:
    (message,) = told(tmp_path, step)
    assert message == (
        f"after this step '{one}' and '{other}' are one series, with the value of either"
    )


def test_pods_that_share_a_gpu_need_their_names(tmp_path: Path) -> None:
    drop = "{action: labeldrop, regex: exported_pod}"
    assert told(tmp_path, drop) == []
    clusters = """clusters:
  - name: one
    pools: [{name: h100, gpu: H100-SXM5-80GB, nodes: 4, gpusPerNode: 8}]
    workloads: {podsPerGpu: 3}
"""
    (message,) = told(tmp_path / "shared", drop, clusters)
    assert 'exported_pod="exported_pod-0"' in message


def test_it_is_told_at_the_step_that_does_it(tmp_path: Path) -> None:
    text = EXPORTERS.format(step="{action: labeldrop, regex: health_watch}", honor="")
    found = check_project(project(tmp_path, text)).diagnostics
    place = next(d.span for d in found if d.code == "scrape/identity-dropped")
    assert text.splitlines()[7].strip() == "- {action: labeldrop, regex: health_watch}"
    written = Path(place.file).read_text().splitlines()
    assert "health_watch" in written[place.line - 1]
