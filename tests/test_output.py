"""The output folder: what a build writes, removes, refuses and never touches."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from gpuobs import swap
from gpuobs.diagnostics import EnvironmentProblem
from gpuobs.ir import Artifact
from gpuobs.output import MANIFEST, Difference, WriteResult, compare, diff, sha256, write
from tests.alternating_builds import version

RULES = Artifact("rules/a.yaml", b"groups: []\n")
TESTS = Artifact("tests/a.yaml", b"tests: []\n")


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below a folder with its content; a link with what it points to."""
    return {
        path.relative_to(folder).as_posix(): (
            os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()
        )
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def manifest(*artifacts: Artifact) -> bytes:
    files = {artifact.path: sha256(artifact.content) for artifact in artifacts}
    return (json.dumps({"files": files}, indent=2, sort_keys=True) + "\n").encode()


def refused(result: WriteResult) -> list[tuple[str, str]]:
    return [(finding.code, Path(finding.span.file).name) for finding in result.problems]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "project" / "generated"


def test_a_first_build_writes_the_files_and_a_manifest_and_leaves_nothing_beside_them(
    out: Path,
) -> None:
    assert write(out, [RULES, TESTS]) == WriteResult(("rules/a.yaml", "tests/a.yaml"), (), 0)
    expected = {a.path: a.content for a in (RULES, TESTS)}
    assert tree(out) == {MANIFEST: manifest(RULES, TESTS), **expected}
    assert names(out.parent) == ["generated"]


def test_a_second_build_changes_nothing(out: Path) -> None:
    write(out, [RULES, TESTS])
    before = written(out)
    assert write(out, [RULES, TESTS]) == WriteResult((), (), 2)
    assert written(out) == before


def written(folder: Path) -> dict[Path, tuple[int, int, int]]:
    """Which file a path leads to and when it was written; that it was read shows elsewhere."""
    stats = {path: path.stat() for path in folder.rglob("*")}
    return {path: (stat.st_ino, stat.st_mtime_ns, stat.st_mode) for path, stat in stats.items()}


def test_a_file_that_is_no_longer_made_goes_with_its_folder(out: Path) -> None:
    write(out, [RULES, TESTS])
    assert write(out, [RULES]) == WriteResult((), ("tests/a.yaml",), 1)
    assert tree(out) == {MANIFEST: manifest(RULES), RULES.path: RULES.content}
    assert not (out / "tests").exists()


def test_a_partial_build_leaves_the_other_files_of_ours(out: Path) -> None:
    write(out, [RULES, TESTS])
    changed = Artifact(RULES.path, b"groups: [x]\n")
    assert write(out, [changed], partial=True) == WriteResult(("rules/a.yaml",), (), 0)
    assert tree(out) == {
        MANIFEST: manifest(changed, TESTS),
        changed.path: changed.content,
        TESTS.path: TESTS.content,
    }
    assert compare(out, [changed], partial=True) == ()


def test_files_of_others_stay_as_they_are(out: Path) -> None:
    write(out, [RULES, TESTS])
    (out / "tests" / "mine.yaml").write_text("mine")
    (out / "empty").mkdir()
    (out / "link").symlink_to("/etc")
    inode = (out / "tests" / "mine.yaml").stat().st_ino
    assert write(out, [RULES]).removed == ("tests/a.yaml",)
    assert tree(out) == {
        MANIFEST: manifest(RULES),
        RULES.path: RULES.content,
        "tests/mine.yaml": b"mine",
        "link": b"/etc",
    }
    assert (out / "empty").is_dir()
    assert (out / "tests" / "mine.yaml").stat().st_ino == inode


def test_a_file_that_others_made_stops_the_build(out: Path) -> None:
    place = out / RULES.path
    place.parent.mkdir(parents=True)
    place.write_text("mine")
    result = write(out, [RULES, TESTS])
    assert refused(result) == [("output/foreign-file", "a.yaml")]
    assert result.problems[0].message == f"'{place}' is in the way: {MANIFEST} does not list it"
    assert tree(out) == {RULES.path: b"mine"}
    assert write(out, [RULES, TESTS], force=True).written == (RULES.path, TESTS.path)
    assert place.read_bytes() == RULES.content


def test_a_file_that_others_made_with_our_content_is_ours(out: Path) -> None:
    (out / "rules").mkdir(parents=True)
    (out / RULES.path).write_bytes(RULES.content)
    assert write(out, [RULES]) == WriteResult((), (), 1)
    assert (out / MANIFEST).read_bytes() == manifest(RULES)


def test_every_edited_file_stops_the_build_with_its_name(out: Path) -> None:
    write(out, [RULES, TESTS])
    (out / RULES.path).write_text("edited")
    (out / TESTS.path).write_text("edited too")
    before = tree(out)
    result = write(out, [Artifact(RULES.path, b"new\n")])
    assert [(d.code, d.span.file) for d in result.problems] == [
        ("output/edited-by-hand", str(out / RULES.path)),
        ("output/edited-by-hand", str(out / TESTS.path)),
    ]
    assert tree(out) == before
    assert write(out, [RULES], force=True) == WriteResult((RULES.path,), (TESTS.path,), 0)


def test_a_deleted_file_is_written_again(out: Path) -> None:
    write(out, [RULES, TESTS])
    (out / RULES.path).unlink()
    assert write(out, [RULES, TESTS]) == WriteResult((RULES.path,), (), 1)


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"\xff", b"<<<<<<< HEAD\n", b'{"files": [1]}', b'{"name": "theirs"}']
)
def test_with_a_broken_manifest_every_file_is_of_others(out: Path, content: bytes) -> None:
    write(out, [RULES, TESTS])
    (out / MANIFEST).write_bytes(content)
    (out / RULES.path).write_bytes(b"older\n")
    before = tree(out)
    result = write(out, [RULES, TESTS])
    assert refused(result) == [("output/foreign-file", MANIFEST), ("output/foreign-file", "a.yaml")]
    assert result.problems[1].message.endswith("MANIFEST.json is broken")
    assert tree(out) == before
    assert write(out, [RULES, TESTS], force=True).problems == ()
    assert compare(out, [RULES, TESTS]) == ()


