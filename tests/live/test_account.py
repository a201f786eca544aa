"""The account against facts: what a real Prometheus holds of simulated fleets, scraped by the generated configuration."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from gpuobs.budget import census
from gpuobs.budget.ledger import ClusterAccount, ledger
from gpuobs.simulate.server import serving, simulation
from tests.live.fleets import FLEETS, built, project, reference, scraping
from tests.live.servers import Server, prometheus

_SETTLED = 45  # seconds after which each target was scraped, and each rule evaluated, several times
_MEASURED = 40

# Which version scrapes which fleet: each is asked by one, both by several.
_VERSIONS = {
    "plain": "2.42",
    "mig": "3.5",
    "time-slicing": "2.42",
    "two-vendors": "3.5",
    "links": "3.5",
}


@dataclass
class Run:
    """A fleet that was scraped: what was predicted, and what was seen."""

    account: ClusterAccount
    server: Server
    receiver: Server | None = None
    began: float = field(default_factory=time.time)
    active: Counter[str] = field(default_factory=Counter)
    per_second: float = 0
    received_per_second: float = 0
    head: float = 0
    ended: float = 0


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Run]]:
    """All fleets at once, since what takes time is waiting."""
    with ExitStack() as stack:
        found = {
            name: _started(stack, tmp_path_factory.mktemp(name), FLEETS[name], version)
            for name, version in _VERSIONS.items()
        }
        folder = tmp_path_factory.mktemp("churn")
        found["churn"] = _started(stack, folder, FLEETS["churn"], "3.5")
        folder = tmp_path_factory.mktemp("reference")
        found["reference"] = _started(stack, folder, None, "3.5")
        time.sleep(_SETTLED)
        time.sleep(_MEASURED)
        for run in found.values():
            _measure(run)
        yield found


def _started(stack: ExitStack, folder: Path, fleet: dict[str, Any] | None, version: str) -> Run:
    specs = reference(folder) if fleet is None else project(folder, fleet)
    program = built(specs, folder / "out")
    assert program.policy is not None
    cluster = str(program.policy.fleet.clusters[0].name)
    groups = [g.name for file in program.rule_files if not file.of_fleet for g in file.groups]
    simulated = simulation(program.policy, rule_groups=groups)
    url = stack.enter_context(serving(simulated))
    receiver = None
    if fleet is None:
        flag = "--web.enable-remote-write-receiver"
        receiver = stack.enter_context(prometheus({}, folder / "store", args=(flag,)))
    remote = f"{receiver.url}/api/v1/write" if receiver else ""
    config = scraping(folder / "out", cluster, url, remote)
    server = stack.enter_context(prometheus(config, folder / "prometheus", version=version))
    return Run(ledger(program).clusters[0], server, receiver)


def _per_second(server: Server) -> float:
    """Samples that are stored in a second: in a window that every interval fits into, so that each series has as many."""
    stored = server.api("query", query=f'{{__name__=~".+"}}[{_MEASURED}s] offset 10s')["result"]
    return sum(len(series["values"]) for series in stored) / _MEASURED


def _measure(run: Run) -> None:
    run.per_second = _per_second(run.server)
    run.received_per_second = _per_second(run.receiver) if run.receiver else 0
    run.head = run.server.metrics()["prometheus_tsdb_head_series"]
    run.ended = time.time()
    counted = run.server.query('count by (__name__) ({__name__=~".+"})')
    run.active = Counter({labels["__name__"]: int(value) for labels, value in counted})


# Over an objective's whole window: of hourly steps, of which the first is an hour away.
_LATER = ("slo:errors:avg14d", "slo:total:avg14d", "slo:budget:remaining")


def _predicted(account: ClusterAccount) -> Counter[str]:
    found: Counter[str] = Counter()
    for line in account.lines:
        found[line.name] += line.active
    for rule in account.rules:
        if rule.name not in _LATER:
            found[rule.name] += rule.writes or 0
    targets = sum(group.count for group in account.targets)
    return +(found + Counter(dict.fromkeys(census.OF_A_SCRAPE, targets)))


@pytest.mark.parametrize("name", [*_VERSIONS, "reference"])
def test_active_series_are_those_of_the_account_metric_by_metric(
    runs: dict[str, Run], name: str
) -> None:
    assert dict(runs[name].active) == dict(_predicted(runs[name].account))


@pytest.mark.parametrize("name", _VERSIONS)
def test_the_sum_of_the_account_is_what_prometheus_counts(runs: dict[str, Run], name: str) -> None:
    assert runs[name].active.total() == runs[name].account.active
    assert runs[name].head == runs[name].account.active


@pytest.mark.parametrize("name", _VERSIONS)
def test_samples_per_second_are_within_two_percent(runs: dict[str, Run], name: str) -> None:
    predicted = runs[name].account.appended_per_second
    assert runs[name].per_second == pytest.approx(predicted, rel=0.02)


def test_series_that_pods_left_behind_are_within_five_percent(runs: dict[str, Run]) -> None:
    run = runs["churn"]
    scraped = '{__name__=~"DCGM.+"}[10m]'
    first = run.server.number("min(min_over_time(timestamp(up)[10m:1s]))")
    seen = run.server.number(f"count(last_over_time({scraped}))")
    seconds = run.ended - first
    born = sum(line.active + line.churned(seconds) for line in run.account.lines)
    assert seconds > run.account.policy.fleet.clusters[0].workloads.pod_lifetime.seconds  # type: ignore[union-attr]
    assert seen == pytest.approx(born, rel=0.05)


def test_no_scrape_is_refused_or_holds_a_series_twice(runs: dict[str, Run]) -> None:
    for run in runs.values():
        said = run.server.metrics()
        assert run.server.number("count(up == 0)") == 0
        assert said["prometheus_target_scrapes_sample_duplicate_timestamp_total"] == 0
        assert said["prometheus_target_scrapes_exceeded_sample_limit_total"] == 0
        # An objective without a past burns while the first targets are found.
        assert run.server.query('ALERTS{slo=""}') == []


def test_the_store_receives_what_the_account_sends(runs: dict[str, Run]) -> None:
    run = runs["reference"]
    assert run.received_per_second == pytest.approx(run.account.sent_per_second, rel=0.02)
    scraped = run.account.scraped_per_second + run.account.of_scrapes_per_second
    assert scraped / run.received_per_second > 20
    assert scraped / run.received_per_second == pytest.approx(run.account.write_reduction, rel=0.02)
