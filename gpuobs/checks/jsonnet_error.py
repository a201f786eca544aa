"""A Jsonnet spec that cannot be evaluated.

The message and the place are Jsonnet's own.
"""

from __future__ import annotations

CODE = "jsonnet/error"
SEVERITY = "error"
