"""A project without a Fleet or without Tiers.

The fleet says what there is and the tiers who is woken; nothing can be compiled without them.
"""

from __future__ import annotations

CODE = "spec/missing-document"
SEVERITY = "error"