def test_a_manifest_cannot_name_files_outside(out: Path) -> None:
    write(out, [RULES])
    victims = [out.parent / "victim", out / "also"]
    for victim in victims:
        victim.write_text("precious")
    names = ["../victim", str(victims[0]), "./also", "", "a//b", "nul\0", "\ud800", "long" * 64]
    files = {name: sha256(b"precious") for name in names}
    (out / MANIFEST).write_text(json.dumps({"files": files | {RULES.path: sha256(RULES.content)}}))
    assert write(out, [RULES, TESTS]).problems == ()
    assert [victim.read_text() for victim in victims] == ["precious", "precious"]


def test_a_link_is_not_followed_out_of_the_folder(out: Path) -> None:
    outside = out.parent / "outside"
    outside.mkdir(parents=True)
    (outside / "a.yaml").write_bytes(RULES.content)
    out.mkdir()
    (out / "rules").symlink_to(outside)
    assert compare(out, [RULES]) == (Difference(RULES.path, "missing", b"", RULES.content),)
    assert refused(write(out, [RULES])) == [("output/foreign-file", "rules")]
    assert refused(write(out, [RULES, Artifact("rules/b.yaml", b"")])) == [
        ("output/foreign-file", "rules")
    ]
    write(out, [RULES], force=True)
    assert tree(out) == {MANIFEST: manifest(RULES), RULES.path: RULES.content}
    assert tree(outside) == {"a.yaml": RULES.content}


def test_a_link_in_the_place_of_a_file_is_not_written_through(out: Path) -> None:
    victim = out.parent / "victim"
    (out / "rules").mkdir(parents=True)
    victim.write_bytes(RULES.content)
    (out / RULES.path).symlink_to(victim)
    assert refused(write(out, [RULES])) == [("output/foreign-file", "a.yaml")]
    write(out, [Artifact(RULES.path, b"new\n")], force=True)
    assert victim.read_bytes() == RULES.content
    assert (out / RULES.path).read_bytes() == b"new\n"


def test_a_stale_file_behind_a_link_is_not_removed(out: Path) -> None:
    write(out, [RULES, TESTS])
    outside = out.parent / "outside"
    (out / "tests").rename(outside)
    (out / "tests").symlink_to(outside)
    assert write(out, [RULES]) == WriteResult((), (), 1)
    assert tree(outside) == {"a.yaml": TESTS.content}


def test_a_folder_of_others_in_the_place_of_a_file_names_what_it_holds(out: Path) -> None:
    (out / RULES.path).mkdir(parents=True)
    (out / RULES.path / "mine").write_text("mine")
    assert refused(write(out, [RULES])) == [("output/foreign-file", "mine")]
    assert write(out, [RULES], force=True).written == (RULES.path,)


def test_a_file_of_ours_may_become_a_folder_and_back(out: Path) -> None:
    flat, deep = Artifact("a", b"1\n"), Artifact("a/b", b"2\n")
    write(out, [flat])
    assert write(out, [deep]) == WriteResult(("a/b",), ("a",), 0)
    assert write(out, [flat]) == WriteResult(("a",), ("a/b",), 0)
    assert tree(out) == {MANIFEST: manifest(flat), "a": b"1\n"}


