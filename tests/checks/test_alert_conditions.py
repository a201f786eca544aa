"""Alerts that fire for everything, or for no single event."""

from __future__ import annotations

import pytest

from tests.checks.alerts import said, told

TEMP = "DCGM_FI_DEV_GPU_TEMP"
COMPARE = "compare it with a threshold, such as '> 85'"
CONDITIONS = {
    TEMP: (TEMP, COMPARE),
    f"{TEMP} > bool 85": (f"{TEMP} > bool 85", f"{TEMP} > 85"),
    f"DCGM_FI_DEV_GPU_UTIL or {TEMP} < 10": (
        "DCGM_FI_DEV_GPU_UTIL",
        f"a comparison binds closer than 'or': DCGM_FI_DEV_GPU_UTIL < 10 or {TEMP} < 10",
    ),
    f"max by (Hostname) ({TEMP})": (f"max by (Hostname) ({TEMP})", COMPARE),
    f'{TEMP}{{gpu="0"}}': (f'{TEMP}{{gpu="0"}}', COMPARE),
    f"predict_linear({TEMP}[1h], 600)": (f"predict_linear({TEMP}[1h], 600)", COMPARE),
    "DCGM_FI_DEV_ROW_REMAP_FAILURE": (
        "DCGM_FI_DEV_ROW_REMAP_FAILURE",
        "compare it with a threshold, such as '> 0'",
    ),
    "DCGM_FI_DEV_XID_ERRORS": ("DCGM_FI_DEV_XID_ERRORS", "say which values it is about"),
    "up": ("up", "compare it with a threshold, such as '== 0'"),
}
SILENT = (
    "up == 0",
    f"{TEMP} > 85",
    f"max by (Hostname) ({TEMP} > 85)",
    f"{TEMP} and DCGM_FI_DEV_POWER_USAGE > 600",
    f"{TEMP} unless DCGM_FI_DEV_POWER_USAGE",
    f"absent({TEMP})",
    "vector(1)",
    "ALERTS",
    "my:recorded:condition",
    "some_failure",
    'kube_node_status_condition{condition="Ready", status="true"}',
    "DCGM_EXP_XID_ERRORS_COUNT",
    f"{TEMP} * on (Hostname) group_left () (maintenance == 1)",
    f"({TEMP} or vector(0)) > 85",
)


@pytest.mark.parametrize(("expr", "expected"), CONDITIONS.items())
def test_no_condition(expr: str, expected: tuple[str, str]) -> None:
    what, hint = expected
    message = f"'{what}' has no condition: the alert fires for every series of it"
    assert told("alert/no-condition", said(expr)) == [f"{message}; {hint}"]


def test_a_constant_as_a_branch_fires_always() -> None:
    assert told("alert/no-condition", said(f"({TEMP} > 85) or vector(0)")) == [
        "'vector(0)' has no condition: the alert fires always; "
        "remove this branch: an alert without a series does not fire"
    ]


@pytest.mark.parametrize("expr", SILENT)
def test_a_condition(expr: str) -> None:
    assert told("alert/no-condition", said(expr)) == []


CUT = """\
exporters:
  - {catalog: nvidia-dcgm, job: dcgm-exporter, version: 4.5.3-4.8.2}
clusters:
  - name: one
    pools:
      - {name: a, gpu: H100-SXM5-80GB, nodes: 1, gpusPerNode: 8, mig: {1g.10gb: 7}}
      - {name: b, gpu: A100-SXM4-40GB, nodes: 1, gpusPerNode: 8, mig: {1g.5gb: 7}}
"""


@pytest.mark.parametrize(
    "matchers",
    [
        'pool="a", GPU_I_PROFILE!~"|1g[.]10gb"',
        'pool="b", GPU_I_PROFILE!~"|1g[.]5gb"',
        'GPU_I_PROFILE!~"1g[.]10gb|1g[.]5gb"',
    ],
)
def test_mig_profiles_that_no_pool_has_are_a_condition_where_all_gpus_are_cut(
    matchers: str,
) -> None:
    found = said(f"group by (pool) ({TEMP}{{{matchers}}})", fleet=CUT)
    assert told("alert/no-condition", found) == []


@pytest.mark.parametrize(
    "matchers", ['GPU_I_PROFILE!=""', 'pool="b", GPU_I_PROFILE!="1g.10gb"', 'pool="a"']
)
def test_mig_profiles_that_a_pool_has_are_none(matchers: str) -> None:
    expr = f"{TEMP}{{{matchers}}}"
    assert told("alert/no-condition", said(expr, fleet=CUT)) == [
        f"'{expr}' has no condition: the alert fires for every series of it; {COMPARE}"
    ]


def test_a_recorded_condition() -> None:
    assert told("alert/no-condition", said("a:b:c", records={"a:b:c": f"{TEMP} > 85"})) == []


DBE, XID = "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", "DCGM_FI_DEV_XID_ERRORS"


@pytest.mark.parametrize(
    ("expr", "for_", "window"),
    [
        (f"changes({XID}[5m]) > 0 and {XID} == 79", "10m", "5m"),
        (f"increase({DBE}[5m]) > 0", "15m", "5m"),
        (f"increase({DBE}[5m]) > 0", "5m", "5m"),
        (f"sum by (Hostname) (rate({DBE}[10m])) > 0", "15m", "10m"),
        (f"increase({DBE}[5m]) > 0 unless on (Hostname) maintenance", "15m", "5m"),
        (f"increase({DBE}[15m]) > 0", "10m", ""),
        (f"increase({DBE}[5m]) > 0", "0s", ""),
        (f"increase({DBE}[5m]) > 3", "15m", ""),
        (f"increase({DBE}[5m]) > 0 or DCGM_FI_DEV_ROW_REMAP_FAILURE == 1", "15m", ""),
        ("increase(DCGM_FI_DEV_ECC_SBE_VOL_TOTAL[5m]) > 0", "15m", ""),
        ("rate(some_errors_total[5m]) > 0", "15m", ""),
    ],
)
def test_for_and_the_window_of_an_event(expr: str, for_: str, window: str) -> None:
    found = told("alert/for-too-long", said(expr, rest=f", for: {for_}"))
    message = (
        f"one event makes this true for {window} at most: with 'for: {for_}' it never fires; "
        "take away 'for'; 'keep_firing_for' keeps an alert that has fired"
    )
    assert found == ([message] if window else [])
