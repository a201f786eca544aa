"""The cache answers only where nothing has changed, whatever changes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpuobs import cache

ROOT = Path(__file__).parent.parent
BASE = ROOT / "tests" / "base"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with an output, and the package as a copy that may be changed."""
    shutil.copytree(BASE, tmp_path / "specs")
    (tmp_path / "generated" / "rules").mkdir(parents=True)
    (tmp_path / "generated" / "rules" / "a.yaml").write_text("a")
    (tmp_path / "package" / "sub").mkdir(parents=True)
    (tmp_path / "package" / "cache.py").write_text("x = 1\n")
    (tmp_path / "package" / "sub" / "data.yaml").write_text("y: 1\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(cache.OFF, raising=False)
    monkeypatch.setattr(cache, "__file__", str(tmp_path / "package" / "cache.py"))
    return tmp_path


def asked(*arguments: str) -> cache.Question:
    question = cache.question(arguments)
    assert question is not None
    return question


def test_an_answer_is_given_again_while_nothing_changes(project: Path) -> None:
    question = asked("build", "--check")
    assert cache.answer(question) is None
    cache.remember(question, "as the specs say\n")
    assert cache.answer(asked("build", "--check")) == "as the specs say\n"
    assert cache.answer(asked("build")) is None
    assert cache.answer(asked("lint")) is None


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--help"],
        ["explain"],
        ["build", "--force"],
        ["build", "--target", "tests"],
        ["lint", "--no-cache"],
        ["lint", "specs/fleet.yaml"],
        ["lint", "--format", "json"],
        ["lint", "--specs", "other"],
        ["lint", "--color"],
    ],
)
def test_command_lines_that_it_does_not_serve(project: Path, arguments: list[str]) -> None:
    assert cache.question(arguments) is None


