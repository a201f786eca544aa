"""Finding promtool: the one on PATH, else $PROMTOOL, else one that `gpuobs doctor --fetch` unpacked."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from gpuobs.diagnostics import EnvironmentProblem

# Debian's packages: version to the file in the pool, and its sha256 from the distribution's signed index.
POOL = "http://deb.debian.org/debian/pool/main/p/prometheus/"
PACKAGES = {
    "2.42": (
        "prometheus_2.42.0+ds-5+deb12u1_amd64.deb",
        "81d59a24fce84f7fbe97a45a4f2914b6a5881b5cd1db2a6a0e129e515e1a5f55",
    ),
    "2.53": (
        "promtool_2.53.3+ds1-2_amd64.deb",
        "ff27654eacc95abd846d344e91fe4ba3b4f0588a50d606ed1d2f09ad3408722f",
    ),
    "3.5": (
        "promtool_3.5.3+ds1-6_amd64.deb",
        "1fb8bad7b932e7a44bccb12517f0bd96d5d5d83f15d3a1c0e2aa705cbf93fe90",
    ),
}
DEFAULT = "2.42"


@dataclass(frozen=True, slots=True)
class Promtool:
    """A promtool that runs. `origin` says how it was found, in words."""

    path: str
    version: str
    origin: str


def find() -> Promtool:
    """The promtool to use. Never touches the network."""
    from shutil import which

    on_path = which("promtool")
    candidates = [(on_path, "on PATH"), (os.environ.get("PROMTOOL"), "from $PROMTOOL")]
    candidates += [(str(unpacked(version)), "fetched earlier") for version in PACKAGES]
    for path, origin in candidates:
        if path and Path(path).is_file():
            return Promtool(path, version_of(path), origin)
    if os.environ.get("PROMTOOL"):
        raise EnvironmentProblem(f"$PROMTOOL names no file: {os.environ['PROMTOOL']}")
    raise EnvironmentProblem("there is no promtool: run 'gpuobs doctor --fetch', or put one on PATH")


def version_of(path: str) -> str:
    """What a promtool calls its version, such as 2.42.0."""
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, check=False, timeout=30)
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise EnvironmentProblem(f"cannot run '{path}': {problem}") from None
    match = re.search(r"version ([0-9]+\.[0-9]+\.[0-9]+)", done.stdout + done.stderr)
    if match is None:
        raise EnvironmentProblem(f"'{path}' is no promtool")
    return match[1]


def cache() -> Path:
    """Where fetched programs are kept; safe to delete."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base, "gpuobs")


def unpacked(version: str) -> Path:
    return cache() / f"promtool-{version}" / "promtool"


def fetch(version: str = DEFAULT) -> Promtool:
    """A promtool unpacked into the cache, without root: from the distribution's package, or a pinned file of its pool."""
    target = unpacked(version)
    if not target.is_file():
        archive = (_from_apt() if version == DEFAULT else None) or _from_pool(version)
        binary = _binary_of(archive)
        target.parent.mkdir(parents=True, exist_ok=True)
        staged = target.with_suffix(".new")
        staged.write_bytes(binary)
        staged.chmod(0o755)
        staged.rename(target)
    return Promtool(str(target), version_of(str(target)), "fetched earlier")


def _from_apt() -> bytes | None:
    """The distribution's own package, where apt has one; its signature is apt's to check."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        for package in ("promtool", "prometheus"):
            try:
                done = subprocess.run(
                    ["apt-get", "download", package], cwd=folder, capture_output=True, check=False, timeout=300
                )
            except (OSError, subprocess.TimeoutExpired):
                return None
            found = sorted(Path(folder).glob("*.deb"))
            if done.returncode == 0 and found:
                return found[0].read_bytes()
    return None


def _from_pool(version: str) -> bytes:
    import hashlib
    import platform
    import urllib.error
    import urllib.request

    if platform.machine() not in ("x86_64", "AMD64") or platform.system() != "Linux":
        message = f"there is no pinned promtool for {platform.system()} on {platform.machine()}"
        raise EnvironmentProblem(f"{message}: install Prometheus and put promtool on PATH")
    name, digest = PACKAGES[version]
    try:
        with urllib.request.urlopen(POOL + name.replace("+", "%2B"), timeout=120) as answer:
            archive: bytes = answer.read()
    except (urllib.error.URLError, OSError) as problem:
        raise EnvironmentProblem(f"cannot fetch promtool {version}: {problem}") from None
    if hashlib.sha256(archive).hexdigest() != digest:
        raise EnvironmentProblem(f"the package of promtool {version} has another hash than it should")
    return archive


def _binary_of(archive: bytes) -> bytes:
    """The promtool inside a Debian package: an ar archive with a compressed tar in it."""
    import io
    import tarfile

    for name, content in _ar_members(archive):
        if name.startswith("data.tar"):
            if name.endswith(".zst"):
                content = _unzstd(content)
            with tarfile.open(fileobj=io.BytesIO(content)) as tar:
                member = tar.extractfile("./usr/bin/promtool")
                if member is not None:
                    return member.read()
    raise EnvironmentProblem("the package holds no promtool")


def _unzstd(content: bytes) -> bytes:
    done = subprocess.run(["zstd", "-dc"], input=content, capture_output=True, check=False)
    if done.returncode != 0:
        raise EnvironmentProblem("the package needs 'zstd' to unpack: install it, or put promtool on PATH")
    return done.stdout


def _ar_members(archive: bytes) -> list[tuple[str, bytes]]:
    members = []
    position = 8
    while position + 60 <= len(archive):
        header = archive[position : position + 60]
        name, size = header[:16].decode().strip().rstrip("/"), int(header[48:58])
        members.append((name, archive[position + 60 : position + 60 + size]))
        position += 60 + size + size % 2
    return members
