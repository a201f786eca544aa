"""A replacement names a group that its pattern does not have, which is the empty text.

A label that is set to nothing is taken away. `$1_gpu` is the group `1_gpu`, for letters, digits and underscores belong to the
name: write `${1}_gpu`. A pattern without brackets has no group 1, and `$1` is what a step without a `replacement` writes. A
`labelmap` makes a label without a name of it, and Prometheus refuses every scrape.

Bad:

```yaml
scrape_configs:
  - job_name: dcgm-exporter
    static_configs: [{targets: ['gpu-1:9400']}]
    metric_relabel_configs: [{source_labels: [gpu], regex: (.+), target_label: device, replacement: nvidia$2}]
```

Good:

```yaml
scrape_configs:
  - job_name: dcgm-exporter
    static_configs: [{targets: ['gpu-1:9400']}]
    metric_relabel_configs: [{source_labels: [gpu], regex: (.+), target_label: device, replacement: nvidia$1}]
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuobs.checks._scrape_jobs import stages
from gpuobs.diagnostics import Diagnostic, error, warning
from gpuobs.ir import Program
from gpuobs.promql import re2
from gpuobs.promql.relabel import references
from gpuobs.scraping import Relabeling, camel

CODE = "scrape/unknown-reference"
SEVERITY = "error"
_BRACED = re.compile(r"(\d+)\w+", re.ASCII)


def check(program: Program) -> Iterator[Diagnostic]:
    for _, steps, _ in stages(program):
        for each in steps:
            yield from _of_step(each)


def _of_step(each: Relabeling) -> Iterator[Diagnostic]:
    step = each.step
    regex = re2.anchored(step.regex)
    if step.action not in ("replace", "labelmap") or regex is None:
        return
    keys = {"replacement": step.replacement}
    keys |= {"target_label": step.target} if step.action == "replace" else {}
    for key, template in keys.items():
        for name in references(template):
            if name not in regex.groupindex and not _is_group(name, regex):
                message = f"'{step.regex}' has no group '{name}', so that '${name}' is empty"
                written = each.written.get(key) or each.written.get(camel(key))
                found = warning if written is None and step.action == "replace" else error
                place = each.place("regex" if written is None else key)
                yield found(place, CODE, message, _hint(name, regex))
                return


def _is_group(name: str, regex: re.Pattern[str]) -> bool:
    return name.isdigit() and int(name) <= regex.groups


def _hint(name: str, regex: re.Pattern[str]) -> str:
    braced = _BRACED.fullmatch(name)
    if braced is not None and _is_group(braced[1], regex):
        rest = name.removeprefix(braced[1])
        return f"write ${{{braced[1]}}}{rest}"
    if not regex.groups:
        return "put brackets around the part that is meant, or write the value as 'replacement'"
    return f"it has {regex.groups}: write ${regex.groups}"
