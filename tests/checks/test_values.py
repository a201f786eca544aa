"""What the checks of values say of small expressions, and of which near misses they say nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuobs.pipeline import compile_project
from tests.projects import project
from tests.rule_files import findings

CODES = {
    f"promql/{name}"
    for name in (
        "rate-on-gauge delta-on-counter counter-without-rate rate-after-aggregation range-too-short "
        "code-as-number latched-level bitmask-as-number sentinel board-value-repeated wrong-quantity "
        "bucket-without-le sample-gap lookback experimental"
    ).split()
}
EXPORTERS = """\
exporters:
  - catalog: nvidia-dcgm
    job: dcgm-exporter
    version: 4.5.3-4.8.2
    collect: [default, profiling, exp, ecc, clock-events, recovery, retired-pages, nvlink-errors, state, violations]
  - {catalog: amd-device-metrics, job: amd-gpu-exporter}
  - {catalog: kube-state-metrics, job: kube-state-metrics}
  - {catalog: prometheus, job: prometheus}
"""
POOL = "      - {name: h100, gpu: H100-SXM5-80GB, nodes: 4, gpusPerNode: 8"
CUT = f"{EXPORTERS}clusters:\n  - name: one\n    pools:\n{POOL}}}\n{POOL.replace('h100', 'mig')}, mig: {{1g.10gb: 7}}}}\n"
SHARED = (
    f"{EXPORTERS}clusters:\n  - name: one\n    pools:\n{POOL}}}\n    workloads: {{podsPerGpu: 4}}\n"
)
SLOW = f"{EXPORTERS}scrapeInterval: 1m\n"
KEPT = f"{EXPORTERS}storage: {{warm: 15d}}\n"


def said(
    *rules: tuple[str, str], fleet: str = EXPORTERS, interval: str = "", texts: str = "A"
) -> list[str]:
    """Codes with the words that they point at, of rules given as name (empty: an alert) and expression."""
    lines = ["groups:", "  - name: g", *([f"    interval: {interval}"] if interval else [])]
    lines.append("    rules:")
    for name, expr in rules:
        head = f"record: '{name}'" if name else f"alert: {texts}"
        quoted = expr.replace("'", "''")
        lines.append(f"      - {{{head}, expr: '{quoted}'}}")
    spans = [(f.code, f.span) for f in findings({"a.yml": "\n".join(lines) + "\n"}, fleet)]
    return [
        f"{code.removeprefix('promql/')}: {lines[at.line - 1][at.column - 1 : at.end_column - 1]}"
        for code, at in spans
        if code in CODES
    ]


def hints(expr: str, fleet: str = EXPORTERS, name: str = "a:b:c", alert: str = "") -> list[str]:
    """What to do instead."""
    head = f"alert: {alert}" if alert else f"record: '{name}'"
    text = f"groups:\n  - name: g\n    rules:\n      - {{{head}, expr: '{expr}'}}\n"
    return [f.hint for f in findings({"a.yml": text}, fleet) if f.code in CODES]


def of_record(expr: str, fleet: str = EXPORTERS) -> list[str]:
    return said(("a:b:c", expr), fleet=fleet)


def of_alert(expr: str, fleet: str = EXPORTERS) -> list[str]:
    return said(("", expr), fleet=fleet)


# promql/rate-on-gauge -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "expr",
    [
        "rate(DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL[5m])",
        "rate(DCGM_FI_PROF_NVLINK_TX_BYTES[5m])",
        "irate(DCGM_FI_DEV_GPU_TEMP[5m])",
        "increase(DCGM_FI_DEV_XID_ERRORS[5m])",
        "increase(DCGM_EXP_XID_ERRORS_COUNT[5m])",
        "resets(DCGM_FI_DEV_GPU_TEMP[1h])",
        "rate(DCGM_FI_DEV_GET_GPU_RECOVERY_ACTION[5m])",
        "increase(up[5m])",
        "rate(kube_pod_status_phase[5m])",
        "increase((DCGM_FI_DEV_FB_USED - DCGM_FI_DEV_FB_FREE)[1h:1m])",
        "rate(sum(rate(DCGM_FI_DEV_PCIE_REPLAY_COUNTER[5m]))[30m:1m])",
    ],
)
def test_no_counter_has_no_rate(expr: str) -> None:
    assert of_record(expr) == [f"rate-on-gauge: {expr}"]


@pytest.mark.parametrize(
    "expr",
    [
        "rate(DCGM_FI_DEV_PCIE_REPLAY_COUNTER[5m])",
        "rate(unknown_metric[5m])",
        "increase((DCGM_FI_DEV_PCIE_REPLAY_COUNTER > 0)[1h:1m])",
        "rate((DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION / 1000)[10m:1m])",
        "rate((DCGM_FI_DEV_PCIE_REPLAY_COUNTER * on (Hostname) group_left () price)[1h:1m])",
        "resets(up[1h])",
        "changes(DCGM_FI_DEV_XID_ERRORS[5m])",
        "deriv(DCGM_FI_DEV_GPU_TEMP[5m])",
        "rate(prometheus_remote_storage_sent_batch_duration_seconds_bucket[5m])",
        "rate(prometheus_remote_storage_sent_batch_duration_seconds_sum[5m])",
    ],
)
def test_what_may_be_a_counter_has_one(expr: str) -> None:
    assert of_record(expr) == []


@pytest.mark.parametrize(
    ("expr", "hint"),
    [
        (
            "rate(DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL[5m])",
            "avg_over_time(DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL[5m]) * 1024000 is its mean in bytes-per-second",
        ),
        (
            "increase(DCGM_FI_DEV_XID_ERRORS[5m])",
            "changes(DCGM_FI_DEV_XID_ERRORS[5m]) counts changes of the code, and misses one that repeats, "
            "or DCGM_EXP_XID_ERRORS_COUNT, which counts every event",
        ),
        (
            "rate(DCGM_FI_DEV_GPU_TEMP[5m])",
            "avg_over_time(DCGM_FI_DEV_GPU_TEMP[5m]) is its mean, deriv(DCGM_FI_DEV_GPU_TEMP[5m]) its change",
        ),
        ("increase(up[5m])", "changes(up[5m]) counts how often it changed"),
    ],
)
def test_the_hint_says_what_the_gauge_is_good_for(expr: str, hint: str) -> None:
    assert hints(expr) == [hint]


# promql/delta-on-counter ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expr", "hint"),
    [
        (
            "delta(DCGM_FI_DEV_PCIE_REPLAY_COUNTER[5m])",
            "increase(DCGM_FI_DEV_PCIE_REPLAY_COUNTER[5m])",
        ),
        (
            "idelta(DCGM_FI_DEV_PCIE_REPLAY_COUNTER[5m])",
            "increase(DCGM_FI_DEV_PCIE_REPLAY_COUNTER[5m])",
        ),
        (
            "deriv(DCGM_FI_DEV_PCIE_REPLAY_COUNTER[5m])",
            "rate(DCGM_FI_DEV_PCIE_REPLAY_COUNTER[5m])",
        ),
        (
            "predict_linear(DCGM_FI_DEV_PCIE_REPLAY_COUNTER[1h], 3600)",
            "take rate() of the counter, and a subquery of that",
        ),
    ],
)
def test_a_counter_has_no_delta(expr: str, hint: str) -> None:
    assert (of_record(expr), hints(expr)) == ([f"delta-on-counter: {expr}"], [hint])


@pytest.mark.parametrize(
    "expr",
    [
        "delta(DCGM_FI_DEV_GPU_TEMP[5m])",
        "delta(unknown[5m])",
        "delta(DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS[1d])",
        "deriv(rate(DCGM_FI_DEV_PCIE_REPLAY_COUNTER[5m])[1h:1m])",
    ],
)
def test_a_gauge_a_stock_and_what_is_not_known_have_one(expr: str) -> None:
    assert of_record(expr) == []


# promql/counter-without-rate ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "expr",
    [
        "DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL > 10",
        "DCGM_FI_DEV_THERMAL_VIOLATION > 0",
        "10 < DCGM_FI_DEV_PCIE_REPLAY_COUNTER",
        "DCGM_FI_DEV_PCIE_REPLAY_COUNTER < 5",
        "sum by (Hostname) (DCGM_FI_DEV_PCIE_REPLAY_COUNTER) >= 100",
        "DCGM_FI_DEV_ECC_SBE_AGG_TOTAL > 1000",
        "avg by (Hostname) (DCGM_FI_DEV_PCIE_REPLAY_COUNTER)",
        "quantile(0.9, DCGM_FI_DEV_PCIE_REPLAY_COUNTER)",
        "avg_over_time(DCGM_FI_DEV_PCIE_REPLAY_COUNTER[5m])",
    ],
)
def test_a_counter_is_no_level(expr: str) -> None:
    assert of_alert(expr) == [f"counter-without-rate: {expr}"]


@pytest.mark.parametrize(
    "expr",
    [
        "increase(DCGM_FI_DEV_PCIE_REPLAY_COUNTER[1h]) > 10",
        "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL > 0",
        "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL >= 1",
        "DCGM_FI_DEV_PCIE_REPLAY_COUNTER == 0",
        "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS > 8",
        "DCGM_FI_DEV_RETIRED_DBE > 30",
        "sum by (Hostname) (DCGM_FI_DEV_RETIRED_DBE + DCGM_FI_DEV_RETIRED_SBE) > 60",
        "DCGM_FI_DEV_PCIE_REPLAY_COUNTER > DCGM_FI_DEV_PCIE_REPLAY_COUNTER offset 10m",
        "sum by (Hostname) (DCGM_FI_DEV_PCIE_REPLAY_COUNTER)",
        "max by (Hostname, gpu) (DCGM_FI_DEV_PCIE_REPLAY_COUNTER)",
        "avg(DCGM_FI_DEV_ECC_DBE_VOL_TOTAL) / avg(DCGM_FI_DEV_ECC_SBE_VOL_TOTAL)",
        "rate(DCGM_FI_DEV_PCIE_REPLAY_COUNTER[5m]) > 1 and DCGM_FI_DEV_PCIE_REPLAY_COUNTER > 100",
        "max_over_time(DCGM_FI_DEV_PCIE_REPLAY_COUNTER[1h]) - min_over_time(DCGM_FI_DEV_PCIE_REPLAY_COUNTER[1h]) > 5",
        "unknown_total > 10",
    ],
)
def test_what_may_be_meant_of_a_counter_is_left_alone(expr: str) -> None:
    assert of_alert(expr) == []


def test_the_hint_puts_the_increase_around_the_counter() -> None:
    assert hints("sum by (Hostname) (DCGM_FI_DEV_PCIE_REPLAY_COUNTER) > 100", alert="A") == [
        "sum by (Hostname) (increase(DCGM_FI_DEV_PCIE_REPLAY_COUNTER[1h])) > 100"
    ]


# promql/rate-after-aggregation ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("recorded", "expr"),
    [
        ("sum by (Hostname) (DCGM_FI_DEV_ECC_SBE_VOL_TOTAL)", "increase(a:b:sum[10m])"),
        ("sum by (Hostname) (DCGM_FI_DEV_ECC_SBE_VOL_TOTAL) * 2", "rate(a:b:sum[10m])"),
        ("avg by (Hostname) (DCGM_FI_DEV_ECC_SBE_VOL_TOTAL) / 8", "rate(a:b:sum[10m])"),
        ("vector(1)", "rate(sum by (Hostname) (DCGM_FI_DEV_ECC_SBE_VOL_TOTAL)[10m:1m])"),
    ],
)
def test_a_sum_of_counters_has_no_rate(recorded: str, expr: str) -> None:
    assert said(("a:b:sum", recorded), ("", f"{expr} > 100"))[-1:] == [
        f"rate-after-aggregation: {expr}"
    ]


@pytest.mark.parametrize(
    ("recorded", "expr"),
    [
        ("max by (Hostname, gpu) (DCGM_FI_DEV_ECC_SBE_VOL_TOTAL)", "increase(a:b:sum[10m])"),
        ("sum by (Hostname) (unknown_total)", "increase(a:b:sum[10m])"),
        ("vector(1)", "sum by (Hostname) (increase(DCGM_FI_DEV_ECC_SBE_VOL_TOTAL[10m]))"),
        ("sum by (Hostname) (DCGM_FI_DEV_ECC_SBE_VOL_TOTAL)", "max_over_time(a:b:sum[10m])"),
    ],
)
def test_one_counter_or_an_unknown_sum_has_one(recorded: str, expr: str) -> None:
    assert said(("a:b:sum", recorded), ("c:d:e", expr)) == []


def test_the_hint_spells_out_the_recorded_sum() -> None:
    text = (
        "groups:\n  - name: g\n    rules:\n"
        "      - {record: 'node:ecc_sbe:sum', expr: 'sum by (Hostname) (DCGM_FI_DEV_ECC_SBE_VOL_TOTAL)'}\n"
        "      - {alert: EccBurst, expr: 'increase(node:ecc_sbe:sum[10m]) > 100'}\n"
    )
    found = [f for f in findings({"a.yml": text}) if f.code == "promql/rate-after-aggregation"]
    assert [(f.hint, [(r.span.line, r.message) for r in f.related]) for f in found] == [
        (
            "sum by (Hostname) (increase(DCGM_FI_DEV_ECC_SBE_VOL_TOTAL[10m]))",
            [(4, "'node:ecc_sbe:sum' is recorded here")],
        )
    ]


# promql/range-too-short, promql/sample-gap, promql/lookback -------------------------------------------------------------


@pytest.mark.parametrize(
    ("window", "severity"),
    [("1m", "error"), ("119s", "error"), ("2m", "warning"), ("239s", "warning"), ("4m", "")],
)
def test_a_rate_needs_two_scrapes_and_wants_four(window: str, severity: str) -> None:
    text = (
        "groups:\n  - name: g\n    rules:\n"
        f"      - {{record: a:b:c, expr: 'rate(DCGM_FI_DEV_PCIE_REPLAY_COUNTER[{window}])'}}\n"
    )
    found = [f for f in findings({"a.yml": text}, SLOW) if f.code == "promql/range-too-short"]
    assert [f.severity for f in found] == ([severity] if severity else [])


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        ("rate(DCGM_FI_DEV_PCIE_REPLAY_COUNTER[1m])", ["range-too-short: 1m"]),
        ("irate(DCGM_FI_DEV_PCIE_REPLAY_COUNTER[2m])", []),
        ("changes(DCGM_FI_DEV_XID_ERRORS[2m])", []),
        ("changes(DCGM_FI_DEV_XID_ERRORS[1m])", ["range-too-short: 1m"]),
        ("delta(DCGM_FI_DEV_GPU_TEMP[30s])", ["range-too-short: 30s"]),
        ("rate(unknown[1m])", []),
        ("rate(prometheus_tsdb_out_of_order_samples_total[1m])", []),
        ("rate(unknown[5m:5m])", ["range-too-short: 5m"]),
        ("deriv(DCGM_FI_DEV_GPU_TEMP[2m:30s])", []),
        ("max_over_time(DCGM_FI_DEV_GPU_TEMP[1m])", []),
        ("max_over_time(DCGM_FI_DEV_GPU_TEMP[30s])", ["sample-gap: 30s"]),
        ("count_over_time(unknown[30s])", []),
    ],
)
def test_ranges_are_held_against_the_time_between_samples(expr: str, expected: list[str]) -> None:
    assert of_record(expr, SLOW) == expected


def test_what_is_recorded_has_samples_as_often_as_its_group_is_evaluated() -> None:
    rules = (
        ("a:b:c", "max(DCGM_FI_DEV_GPU_TEMP)"),
        ("d:e:f", "delta(a:b:c[5m])"),
        ("g:h:i", "max_over_time(a:b:c[5m])"),
    )
    assert said(*rules, interval="10m") == ["range-too-short: 5m", "sample-gap: 5m"]
    assert said(*rules, interval="1m") == []


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        ("max_over_time(DCGM_FI_DEV_GPU_TEMP[30d])", 1),
        ("DCGM_FI_DEV_GPU_TEMP offset 16d", 1),
        ("max_over_time(rate(DCGM_FI_DEV_PCIE_REPLAY_COUNTER[5m])[15d:1h])", 1),
        ("DCGM_FI_DEV_GPU_TEMP offset 14d", 0),
        ("DCGM_FI_DEV_GPU_TEMP offset -30d", 0),
        ("DCGM_FI_DEV_GPU_TEMP @ 1700000000", 0),
    ],
)
def test_nothing_is_older_than_the_retention(expr: str, expected: int) -> None:
    assert len(of_record(expr, KEPT)) == expected
    assert of_record(expr, EXPORTERS) == []


def test_what_is_recorded_every_ten_minutes_is_gone_for_five() -> None:
    slow = (
        "groups:\n  - name: slow\n    interval: 10m\n    rules:\n"
        "      - {record: 'a:b:c', expr: 'max(DCGM_FI_DEV_GPU_TEMP)'}\n"
        "      - {record: 'd:e:f', expr: 'a:b:c * 2'}\n"
    )
    quick = (
        "groups:\n  - name: quick\n    rules:\n"
        "      - {alert: A, expr: 'a:b:c > 85'}\n"
        "      - {alert: B, expr: 'last_over_time(a:b:c[11m]) > 85'}\n"
    )
    found = findings({"a.yml": slow, "b.yml": quick})
    assert [(f.span.file, f.span.line, f.hint) for f in found if f.code == "promql/lookback"] == [
        ("b.yml", 4, "last_over_time(a:b:c[11m])")
    ]


# promql/code-as-number, promql/latched-level --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "expr",
    [
        "DCGM_FI_DEV_XID_ERRORS > 0",
        "max by (Hostname) (DCGM_FI_DEV_XID_ERRORS) > 5",
        "avg(DCGM_FI_DEV_XID_ERRORS)",
        "sum by (Hostname) (DCGM_FI_DEV_XID_ERRORS)",
        "avg_over_time(DCGM_FI_DEV_XID_ERRORS[5m])",
        "delta(DCGM_FI_DEV_XID_ERRORS[5m])",
        "avg(DCGM_FI_DEV_GET_GPU_RECOVERY_ACTION)",
        "quantile_over_time(0.5, DCGM_EXP_GPU_HEALTH_STATUS[5m])",
    ],
)
def test_a_code_is_no_number(expr: str) -> None:
    assert of_alert(expr) == [f"code-as-number: {expr}"]


@pytest.mark.parametrize(
    ("expr", "level"),
    [
        ("DCGM_FI_DEV_XID_ERRORS == 79", "DCGM_FI_DEV_XID_ERRORS == 79"),
        ("DCGM_FI_DEV_XID_ERRORS != 0", "DCGM_FI_DEV_XID_ERRORS != 0"),
        (
            "count by (Hostname) (DCGM_FI_DEV_XID_ERRORS == 79) > 0",
            "DCGM_FI_DEV_XID_ERRORS == 79",
        ),
        (
            'DCGM_FI_DEV_XID_ERRORS{err_code="79"} > 0',
            'DCGM_FI_DEV_XID_ERRORS{err_code="79"} > 0',
        ),
    ],
)
def test_a_level_that_stays_is_no_alert(expr: str, level: str) -> None:
    assert of_alert(expr) == [f"latched-level: {level}"]
    assert of_record(expr) == []


@pytest.mark.parametrize(
    "expr",
    [
        "DCGM_FI_DEV_XID_ERRORS == 79 and changes(DCGM_FI_DEV_XID_ERRORS[5m]) > 0",
        "DCGM_FI_DEV_XID_ERRORS == 79 unless DCGM_FI_DEV_XID_ERRORS offset 10m == 79",
        'DCGM_EXP_XID_ERRORS_COUNT{xid="79"} > 0',
        "max by (Hostname, gpu) (DCGM_FI_DEV_XID_ERRORS)",
        "count(DCGM_FI_DEV_XID_ERRORS)",
        "DCGM_FI_DEV_GET_GPU_RECOVERY_ACTION > 0",
        "DCGM_EXP_GPU_HEALTH_STATUS >= 20",
        "DCGM_FI_DEV_GET_GPU_RECOVERY_ACTION == 2",
        "unknown_code > 0",
    ],
)
def test_a_code_that_is_compared_as_one_is_left_alone(expr: str) -> None:
    assert of_alert(expr) == []


# promql/bitmask-as-number ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "expr",
    [
        "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS > 0",
        "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS >= 64",
        "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS == 64",
        "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS != 0",
        "avg(DCGM_FI_DEV_CLOCK_THROTTLE_REASONS)",
    ],
)
def test_a_sum_of_bits_is_no_number(expr: str) -> None:
    assert of_alert(expr) == [f"bitmask-as-number: {expr}"]


@pytest.mark.parametrize(
    "expr",
    [
        "floor(DCGM_FI_DEV_CLOCK_THROTTLE_REASONS / 64) % 2 == 1",
        "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS % 128 >= 64",
        "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS == 0",
        "max by (Hostname) (floor(DCGM_FI_DEV_CLOCK_THROTTLE_REASONS / 8) % 2) > 0",
        'count_values("reasons", DCGM_FI_DEV_CLOCK_THROTTLE_REASONS)',
    ],
)
def test_a_bit_that_is_taken_out_is_left_alone(expr: str) -> None:
    assert of_alert(expr) == []


@pytest.mark.parametrize(
    ("expr", "alert", "bit"),
    [
        ("DCGM_FI_DEV_CLOCK_THROTTLE_REASONS == 4", "A", "/ 4) % 2 == 1 is power_cap"),
        (
            "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS > 0",
            "PowerBrake",
            "/ 128) % 2 == 1 is hw_power_brake",
        ),
        ("DCGM_FI_DEV_CLOCK_THROTTLE_REASONS > 0", "GpuThrottled", "/ 64) % 2 == 1 is hw_thermal"),
    ],
)
def test_the_hint_takes_out_the_bit_that_is_meant(expr: str, alert: str, bit: str) -> None:
    assert [bit in hint for hint in hints(expr, alert=alert)] == [True]


# promql/sentinel ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expr", "hint"),
    [
        ("DCGM_FI_DEV_MEMORY_TEMP > 95", "DCGM_FI_DEV_MEMORY_TEMP > 95 <= 200"),
        (
            "avg by (Hostname) (DCGM_FI_DEV_MEMORY_TEMP)",
            "avg by (Hostname) (DCGM_FI_DEV_MEMORY_TEMP <= 200)",
        ),
        ("avg(DCGM_FI_DEV_MEMORY_TEMP) > 95", "avg(DCGM_FI_DEV_MEMORY_TEMP <= 200)"),
    ],
)
def test_a_blank_is_above_every_threshold(expr: str, hint: str) -> None:
    told = expr if expr.startswith("DCGM") else expr.removesuffix(" > 95")
    assert (of_alert(expr), hints(expr, alert="A")) == ([f"sentinel: {told}"], [hint])


@pytest.mark.parametrize(
    "expr",
    [
        "DCGM_FI_DEV_MEMORY_TEMP > 95 < 200",
        "DCGM_FI_DEV_MEMORY_TEMP > 95 and DCGM_FI_DEV_MEMORY_TEMP < 200",
        "DCGM_FI_DEV_MEMORY_TEMP > 95 unless DCGM_FI_DEV_MEMORY_TEMP > 1000",
        "avg by (Hostname) (DCGM_FI_DEV_MEMORY_TEMP < 200) > 95",
        "DCGM_FI_DEV_MEMORY_TEMP < 10",
        "DCGM_FI_DEV_GPU_TEMP > 95",
        "avg(DCGM_FI_DEV_GPU_TEMP)",
        "avg by (Hostname) (DCGM_FI_DEV_GPU_UTIL) > 95",
        "max by (Hostname) (DCGM_FI_DEV_MEMORY_TEMP)",
        "count(DCGM_FI_DEV_MEMORY_TEMP)",
    ],
)
def test_a_bound_anywhere_keeps_the_blanks_out(expr: str) -> None:
    assert of_alert(expr) == []


# promql/board-value-repeated ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "expr",
    [
        "sum by (Hostname) (DCGM_FI_DEV_POWER_USAGE)",
        "sum(DCGM_FI_DEV_POWER_USAGE)",
        "sum without (GPU_I_ID) (DCGM_FI_DEV_POWER_USAGE)",
        "sum by (Hostname) (rate(DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION[5m]))",
        "count by (Hostname) (DCGM_FI_DEV_GPU_TEMP > 85)",
        'sum(DCGM_FI_DEV_POWER_USAGE{pool="mig"})',
    ],
)
def test_a_board_counts_once_for_all_of_its_instances(expr: str) -> None:
    assert of_record(expr, CUT) == [f"board-value-repeated: {expr}"]
    assert of_record(expr, EXPORTERS) == []


@pytest.mark.parametrize(
    "expr",
    [
        "sum by (Hostname) (max by (Hostname, UUID) (DCGM_FI_DEV_POWER_USAGE))",
        "sum by (Hostname, gpu, GPU_I_ID) (DCGM_FI_DEV_POWER_USAGE)",
        "avg by (Hostname) (DCGM_FI_DEV_POWER_USAGE)",
        "max by (Hostname) (DCGM_FI_DEV_POWER_USAGE)",
        "sum by (Hostname) (DCGM_FI_DEV_FB_USED)",
        "sum by (Hostname) (DCGM_FI_DEV_GPU_UTIL > 1 < 101)",
        'sum(DCGM_FI_DEV_POWER_USAGE{GPU_I_ID=""})',
        'sum(DCGM_FI_DEV_POWER_USAGE{pool="h100"})',
        "count(count by (Hostname, gpu) (DCGM_FI_DEV_GPU_TEMP))",
        "count(DCGM_FI_DEV_GPU_TEMP > 85) > 0",
        "DCGM_FI_DEV_GPU_TEMP > 85 and on (Hostname) count by (Hostname) (DCGM_FI_DEV_POWER_USAGE)",
        "sum by (Hostname) (unknown)",
    ],
)
def test_instances_that_count_apart_are_left_alone(expr: str) -> None:
    assert of_record(expr, CUT) == []


def test_pods_that_share_a_gpu_repeat_its_values_too() -> None:
    expr = "sum by (Hostname) (DCGM_FI_DEV_FB_USED)"
    assert of_record(expr, SHARED) == [f"board-value-repeated: {expr}"]
    assert hints(expr, SHARED) == [
        "sum by (Hostname) (max by (Hostname, UUID) (DCGM_FI_DEV_FB_USED))"
    ]
    assert of_record("sum by (Hostname, exported_pod) (DCGM_FI_DEV_FB_USED)", SHARED) == []


# promql/wrong-quantity ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("accelerator_memory_used_bytes", True),
        ("gpu:memory_usage:avg", True),
        ("gpu:memory_bandwidth_usage:avg", False),
        ("gpu:mem_copy_util:avg", False),
        ("gpu:memory_utilization:avg", False),
        ("node:used:avg", False),
    ],
)
def test_a_record_of_memory_in_use_reads_memory_in_use(name: str, expected: bool) -> None:
    told = ["wrong-quantity: DCGM_FI_DEV_MEM_COPY_UTIL"] if expected else []
    assert said((name, "max by (Hostname, gpu) (DCGM_FI_DEV_MEM_COPY_UTIL)")) == told


def test_an_alert_that_says_so_in_its_summary_is_meant_too() -> None:
    texts = "GpuMemoryHigh, annotations: {summary: GPU memory usage is high}"
    assert said(("", "DCGM_FI_DEV_MEM_COPY_UTIL > 90"), texts=texts) == [
        "wrong-quantity: DCGM_FI_DEV_MEM_COPY_UTIL"
    ]
    assert said(("", "gpu_umc_activity > 90"), texts="VramFull") == [
        "wrong-quantity: gpu_umc_activity"
    ]
    both = "DCGM_FI_DEV_MEM_COPY_UTIL < 5 and DCGM_FI_DEV_FB_USED > 70000"
    assert said(("", both), texts=texts) == []


# promql/bucket-without-le, promql/experimental ------------------------------------------------------------------------

BUCKET = "prometheus_remote_storage_sent_batch_duration_seconds_bucket"


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        (
            f"histogram_quantile(0.9, sum by (job) (rate({BUCKET}[5m])))",
            f"sum by (job) (rate({BUCKET}[5m]))",
        ),
        (
            f"histogram_quantile(0.9, sum without (le) (rate({BUCKET}[5m])))",
            f"sum without (le) (rate({BUCKET}[5m]))",
        ),
        (
            "histogram_quantile(0.9, sum by (job) (rate(unknown_bucket[5m])))",
            "sum by (job) (rate(unknown_bucket[5m]))",
        ),
        ("histogram_quantile(0.9, rate(up[5m]))", "rate(up[5m])"),
    ],
)
def test_a_quantile_needs_the_bounds(expr: str, expected: str) -> None:
    told = [line for line in of_record(expr) if "rate-on-gauge" not in line]
    assert told == [f"bucket-without-le: {expected}"]


@pytest.mark.parametrize(
    "expr",
    [
        f"histogram_quantile(0.9, sum by (job, le) (rate({BUCKET}[5m])))",
        f"histogram_quantile(0.9, rate({BUCKET}[5m]))",
        "histogram_quantile(0.9, sum by (job) (rate(unknown_native[5m])))",
        "histogram_quantile(0.9, recorded:unknown:rate5m)",
        f"histogram_quantile(0.9, sum by (le) (rate({BUCKET}[5m])) / scalar(sum(up)))",
    ],
)
def test_a_quantile_of_buckets_is_left_alone(expr: str) -> None:
    assert of_record(expr) == []


def test_native_histograms_are_behind_a_flag() -> None:
    assert of_record("histogram_count(rate(unknown[5m]))") == ["experimental: histogram_count"]


# What hints say is right -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expr", "fleet"),
    [
        ("delta(DCGM_FI_DEV_PCIE_REPLAY_COUNTER[5m])", EXPORTERS),
        ("sum by (Hostname) (DCGM_FI_DEV_PCIE_REPLAY_COUNTER) > 100", EXPORTERS),
        ("increase(sum by (Hostname) (DCGM_FI_DEV_ECC_SBE_VOL_TOTAL)[10m:1m])", EXPORTERS),
        ("avg by (Hostname) (DCGM_FI_DEV_MEMORY_TEMP)", EXPORTERS),
        ("sum by (Hostname) (DCGM_FI_DEV_POWER_USAGE)", CUT),
        ("sum by (Hostname) (rate(DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION[5m]))", CUT),
        ("sum(DCGM_FI_DEV_FB_USED)", SHARED),
    ],
)
def test_what_a_hint_spells_out_has_no_finding(expr: str, fleet: str) -> None:
    (hint,) = hints(expr, fleet)
    assert of_record(hint, fleet) == []


# promql/one-vendor ----------------------------------------------------------------------------------------------------

ALERT = """\
alerts:
  - name: {name}
    tier: info
    expr: {expr}
    summary: look
