"""A function for native histograms, which this Prometheus only has behind a flag.

histogram_count(), histogram_sum(), histogram_avg(), histogram_stddev() and histogram_stdvar() read
native histograms. Before 3.8 Prometheus only scrapes these with
`--enable-feature=native-histograms`; without it there is nothing that the functions read, and the
result is empty. Functions that are behind a flag themselves, such as mad_over_time() and limitk(),
are refused as `promql/unsupported-syntax`.

Bad:

```yaml
rules:
  - record: cluster:remote_write_batches:rate5m
    expr: sum by (cluster) (histogram_count(rate(prometheus_remote_storage_sent_batch_duration_seconds_count[5m])))
    unit: events
```

Good:

```yaml
rules:
  - record: cluster:remote_write_batches:rate5m
    expr: sum by (cluster) (rate(prometheus_remote_storage_sent_batch_duration_seconds_count[5m]))
    unit: events
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import expressions
from gpuobs.ir import Program
from gpuobs.promql.functions import FUNCTIONS
from gpuobs.promql.nodes import Call

CODE = "promql/experimental"
SEVERITY = "warning"

_STABLE_SINCE = (3, 8)
_INSTEAD = {"histogram_count": "_count", "histogram_sum": "_sum"}


def check(program: Program) -> Iterator[Diagnostic]:
    if program.version >= _STABLE_SINCE:
        return
    for expression in expressions(program):
        for node in expression.analysis.of(Call):
            if FUNCTIONS[node.name].wants == "histogram":
                version = ".".join(str(part) for part in program.version)
                message = (
                    f"{node.name}() reads native histograms, which Prometheus {version} only "
                    "scrapes with --enable-feature=native-histograms"
                )
                suffix = _INSTEAD.get(node.name)
                hint = f"read the series that ends in {suffix}" if suffix else ""
                place = node.function.start, node.function.end
                yield expression.warning(place, CODE, message, hint)
