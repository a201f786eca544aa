"""An expression that is too large or too deeply nested.

It would exhaust the parser, or the server at every evaluation. Record parts of it.
"""

from __future__ import annotations

CODE = "promql/too-complex"
SEVERITY = "error"
