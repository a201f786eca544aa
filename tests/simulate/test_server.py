"""The server as Prometheus and people ask it."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from urllib.parse import quote

import pytest

from gpuobs.diagnostics import EnvironmentProblem
from gpuobs.simulate.server import serving
from tests.simulate.conftest import Fleets
from tests.simulate.pages import read
from tests.simulate.scraped import Fleet

NODE = "us-east-1-h100-train-0001"


@pytest.fixture(scope="module")
def served(fleets: Fleets) -> Iterator[tuple[Fleet, str]]:
    found = fleets["reference"]
    with serving(found.simulated) as url:
        yield found, url


def get(url: str, proxy: str = "") -> tuple[int, str, bytes]:
    """Status, content type and body; through a proxy as Prometheus asks one."""
    proxies = urllib.request.ProxyHandler({"http": proxy} if proxy else {})
    try:
        with urllib.request.build_opener(proxies).open(url, timeout=10) as answer:
            return answer.status, answer.headers["Content-Type"], answer.read()
    except urllib.error.HTTPError as problem:
        return problem.code, problem.headers["Content-Type"], problem.read()


def test_a_target_answers_at_its_own_address_through_the_proxy(served: tuple[Fleet, str]) -> None:
    found, url = served
    target = found.target("dcgm-exporter", 1)
    assert (target.name, target.address) == (NODE, "10.0.0.2:9400")
    status, kind, page = get(f"http://{target.address}/metrics", proxy=url)
    assert (status, kind) == (200, "text/plain; version=0.0.4; charset=utf-8")
    assert page == found.simulated.page(target)
    assert get(f"{url}/targets/dcgm-exporter/{NODE}") == (status, kind, page)
    assert get(f"{url}/targets/dcgm-exporter/{NODE}/metrics") == (status, kind, page)


def test_another_path_or_address_is_not_there(served: tuple[Fleet, str]) -> None:
    _, url = served
    for asked in (
        "http://10.0.0.2:9400/",
        "http://10.0.0.2:9401/metrics",
        "http://10.9.9.9/metrics",
    ):
        assert get(asked, proxy=url)[::2] == (404, b"no such target\n")
    assert get(f"{url}/targets/dcgm-exporter/nowhere")[0] == 404
    assert get(f"{url}/nothing")[0] == 404


def test_an_exporter_that_is_down_answers_503(served: tuple[Fleet, str]) -> None:
    found, url = served
    found.simulated.strike(f"exporter-down@{NODE}")
    assert get("http://10.0.0.2:9400/metrics", proxy=url)[0] == 503
    assert get("http://10.0.0.1:9400/metrics", proxy=url)[0] == 200
    found.simulated.strike()
    assert get("http://10.0.0.2:9400/metrics", proxy=url)[0] == 200


def test_discovery_says_what_kubernetes_says(served: tuple[Fleet, str]) -> None:
    _, url = served
    status, kind, body = get(f"{url}/sd/dcgm-exporter")
    groups = json.loads(body)
    assert (status, kind, len(groups)) == (200, "application/json", 8)
    (group,) = (each for each in groups if each["labels"]["__meta_kubernetes_node_name"] == NODE)
    assert group == {
        "targets": ["10.0.0.2:9400"],
        "labels": {
            f"__meta_kubernetes_{name}": value
            for name, value in {
                "endpoint_address_target_kind": "Pod",
                "endpoint_address_target_name": "nvidia-dcgm-00001",
                "endpoint_node_name": NODE,
                "endpoint_port_name": "gpu-metrics",
                "endpoint_port_protocol": "TCP",
                "endpoint_ready": "true",
                "endpoints_name": "nvidia-dcgm",
                "endpointslice_address_target_kind": "Pod",
                "endpointslice_address_target_name": "nvidia-dcgm-00001",
                "endpointslice_endpoint_conditions_ready": "true",
                "endpointslice_name": "nvidia-dcgm-slice",
                "endpointslice_port_name": "gpu-metrics",
                "namespace": "gpu-operator",
                "node_label_gpuobs_dev_pool": "h100-train",
                "node_labelpresent_gpuobs_dev_pool": "true",
                "node_name": NODE,
                "pod_container_name": "nvidia-dcgm",
                "pod_container_port_name": "gpu-metrics",
                "pod_container_port_number": "9400",
                "pod_ip": "10.0.0.2",
                "pod_label_app": "nvidia-dcgm-exporter",
                "pod_labelpresent_app": "true",
                "pod_name": "nvidia-dcgm-00001",
                "pod_node_name": NODE,
                "pod_phase": "Running",
                "pod_ready": "true",
                "service_label_app": "nvidia-dcgm-exporter",
                "service_labelpresent_app": "true",
                "service_name": "nvidia-dcgm",
            }.items()
        },
    }


def test_discovery_of_one_cluster_and_of_no_job(served: tuple[Fleet, str]) -> None:
    _, url = served
    assert len(json.loads(get(f"{url}/sd/amd-gpu-exporter?cluster=eu-west-1")[2])) == 8
    assert json.loads(get(f"{url}/sd/amd-gpu-exporter?cluster=us-east-1")[2]) == []
    assert json.loads(get(f"{url}/sd/{quote('gpu exporter')}")[2]) == []


def test_the_index_says_what_there_is(served: tuple[Fleet, str]) -> None:
    _, url = served
    status, _, body = get(url)
    lines = body.decode().splitlines()
    assert status == 200
    assert lines[0] == "dcgm-exporter: 8 targets, service discovery at /sd/dcgm-exporter"
    for line in lines:
        if line.startswith("  /"):
            assert get(url + line.strip())[0] == 200


def test_many_ask_at_once(served: tuple[Fleet, str]) -> None:
    found, url = served
    pages: list[bytes] = []

    def ask(address: str) -> None:
        pages.append(get(f"http://{address}/metrics", proxy=url)[2])

    threads = [
        threading.Thread(target=ask, args=(target.address,))
        for target in found.simulated.targets
        if target.path == "/metrics" and target.exporter.catalog.vendor
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(pages) == len(threads)
    assert all(read(page)[1] for page in pages)


def test_a_port_that_is_taken_is_told(served: tuple[Fleet, str]) -> None:
    found, url = served
    port = int(url.rpartition(":")[2])
    with pytest.raises(EnvironmentProblem) as problem, serving(found.simulated, port=port):
        pass
    assert str(problem.value) == f"cannot listen on 127.0.0.1:{port}: Address already in use"
