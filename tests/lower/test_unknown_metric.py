"""A metric by a name that no series has: what is stored instead, and what would bring it."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuobs.pipeline import check_project
from tests.projects import project

FIRST = "vllm:time_to_first_token_seconds"
STORED = f"'{FIRST}_bucket', '{FIRST}_sum' and '{FIRST}_count'"
ADD = "add its exporter to the fleet"


def told(folder: Path, metric: str, collect: str = "") -> tuple[str, str]:
    """The message and the hint for an alert on a metric, where vllm collects something or is no exporter at all."""
    specs = project(
        folder,
        f"""\
alerts:
  - name: Any
    tier: info
    expr: {metric} > 1
    summary: something
    scenarios:
      - {{name: s, series: {{'up{{job="prometheus"}}': 1x5}}, quiet: [{{at: 5m}}]}}
""",
    )
    if collect:
        fleet = specs / "fleet.yaml"
        exporter = f"exporters:\n  - {{catalog: vllm, job: vllm, collect: ['{collect}']}}\n"
        fleet.write_text(fleet.read_text().replace("exporters:\n", exporter))
    (finding,) = check_project(specs).diagnostics
    assert finding.code == "promql/unknown-metric"
    return finding.message, finding.hint


@pytest.mark.parametrize(
    ("metric", "collect", "message", "hint"),
    [
        (
            FIRST,
            "default",
            f"'{FIRST}' is a histogram: its series are {STORED}",
            f"histogram_quantile(0.95, sum by (le) (rate({FIRST}_bucket[5m])))",
        ),
        (
            FIRST,
            "vllm:num_requests_running",
            f"'{FIRST}' is a histogram: its series are {STORED}",
            f"add '{FIRST}' to 'collect' of the exporter with catalog 'vllm'",
        ),
        (
            f"{FIRST}_sum",
            "vllm:num_requests_running",
            f"'{FIRST}_sum' is not collected on this fleet",
            "add 'default' to 'collect' of the exporter with catalog 'vllm'",
        ),
        (
            FIRST,
            "",
            f"no metric '{FIRST}' on this fleet",
            f"catalog vllm has it: {ADD}, and read {STORED}",
        ),
        (
            f"{FIRST}_count",
            "",
            f"no metric '{FIRST}_count' on this fleet",
            f"catalog vllm has it: {ADD}",
        ),
        (
            "vllm:num_requests_running_count",
            "",
            "no metric 'vllm:num_requests_running_count' on this fleet",
            "",
        ),
        (
            "DCGM_FI_DRIVER_VERSION",
            "",
            "'DCGM_FI_DRIVER_VERSION' is a label of the exporter's series, and no series",
            'match it, as in {DCGM_FI_DRIVER_VERSION="..."}',
        ),
    ],
)
def test_unknown_metric(metric: str, collect: str, message: str, hint: str, tmp_path: Path) -> None:
    assert told(tmp_path, metric, collect) == (message, hint)