"""


@pytest.mark.parametrize(
    ("name", "expr", "expected"),
    [
        ("GpuHot", "DCGM_FI_DEV_GPU_TEMP > 90", True),
        ("GpuHot", "90 < (DCGM_FI_DEV_GPU_TEMP)", True),
        ("GpuHot", "gpu_junction_temperature > 90", True),
        ("NvidiaGpuHot", "DCGM_FI_DEV_GPU_TEMP > 90", False),
        ("GpuHot", 'DCGM_FI_DEV_GPU_TEMP{pool="h100"} > 90', False),
        ("GpuHot", "DCGM_FI_DEV_GPU_TEMP > 90 and on () vector(1)", True),
        ("GpuHot", "DCGM_FI_DEV_GPU_TEMP > 90 or gpu_junction_temperature > 90", False),
        ("GpuHot", "count(DCGM_FI_DEV_GPU_TEMP) < 8", False),
        ("Xid", "DCGM_EXP_XID_ERRORS_COUNT > 0", False),
    ],
)
def test_an_alert_that_could_be_on_a_signal(
    name: str, expr: str, expected: bool, tmp_path: Path
) -> None:
    done = compile_project(project(tmp_path, ALERT.format(name=name, expr=expr)))
    assert ("promql/one-vendor" in {f.code for f in done.diagnostics}) == expected