def test_modes_respect_the_umask_and_the_folder_keeps_its_own(out: Path) -> None:
    before = os.umask(0o027)
    try:
        out.mkdir(parents=True, mode=0o700)
        out.chmod(0o711)
        write(out, [RULES])
    finally:
        os.umask(before)
    modes = [
        stat.st_mode & 0o777 for stat in map(Path.stat, (out, out / "rules", out / RULES.path))
    ]
    assert modes == [0o711, 0o750, 0o640]


def test_differences_are_a_unified_diff(out: Path) -> None:
    write(out, [RULES, TESTS])
    wanted = [Artifact(RULES.path, b"groups: [x]\n"), Artifact("new.yaml", b"new\n")]
    found = compare(out, wanted)
    assert [(entry.path, entry.what) for entry in found] == [
        ("new.yaml", "missing"),
        ("rules/a.yaml", "changed"),
        ("tests/a.yaml", "stale"),
    ]
    assert list(diff(found, Path("generated"))) == [
        "--- /dev/null",
        "+++ b/generated/new.yaml",
        "@@ -0,0 +1 @@",
        "+new",
        "--- a/generated/rules/a.yaml",
        "+++ b/generated/rules/a.yaml",
        "@@ -1 +1 @@",
        "-groups: []",
        "+groups: [x]",
        "--- a/generated/tests/a.yaml",
        "+++ /dev/null",
        "@@ -1 +0,0 @@",
        "-tests: []",
    ]


def test_drift_says_who_changed_a_file(out: Path) -> None:
    write(out, [RULES, TESTS])
    (out / TESTS.path).write_text("mine")
    (out / "new.yaml").write_text("mine too")
    wanted = [Artifact(RULES.path, b"groups: [x]\n"), TESTS, Artifact("new.yaml", b"new\n")]
    assert [(entry.path, entry.what) for entry in compare(out, wanted)] == [
        ("new.yaml", "foreign"),
        ("rules/a.yaml", "changed"),
        ("tests/a.yaml", "edited"),
    ]
    assert [(entry.path, entry.what) for entry in compare(out, [RULES])] == [
        ("tests/a.yaml", "edited")
    ]


def test_a_manifest_that_is_no_file_is_not_waited_for(out: Path) -> None:
    out.mkdir(parents=True)
    os.mkfifo(out / MANIFEST)
    assert refused(write(out, [RULES])) == [("output/foreign-file", MANIFEST)]


def test_a_missing_or_changed_manifest_is_drift(out: Path) -> None:
    write(out, [RULES])
    (out / MANIFEST).unlink()
    assert [(d.path, d.what) for d in compare(out, [RULES])] == [(MANIFEST, "missing")]
    (out / MANIFEST).write_text('{"files": {}}')
    assert [(d.path, d.what) for d in compare(out, [RULES])] == [(MANIFEST, "changed")]


def test_the_folder_itself_may_be_no_link_no_file_and_not_the_project(
    out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = out.parent / "real"
    real.mkdir(parents=True)
    out.symlink_to(real)
    with pytest.raises(EnvironmentProblem, match="is no folder"):
        write(out, [RULES])
    with pytest.raises(EnvironmentProblem, match="is no folder"):
        write(Path("/dev/null"), [RULES])
    monkeypatch.chdir(real)
    with pytest.raises(EnvironmentProblem, match="holds the project"):
        write(Path(), [RULES])
    with pytest.raises(EnvironmentProblem, match="holds the project"):
        write(Path("/"), [RULES])
    assert tree(real) == {}


def test_what_the_file_system_refuses_is_the_environments_trouble(out: Path) -> None:
    write(out, [RULES])
    before = tree(out)
    with pytest.raises(EnvironmentProblem, match="name too long"):
        write(out, [RULES, Artifact("x" * 300, b"")])
    assert tree(out) == before
    assert names(out.parent) == ["generated"]
    with pytest.raises(EnvironmentProblem):
        write(Path("/proc/nowhere/generated"), [RULES])


def test_a_full_disk_leaves_the_old_tree(out: Path) -> None:
    write(out, [RULES])
    before = tree(out)
    code = (
        "import resource, signal, sys; from pathlib import Path\n"
        "from gpuobs.ir import Artifact; from gpuobs.output import write\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "write(Path(sys.argv[1]), [Artifact('a', b'1'), Artifact('b', b'x' * 2000)])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, out], capture_output=True, text=True, check=False
    )
    assert "EnvironmentProblem: cannot write" in done.stderr
    assert "File too large" in done.stderr
    assert tree(out) == before
    assert names(out.parent) == ["generated"]


