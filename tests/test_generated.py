"""The committed output of the reference policy, in every promtool that it is for."""

from __future__ import annotations

from pathlib import Path

import yaml

from gpuobs.verify.promtool import Promtool
from gpuobs.verify.unit_tests import run
from tests.promtool import check_rules, run_tests

ROOT = Path(__file__).parent.parent
RULES = sorted((ROOT / "generated/prometheus/rules").glob("*.yaml"))
TESTS = sorted([*(ROOT / "generated/tests").glob("*.yaml"), *(ROOT / "rules_tests").glob("*.yaml")])


def test_rules_are_accepted_without_a_warning(each_promtool: Promtool) -> None:
    assert RULES
    assert check_rules(each_promtool, *RULES) == ""


def test_unit_tests_pass(each_promtool: Promtool) -> None:
    assert TESTS
    report = run(each_promtool, None, ROOT, TESTS)
    assert [diagnostic.message for diagnostic in report.diagnostics] == []


def _node(cluster: str, pool: str, job: str, metric: str, labels: str) -> list[dict[str, str]]:
    """A node of eight GPUs that does nothing."""
    at = f'cluster="{cluster}", pool="{pool}", job="{job}", instance="n1:9400"'
    gpus = (f"{metric}{{{at}, {labels.format(gpu=gpu)}}}" for gpu in range(8))
    return [{"series": each, "values": "50x90"} for each in (f"up{{{at}}}", *gpus)]


def test_no_alert_is_about_a_cluster_that_its_prometheus_does_not_scrape(
    promtool: Promtool, tmp_path: Path
) -> None:
    """Each Prometheus records the inventory of all clusters, and has the GPUs of one."""
    nvidia = 'Hostname="n1", gpu="{gpu}", UUID="GPU-{gpu}", modelName="NVIDIA H100 80GB HBM3"'
    amd = 'hostname="n1", gpu_id="{gpu}", serial_number="{gpu}", card_model="mi300x"'
    seen = {
        "us-east-1": _node(
            "us-east-1", "h100-train", "dcgm-exporter", "DCGM_FI_DEV_GPU_TEMP", nvidia
        ),
        "eu-west-1": _node(
            "eu-west-1", "mi300x", "amd-gpu-exporter", "gpu_junction_temperature", amd
        ),
    }
    of_own = "count by (cluster) (ALERTS{alertname='GpuNodeMissing', alertstate='firing'})"
    cases = [
        {
            "interval": "1m",
            "input_series": series,
            "promql_expr_test": [
                {
                    "expr": f"ALERTS{{cluster!='', cluster!='{cluster}'}}",
                    "eval_time": "80m",
                    "exp_samples": [],
                },
                {
                    "expr": of_own,
                    "eval_time": "80m",
                    "exp_samples": [{"labels": f'{{cluster="{cluster}"}}', "value": 1}],
                },
            ],
        }
        for cluster, series in seen.items()
    ]
    file = tmp_path / "test.yaml"
    file.write_text(yaml.safe_dump({"rule_files": list(map(str, RULES)), "tests": cases}))
    assert run_tests(promtool, file) == ""
