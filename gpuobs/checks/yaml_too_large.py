"""A file that is too large to be a spec.

Five megabytes hold more rules than one file should. Split it by what the documents are about.
"""

from __future__ import annotations

CODE = "yaml/too-large"
SEVERITY = "error"