# Killed at any moment ------------------------------------------------------------------------------------------------

FOREIGN = {"mine/notes.txt": b"mine", "prometheus/mine.yaml": b"mine too"}


def _expected(name: str) -> Mapping[str, bytes]:
    artifacts = version(name)
    return {MANIFEST: manifest(*artifacts), **{a.path: a.content for a in artifacts}, **FOREIGN}


def test_a_build_that_is_killed_leaves_the_old_tree_or_the_new_one(out: Path) -> None:
    write(out, version("old"))
    for path, content in FOREIGN.items():
        (out / path).parent.mkdir(exist_ok=True)
        (out / path).write_bytes(content)
    seen = set()
    moments = random.Random(1)
    states = {name: _expected(name) for name in ("old", "new")}
    for number in range(50):
        command = [sys.executable, "-m", "tests.alternating_builds", str(out)]
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
            assert process.stdout is not None
            process.stdout.readline()
            # Later rounds wait longer: on a busy machine nothing is written in the first moments.
            time.sleep(moments.uniform(0, 0.04 * (1 + number / 8)))
            process.send_signal(signal.SIGKILL)
        found = tree(out)
        seen |= {name for name, expected in states.items() if found == expected}
        assert found in states.values()
    assert seen == {"old", "new"}
    write(out, version("new"))
    assert tree(out) == states["new"]
    assert names(out.parent) == ["generated"]


def test_a_reader_never_sees_a_mixed_tree_while_builds_run(out: Path) -> None:
    write(out, [Artifact("a", b"0"), Artifact("b", b"0")])
    code = (
        "import sys; from pathlib import Path; from gpuobs.ir import Artifact; from gpuobs.output import write\n"
        "for n in range(60): write(Path(sys.argv[1]), [Artifact(p, str(n).encode()) for p in 'ab'])\n"
    )
    with subprocess.Popen([sys.executable, "-c", code, out]) as process:
        while process.poll() is None:
            folder = os.open(out, os.O_RDONLY | os.O_DIRECTORY)
            try:
                pair = [_read_at(folder, name) for name in "ab"]
            finally:
                os.close(folder)
            assert None in pair or pair[0] == pair[1]
    assert process.returncode == 0


def _read_at(folder: int, name: str) -> bytes | None:
    """A file of an opened folder; None where the folder is the old one and being removed."""
    try:
        descriptor = os.open(name, os.O_RDONLY, dir_fd=folder)
    except FileNotFoundError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        return file.read()


def test_two_builds_at_once_take_turns(out: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from gpuobs.ir import Artifact; from gpuobs.output import write\n"
        "for n in range(15):\n"
        "    assert not write(Path(sys.argv[1]), [Artifact(sys.argv[2], b'x')]).problems\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", code, out, name]) for name in "ab"]
    assert [process.wait() for process in running] == [0, 0]
    assert len(tree(out)) == 2
    assert names(out.parent) == ["generated"]


# Systems that cannot exchange two folders -----------------------------------------------------------------------------


def test_where_folders_cannot_be_exchanged_the_old_one_is_moved_aside(out: Path) -> None:
    write(out, [RULES])
    staged = swap.aside(out, "new")
    staged.mkdir()
    (staged / "x").write_text("new")
    swap._move_aside(staged, out)
    assert tree(out.parent) == {"generated/x": b"new"}


def test_a_run_killed_between_the_two_moves_is_undone(out: Path) -> None:
    write(out, [RULES])
    out.rename(swap.aside(out, "old"))
    swap.aside(out, "new").mkdir()
    assert compare(out, [RULES]) == ()
    assert write(out, [RULES]) == WriteResult((), (), 1)
    assert names(out.parent) == ["generated"]


def test_a_run_killed_while_it_rewrites_is_finished(out: Path) -> None:
    write(out, [RULES, TESTS])
    swap._remove(out / "tests")
    complete = swap.aside(out, "complete")
    write(complete, [RULES])
    assert compare(out, [RULES]) == ()
    assert write(out, [RULES]) == WriteResult((), (), 1)
    assert tree(out.parent) == {f"generated/{p}": c for p, c in tree(out).items()}


def test_a_folder_that_cannot_be_renamed_is_rewritten(out: Path) -> None:
    write(out, [RULES])
    staged = swap.aside(out, "new")
    staged.mkdir()
    (staged / "x").write_text("new")
    swap._rewrite(staged, out)
    assert tree(out.parent) == {"generated/x": b"new"}
