"""A suppression whose last day is over.

It silences nothing any more: what it was there for is reported again, and the comment with it. Mend the
finding, or give a later day and say why.

    # gpuobs: ignore rule/name until 2027-03-31 -- renamed with the new dashboards
"""

from __future__ import annotations

CODE = "suppression/expired"
SEVERITY = "warning"
