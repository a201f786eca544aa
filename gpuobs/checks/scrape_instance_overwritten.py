"""A step for metrics writes something of a device into `instance`.

`instance` says which target a series came from: `up`, the alerts on it and every join with another exporter rest on that. A
GPU's index is the same on every node. To show another name for a node, copy a label that each node has one value of.

Bad:

```yaml
scrape_configs:
  - job_name: dcgm-exporter
    static_configs: [{targets: ['gpu-1:9400']}]
    metric_relabel_configs: [{source_labels: [gpu], target_label: instance}]
```

Good:

```yaml
scrape_configs:
  - job_name: dcgm-exporter
    static_configs: [{targets: ['gpu-1:9400']}]
    metric_relabel_configs: [{source_labels: [Hostname], target_label: instance}]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs import names
from gpuobs.checks._scrape_jobs import SETTING, exporters, own_labels, stages
from gpuobs.diagnostics import Diagnostic, warning
from gpuobs.exporters import ExporterInUse
from gpuobs.ir import Program
from gpuobs.spec.scalars import LabelName

CODE = "scrape/instance-overwritten"
SEVERITY = "warning"


def check(program: Program) -> Iterator[Diagnostic]:
    for job, steps, of_metrics in stages(program):
        for each in steps if of_metrics else ():
            if each.step.target != "instance" or each.step.action not in SETTING:
                continue
            of_devices = {label for x in exporters(program, job) for label in _of_devices(x)}
            if each.step.sources and of_devices.issuperset(each.step.sources):
                read = " and ".join(f"'{label}'" for label in each.step.sources)
                message = (
                    f"'instance' is the target's, and this step writes {read} of a device into it"
                )
                hint = "give it a label of its own, such as target_label: device_name"
                yield warning(each.place("target_label"), CODE, message, hint)


def _of_devices(exporter: ExporterInUse) -> frozenset[str]:
    """Labels of which one target has several values."""
    node = exporter.catalog.identity.get(LabelName(names.NODE), LabelName(""))
    return own_labels(exporter) - {str(node), str(exporter.renames.get(node, node))}
