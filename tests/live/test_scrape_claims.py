"""What is said of relabelling in configurations of others happens in a real Prometheus: as many series are left as is said."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from gpuobs import foreign
from gpuobs.foreign import world
from tests.checks.test_scrapes import METRICS, REPORTED, SERIES, SILENT
from tests.live.servers import VERSIONS, prometheus
from tests.live.test_relabel_agreement import page, served

NAMES = ("DCGM_FI_DEV_SM_CLOCK", "DCGM_FI_DEV_GPU_TEMP")
GPUS = len(SERIES)


def steps_of() -> list[tuple[str, str]]:
    """The steps for metrics that keep the job's label, with what is said of them."""
    of_metrics = [(steps, code) for form, steps, code, _ in REPORTED if form == METRICS]
    of_metrics += [(steps, "") for form, steps in SILENT if form == METRICS]
    without_job = ("labelkeep, regex: __name__|job|gpu", "__name__|instance|gpu")
    return [each for each in of_metrics if not any(text in each[0] for text in without_job)]


def expected(folder: Path, steps: str, code: str) -> set[int]:
    """How many series of the page may be left: what the finding says, or what follows from its code."""
    if code == "drops-all":
        return {0}
    file = folder / "prometheus.yml"
    text = METRICS.replace("STEPS", steps).replace(", b:9400", "")
    file.write_text(text, encoding="utf-8")
    for finding in foreign.lint([file], world.built_in()).diagnostics:
        counts = re.search(r"the GPUs of a node .* \d+ series become (\d+)", finding.message)
        if counts:
            return set(range(len(NAMES), len(NAMES) * int(counts[1]) + 1))
        if "are both" in finding.message:
            return {GPUS}
    return set() if code == "label-unset" else {GPUS * len(NAMES), len(NAMES)}


@pytest.mark.parametrize("version", VERSIONS)
def test_as_many_series_are_left_as_is_said(version: str, tmp_path: Path) -> None:
    cases = steps_of()
    own = ("job", "instance")
    series = [
        {key: value for key, value in each.items() if key not in own} | {"__name__": name}
        for name in NAMES
        for each in SERIES
    ]
    with served({"/metrics": page(series)}) as address:
        jobs = [
            {
                "job_name": f"case{number}",
                "static_configs": [{"targets": [address]}],
                "metric_relabel_configs": yaml.safe_load(f"[{steps}]"),
            }
            for number, (steps, _) in enumerate(cases)
        ]
        config = {
            "global": {"scrape_interval": "2s", "scrape_timeout": "2s"},
            "scrape_configs": jobs,
        }
        with prometheus(config, tmp_path / "server", version=version) as server:
            server.wait_until(lambda: server.number("count(up)") == len(cases), 60)
            found = server.query('count by (job) ({__name__=~"DCGM.*|gpu.*"})')
            left = {labels["job"]: int(value) for labels, value in found}
    wrong = []
    for number, (steps, code) in enumerate(cases):
        may = expected(tmp_path, steps, code)
        if may and left.get(f"case{number}", 0) not in may:
            wrong.append((steps, code, left.get(f"case{number}", 0), may))
    assert not wrong, "\n".join(map(str, wrong))
