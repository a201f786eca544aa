"""A Jsonnet spec that takes too long or makes too much.

Evaluation is bounded in time, stack and size, so that a recursion without an end cannot hold up a
commit.
"""

from __future__ import annotations

CODE = "jsonnet/limit"
SEVERITY = "error"
