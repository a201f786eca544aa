"""The same specs give the same bytes: on every machine, in any folder, under any names of the files."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SPECS = ROOT / "specs"


def build(folder: Path, specs: Path, **environment: str) -> Mapping[str, bytes]:
    """Every file of a build of `specs`, run in `folder`."""
    out = folder / "out"
    done = subprocess.run(
        [sys.executable, "-m", "gpuobs", "build", "--specs", str(specs), "--out", str(out)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return {
        path.relative_to(out).as_posix(): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, bytes]:
    return build(tmp_path_factory.mktemp("expected"), SPECS, PYTHONHASHSEED="0")


def test_it_is_what_is_committed(expected: Mapping[str, bytes]) -> None:
    committed = ROOT / "generated"
    assert dict(expected) == {
        path.relative_to(committed).as_posix(): path.read_bytes()
        for path in sorted(committed.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONHASHSEED": "1"},
        {"TZ": "Pacific/Kiritimati"},
        {"LC_ALL": "C", "LANG": "C"},
        {"PYTHONUTF8": "0", "LC_ALL": "POSIX"},
        {"HOME": "/nonexistent", "USER": "somebody"},
    ],
    ids=" ".join,
)
def test_environment_means_nothing(
    environment: dict[str, str], expected: Mapping[str, bytes], tmp_path: Path
) -> None:
    assert build(tmp_path, SPECS, **environment) == expected


def test_names_and_folders_of_specs_mean_nothing(
    expected: Mapping[str, bytes], tmp_path: Path
) -> None:
    renamed = tmp_path / "a folder with spaces" / "specs"
    renamed.mkdir(parents=True)
    files = sorted(
        path for path in SPECS.rglob("*") if path.suffix in (".yaml", ".yml", ".jsonnet")
    )
    for number, path in enumerate(reversed(files)):
        shutil.copy(path, renamed / f"{number:03}{path.suffix}")
    assert build(tmp_path, renamed) == expected
