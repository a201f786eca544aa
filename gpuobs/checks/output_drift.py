"""A generated file that is not what the specs say.

`gpuobs build --check` found a file in the output folder that is missing, differs, or is no longer made. What is deployed
is then not what was reviewed. Run `gpuobs build` and commit the result.
"""

from __future__ import annotations

CODE = "output/drift"
SEVERITY = "error"
