"""Relabelling as we run it is what a real Prometheus does: the same series stored, dropped and merged, or the scrape refused."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from gpuobs.foreign.kinds import Scrapes
from gpuobs.foreign.reader import read_stream
from gpuobs.foreign.scrape.read import configuration
from gpuobs.promql import re2
from gpuobs.promql.relabel import Step, relabelled
from gpuobs.spec.document import decode
from tests.live.servers import VERSIONS, prometheus

CHAINS = 200
SEED = 20260501
LABELS = ("gpu", "UUID", "pod", "Hostname", "a", "b", "exported_pod", "job", "instance", "__tmp_x")
SOURCES = (*LABELS, "__name__", "missing", "__address__", "__meta_kubernetes_pod_name")
VALUES = (
    "0", "1", "n1:9400", "n-2.example", "", "GPU-4c1b", "a;b", "NVIDIA H100 80GB HBM3", "Straße", "ΑΣ", "x", "xy", "xyz", "gpu", "é",
    "$1", "a.b", "ﬁ", "İ",
)  # fmt: skip
REGEXES = (
    "(.*)", ".*", ".+", "(.+)", "", "x", "x|y", "(x)(.*)", "([^:]+)(?::\\d+)?", "([^;]*);(.*)", "(x|xy)(yz|z)?(.*)", "x.*?", "(x*)(y?)",
    "^x.*$", "n-?[0-9]+.*", "gpu|UUID", "(gpu|UUID|a)", "(.)(.*)", "[a-z]+", "\\w+", "(\\d*)", "a\\.b", "a.b", "GPU-(.*)", "X|é", "exported_(.*)",
    "__tmp_.*", "(a)|b", "|x", "NVIDIA (.+)", "m[0-9]+_.*", "(m[0-9]+)_(.*)", "__name__|m.*|gpu", "__name__|job|instance|gpu|UUID", "(?:x|gpu)(.*)",
)  # fmt: skip
TEMPLATES = (
    "$1",
    "${1}",
    "$2",
    "x",
    "",
    "$1$2",
    "${1}_x",
    "$0",
    "$$",
    "$1x",
    "pre-$1",
    "$$1",
    "${9}",
    "é",
    "$",
    "a${1",
    "$x",
    "${name}",
)
TARGETS = (
    "gpu",
    "UUID",
    "a",
    "b",
    "node",
    "__tmp_x",
    "job",
    "instance",
    "$1",
    "a_$1",
    "${1}${2}",
    "x_${2}",
)
MAPPED = ("$1", "x_$1", "a", "${1}_b", "gpu", "$2", "b$2")
ACTIONS = (
    *("replace",) * 6, "keep", "drop", "keepequal", "dropequal", "hashmod", "labelmap", "labelmap", "labeldrop", "labeldrop", "labelkeep",
    "lowercase", "uppercase",
)  # fmt: skip


class Chance(random.Random):
    """Random chains of steps, as a configuration writes them."""

    def step(self) -> dict[str, Any]:
        action, regex = self.choice(ACTIONS), self.choice(REGEXES)
        if action in ("labeldrop", "labelkeep"):
            return {"action": action, "regex": regex}
        if action == "labelmap":
            return {"action": action, "regex": regex, "replacement": self.choice(MAPPED)}
        sources = self.choices(SOURCES, k=self.choice((1, 1, 1, 2, 2, 0, 3)))
        step: dict[str, Any] = {"action": action, "source_labels": sources}
        if action in ("keep", "drop"):
            return {**step, "regex": regex, **self.separator()}
        if action in ("keepequal", "dropequal"):
            return {**step, "target_label": self.choice(TARGETS[:8])}
        if action == "hashmod":
            modulus = self.choice((1, 2, 3, 16, 2**63))
            return {**step, "modulus": modulus, "target_label": self.choice(TARGETS[:8])}
        if action in ("lowercase", "uppercase"):
            return {**step, "target_label": self.choice(TARGETS[:8])}
        replacement = {"replacement": self.choice(TEMPLATES)} if self.random() < 0.8 else {}
        regex_key = {"regex": regex} if self.random() < 0.8 else {}
        target = {"target_label": self.choice(TARGETS)}
        return {**step, **self.separator(), **regex_key, **target, **replacement}

    def separator(self) -> dict[str, str]:
        return {"separator": self.choice(("", ";", "_", "x"))} if self.random() < 0.3 else {}

    def series(self, chain: int) -> list[dict[str, str]]:
        """Series that an exporter writes, no two alike."""
        found: dict[tuple[tuple[str, str], ...], dict[str, str]] = {}
        for gpu in range(8):
            labels = {"__name__": f"m{chain}_{self.choice('ab')}", "gpu": str(gpu % 4)}
            for label in self.sample(LABELS[1:9], k=self.randrange(1, 6)):
                labels[label] = self.choice(VALUES)
            shown = {label: value for label, value in sorted(labels.items()) if value}
            found.setdefault(tuple(shown.items()), shown)
        return list(found.values())


@dataclass(frozen=True)
class Chain:
    """A job's steps with the series that it scrapes."""

    written: list[dict[str, Any]]
    steps: tuple[Step, ...]
    series: list[dict[str, str]]


