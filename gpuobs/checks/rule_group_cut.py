"""A chain of rules that the store's limit cuts in two.

Mimir allows 20 rules a group. The second part reads what the first recorded one interval ago.
"""

from __future__ import annotations

CODE = "rule/group-cut"
SEVERITY = "warning"
