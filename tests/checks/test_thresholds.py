"""Thresholds in another scale than the values have: of shares, percentages, quantiles and units."""

from __future__ import annotations

import pytest

from tests.checks.alerts import said

CODES = ("promql/never-true", "promql/always-true", "promql/unit-mismatch")
USED, FREE, TOTAL = (f"DCGM_FI_DEV_FB_{part}" for part in ("USED", "FREE", "TOTAL"))
POWER, LIMIT = "DCGM_FI_DEV_POWER_USAGE", "DCGM_FI_DEV_POWER_MGMT_LIMIT"
RECORD = {
    "node:memory:ratio": f"sum by (Hostname) ({USED}) / sum by (Hostname) ({TOTAL})",
    "node:memory:rest": f"1 - sum by (Hostname) ({USED}) / sum by (Hostname) ({TOTAL})",
    "node:memory:sum": f"sum by (Hostname) ({USED} / {TOTAL})",
}

SCALES = {
    # A part of a whole is at most all of it.
    f"{USED} / ({USED} + {FREE}) > 90": "never-true: ratios go from 0 to 1; for 90 % write 0.9",
    f"{USED} / ({FREE} + {USED}) > 90": "never-true: ratios go from 0 to 1; for 90 % write 0.9",
    f"{USED} / {TOTAL} > 90": "never-true: ratios go from 0 to 1; for 90 % write 0.9",
    f"95 < {USED} / {TOTAL}": "never-true: ratios go from 0 to 1; for 95 % write 0.95",
    f"{USED} / {TOTAL} < 95": "always-true: ratios go from 0 to 1; for 95 % write 0.95",
    f"sum({USED}) / sum({TOTAL}) > 95": "never-true: ratios go from 0 to 1; for 95 % write 0.95",
    f"avg_over_time({USED}[5m]) / avg_over_time({TOTAL}[5m]) > 95": "never-true: ratios go from 0 to 1; for 95 % write 0.95",
    f"max by (Hostname) ({USED} / {TOTAL}) > 95": "never-true: ratios go from 0 to 1; for 95 % write 0.95",
    f"avg_over_time(({USED} / {TOTAL})[5m:1m]) > 95": "never-true: ratios go from 0 to 1; for 95 % write 0.95",
    f"1 - {USED} / {TOTAL} > 10": "never-true: ratios go from 0 to 1; for 10 % write 0.1",
    f"100 * ({USED} / {TOTAL}) > 195": "never-true: ",
    "gpu_used_vram / gpu_total_vram > 90": "never-true: ratios go from 0 to 1; for 90 % write 0.9",
    "node:memory:ratio > 90": "never-true: ratios go from 0 to 1; for 90 % write 0.9",
    "node:memory:rest > 90": "never-true: ratios go from 0 to 1; for 90 % write 0.9",
    f"{POWER} / {LIMIT} > 95": "never-true: this is about 1 at the limit; for 95 % write 0.95",
    f"{USED} / {TOTAL} > 0.9": "",
    f"100 * {USED} / {TOTAL} > 90": "",
    f"{USED} / {TOTAL} * 100 > 90": "",
    f"{POWER} / {LIMIT} > 1.02": "",
    f"{POWER} / {LIMIT} * 100 > 102": "",
    # What only looks like a share.
    f"{USED} / {TOTAL} * 8 > 2": "",
    f"-({USED} / {TOTAL}) < -2": "",
    f"sum({USED}) / avg({TOTAL}) > 2": "",
    f"sum({USED}) / ({USED} + {FREE}) > 2": "",
    f"sum by (Hostname) ({USED} / {TOTAL}) > 2": "",
    "node:memory:sum > 2": "",
    f'{USED} / ignoring (job) {TOTAL}{{job="x"}} > 2': "",
    f"{USED} / ({USED} - {FREE}) > 2": "",
    f"({USED} / {TOTAL} or some_share) > 90": "",
    "used / (used + free) > 2": "",
    # A percentage, and a threshold that reads as a ratio.
    "avg_over_time(DCGM_FI_DEV_GPU_UTIL[30m]) < 0.05": "unit-mismatch: for 5 % write 5",
    "DCGM_FI_DEV_GPU_UTIL < 0.5": "unit-mismatch: for 50 % write 50",
    "0.9 < DCGM_FI_DEV_MEM_COPY_UTIL": "unit-mismatch: for 90 % write 90",
    "gpu_gfx_activity < 0.1": "unit-mismatch: for 10 % write 10",
    f"100 * {USED} / {TOTAL} > 0.9": "unit-mismatch: for 90 % write 90",
    "DCGM_FI_DEV_GPU_UTIL > 0": "",
    "DCGM_FI_DEV_GPU_UTIL < 1": "",
    "DCGM_FI_DEV_GPU_UTIL == 1": "",
    "DCGM_FI_DEV_GPU_UTIL >= 1": "",
    "DCGM_FI_DEV_GPU_UTIL <= 0.01": "",
    "DCGM_FI_DEV_GPU_UTIL / 100 < 0.5": "",
    "DCGM_FI_PROF_SM_ACTIVE < 0.5": "",
    f"100 * rate(errors_total[5m]) / rate({'requests_total'}[5m]) > 0.5": "",
    # Percentiles, where quantiles are wanted.
    "quantile(95, DCGM_FI_DEV_GPU_TEMP) > 80": "unit-mismatch: for the 95th percentile write 0.95",
    "quantile_over_time(99, DCGM_FI_DEV_GPU_TEMP[1h]) > 80": "unit-mismatch: for the 99th percentile write 0.99",
    "histogram_quantile(95, sum by (le) (rate(x_bucket[5m]))) > 3": "unit-mismatch: for the 95th percentile write 0.95",
    "quantile(-1, DCGM_FI_DEV_GPU_TEMP) > 80": "unit-mismatch: ",
    "quantile(1, DCGM_FI_DEV_GPU_TEMP) > 80": "",
    "quantile(0, DCGM_FI_DEV_GPU_TEMP) > 80": "",
    "quantile(scalar(x), DCGM_FI_DEV_GPU_TEMP) > 80": "",
    # Amounts in the base unit or a smaller one.
    f"{USED} > 75000000000": "never-true: in mebibytes; for 75 GB write 71526",
    f"{FREE} < 1024*1024*1024": "always-true: in mebibytes; for 1 GiB write 1024",
    f"{POWER} > 700000": "never-true: in watts; for 700 W write 700",
    "DCGM_FI_DEV_SM_CLOCK < 1.2e9": "always-true: in megahertz; for 1.2 GHz write 1200",
    "gpu_used_vram > 190000000000": "never-true: in megabytes; for 190 GB write 190000",
    "DCGM_FI_DEV_GPU_TEMP > 850": "never-true: ",
    f"{USED} > 75000": "",
}


@pytest.mark.parametrize(("expr", "expected"), SCALES.items())
def test_scale(expr: str, expected: str) -> None:
    records = {name: text for name, text in RECORD.items() if name in expr}
    found = said(expr, records=records)
    said_of = [f"{f.code.removeprefix('promql/')}: {f.hint}" for f in found if f.code in CODES]
    assert said_of == ([expected] if expected else [])


def test_the_unit_is_named() -> None:
    (found,) = (f for f in said(f"{USED} > 75000000000") if f.code == "promql/never-true")
    assert found.message == (
        "'DCGM_FI_DEV_FB_USED' is 0 to 300000 mebibytes: it is never > 75000000000"
    )
