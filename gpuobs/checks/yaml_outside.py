"""A link or an import that leaves the specs folder.

What the specs say must be in the folder that is reviewed.
"""

from __future__ import annotations

CODE = "yaml/outside"
SEVERITY = "error"
