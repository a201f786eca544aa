"""One run of promtool's unit tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gpuobs.diagnostics import EnvironmentProblem
from gpuobs.verify.promtool import Promtool

_SECONDS_PER_FILE = 600
_MEMORY = Path("/dev/shm")
# promtool makes a storage on disk for every case; containers often have 64 MB of shared memory, which is too little.
_MEMORY_NEEDED = 1 << 30


@contextmanager
def scratch() -> Iterator[str]:
    """A folder for promtool's storages: in memory where there is enough, which is many times quicker."""
    import tempfile

    roomy = os.access(_MEMORY, os.W_OK) and _free(_MEMORY) >= _MEMORY_NEEDED
    with tempfile.TemporaryDirectory(prefix="gpuobs-", dir=_MEMORY if roomy else None) as folder:
        yield folder


def _free(path: Path) -> int:
    status = os.statvfs(path)
    return status.f_bavail * status.f_frsize


def output(promtool: Promtool, path: Path, scratch: Path) -> str | None:
    """What promtool says of a file, None where it passes."""
    import subprocess

    try:
        done = subprocess.run(
            [promtool.path, "test", "rules", path.name],
            cwd=path.parent,
            env={**os.environ, "TMPDIR": str(scratch)},
            capture_output=True,
            check=False,
            timeout=_SECONDS_PER_FILE,
        )
    except subprocess.TimeoutExpired:
        return f"promtool did not finish within {_SECONDS_PER_FILE} seconds"
    except OSError as problem:
        raise EnvironmentProblem(f"cannot run '{promtool.path}': {problem}") from None
    return None if done.returncode == 0 else (done.stdout + done.stderr).decode("utf-8", "replace")
