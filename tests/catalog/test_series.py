"""Which labels multiply the series of one entity, and which follow it: a decision for every label of every catalog."""

from __future__ import annotations

import math

import pytest

from gpuobs import catalog
from gpuobs.exporters import series_of
from gpuobs.spec.model import Metric, MetricCatalog

NAMES = catalog.metric_catalog_names()
PARTS = {"histogram": "le", "summary": "quantile"}
BUILD = "branch goarch goos goversion revision tags"

# Labels that have one value at a time, so that they add no series. A label that multiplies the series of other metrics
# of its catalog is here with the metric.
FOLLOWS = {
    "alertmanager": f"{BUILD} receiver_name alertmanager_build_info.version",
    "amd-device-metrics": "clock_type severity",
    "gpu-operator": "node",
    "intel-gaudi": "port_type",
    "intel-xpumd": "",
    "kai": """
        nodepool owner_group owner_kind owner_name owner_uid podgroup queue_display_name queue_metadata_name subgroup
        uid
    """,
    "kube-state-metrics": """
        container_runtime_version created_by_kind created_by_name effect host_ip host_network internal_ip kernel_version
        kubelet_version kubeproxy_version node os_image owner_is_controller owner_kind owner_name pod_cidr pod_ip
        priority_class provider_id reason system_uuid uid unit value
    """,
    "kueue": """
        build_date compiler git_commit git_version go_version platform parent_cohort replica_role root_cohort
        kueue_cluster_queue_borrowing_limit.cohort kueue_cluster_queue_lending_limit.cohort
        kueue_cluster_queue_nominal_quota.cohort kueue_cluster_queue_resource_reservation.cohort
        kueue_cluster_queue_resource_usage.cohort kueue_cluster_queue_weighted_share.cohort
        kueue_local_queue_admission_fair_sharing_usage.cluster_queue kueue_local_queue_unadmitted_workloads.cluster_queue
    """,
    "mimir": "component",
    "nccl-inspector": "n_nodes nranks",
    "node-exporter": f"""
        {BUILD} version
        bios_date bios_release bios_vendor bios_version board_asset_tag board_name board_vendor board_version
        chassis_asset_tag chassis_vendor chassis_version product_family product_name product_sku product_version
        system_vendor
        build_id id id_like image_id image_version pretty_name variant variant_id version_codename version_id
        node_os_info.name domainname machine nodename release sysname
        cachesize family microcode model model_name package stepping vendor node_cpu_info.core
        address adminstate board_id broadcast duplex firmware_version hca_type ifalias operstate port
        chip_name cntlid firmware_revision label major minor path rotational serial type wwn
        device_error fstype node_filesystem_avail_bytes.device node_filesystem_device_error.device
        node_filesystem_files.device node_filesystem_files_free.device node_filesystem_free_bytes.device
        node_filesystem_readonly.device node_filesystem_size_bytes.device node_nvme_info.state
    """,
    "nvidia-dcgm": """
        err_code err_msg health_error_category health_error_code health_error_severity link_status window_size_in_ms
    """,
    "prometheus": """
        alertstate gpu gpu_uuid health_watch mig_instance mig_profile model node owner region severity tier url vendor
        xid ALERTS.remote_name ALERTS.rule_group ALERTS_FOR_STATE.remote_name ALERTS_FOR_STATE.rule_group
    """,
    "pushgateway": f"{BUILD} version",
    "runai": """
        cpu_quota department department_name gpu_guaranteed_quota job_name job_type memory_quota modelName nodepool
        pod_name pod_namespace ready schedulable user workload_name workload_type
        runai_allocated_gpu_count_per_workload.project runai_job_allocated_gpus.project runai_job_cpu_usage.project
        runai_job_gpu_utilization.project runai_job_memory_used_bytes.project runai_job_requested_gpu_memory.project
        runai_job_requested_gpus.project runai_requested_gpu_memory_mb_per_workload.project
        runai_requested_gpu_memory_mb_per_workload.workload_id runai_requested_gpus_per_workload.project
    """,
    "tgi": "",
    "thanos": "",
    "triton": "gpu_uuid version",
    "vllm": """
        block_size cache_dtype enable_prefix_caching gpu_memory_utilization max_lora model_name num_gpu_blocks
    """,
}


def of(name: str) -> MetricCatalog:
    found = catalog.metric_catalog(name)
    assert found is not None
    return found


def metric(name: str, of_catalog: str) -> Metric:
    return next(each for each in of(of_catalog).metrics if each.name == name)


def bounds(of_catalog: str) -> dict[str, dict[str, int]]:
    return {
        str(each.name): {str(label): count for label, count in each.each.items()}
        for each in of(of_catalog).metrics
        if each.each
    }


@pytest.mark.parametrize("name", NAMES)
def test_every_label_multiplies_the_series_of_an_entity_or_follows_it(name: str) -> None:
    multiplying = {label for each in of(name).metrics for label in each.each}
    following = {
        f"{each.name}.{label}" if label in multiplying else str(label)
        for each in of(name).metrics
        for label in each.labels
        if label not in each.each
    }
    assert sorted(following) == sorted(FOLLOWS[name].split())


