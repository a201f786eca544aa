"""A generated file that somebody edited.

The next build would undo the edit without a word, so it stops instead and changes nothing. Carry the edit over to the
specs, where it lasts, and build with `--force`, which gives up the edit in the generated file.
"""

from __future__ import annotations

CODE = "output/edited-by-hand"
SEVERITY = "error"
