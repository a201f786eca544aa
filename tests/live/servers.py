"""A real Prometheus of a chosen version, on a free port of loopback, stopped by who started it."""

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
_SERVERS = {
    ("2.42", "x86_64"): packages.PINNED["2.42"]["x86_64"],
    ("2.42", "aarch64"): packages.PINNED["2.42"]["aarch64"],
    ("3.5", "x86_64"): Package(
        "prometheus_3.5.3+ds1-6_amd64.deb",
        "593bcced02d8082688ea034dfc543848ad145c5f793aae5aad756c4dbdfa98da",
        "9e0b5cb41f94eeddd446133c870e8599b2879934",
    ),
    ("3.5", "aarch64"): Package(
        "prometheus_3.5.3+ds1-6_arm64.deb",
        "1ee56de93c47df84ba1c1e3c88479db19455db5d99ee59f6bedc7b48f5d120a4",
    ),
}


def prometheus_binary(version: str) -> Path:
    """The server, fetched once. Skips the test, and says why, where it cannot be had."""
    path = promtool.cache() / f"prometheus-{version}"
    if path.exists():
        return path
    package = _SERVERS.get((version, platform.machine()))
    if package is None or platform.system() != "Linux":
        pytest.skip(f"no package of Prometheus {version} is pinned for this machine")
    try:
        program = packages.unpack(packages.download(package), "prometheus")
    except EnvironmentProblem as problem:
        pytest.skip(f"Prometheus {version} cannot be fetched from Debian's archive: {problem}")
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f"{path.name}.{os.getpid()}")
    new.write_bytes(program)
    new.chmod(0o755)
    new.rename(path)
    return path


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
    return port


@dataclass(frozen=True)
class Server:
    """A running Prometheus."""

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
) -> Iterator[Server]:
    """A server with a configuration and all of its data below a folder."""
    binary = prometheus_binary(version)
    folder.mkdir(parents=True, exist_ok=True)
    if isinstance(config, Path):
        file = config
    else:
        file = folder / "prometheus.yml"
        file.write_text(yaml.safe_dump(dict(config), sort_keys=False))
    port, log = free_port(), folder / "prometheus.log"
    command = [
        str(binary),
        f"--config.file={file}",
        f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
        "--log.level=warn",
        *args,
    ]
    with log.open("wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out, cwd=folder)
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
