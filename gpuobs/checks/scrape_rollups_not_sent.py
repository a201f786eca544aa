"""Steps of a remote write keep raw metrics and drop every rollup.

Rollups have names of their own, such as `gpu:sm_active:avg5m`: a `keep` of the exporters' prefixes sends the many raw series to
the long-term store and leaves out the few that it is for. `up` goes the same way.

Bad:

```yaml
remote_write:
  - url: https://thanos.example/api/v1/receive
    write_relabel_configs:
      - {action: keep, source_labels: [__name__], regex: DCGM_.*|runai_.*}
```

Good:

```yaml
remote_write:
  - url: https://thanos.example/api/v1/receive
    write_relabel_configs:
      - {action: keep, source_labels: [__name__], regex: '.*:.*|up'}
```
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gpuobs.diagnostics import Diagnostic, error
from gpuobs.ir import Program
from gpuobs.promql.labelset import OPEN
from gpuobs.promql.relabel import of_labels
from gpuobs.scraping import Relabeling, RemoteWrite

CODE = "scrape/rollups-not-sent"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    rollups = sorted(name for name in program.records if ":" in name)
    if program.policy is None or not rollups:
        return
    raw = tuple(program.policy.collected)
    for configuration in program.configurations:
        writes = configuration.remote_writes
        if any(_sent(rollups, each.relabelings) for each in writes):
            continue
        for each in writes:
            if _sent(raw, each.relabelings):
                yield _finding(each, rollups)


def _sent(names: Iterable[str], steps: Sequence[Relabeling]) -> bool:
    """Whether a series of one of these names may pass."""
    chain = [each.step for each in steps]
    return any(of_labels(OPEN, name, chain) is not None for name in names)


def _finding(write: RemoteWrite, rollups: Sequence[str]) -> Diagnostic:
    steps = write.relabelings
    last = next(count for count in range(len(steps) + 1) if not _sent(rollups, steps[:count]))
    step = steps[last - 1]
    first, others = rollups[0], len(rollups) - 1
    which = f"none of the {others + 1} rollups, such as '{first}', passes" if others else ""
    which = which or f"the rollup '{first}' does not pass"
    up = "" if _sent(["up"], steps) else ", nor does 'up'"
    message = f"{which} this step{up}, while raw series do"
    hint = "let the pattern match names with a colon too: .*:.*|up"
    return error(step.place("regex"), CODE, message, hint)
