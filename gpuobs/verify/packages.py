"""promtool out of packages: the distribution's own, or pinned ones of Debian's archive."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from gpuobs.diagnostics import EnvironmentProblem

# One after the other: the archive of what is current, and the one that keeps everything.
_POOL = "http://deb.debian.org/debian/pool/main/p/"
_EVERYTHING = "https://snapshot.debian.org/file/"
_APT_SECONDS = 180


class Package(NamedTuple):
    """A file of Debian's archive. The hashes stand in the signed Packages index of the suite that it is in."""

    file: str
    sha256: str
    sha1: str = ""  # the archive that keeps everything finds files by it
    source: str = "prometheus"  # the folder of the archive that it lies in


# By version of Prometheus, then by what `uname -m` says; the best one to have first. From bookworm, trixie and sid.
PINNED: dict[str, dict[str, Package]] = {
    "2.53": {
        "x86_64": Package(
            "promtool_2.53.3+ds1-2_amd64.deb",
            "ff27654eacc95abd846d344e91fe4ba3b4f0588a50d606ed1d2f09ad3408722f",
            "1dffc5d47ad29123e1b1cb76deecc94a3d735e0a",
        ),
        "aarch64": Package(
            "promtool_2.53.3+ds1-2_arm64.deb",
            "cc1d5889b4d2e2ef92a6984039d88c11993ad3c73f5e74acd3ee15adaefb764c",
        ),
    },
    "3.5": {
        "x86_64": Package(
            "promtool_3.5.3+ds1-6_amd64.deb",
            "1fb8bad7b932e7a44bccb12517f0bd96d5d5d83f15d3a1c0e2aa705cbf93fe90",
            "0563ae6f2d1486e92d57576991ad6b186b700c7c",
        ),
        "aarch64": Package(
            "promtool_3.5.3+ds1-6_arm64.deb",
            "92945d09e49f4db89d7d701876be9b56ee21f0e702d9e710f4a61877546207c8",
        ),
    },
    "2.42": {
        "x86_64": Package(
            "prometheus_2.42.0+ds-5+deb12u1_amd64.deb",
            "81d59a24fce84f7fbe97a45a4f2914b6a5881b5cd1db2a6a0e129e515e1a5f55",
            "5c841aaa0d406bb2700ea347da12010ac7752fed",
        ),
        "aarch64": Package(
            "prometheus_2.42.0+ds-5+deb12u1_arm64.deb",
            "ca131aa102390083398afbc80be9c8dd1dda78f9f92154fc00df8f7f1f4556e9",
        ),
    },
}


def pinned(version: str) -> bytes:
    """The program out of a pinned package for this machine."""
    import platform

    machine = platform.machine()
    package = PINNED[version].get(machine)
    if package is None or platform.system() != "Linux":
        message = f"no package of promtool {version} is pinned for {platform.system()} on {machine}"
        raise EnvironmentProblem(message)
    return unpack(download(package))


def download(package: Package) -> bytes:
    """The package, proved by its hash."""
    import hashlib
    import urllib.request

    problems: list[str] = []
    for url in _addresses(package):
        try:
            with urllib.request.urlopen(url, timeout=60) as answer:
                content: bytes = answer.read()
        except OSError as problem:
            problems.append(f"{url}: {problem}")
            continue
        if hashlib.sha256(content).hexdigest() == package.sha256:
            return content
        problems.append(f"{url}: its sha256 is not the one that is pinned")
    raise EnvironmentProblem("; ".join(problems))


def _addresses(package: Package) -> Iterator[str]:
    yield f"{_POOL}{package.source}/{package.file.replace('+', '%2B')}"
    if package.sha1:
        yield _EVERYTHING + package.sha1


def unpack(deb: bytes, program: str = "promtool") -> bytes:
    """A program out of a .deb."""
    return file_of(deb, f"usr/bin/{program}")


def file_of(deb: bytes, path: str) -> bytes:
    """A file out of a .deb: an `ar` archive whose member data.tar.xz holds the files."""
    import tarfile

    for name, content in _members(deb):
        if name.startswith("data.tar"):
            with tarfile.open(fileobj=io.BytesIO(content)) as files:
                if f"./{path}" in files.getnames():
                    found = files.extractfile(f"./{path}")
                    return found.read() if found is not None else b""
    raise EnvironmentProblem(f"the package holds no {path.rpartition('/')[2]}")


def _members(archive: bytes) -> Iterator[tuple[str, bytes]]:
    """The members of an `ar` archive: 60 bytes of header each (ar(5)), bodies padded to even lengths."""
    position = 8
    while position + 60 <= len(archive):
        header = archive[position : position + 60]
        size = int(header[48:58])
        body = position + 60
        yield header[:16].decode("ascii").strip().rstrip("/"), archive[body : body + size]
        position = body + size + size % 2


def of_the_distribution() -> bytes:
    """The program out of the package of this Debian or Ubuntu, downloaded by apt, which checks its signature.

    Without root: lists and archives go to a folder of our own.
    """
    import shutil
    import tempfile

    if not shutil.which("apt-get") or not shutil.which("dpkg"):
        raise EnvironmentProblem("this system has no apt-get")
    with tempfile.TemporaryDirectory(prefix="gpuobs-") as name:
        folder = Path(name)
        # The system's own lists may do; a fresh container has none.
        for private in (False, True):
            if private:
                _apt(folder, private, "update")
            for package in ("promtool", "prometheus"):
                _apt(folder, private, "download", package)
                program = _unpacked(folder)
                if program is not None:
                    return program
    raise EnvironmentProblem("apt-get offers no package with promtool")


def _apt(folder: Path, private: bool, *arguments: str) -> None:
    import subprocess

    # The user _apt, whom apt downloads as when root starts it, cannot write to a private folder.
    options = ["-qq", "-o", "APT::Sandbox::User=root"]
    if private:
        for name in ("state/lists/partial", "cache/archives/partial"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        options += ["-o", f"Dir::State={folder / 'state'}", "-o", f"Dir::Cache={folder / 'cache'}"]
        options += ["-o", "Dir::State::status=/var/lib/dpkg/status", "-o", "Debug::NoLocking=true"]
    command = ["apt-get", *options, *arguments]
    try:
        subprocess.run(command, cwd=folder, capture_output=True, timeout=_APT_SECONDS, check=False)
    except subprocess.TimeoutExpired as problem:
        raise EnvironmentProblem("apt-get does not answer") from problem


def _unpacked(folder: Path) -> bytes | None:
    """promtool out of the downloaded package, which Ubuntu compresses as only dpkg can read."""
    import subprocess

    for package in folder.glob("*.deb"):
        subprocess.run(
            ["dpkg", "-x", package, folder / "unpacked"], capture_output=True, check=False
        )
        package.unlink()
    program = folder / "unpacked/usr/bin/promtool"
    return program.read_bytes() if program.exists() else None
