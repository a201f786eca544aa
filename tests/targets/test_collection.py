"""What exporters, Prometheus and the long-term store are told, and what promtool and Kubernetes say of it.

`--update-golden` writes tests/targets/golden/<fleet>/ anew.
"""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from gpuobs.targets.service_monitors import slug
from gpuobs.verify.promtool import Promtool
from tests.promtool import check_config
from tests.targets.collection import BUDGET, KINDS, compiled, files
from tests.targets.schemas import closed

GOLDEN = Path(__file__).parent / "golden"
DATA = Path(__file__).parents[1] / "data"
LIMITS = r"\w+_limit:|(?:sample|label)\w*Limit:|overrides"
RULES = ("prometheus/", "prometheus-operator/", "tests/", "budget/")


def _of_collection(kind: str) -> Mapping[str, str]:
    made = files(kind).items()
    return {path: content.decode() for path, content in made if not path.startswith(RULES)}


@pytest.mark.parametrize("kind", KINDS)
def test_every_file_is_as_expected(kind: str, update_golden: bool) -> None:
    made, folder = _of_collection(kind), GOLDEN / kind
    if update_golden:
        for old in folder.rglob("*.*"):
            old.unlink()
        for path, text in made.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
    kept = {p.relative_to(folder).as_posix(): p.read_text() for p in folder.rglob("*.*")}
    assert made == kept


@pytest.mark.parametrize("kind", KINDS)
def test_each_promtool_takes_the_configuration(
    kind: str, each_promtool: Promtool, tmp_path: Path
) -> None:
    """Debian's knows no Kubernetes; all else is as it was generated."""
    for path, content in files(kind).items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)
    configs = [*tmp_path.glob("scrape/*/prometheus.yml"), *tmp_path.glob("scrape/central/*.yaml")]
    assert configs
    for config in configs:
        data = yaml.safe_load(config.read_text())
        for job in data["scrape_configs"]:
            if job.pop("kubernetes_sd_configs", None):
                job["http_sd_configs"] = [{"url": "http://127.0.0.1/sd"}]
        config.write_text(yaml.safe_dump(data))
        assert check_config(each_promtool, config) == ""


def test_without_a_budget_nothing_is_limited() -> None:
    text = b"".join(files("mimir", "").values()).decode()
    assert not re.findall(LIMITS, text)


def test_what_is_not_enforced_is_left_out() -> None:
    off = "enforce: {sampleLimit: false, labelLimit: false, tenantLimits: false}\n"
    text = b"".join(files("mimir", BUDGET + off).values()).decode()
    assert not re.findall(LIMITS, text)


# Exporters -----------------------------------------------------------------------------------------------------------


def test_dcgm_reads_three_columns_of_each_line() -> None:
    text = files("mimir")["exporter/nvidia-dcgm.csv"].decode()
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    rows = list(csv.reader(lines))
    assert {len(row) for row in rows} == {3}
    assert {(row[0], row[1].strip()) for row in rows} == {
        ("DCGM_FI_DEV_GPU_TEMP", "gauge"),
        ("DCGM_FI_DEV_GPU_UTIL", "gauge"),
        ("DCGM_FI_DEV_XID_ERRORS", "gauge"),
        ("DCGM_EXP_GPU_HEALTH_STATUS", "gauge"),
        ("DCGM_FI_DRIVER_VERSION", "label"),
    }


def test_config_maps_hold_the_files() -> None:
    made = files("mimir")
    for path, name, key in (
        ("exporter/nvidia-dcgm.csv", "nvidia-dcgm", "dcgm-metrics.csv"),
        ("exporter/amd-device-metrics.json", "amd-device-metrics", "config.json"),
    ):
        held = yaml.safe_load(made[f"exporter/{name}-configmap.yaml"])["data"]
        assert held == {key: made[path].decode()}


# Objects of the operator ---------------------------------------------------------------------------------------------


def _schemas() -> dict[str, Any]:
    """Our own reading of the API's reference, and the CRD itself where GPUOBS_CRDS names a folder that has it."""
    own = json.loads((DATA / "service-monitor.schema.json").read_text(encoding="utf-8"))
    folder = os.environ.get("GPUOBS_CRDS")
    return {
        "reference": own,
        **({"crd": closed(Path(folder), "servicemonitors")} if folder else {}),
    }


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("schema", _schemas().values(), ids=_schemas())
def test_service_monitors_are_valid(kind: str, schema: dict[str, Any]) -> None:
    found = [content for path, content in files(kind).items() if "/servicemonitor-" in path]
    assert found
    for content in found:
        jsonschema.validate(yaml.safe_load(content), schema, cls=jsonschema.Draft202012Validator)


def test_the_operator_scrapes_as_the_plain_configuration_does() -> None:
    made = files("mimir")
    for cluster in ("one", "two"):
        plain = yaml.safe_load(made[f"scrape/{cluster}/prometheus.yml"])
        for job in plain["scrape_configs"]:
            path = f"scrape/{cluster}/servicemonitor-{slug(job['job_name'])}.yaml"
            spec = yaml.safe_load(made[path])["spec"]
            (endpoint,) = spec["endpoints"]
            operator = [_plain(step) for step in endpoint.get("metricRelabelings", ())]
            assert operator == job.get("metric_relabel_configs", [])
            # The operator finds the Service and gives the pod's labels by itself, and sets the job.
            own = [_plain(step) for step in endpoint["relabelings"]]
            assert own == [{"target_label": "job", "replacement": job["job_name"]}, *_after(job)]
            assert spec.get("sampleLimit") == job.get("sample_limit")
            assert spec.get("labelLimit") == job.get("label_limit")


def _after(job: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Steps of a plain job after those which the operator writes too."""
    steps: list[dict[str, Any]] = job["relabel_configs"]
    at = next(i for i, step in enumerate(steps) if step.get("target_label") == "endpoint")
    return steps[at + 1 :]


def _plain(step: Mapping[str, Any]) -> dict[str, Any]:
    names = {"sourceLabels": "source_labels", "targetLabel": "target_label"}
    return {names.get(key, key): value for key, value in step.items()}


# Relabelling ---------------------------------------------------------------------------------------------------------


def test_a_forbidden_label_is_dropped_where_series_stay_apart() -> None:
    made = files("mimir", BUDGET + "labels: {forbid: [pci_bus_id]}\n")
    plain = yaml.safe_load(made["scrape/one/prometheus.yml"])["scrape_configs"][0]
    drop = {"regex": "pci_bus_id", "action": "labeldrop"}
    assert plain["metric_relabel_configs"][-1] == drop


def test_a_forbidden_label_that_tells_series_apart_is_refused() -> None:
    done = compiled("mimir", BUDGET + "labels: {forbid: [health_watch]}\n")
    assert [d.code for d in done.diagnostics if d.severity == "error"] == ["budget/forbidden-label"]
    assert done.artifacts == ()
