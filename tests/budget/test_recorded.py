"""What rules write while nothing happens."""

from __future__ import annotations

from pathlib import Path

from gpuobs.budget.ledger import ledger
from gpuobs.pipeline import check_project
from tests.projects import project

RULES = """\
rules:
  - {record: 'node:xids:max', expr: 'max by (cluster, Hostname) (DCGM_EXP_XID_ERRORS_COUNT{xid!=""})', unit: events}
  - {record: 'node:window:max', expr: 'max by (cluster, Hostname) (DCGM_EXP_XID_ERRORS_COUNT)', unit: events}
"""


def test_a_label_that_only_events_bring_is_on_no_series(tmp_path: Path) -> None:
    """The exporter writes a 0 without a number where there was no XID."""
    done = check_project(project(tmp_path, RULES))
    assert done.program is not None, done.diagnostics
    (cluster,) = ledger(done.program).clusters
    writes = {rule.name: rule.writes for rule in cluster.rules if rule.name.startswith("node:")}
    assert writes["node:xids:max"] == 0
    assert writes["node:window:max"] == 4
