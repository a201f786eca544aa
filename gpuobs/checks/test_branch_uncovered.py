"""A branch of `or` by which no test makes the alert fire.

`gpuobs test --coverage` reports it. Each branch of an alert is a condition of its own, with mistakes of its own: a label that
only one exporter has, a metric that was renamed. A branch is covered by a test that expects the alert to fire at a moment
at which this branch alone would make it fire.
"""

from __future__ import annotations

CODE = "test/branch-uncovered"
SEVERITY = "warning"
