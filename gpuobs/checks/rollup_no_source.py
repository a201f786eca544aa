"""A signal that no vendor of this fleet reports.

It would be recorded from nothing.
"""

from __future__ import annotations

CODE = "rollup/no-source"
SEVERITY = "error"