def test_a_suppression_with_a_last_day_makes_an_answer_one_of_that_day(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    days = [time.gmtime(number * 86_400) for number in range(3)]
    day = days[0]
    monkeypatch.setattr("gpuobs.cache.time.gmtime", lambda: day)
    cache.remember(asked("lint"), "no findings\n")
    day = days[1]
    assert cache.answer(asked("lint")) == "no findings\n"
    (project / "specs" / "x.yaml").write_text("# gpuobs: ignore a/b until 1970-01-02 -- why\n")
    cache.remember(asked("lint"), "no findings\n")
    assert cache.answer(asked("lint")) == "no findings\n"
    day = days[2]
    assert cache.answer(asked("lint")) is None


def test_the_environment_switches_it_off(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache.OFF, "1")
    assert cache.question(["lint"]) is None


def test_a_run_during_which_something_changed_is_not_kept(project: Path) -> None:
    question = asked("lint")
    (project / "specs" / "fleet.yaml").write_text("other")
    cache.remember(question, "no findings\n")
    assert not (project / cache.FOLDER).exists()


@pytest.mark.parametrize("damage", [b"", b"\0", b"\xff\xfe", b"a\0b\0c", b"a\0b\0c\0d"])
def test_a_damaged_answer_is_none(project: Path, damage: bytes) -> None:
    question = asked("lint")
    cache.remember(question, "no findings\n")
    (project / cache.FOLDER / "cache" / "lint").write_bytes(damage)
    assert cache.answer(question) is None


def test_an_answer_with_a_changed_text_is_none(project: Path) -> None:
    question = asked("lint")
    cache.remember(question, "no findings\n")
    file = project / cache.FOLDER / "cache" / "lint"
    file.write_text(file.read_text().replace("no findings", "no problems"))
    assert cache.answer(question) is None


def test_a_folder_that_cannot_be_written_to_is_no_reason_to_fail(project: Path) -> None:
    (project / cache.FOLDER).write_text("a file")
    question = asked("lint")
    cache.remember(question, "no findings\n")
    assert cache.answer(question) is None


def test_links_that_lead_in_a_circle_end(project: Path) -> None:
    for name in "ab":
        (project / "specs" / name).symlink_to(project / "specs")
    assert cache.answer(asked("build")) is None


def _append(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\n")


def _flip(path: Path) -> None:
    """Another content of the same length, with the time of the old one."""
    status = path.stat()
    data = path.read_bytes() or b"x"
    path.write_bytes(bytes([data[0] ^ 1]) + data[1:])
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def _rename(path: Path) -> None:
    path.rename(path.with_name("renamed.yaml"))


def _to_link(path: Path) -> None:
    target = path.parent.parent / "elsewhere"
    path.rename(target)
    path.symlink_to(target)


def _neighbour(path: Path) -> None:
    (path.parent / "new.yaml").write_text("new")


def _hidden_neighbour(path: Path) -> None:
    (path.parent / ".library").mkdir()
    (path.parent / ".library" / "x.libsonnet").write_text("{}")


CHANGES: tuple[Callable[[Path], None], ...] = (
    _append,
    _flip,
    _rename,
    _to_link,
    _neighbour,
    _hidden_neighbour,
    Path.unlink,
)


@given(data=st.data())
@settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_any_change_of_any_file_is_a_miss(project: Path, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory(dir=project) as name:
        copy = Path(name, "copy")
        copy.mkdir()
        for part in ("specs", "generated", "package"):
            shutil.copytree(project / part, copy / part)
        os.chdir(copy)
        cache.__file__ = str(copy / "package" / "cache.py")
        question = asked("build")
        cache.remember(question, "kept")
        assert cache.answer(asked("build")) == "kept"
        files = sorted(p for p in copy.rglob("*") if p.is_file() and cache.FOLDER not in p.parts)
        file = data.draw(st.sampled_from(files))
        change = data.draw(st.sampled_from(CHANGES))
        if change is _flip and "package" in file.parts:
            change = _append  # the package's own files are told apart by time and size
        change(file)
        os.chdir(copy)
        assert cache.answer(asked("build")) is None
        os.chdir(project)


# As a user sees it ---------------------------------------------------------------------------------------------------


def gpuobs(project: Path, *arguments: str) -> tuple[int, str, list[str]]:
    """A command's exit code, what it said on standard error and which slow libraries it loaded."""
    code = (
        "import sys; sys.argv[0] = 'gpuobs'\n"
        "from gpuobs.__main__ import main\n"
        "try: main(); code = 0\n"
        "except SystemExit as leaving: code = leaving.code or 0\n"
        "loaded = sorted({'click', 'yaml', 'pathlib', 'json'} & set(sys.modules))\n"
        "print(*loaded, file=open('loaded', 'w')); sys.exit(code)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    loaded = (project / "loaded").read_text().split()
    return done.returncode, done.stderr, loaded


@pytest.mark.parametrize("arguments", [["lint"], ["build"], ["build", "--check"]])
def test_the_second_run_says_the_same_and_loads_nothing(
    tmp_path: Path, arguments: list[str]
) -> None:
    shutil.copytree(BASE, tmp_path / "specs")
    gpuobs(tmp_path, "build", "--no-cache")
    first = gpuobs(tmp_path, *arguments)
    second = gpuobs(tmp_path, *arguments)
    assert second[:2] == first[:2]
    assert (first[0], "click" in first[2], second[2]) == (0, True, [])
    (tmp_path / "specs" / "fleet.yaml").write_text("kind: Fleet\n")
    assert gpuobs(tmp_path, *arguments)[0] == 1
    assert gpuobs(tmp_path, *arguments)[0] == 1


def test_warnings_are_shown_again(tmp_path: Path) -> None:
    shutil.copytree(BASE, tmp_path / "specs")
    path = tmp_path / "specs" / "tiers.yaml"
    path.write_text("# gpuobs: ignore alert/no-runbook -- none\n" + path.read_text())
    first, second = gpuobs(tmp_path, "lint"), gpuobs(tmp_path, "lint")
    assert "warning suppression/unused" in first[1]
    assert second == (0, first[1], [])
    assert gpuobs(tmp_path, "lint", "--strict")[0] == 1
