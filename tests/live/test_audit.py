"""An audit of a real Prometheus: quiet where all is as the specs say, and the rogue metric first where it is not."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from click.testing import CliRunner

from gpuobs.budget import census
from gpuobs.budget.ledger import ledger
from gpuobs.cli.audit import command
from gpuobs.simulate.server import serving, simulation
from tests.live.fleets import FLEETS, built, project, scraping
from tests.live.servers import prometheus

_ROGUE = "\n".join(f'http_requests_total{{path="/job/{number}"}} 1' for number in range(3000))


@contextmanager
def page(text: str) -> Iterator[str]:
    """A server that answers every request with one text."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def audited(specs: Path, *arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(command, ["--specs", str(specs), *arguments], standalone_mode=False)
    assert done.exception is None, done.exception
    return int(done.return_value), done.output


@pytest.mark.parametrize("version", ["2.42", "3.5"])
def test_the_rogue_metric_comes_first(tmp_path: Path, version: str) -> None:
    specs = project(tmp_path, FLEETS["mig"])
    program = built(specs, tmp_path / "out")
    assert program.policy is not None
    active = ledger(program).clusters[0].active
    with serving(simulation(program.policy)) as url, page(_ROGUE) as rogue:
        config = scraping(tmp_path / "out", "live", url)
        with prometheus(config, tmp_path / "clean", version=version) as server:
            server.wait_until(lambda: server.number('count({__name__=~".+"})') == active, 60)
            code, text = audited(specs, "--url", server.url)
            assert (code, text.splitlines()[-1]) == (0, "  all is as the specs say")
        job: Mapping[str, Any] = {"job_name": "web", "static_configs": [{"targets": [rogue]}]}
        config["scrape_configs"].append(job)
        with prometheus(config, tmp_path / "rogue", version=version) as server:
            server.wait_until(lambda: server.number("count(http_requests_total)") == 3000, 60)
            server.wait_until(lambda: server.number('count({__name__=~".+"})') == active + 3005, 60)
            code, text = audited(specs, "--url", server.url, "--format", "json")
    found = json.loads(text)["audit"]
    assert (code, found["unknown"]) == (1, ["http_requests_total"])
    # The rogue target brings one more of each series of a scrape.
    assert found["worst"] == ["http_requests_total", *sorted(census.OF_A_SCRAPE)]
    assert (found["missing"], found["labels"], found["unasked"]) == ([], [], [])
