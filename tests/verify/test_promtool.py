"""Which promtool is used, and where one comes from."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from gpuobs.diagnostics import EnvironmentProblem
from gpuobs.verify import packages, promtool
from gpuobs.verify.promtool import Promtool


@pytest.fixture
def nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without any promtool; its PATH and its cache are below the folder."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv(promtool.VARIABLE, raising=False)
    (tmp_path / "bin").mkdir()
    return tmp_path


def _script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def _version(path: Path, version: str) -> Path:
    return _script(path, f"echo 'promtool, version {version}+ds (branch: x)'")


def test_one_on_path_goes_first(nothing: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = _version(nothing / "bin/promtool", "2.45.1")
    monkeypatch.setenv(promtool.VARIABLE, str(_version(nothing / "named", "3.5.0")))
    _version(nothing / "cache/gpuobs/promtool/3.5/promtool", "3.5.0")
    assert promtool.find() == Promtool(path, "2.45.1", "on PATH")


def test_then_the_one_that_the_variable_names(
    nothing: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _version(nothing / "named", "3.5.0")
    monkeypatch.setenv(promtool.VARIABLE, str(path))
    _version(nothing / "cache/gpuobs/promtool/2.42/promtool", "2.42.0")
    assert promtool.find() == Promtool(path, "3.5.0", "named by $PROMTOOL")


def test_then_the_newest_that_was_fetched(nothing: Path) -> None:
    _version(nothing / "cache/gpuobs/promtool/2.53/promtool", "2.53.3")
    path = _version(nothing / "cache/gpuobs/promtool/2.101/promtool", "2.101.0")
    assert promtool.find() == Promtool(path, "2.101.0", "fetched earlier")


def test_none_is_said_with_what_to_do(nothing: Path) -> None:
    with pytest.raises(
        EnvironmentProblem, match=r"there is no promtool: .*'gpuobs doctor --fetch'"
    ):
        promtool.find()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("exit 1", "does not say its version"),
        ("echo version 2.41.0", "is 2.41.0, older than 2.42"),
        ("echo hello", "does not say its version"),
    ],
)
def test_one_that_cannot_be_used_is_said(nothing: Path, text: str, message: str) -> None:
    _script(nothing / "bin/promtool", text)
    with pytest.raises(EnvironmentProblem, match=message):
        promtool.find()


def test_a_variable_that_names_nothing_is_said(
    nothing: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(promtool.VARIABLE, str(nothing / "gone"))
    with pytest.raises(EnvironmentProblem, match=r"named by \$PROMTOOL .* does not run: .*gone"):
        promtool.find()


def test_each_version_is_fetched_as_itself(each_promtool: Promtool) -> None:
    version = ".".join(str(part) for part in each_promtool.number)
    assert version in packages.PINNED
    assert each_promtool.path.parent.name == version


def test_every_pinned_package_is_there_for_both_machines() -> None:
    for version, machines in packages.PINNED.items():
        assert set(machines) == {"x86_64", "aarch64"}
        for package in machines.values():
            assert f"_{version}." in package.file
            assert len(package.sha256) == 64


def _deb(name: str, content: bytes) -> bytes:
    """A package as Debian's are: three members, the middle one of odd length."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:xz") as files:
        member = tarfile.TarInfo(name)
        member.size = len(content)
        files.addfile(member, io.BytesIO(content))
    members = (
        ("debian-binary", b"2.0\n"),
        ("control.tar.xz", b"odd"),
        ("data.tar.xz", data.getvalue()),
    )
    archive = b"!<arch>\n"
    for title, body in members:
        head = f"{title:<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(body):<10}`\n".encode()
        archive += head + body + b"\n" * (len(body) % 2)
    return archive


def test_the_program_comes_out_of_a_package() -> None:
    assert packages.unpack(_deb("./usr/bin/promtool", b"program")) == b"program"


@pytest.mark.parametrize("package", [_deb("./usr/bin/other", b""), b"!<arch>\n", b""])
def test_a_package_without_promtool_is_said(package: bytes) -> None:
    with pytest.raises(EnvironmentProblem, match="the package holds no promtool"):
        packages.unpack(package)
