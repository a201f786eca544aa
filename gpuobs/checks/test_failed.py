"""A unit test that fails.

promtool ran the generated rules over the series of the test and got another result. The place is
the scenario, or the condition that the test follows from.
"""

from __future__ import annotations

CODE = "test/failed"
SEVERITY = "error"
