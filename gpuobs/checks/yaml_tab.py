"""A tab in the indentation.

YAML forbids tabs there, and editors hide them. Indent with spaces.
"""

from __future__ import annotations

CODE = "yaml/tab"
SEVERITY = "error"
