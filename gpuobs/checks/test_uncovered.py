"""A rule, or a label value that an alert matches, that no test asks about.

`gpuobs test --coverage` reports it. An alert is covered by a test that expects it to fire; one that only expects silence
passes with an alert that can never fire. A value of a matcher, such as one XID of a list, is covered by a series with it at a
moment at which a test asks about the alert, and a recording rule by any assertion that depends on it.
"""

from __future__ import annotations

CODE = "test/uncovered"
SEVERITY = "warning"
