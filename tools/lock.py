"""Writes requirements/*.txt anew from pyproject.toml, for every supported Python and platform."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# https://docs.astral.sh/uv/pip/compile/
UV = "uv==0.13.9"
COMPILE = (
    "pip compile --quiet --upgrade --universal --generate-hashes --no-header --python-version 3.11"
)


def main() -> int:
    """Resolves in a throw-away environment, so that the resolver is no dependency."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, symlinks=True, with_pip=True)
        programs = Path(folder, "bin")
        subprocess.run([programs / "python", "-m", "pip", "install", "--quiet", UV], check=True)
        uv = [str(programs / "uv"), *COMPILE.split(), "pyproject.toml", "--output-file"]
        subprocess.run([*uv, "requirements/runtime.txt"], cwd=ROOT, check=True)
        development = [
            "requirements/dev.txt",
            "--group",
            "dev",
            "--constraint",
            "requirements/runtime.txt",
        ]
        subprocess.run([*uv, *development], cwd=ROOT, check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
