"""Which files are specs, and what keeps them from being read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gpuobs.diagnostics import Diagnostic, EnvironmentProblem, Span
from gpuobs.files import display, find_specs, read_specs


@pytest.fixture
def specs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty specs folder in the current folder, named as people name it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "specs").mkdir()
    return Path("specs")


def _put(path: Path, text: str = "a: 1\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_specs_are_found_everywhere_in_order(specs: Path) -> None:
    for name in (
        "b.yaml",
        "a/z.yml",
        "a/deep/c.jsonnet",
        "x.libsonnet",
        "y.json",
        ".h.yaml",
        ".git/q.yaml",
    ):
        _put(specs / name)
    assert [path.as_posix() for path in find_specs(specs)] == [
        "specs/a/deep/c.jsonnet",
        "specs/a/z.yml",
        "specs/b.yaml",
    ]


def test_documents_and_mistakes_of_all_files(specs: Path) -> None:
    _put(specs / "a.yaml", "a: 1\n")
    _put(specs / "b.yaml", "a: *x\n")
    _put(specs / "c.jsonnet", "{b: std.extVar('v')}")
    nodes, problems = read_specs(specs, {"v": "w"})
    assert [(node.source.file, node.plain()) for node in nodes] == [
        ("specs/a.yaml", {"a": 1}),
        ("specs/c.jsonnet", {"b": "w"}),
    ]
    assert [(one.span.file, one.code) for one in problems] == [("specs/b.yaml", "yaml/alias")]


@pytest.mark.parametrize("link", ["link.yaml", "link"])
def test_a_link_that_leaves_the_folder(specs: Path, link: str) -> None:
    _put(specs / "a.yaml")
    target = _put(Path("outside/b.yaml"))
    (specs / link).symlink_to((target if link.endswith("yaml") else target.parent).resolve())
    nodes, problems = read_specs(specs, {})
    assert len(nodes) == 1
    assert problems == [
        Diagnostic(
            Span(f"specs/{link}", 1, 1, 1, 2),
            "yaml/outside",
            "error",
            "this is reached over a link that leaves the specs folder",
            "copy what it points to into the specs folder",
        )
    ]


def test_links_inside_and_loops_are_harmless(specs: Path) -> None:
    _put(specs / "a/a.yaml")
    (specs / "loop").symlink_to(specs.resolve())
    (specs / "a" / "again").symlink_to((specs / "a").resolve())
    nodes, problems = read_specs(specs, {})
    assert ([node.source.file for node in nodes], problems) == (["specs/a/a.yaml"], [])


def test_a_folder_that_is_a_link_itself(specs: Path) -> None:
    _put(specs / "a.yaml")
    Path("other").symlink_to(specs)
    assert [node.source.file for node in read_specs(Path("other"), {})[0]] == ["other/a.yaml"]


def _trouble(specs: Path) -> str:
    with pytest.raises(EnvironmentProblem) as caught:
        read_specs(specs, {})
    return str(caught.value)


def test_no_folder(specs: Path) -> None:
    assert _trouble(Path("spec")) == (
        "there is no folder 'spec': run gpuobs in the project's folder, or name it with --specs"
    )


def test_no_specs(specs: Path) -> None:
    _put(specs / "x.libsonnet")
    assert _trouble(specs) == "there are no specs in 'specs' (*.yaml, *.yml, *.jsonnet)"


def test_a_link_to_nothing_and_one_to_itself(specs: Path) -> None:
    (specs / "a.yaml").symlink_to("gone.yaml")
    assert _trouble(specs) == "cannot read 'specs/a.yaml': No such file or directory"
    (specs / "a.yaml").unlink()
    (specs / "a.yaml").symlink_to("a.yaml")
    assert _trouble(specs) == "cannot read 'specs/a.yaml': Too many levels of symbolic links"


def test_a_pipe_is_not_waited_for(specs: Path) -> None:
    os.mkfifo(specs / "a.yaml")
    assert _trouble(specs) == "cannot read 'specs/a.yaml': it is no regular file"


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read(specs: Path) -> None:
    _put(specs / "a.yaml").chmod(0)
    assert _trouble(specs) == "cannot read 'specs/a.yaml': Permission denied"


def test_paths_are_shown_from_the_current_folder(specs: Path, tmp_path: Path) -> None:
    assert display(tmp_path / "specs" / "a.yaml") == "specs/a.yaml"
    assert display(Path("./specs/../specs/a.yaml")) == "specs/a.yaml"
    assert display(Path("/elsewhere/a.yaml")) == "/elsewhere/a.yaml"