@pytest.mark.parametrize("name", NAMES)
def test_what_multiplies_is_a_label_with_no_more_values_than_are_known(name: str) -> None:
    for each in of(name).metrics:
        part = PARTS.get(each.kind)
        assert set(each.each) <= {*each.labels, part}, each.name
        assert part is None or part in each.each, each.name
        for label, count in each.each.items():
            assert 0 <= count <= len(each.values.get(label, range(2000))), (each.name, label)


@pytest.mark.parametrize("name", NAMES)
def test_a_number_says_where_it_is_from(name: str) -> None:
    counted = [each for each in of(name).metrics if any(each.each.values()) or each.on_event]
    assert [each.name for each in counted if not each.source] == []


@pytest.mark.parametrize("name", NAMES)
def test_only_the_buckets_of_a_histogram_are_multiplied_by_them(name: str) -> None:
    for each in of(name).metrics:
        for written, series in series_of(each.name, each):
            if each.kind in PARTS:
                parts = written == each.name or written.endswith("_bucket")
                assert (PARTS[each.kind] in series.each) == parts, written
            assert set(series.each) <= set(series.labels), written


def test_a_histogram_of_35_buckets_is_38_series() -> None:
    duration = metric("tgi_request_duration", "tgi")
    series = {
        written: math.prod(of_it.each.values())
        for written, of_it in series_of(duration.name, duration)
    }
    assert series == {
        "tgi_request_duration_bucket": 36,
        "tgi_request_duration_sum": 1,
        "tgi_request_duration_count": 1,
    }


def test_what_multiplies_the_series_of_an_nvidia_gpu() -> None:
    assert bounds("nvidia-dcgm") == {
        "DCGM_EXP_CLOCK_EVENTS_COUNT": {"clock_event": 9},
        "DCGM_EXP_CLOCK_EVENTS_TOTAL": {"clock_event": 9},
        "DCGM_EXP_GPU_HEALTH_STATUS": {"health_watch": 11},
        "DCGM_EXP_P2P_STATUS": {"peer_gpu": 0},
        "DCGM_EXP_XID_ERRORS_COUNT": {"xid": 1},
        "DCGM_EXP_XID_ERRORS_TOTAL": {"xid": 0},
    }


def test_an_amd_gpu_has_more_series_by_index_than_without() -> None:
    series = {
        each.name: math.prod(each.each.values())
        for each in of("amd-device-metrics").metrics
        if "default" in each.groups and not each.on_event
    }
    by_index = sum(count for count in series.values() if count > 1)
    assert by_index == 3 * 21 + 2 * 8 + 9 * 8 + (4 + 32) + (4 + 32) + 4
    assert sum(count == 1 for count in series.values()) < by_index


def test_kubernetes_writes_what_is_not_the_case_too() -> None:
    assert bounds("kube-state-metrics") == {
        "kube_node_status_capacity": {"resource": 7},
        "kube_node_status_allocatable": {"resource": 7},
        "kube_node_status_condition": {"condition": 5, "status": 3},
        "kube_node_spec_taint": {"key": 0},
        "kube_pod_container_resource_requests": {"resource": 3},
        "kube_pod_container_resource_limits": {"resource": 3},
        "kube_pod_status_phase": {"phase": 5},
        "kube_pod_status_scheduled": {"condition": 3},
        "kube_pod_status_ready": {"condition": 3},
        "kube_daemonset_status_desired_number_scheduled": {"daemonset": 0},
        "kube_daemonset_status_number_available": {"daemonset": 0},
        "kube_daemonset_status_number_unavailable": {"daemonset": 0},
    }


def test_what_has_no_series_until_something_happens() -> None:
    waiting = {
        name: sorted(each.name for each in of(name).metrics if each.on_event) for name in NAMES
    }
    assert {name: metrics for name, metrics in waiting.items() if metrics} == {
        "amd-device-metrics": ["gpu_afid_errors"],
        "kai": ["pod_group_evicted_pods_total", "pod_group_eviction_events_total"],
        "kube-state-metrics": [
            "kube_pod_container_status_last_terminated_reason",
            "kube_pod_container_status_waiting_reason",
            "kube_pod_status_unschedulable",
        ],
        "kueue": [
            "kueue_evicted_workloads_once_total",
            "kueue_evicted_workloads_total",
            "kueue_local_queue_evicted_workloads_total",
            "kueue_pods_ready_to_evicted_time_seconds",
            "kueue_preempted_workloads_total",
            "kueue_replaced_workload_slices_total",
            "kueue_workload_eviction_latency_seconds",
        ],
        "mimir": ["cortex_discarded_samples_total"],
        "nvidia-dcgm": ["DCGM_EXP_CLOCK_EVENTS_TOTAL", "DCGM_EXP_XID_ERRORS_TOTAL"],
        "prometheus": ["ALERTS", "ALERTS_FOR_STATE"],
    }
