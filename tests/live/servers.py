"""A real Prometheus or Alertmanager of a chosen version, on a free port of loopback, stopped by who started it."""

from __future__ import annotations

import json
import os
import platform
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpuobs.diagnostics import EnvironmentProblem
from gpuobs.verify import packages, promtool
from gpuobs.verify.packages import Package

VERSIONS = ("2.42", "3.5")
ALERTMANAGERS = ("0.25", "0.33")
_ALERTMANAGER = "prometheus-alertmanager"
_PACKAGES = {
    ("prometheus", "2.42", "x86_64"): packages.PINNED["2.42"]["x86_64"],
    ("prometheus", "2.42", "aarch64"): packages.PINNED["2.42"]["aarch64"],
    ("prometheus", "3.5", "x86_64"): Package(
        "prometheus_3.5.3+ds1-6_amd64.deb",
        "593bcced02d8082688ea034dfc543848ad145c5f793aae5aad756c4dbdfa98da",
        "9e0b5cb41f94eeddd446133c870e8599b2879934",
    ),
    ("prometheus", "3.5", "aarch64"): Package(
        "prometheus_3.5.3+ds1-6_arm64.deb",
        "1ee56de93c47df84ba1c1e3c88479db19455db5d99ee59f6bedc7b48f5d120a4",
    ),
    (_ALERTMANAGER, "0.25", "x86_64"): Package(
        "prometheus-alertmanager_0.25.0-1+b4_amd64.deb",
        "4fb9aed15cfe8e0c32408e643ab32a1e41ee87d2cc26f18aeba928b1b0b98ae7",
        "e9f7d9fc2afad96fd7e2ec90d28b67ec60f6260a",
        _ALERTMANAGER,
    ),
    (_ALERTMANAGER, "0.25", "aarch64"): Package(
        "prometheus-alertmanager_0.25.0-1+b4_arm64.deb",
        "c8d60025df09a6525a4ce29d6a656d244e2626fa597ad22d6e4d466979e95937",
        source=_ALERTMANAGER,
    ),
    (_ALERTMANAGER, "0.33", "x86_64"): Package(
        "prometheus-alertmanager_0.33.1-5_amd64.deb",
        "ec1be21dd7ffeec3d6f42dd1cc8e97b8a9e93888f1953b4fb4cb9234be70185f",
        "a8f439c8afb0e29db9110ede4674f97edf094c94",
        _ALERTMANAGER,
    ),
    (_ALERTMANAGER, "0.33", "aarch64"): Package(
        "prometheus-alertmanager_0.33.1-5_arm64.deb",
        "65bdaa97737676ffee8488760d97cb0377a8dd0809d51649e349fcdd667db8de",
        source=_ALERTMANAGER,
    ),
}


# Debian's Alertmanager reads its own templates below this folder, which nobody but root can fill. A path of the same
# length, seen from where it runs, takes its place in the program.
_TEMPLATES = b"/usr/share/prometheus/alertmanager"
_TEMPLATES_HERE = b"./sr" + _TEMPLATES[4:]


def prometheus_binary(version: str) -> Path:
    """The server, fetched once. Skips the test, and says why, where it cannot be had."""
    return _program("prometheus", version, "prometheus")


def alertmanager_binary(version: str) -> Path:
    """Alertmanager, as prometheus_binary."""
    return _program(_ALERTMANAGER, version, _ALERTMANAGER)


def amtool(version: str) -> Path:
    """Alertmanager's tool, as prometheus_binary."""
    return _program(_ALERTMANAGER, version, "amtool")


def put_templates(folder: Path, version: str) -> None:
    """Alertmanager's own templates, where one that runs in a folder looks for them."""
    place = folder / _TEMPLATES_HERE.decode()
    place.mkdir(parents=True, exist_ok=True)
    for name in ("default.tmpl", "email.tmpl"):
        path = f"{_TEMPLATES.decode().removeprefix('/')}/{name}"
        file = _fetched(_ALERTMANAGER, version, path, f"alertmanager-{version}-{name}")
        (place / name).write_bytes(file.read_bytes())


def _program(package: str, version: str, program: str) -> Path:
    return _fetched(package, version, f"usr/bin/{program}", f"{program}-{version}")


