"""A file of others where gpuobs would write one.

The output folder may hold files that gpuobs did not make, and they are left alone. Where one of them has the name of a
file that a build makes, the build stops and changes nothing: a file whose history gpuobs does not know may be the only
copy of somebody's work. `MANIFEST.json` lists the files that gpuobs made; where it is missing, broken (by a merge
conflict, for example) or not gpuobs's own, every file counts as one of others.

Move the file away, or build with `--force`, which takes it.
"""

from __future__ import annotations

CODE = "output/foreign-file"
SEVERITY = "error"
