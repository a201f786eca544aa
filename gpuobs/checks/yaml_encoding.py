"""A file that is not UTF-8, or holds control characters.

Other readers would see other text.
"""

from __future__ import annotations

CODE = "yaml/encoding"
SEVERITY = "error"
