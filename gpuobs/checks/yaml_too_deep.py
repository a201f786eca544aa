"""A file that is nested too deeply.

No spec needs 64 levels; such a file was made by mistake or in bad faith.
"""

from __future__ import annotations

CODE = "yaml/too-deep"
SEVERITY = "error"
