"""Labels that the Budget forbids: scrapes drop them, and everything else knows it."""

from __future__ import annotations

from pathlib import Path

from gpuobs.pipeline import compile_project
from tests.projects import project

BUDGET = """\
apiVersion: gpuobs/v1
kind: Budget
name: default
limits: {}
labels: {forbid: [pod_uid, pci_bus_id]}
"""


def test_scrapes_drop_them_and_series_have_them_no_more(tmp_path: Path) -> None:
    done = compile_project(project(tmp_path, BUDGET))
    assert done.program is not None, done.diagnostics
    assert done.program.policy is not None
    assert done.diagnostics == ()
    (cluster,) = done.program.collection.clusters
    drops = {
        job.catalog: [step.regex for step in job.metric_relabelings if step.action == "labeldrop"]
        for job in cluster.jobs
    }
    assert drops == {
        "nvidia-dcgm": ["pci_bus_id"],
        "amd-device-metrics": [],
        "kube-state-metrics": [],
        "prometheus": [],
    }
    temperature = done.program.policy.collected["DCGM_FI_DEV_GPU_TEMP"]
    assert "pci_bus_id" not in temperature.labels
    assert "UUID" in temperature.labels
