"""An HTTP server on loopback that answers for every exporter of the fleet.

Prometheus asks it through `proxy_url`, so that targets keep the addresses that they would have: a request's path is then
the whole address. Service discovery stands at /sd/JOB (with ?cluster=NAME of one cluster), and each page at /targets/JOB/NODE too.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

from gpuobs.diagnostics import EnvironmentProblem
from gpuobs.nearest import did_you_mean
from gpuobs.policy import Policy
from gpuobs.simulate import discovery
from gpuobs.simulate.entities import Target, targets
from gpuobs.simulate.exposition import Page
from gpuobs.simulate.incidents import Incident, after, incident
from gpuobs.simulate.series import Known, known_values, series
from gpuobs.simulate.values import value_of
from gpuobs.spec.model import Workloads
from gpuobs.spec.scalars import Duration

_TEXT = "text/plain; version=0.0.4; charset=utf-8"


@dataclass
class Simulation:
    """The fleet's exporters. `known` has the values of labels that the specs bound."""

    policy: Policy
    targets: tuple[Target, ...]
    known: Known
    incidents: tuple[Incident, ...] = ()
    seed: int = 0
    clock: Callable[[], float] = time.time
    _pages: dict[int, tuple[tuple[Incident, ...], Page]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def strike(self, *incidents: str) -> None:
        """Let these incidents happen from now on, and no others."""
        now = self.clock()
        self.incidents = tuple(incident(text, self.targets, now) for text in incidents)

    def page(self, target: Target) -> bytes | None:
        """A target's page now; None where its exporter does not answer."""
        now = self.clock()
        happened = (each for each in self.incidents if each.since <= now)
        mine = tuple(each for each in happened if each.concerns(target))
        if any(each.change is None for each in mine):
            return None
        with self._lock:
            made = self._pages.get(target.number)
            if made is None or made[0] != mine:
                made = self._pages[target.number] = mine, self._made(target, mine)
            return made[1].at(now)

    def _made(self, target: Target, incidents: Sequence[Incident]) -> Page:
        found = series(target, self.known)
        healthy = ((each, value_of(each, self._limits, self.seed)) for each in found)
        return Page(target, after(healthy, incidents))

    def page_of(self, job: str, name: str) -> bytes:
        """The page of a target by its names; EnvironmentProblem where there is none."""
        of_job = {target.name: target for target in self.targets if target.job == job}
        if not of_job:
            known = {target.job for target in self.targets}
            raise EnvironmentProblem(f"no job '{job}': {did_you_mean(job, known)}")
        if name not in of_job:
            hint = did_you_mean(name, of_job) or f"such as {next(iter(of_job))}"
            raise EnvironmentProblem(f"job '{job}' has no target '{name}': {hint}")
        page = self.page(of_job[name])
        if page is None:
            raise EnvironmentProblem(f"the exporter on '{name}' is down")
        return page

    def answer(self, path: str) -> tuple[int, str, bytes]:
        """Status, content type and body for a path, or for a whole address where the server is a proxy."""
        try:
            parts = urlsplit(path)
        except ValueError:
            return 400, _TEXT, b"no address\n"
        if parts.netloc:
            target = self._by_address.get(parts.netloc)
            return self._scraped(target if target and target.path == parts.path else None)
        pieces = [piece for piece in parts.path.split("/") if piece]
        if pieces[:1] == ["sd"] and len(pieces) == 2:
            found = self._discovered(unquote(pieces[1]), parse_qs(parts.query).get("cluster"))
            return 200, "application/json", json.dumps(found).encode()
        if pieces[:1] == ["targets"] and len(pieces) > 2 and pieces[3:] in ([], ["metrics"]):
            return self._scraped(self._by_name.get((unquote(pieces[1]), pieces[2])))
        if not pieces:
            return 200, _TEXT, "\n".join(self.index()).encode() + b"\n"
        return 404, _TEXT, b"nothing here: / lists what is\n"

    def _discovered(self, job: str, clusters: list[str] | None) -> list[dict[str, Any]]:
        label = self.policy.fleet.pool_label
        return [
            discovery.group(target, label)
            for target in self.targets
            if target.job == job and (clusters is None or target.cluster.name in clusters)
        ]

    def index(self) -> Iterator[str]:
        """What there is to ask, for people."""
        jobs = dict.fromkeys(target.job for target in self.targets)
        for job in jobs:
            of_job = [target for target in self.targets if target.job == job]
            at = quote(job, safe="")
            yield f"{job}: {len(of_job):,} targets, service discovery at /sd/{at}"
            yield from (f"  /targets/{at}/{target.name}" for target in of_job[:5])
            if len(of_job) > 5:
                yield f"  ... {of_job[-1].name}"

    def _scraped(self, target: Target | None) -> tuple[int, str, bytes]:
        if target is None:
            return 404, _TEXT, b"no such target\n"
        page = self.page(target)
        return (503, _TEXT, b"the exporter is down\n") if page is None else (200, _TEXT, page)

    def __post_init__(self) -> None:
        metrics = [metric for metric, _ in self.policy.known.values()]
        # What holds others down, and what others are a part of.
        limits = {str(limit) for metric in metrics for limit in metric.limits}
        wholes = {str(metric.whole) for metric in metrics if metric.whole is not None}
        self._limits = frozenset(limits | wholes)
        self._by_address = {target.address: target for target in self.targets}
        self._by_name = {(target.job, target.name): target for target in self.targets}


def simulation(
    policy: Policy,
    incidents: Sequence[str] = (),
    *,
    rule_groups: Sequence[str] = (),
    pod_lifetime: Duration | None = None,
    seed: int = 0,
    clock: Callable[[], float] = time.time,
) -> Simulation:
    """The fleet's exporters with incidents by name; its Prometheus has series of each rule group."""
    if pod_lifetime is not None:
        policy = _with_lifetime(policy, pod_lifetime)
    known = known_values(policy, rule_groups)
    found = Simulation(policy, targets(policy), known, seed=seed, clock=clock)
    found.strike(*incidents)
    return found


def _with_lifetime(policy: Policy, lifetime: Duration) -> Policy:
    """The policy with pods that all live as long."""
    clusters = []
    for cluster in policy.fleet.clusters:
        loads = cluster.workloads or Workloads(written=cluster.written)
        clusters.append(replace(cluster, workloads=replace(loads, pod_lifetime=lifetime)))
    return replace(policy, fleet=replace(policy.fleet, clusters=tuple(clusters)))


@contextmanager
def serving(found: Simulation, host: str = "127.0.0.1", port: int = 0) -> Iterator[str]:
    """The simulation behind an address, until the context ends."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            status, kind, body = found.answer(self.path)
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 256

        def handle_error(self, request: object, client_address: object) -> None:
            pass  # a client that hangs up is no news

    try:
        server = Server((host, port), Handler)
    except OSError as problem:
        raise EnvironmentProblem(f"cannot listen on {host}:{port}: {problem.strerror}") from None
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://{host}:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