def _fetched(package_name: str, version: str, path: str, name: str) -> Path:
    kept = promtool.cache() / name
    if kept.exists():
        return kept
    package = _PACKAGES.get((package_name, version, platform.machine()))
    if package is None or platform.system() != "Linux":
        pytest.skip(f"no package of {package_name} {version} is pinned for this machine")
    try:
        content = packages.file_of(packages.download(package), path)
    except EnvironmentProblem as problem:
        pytest.skip(f"{package_name} {version} cannot be had from Debian's archive: {problem}")
    kept.parent.mkdir(parents=True, exist_ok=True)
    new = kept.with_name(f"{kept.name}.{os.getpid()}")
    new.write_bytes(content.replace(_TEMPLATES, _TEMPLATES_HERE))
    new.chmod(0o755)
    new.rename(kept)
    return kept


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
    return port


@dataclass(frozen=True)
class Server:
    """A running server; what it answers to queries only a Prometheus has."""

    url: str
    process: subprocess.Popen[bytes]
    log: Path

    def api(self, path: str, **parameters: str | Sequence[str]) -> Any:
        """The `data` of an API's answer."""
        query = urllib.parse.urlencode(parameters, doseq=True)
        with urllib.request.urlopen(f"{self.url}/api/v1/{path}?{query}", timeout=60) as answer:
            return json.load(answer)["data"]

    def query(self, expression: str) -> list[tuple[dict[str, str], float]]:
        found = self.api("query", query=expression)["result"]
        return [(each["metric"], float(each["value"][1])) for each in found]

    def number(self, expression: str) -> float:
        """The value of an expression with one sample, 0 where it has none."""
        found = self.query(expression)
        assert len(found) <= 1, found
        return found[0][1] if found else 0.0

    def metrics(self) -> dict[str, float]:
        """What the server says of itself, by the text before each value."""
        with urllib.request.urlopen(f"{self.url}/metrics", timeout=60) as answer:
            lines = answer.read().decode().splitlines()
        pairs = (line.rsplit(" ", 1) for line in lines if line and not line.startswith("#"))
        return {name: float(value) for name, value in pairs}

    def wait_until(self, holds: Callable[[], bool], seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not holds():
            assert self.process.poll() is None, self.log.read_text()[-4000:]
            assert time.monotonic() < deadline, (
                f"not within {seconds} s; {self.log.read_text()[-4000:]}"
            )
            time.sleep(0.25)


@contextmanager
def prometheus(
    config: Mapping[str, Any] | Path,
    folder: Path,
    *,
    version: str = "3.5",
    args: Sequence[str] = (),
    port: int = 0,
) -> Iterator[Server]:
    """A server with a configuration and all of its data below a folder; a free port unless one is given."""
    file = _written(config, folder / "prometheus.yml")
    port = port or free_port()
    command = [
        str(prometheus_binary(version)),
        f"--config.file={file}",
        f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
        "--log.level=warn",
        *args,
    ]
    with _running(command, port, folder / "prometheus.log") as server:
        yield server


@contextmanager
def alertmanager(
    config: Mapping[str, Any] | Path,
    folder: Path,
    *,
    version: str = "0.33",
    args: Sequence[str] = (),
) -> Iterator[Server]:
    """An Alertmanager that stands alone, with all of its data below a folder."""
    file = _written(config, folder / "alertmanager.yml")
    put_templates(folder, version)
    port = free_port()
    command = [
        str(alertmanager_binary(version)),
        f"--config.file={file}",
        f"--storage.path={folder / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
        "--cluster.listen-address=",
        "--log.level=warn",
        *args,
    ]
    with _running(command, port, folder / "alertmanager.log") as server:
        yield server


def _written(config: Mapping[str, Any] | Path, file: Path) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(config, Path):
        return config
    file.write_text(yaml.safe_dump(dict(config), sort_keys=False))
    return file


@contextmanager
def _running(command: Sequence[str], port: int, log: Path) -> Iterator[Server]:
    with log.open("wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out, cwd=log.parent)
    server = Server(f"http://127.0.0.1:{port}", process, log)
    try:
        server.wait_until(lambda: _is_ready(server.url), 60)
        yield server
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _is_ready(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/-/ready", timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False
