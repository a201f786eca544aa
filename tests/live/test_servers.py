"""The servers that other tests ask."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.live.servers import VERSIONS, free_port, prometheus


@pytest.mark.parametrize("version", VERSIONS)
def test_a_server_scrapes_itself_and_ends_with_its_context(tmp_path: Path, version: str) -> None:
    config = {"global": {"scrape_interval": "1s"}, "scrape_configs": []}
    with prometheus(config, tmp_path, version=version) as server:
        assert server.number("vector(2)") == 2
        assert server.metrics()["prometheus_tsdb_head_series"] == 0
        assert server.api("status/buildinfo")["version"].startswith(version)
    assert server.process.returncode is not None
    assert free_port() > 0
