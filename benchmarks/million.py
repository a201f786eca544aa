"""A fleet of a million series on a real Prometheus: `python -m benchmarks.million [--nodes N]`.

Prints what the account predicts and what Prometheus counts, the memory of both processes, and how long the audit takes
to find a rogue metric. Takes about five minutes and four gigabytes.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import tempfile
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from click.testing import CliRunner

from gpuobs.budget.ledger import ledger
from gpuobs.cli.audit import command
from gpuobs.policy import Policy
from gpuobs.simulate.server import serving, simulation
from tests.live.fleets import FLEETS, built, project, scraping
from tests.live.servers import prometheus

_ROGUE = "\n".join(f'rogue_requests_total{{path="/job/{number}"}} 1' for number in range(30_000))
_ROGUES = 30_000 + 5  # and the five of its target


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=1700, help="nodes of eight GPUs")
    nodes = parser.parse_args().nodes
    with tempfile.TemporaryDirectory(prefix="gpuobs-million-") as name:
        _run(Path(name), nodes)


def _run(folder: Path, nodes: int) -> None:
    fleet = {**FLEETS["mig"], "scrapeInterval": "30s", "evaluationInterval": "1m"}
    pool = {"name": "h100", "gpu": "H100-SXM5-80GB", "nodes": nodes, "gpusPerNode": 8}
    fleet["clusters"] = [{**fleet["clusters"][0], "pools": [pool]}]
    specs = project(folder, fleet)
    program = built(specs, folder / "out")
    assert program.policy is not None
    account = ledger(program).clusters[0]
    print(
        f"predicted {account.active:,} active series, {account.appended_per_second:,.0f} samples/s"
    )
    urls: multiprocessing.Queue[str] = multiprocessing.Queue()
    simulator = multiprocessing.Process(target=_simulate, args=(program.policy, urls), daemon=True)
    simulator.start()
    try:
        config = scraping(folder / "out", "live", urls.get(timeout=120))
        rogue: dict[str, Any] = {"targets": [_page()]}
        config["scrape_configs"].append({"job_name": "rogue", "static_configs": [rogue]})
        with prometheus(config, folder / "prometheus") as server:
            _wait(server.metrics, account.active + _ROGUES)
            counted = server.metrics()["prometheus_tsdb_head_series"] - _ROGUES
            print(f"counted   {counted:,.0f} series in the head beside the rogue ones")
            memory, ours = _megabytes(server.process.pid), _megabytes(simulator.pid or 0)
            each = memory * 1e6 / (counted + _ROGUES)
            print(
                f"memory    Prometheus {memory:,.0f} MB ({each:,.0f} bytes a series), simulation {ours:,.0f} MB"
            )
            _audit(specs, server.url)
    finally:
        simulator.kill()


def _simulate(policy: Policy, urls: multiprocessing.Queue[str]) -> None:
    with serving(simulation(policy)) as url:
        urls.put(url)
        while True:
            time.sleep(60)


def _page() -> str:
    """Host and port of a server that answers with the rogue metric."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.end_headers()
            self.wfile.write(_ROGUE.encode())

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    return f"127.0.0.1:{server.server_address[1]}"


def _wait(metrics: Any, wanted: int) -> None:
    """Until all targets were scraped and all rules evaluated, or for five minutes."""
    for _ in range(150):
        if metrics()["prometheus_tsdb_head_series"] >= wanted:
            break
        time.sleep(2)
    time.sleep(35)


def _megabytes(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1e6 * 1024


def _audit(specs: Path, url: str) -> None:
    began = time.monotonic()
    arguments = ["--specs", str(specs), "--url", url, "--format", "json"]
    done = CliRunner().invoke(command, arguments, standalone_mode=False)
    found = json.loads(done.output)["audit"]
    print(f"audit     {time.monotonic() - began:.1f} s, names {found['worst'][0]} first")


if __name__ == "__main__":
    main()
