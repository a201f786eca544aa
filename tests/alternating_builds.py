"""Two versions of a tree, built in turn until somebody ends it: what `test_output` kills."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

from gpuobs.ir import Artifact
from gpuobs.output import write


def version(name: str) -> list[Artifact]:
    """Forty files, of which each version has ten for itself in a folder of its own."""
    shared = [Artifact(f"prometheus/{n}.yaml", f"{name} {n}\n".encode() * 50) for n in range(30)]
    return [*shared, *(Artifact(f"only-{name}/{n}.yaml", b"x") for n in range(10))]


if __name__ == "__main__":
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for current in itertools.cycle(["old", "new"]):
        write(Path(sys.argv[1]), version(current))