def read(
    written: list[list[dict[str, Any]]], folder: Path, version: tuple[int, int]
) -> list[tuple[Step, ...]]:
    """Chains as `gpuobs lint` reads them; one that Prometheus would refuse has no step."""
    import yaml

    jobs = [
        {"job_name": f"c{n}", "metric_relabel_configs": steps} for n, steps in enumerate(written)
    ]
    text = yaml.safe_dump({"scrape_configs": jobs}, allow_unicode=True)
    source, _ = decode(str(folder / "prometheus.yml"), text.encode())
    assert source is not None
    (document,), _ = read_stream(source)
    found, _ = configuration(Scrapes("configuration", document), version)
    return [tuple(each.step for each in job.metric_relabelings) for job in found.jobs]


def chains(folder: Path, version: tuple[int, int]) -> list[Chain]:
    """Chains that Prometheus takes and whose patterns can be run here."""
    chance = Chance(SEED)
    found: list[Chain] = []
    while len(found) < CHAINS:
        written = [[chance.step() for _ in range(chance.randrange(1, 5))] for _ in range(CHAINS)]
        for steps, each in zip(read(written, folder, version), written, strict=True):
            if steps and all(re2.anchored(step.regex) for step in steps) and len(found) < CHAINS:
                found.append(Chain(each, steps, chance.series(len(found))))
    return found


@contextmanager
def served(pages: Mapping[str, str]) -> Iterator[str]:
    """The address of a server of text pages."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = pages[self.path].encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def page(series: list[dict[str, str]]) -> str:
    lines = []
    for value, labels in enumerate(series):
        inside = ",".join(f'{k}="{v}"' for k, v in labels.items() if k != "__name__")
        lines.append(f"{labels['__name__']}{{{inside}}} {value}\n")
    return "".join(lines)


def arriving(labels: Mapping[str, str], target: Mapping[str, str]) -> dict[str, str]:
    """A series' labels when its steps begin: those of the target win, and others make room."""
    found = {label: value for label, value in labels.items() if label not in target}
    moved = {f"exported_{label}": labels[label] for label in target if label in labels}
    for label, value in moved.items():
        name = label
        while name in found or name in target:
            name = f"exported_{name}"
        found[name] = value
    return {**dict(sorted(found.items())), **target}


def stored(
    chain: Chain, target: Mapping[str, str], utf8: bool
) -> dict[frozenset[tuple[str, str]], float] | None:
    """What must be there: label sets with the value of the first series that has them; None where the scrape is refused."""
    found: dict[frozenset[tuple[str, str]], float] = {}
    for value, labels in enumerate(chain.series):
        left = relabelled(arriving(labels, target), chain.steps, utf8_names=utf8)
        if left is None or not left:
            continue
        if "__name__" not in left or not all(left):
            return None
        found.setdefault(frozenset(left.items()), value)
    return found


@pytest.mark.parametrize("version", VERSIONS)
def test_random_chains(version: str, tmp_path: Path) -> None:
    major, minor = map(int, version.split("."))
    made = chains(tmp_path, (2, 42))
    pages = {f"/c{n}": page(chain.series) for n, chain in enumerate(made)}
    with served(pages) as address:
        jobs = [
            {
                "job_name": f"c{n}",
                "metrics_path": f"/c{n}",
                "static_configs": [{"targets": [address]}],
                "metric_relabel_configs": chain.written,
            }
            for n, chain in enumerate(made)
        ]
        config = {
            "global": {"scrape_interval": "2s", "scrape_timeout": "2s"},
            "scrape_configs": jobs,
        }
        with prometheus(config, tmp_path / "server", version=version) as server:
            server.wait_until(lambda: server.number("count(up)") == CHAINS, 60)
            up = {labels["job"]: value for labels, value in server.query("up")}
            there = {
                frozenset(labels.items()): value
                for labels, value in server.query('{__name__=~".+", __name__!~"up|scrape_.*"}')
            }
    wrong: list[object] = []
    told, merged = 0, 0
    for n, chain in enumerate(made):
        expected = stored(
            chain, {"instance": address, "job": f"c{n}"}, utf8=(major, minor) >= (3, 0)
        )
        if (up[f"c{n}"] == 1) != (expected is not None):
            wrong.append((n, chain.written, up[f"c{n}"], expected))
            continue
        for labels, value in (expected or {}).items():
            told += 1
            if there.pop(labels, None) != value:
                wrong.append((n, chain.written, sorted(labels), value))
        merged += len(expected or {}) < len(chain.series)
    assert not wrong, "\n".join(map(str, wrong))
    assert there == {}
    assert told > 500
    assert merged > 20
