"""Labels that a scrape adds, renames and drops, as rules and findings see them."""

from __future__ import annotations

from pathlib import Path

from gpuobs.pipeline import compile_project
from gpuobs.world import world
from tests.projects import project

EXPORTERS = """exporters:
  - catalog: nvidia-dcgm
    job: dcgm-exporter
    version: 4.5.3-4.8.2
    collect: [default, profiling, exp, ecc]
    targetLabels: {region: eu, rack: ''}
    metricRelabelings:
      - {sourceLabels: [Hostname], targetLabel: node}
      - {action: labeldrop, regex: Hostname|exported_pod}
      - {sourceLabels: [__name__], regex: DCGM_FI_DEV_MEMORY_TEMP, action: drop}
  - {catalog: amd-device-metrics, job: amd-gpu-exporter}
  - {catalog: kube-state-metrics, job: kube-state-metrics}
  - {catalog: prometheus, job: prometheus}
"""


def test_rules_read_the_labels_that_relabelling_leaves(tmp_path: Path) -> None:
    done = compile_project(project(tmp_path, EXPORTERS))
    assert [(d.code, d.message) for d in done.diagnostics] == []
    assert done.program is not None
    shape = world(done.program).metric("DCGM_FI_DEV_GPU_TEMP")
    assert shape is not None
    assert {"node", "rack", "region", "gpu"} <= shape.labels.certain
    assert not shape.labels.can_have("Hostname")
    assert not shape.labels.can_have("exported_pod")
    assert shape.labels.values["region"] == {"eu"}
    assert shape.count == 4 * 8
    rules = {rule.expr for rule in done.program.rules if "DCGM_FI_DEV_GPU_TEMP" in rule.expr}
    assert rules
    assert not any("Hostname" in rule for rule in rules)


def test_a_metric_that_relabelling_drops_is_not_collected(tmp_path: Path) -> None:
    done = compile_project(project(tmp_path, EXPORTERS))
    assert done.program is not None
    assert world(done.program).metric("DCGM_FI_DEV_MEMORY_TEMP") is None


def test_what_the_scrape_writes_of_targets_has_their_labels(tmp_path: Path) -> None:
    done = compile_project(project(tmp_path, EXPORTERS))
    assert done.program is not None
    shape = world(done.program).metric("up")
    assert shape is not None
    assert {"rack", "region"} <= shape.labels.possible
    # Not every exporter's targets have them.
    assert not {"rack", "region"} & shape.labels.certain
