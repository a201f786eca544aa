"""One alert on an expression, and what the checks say of it on a fleet with most exporters."""

from __future__ import annotations

from gpuobs.diagnostics import Diagnostic
from tests.rule_files import findings

EXPORTERS = """\
exporters:
  - catalog: nvidia-dcgm
    job: dcgm-exporter
    version: 4.5.3-4.8.2
    collect: [default, profiling, exp, ecc, memory, power-limits, clocks, temperature-limits, retired-pages]
  - {catalog: amd-device-metrics, job: amd-gpu-exporter}
  - {catalog: kube-state-metrics, job: kube-state-metrics, honorLabels: true}
  - {catalog: node-exporter, job: node-exporter}
  - {catalog: prometheus, job: prometheus}
  - {catalog: runai, job: runai}
"""
ONE_NODE = f"{EXPORTERS}clusters:\n  - name: one\n    pools:\n      - {{name: a, gpu: H100-SXM5-80GB, nodes: 1, gpusPerNode: 8}}\n"


def said(
    expr: str,
    *,
    records: dict[str, str] | None = None,
    fleet: str = EXPORTERS,
    name: str = "A",
    rest: str = "",
) -> list[Diagnostic]:
    """The findings in an alert, in a group behind these records."""
    rules = [f"{{record: '{record}', expr: '{text}'}}" for record, text in (records or {}).items()]
    rules.append(f"{{alert: {name}, expr: '{expr}'{rest}}}")
    lines = "".join(f"      - {rule}\n" for rule in rules)
    return findings({"a.yml": f"groups:\n  - name: g\n    rules:\n{lines}"}, fleet)


def told(code: str, found: list[Diagnostic]) -> list[str]:
    """Message and hint of the findings of one code."""
    return [f"{each.message}; {each.hint}" for each in found if each.code == code]
