"""Every mean is the mean over GPUs and every count the number of GPUs, whatever the fleet looks like.

Random fleets: nodes with unequal numbers of GPUs, pods that overlap on a GPU or hand it over, MIG instances of several
sizes, two vendors. promtool evaluates the generated rules; the expected values are worked out here, by hand.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpuobs.pipeline import compile_project
from gpuobs.verify.promtool import Promtool

ROLLUPS = """
apiVersion: gpuobs/v1
kind: Rollups
name: all
rollups:
  - signal: sm_active
    levels:
      gpu: {avg: [1m, 5m]}
      node: {avg: [5m], count: [5m]}
      cluster: {avg: [5m], count: [5m], max: [5m]}
      fleet: {avg: [5m], count: [5m]}
  - signal: memory_used_ratio
    levels:
      cluster: {avg: [5m]}
      fleet: {avg: [5m]}
  - signal: memory_used
    levels:
      cluster: {avg: [5m], sum: [5m]}
  - signal: power
    levels:
      cluster: {sum: [1m]}
      fleet: {sum: [1m], avg: [1m]}
"""

FLEET = """
apiVersion: gpuobs/v1
kind: Fleet
name: random
exporters:
  - {catalog: nvidia-dcgm, job: dcgm-exporter, version: 4.5.3-4.8.2, collect: [default, profiling]}
  - {catalog: amd-device-metrics, job: amd-gpu-exporter}
clusters:
"""

POOLS = {
    "whole": "{name: whole, gpu: H100-SXM5-80GB, nodes: 9, gpusPerNode: 8}",
    "cut": "{name: cut, gpu: A100-SXM4-40GB, nodes: 9, gpusPerNode: 8, mig: {1g.5gb: 2, 2g.10gb: 1, 3g.20gb: 1}}",
    "other": "{name: other, gpu: MI300X-192GB, nodes: 9, gpusPerNode: 8}",
}
SLICES = {"1g.5gb": 1, "2g.10gb": 2, "3g.20gb": 3}

TIERS = """
apiVersion: gpuobs/v1
kind: Tiers
name: default
tiers: {info: {severity: info}}
owners: {infra: {info: nobody}}
"""

# Multiples of 1/128 are exact in binary, so that sums do not depend on their order.
ratios = st.integers(0, 128).map(lambda n: n / 128)


@dataclass(frozen=True)
class Gpu:
    """A GPU's values, by MIG instance where it has them, and the pods that hold it."""

    active: dict[str, float]  # profile ('' for a whole GPU) to the share of time
    used: int  # MiB
    watts: int
    pods: str  # none, one, overlap or hand-over

    @property
    def mean(self) -> float:
        if "" in self.active:
            return self.active[""]
        return sum(SLICES[profile] * value for profile, value in self.active.items()) / 7

    @property
    def total(self) -> int:
        return 65536


@st.composite
def gpus(draw: st.DrawFn, pool: str) -> Gpu:
    profiles = sorted(SLICES) if pool == "cut" else [""]
    return Gpu(
        active={profile: draw(ratios) for profile in profiles},
        used=draw(st.integers(0, 1024)) * 48,
        watts=draw(st.integers(0, 700)),
        pods=draw(st.sampled_from(["none", "one", "overlap", "hand-over"])),
    )


@st.composite
def fleets(draw: st.DrawFn) -> dict[str, dict[str, list[list[Gpu]]]]:
    """Cluster to pool to nodes to GPUs."""
    return {
        cluster: {
            pool: draw(
                st.lists(st.lists(gpus(pool), min_size=1, max_size=3), min_size=1, max_size=3)
            )
            for pool in draw(st.lists(st.sampled_from(sorted(POOLS)), min_size=1, unique=True))
        }
        for cluster in ("east", "west")[: draw(st.integers(1, 2))]
    }


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(fleet=fleets())
def test_means_and_counts_are_over_gpus(
    fleet: dict[str, dict[str, list[list[Gpu]]]], promtool: Promtool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        _compile(root, fleet)
        (root / "test.yaml").write_text(json.dumps(_test(root, fleet)))
        done = subprocess.run(
            [promtool.path, "test", "rules", "test.yaml"],
            cwd=root,
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr


def _compile(root: Path, fleet: dict[str, dict[str, list[list[Gpu]]]]) -> None:
    specs = root / "specs"
    specs.mkdir()
    clusters = "".join(
        f"  - {{name: {cluster}, pools: [{', '.join(POOLS[pool] for pool in pools)}]}}\n"
        for cluster, pools in fleet.items()
    )
    (specs / "fleet.yaml").write_text(FLEET + clusters)
    (specs / "rollups.yaml").write_text(ROLLUPS)
    (specs / "tiers.yaml").write_text(TIERS)
    done = compile_project(specs)
    assert [d for d in done.diagnostics if d.severity == "error"] == []
    for artifact in done.artifacts:
        path = root / artifact.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(artifact.content)


def _test(root: Path, fleet: dict[str, dict[str, list[list[Gpu]]]]) -> dict[str, object]:
    inputs = [
        {"series": series, "values": values}
        for cluster, pools in fleet.items()
        for pool, nodes in pools.items()
        for number, node in enumerate(nodes)
        for index, gpu in enumerate(node)
        for series, values in _series(cluster, pool, f"{pool}-{number}", index, gpu)
    ]
    return {
        "rule_files": [
            p.relative_to(root).as_posix() for p in sorted(root.glob("prometheus/rules/*.yaml"))
        ],
        "evaluation_interval": "1m",
        "tests": [
            {"interval": "1m", "input_series": inputs, "promql_expr_test": list(_expected(fleet))}
        ],
    }


def _series(cluster: str, pool: str, node: str, index: int, gpu: Gpu) -> list[tuple[str, str]]:
    """The raw series of one GPU over half an hour, as its exporter writes them."""
    place = f'cluster="{cluster}",pool="{pool}"'
    if pool == "other":
        base = f'{place},hostname="{node}",gpu_id="{index}",serial_number="{node}-{index}",card_model="x"'
        values = {
            "gpu_gfx_activity": gpu.active[""] * 100,
            "gpu_used_vram": gpu.used * 1024 * 1024 / 1e6,
            "gpu_total_vram": gpu.total * 1024 * 1024 / 1e6,
            "gpu_package_power": gpu.watts,
        }
        return [
            (f"{n}{{{base}{pods}}}", f"{v:.6f}{t}")
            for n, v in values.items()
            for pods, t in _pods(gpu)
        ]
    base = f'{place},Hostname="{node}",gpu="{index}",UUID="{node}-{index}",modelName="m"'
    found = []
    for number, (profile, active) in enumerate(gpu.active.items()):
        instance = f',GPU_I_ID="{number}",GPU_I_PROFILE="{profile}"' if profile else ""
        share = gpu.used // len(gpu.active)
        used = share if number else gpu.used - share * (len(gpu.active) - 1)
        total = gpu.total if not number else 0
        values = {
            "DCGM_FI_PROF_SM_ACTIVE": active,
            "DCGM_FI_DEV_FB_USED": used,
            "DCGM_FI_DEV_FB_FREE": max(total - gpu.used, 0) if not number else 0,
            "DCGM_FI_DEV_FB_RESERVED": 0,
            "DCGM_FI_DEV_POWER_USAGE": gpu.watts,
        }
        for name, value in values.items():
            for pods, times in _pods(gpu):
                found.append((f"{name}{{{base}{instance}{pods}}}", f"{value}{times}"))
    return found


def _pods(gpu: Gpu) -> list[tuple[str, str]]:
    """Workload labels of the GPU's series, with the time that each lasts."""
    always, first, then = "x30", "x12 stale", "x30"
    return {
        "none": [("", always)],
        "one": [(',exported_namespace="a",exported_pod="p"', always)],
        "overlap": [
            (',exported_namespace="a",exported_pod="p"', always),
            (',exported_namespace="b",exported_pod="q"', always),
        ],
        "hand-over": [
            (',exported_namespace="a",exported_pod="p"', first),
            (',exported_namespace="b",exported_pod="q"', then),
        ],
    }[gpu.pods]


def _expected(fleet: dict[str, dict[str, list[list[Gpu]]]]) -> list[dict[str, object]]:
    found = []
    everything = [
        g for pools in fleet.values() for nodes in pools.values() for n in nodes for g in n
    ]
    for cluster, pools in fleet.items():
        members = [gpu for nodes in pools.values() for node in nodes for gpu in node]
        scope = f'{{cluster="{cluster}"}}'
        found += _claims("cluster", scope, members)
        found.append(
            _close(f"cluster:memory_used:sum5m{scope}", sum(g.used for g in members) * 2**20, scope)
        )
        found.append(
            _close(
                f"cluster:memory_used:avg5m{scope}", _mean([g.used for g in members]) * 2**20, scope
            )
        )
        found.append(_close(f"cluster:power:sum1m{scope}", sum(g.watts for g in members), scope))
        found.append(_close(f"cluster:sm_active:max5m{scope}", max(g.mean for g in members), scope))
        for pool, nodes in pools.items():
            for number, node in enumerate(nodes):
                where = f'{{cluster="{cluster}",node="{pool}-{number}"}}'
                expression = f"sum by (cluster, node) (node:sm_active:avg5m{where})"
                found.append(_close(expression, _mean([gpu.mean for gpu in node]), where))
                expression = f"sum by (cluster, node) (node:sm_active:count5m{where})"
                found.append(_close(expression, len(node), where))
    found += _claims("fleet", "{}", everything)
    found.append(_close("fleet:power:avg1m", _mean([g.watts for g in everything]), "{}"))
    found.append(_close("fleet:power:sum1m", sum(g.watts for g in everything), "{}"))
    return found


def _claims(level: str, scope: str, members: list[Gpu]) -> list[dict[str, object]]:
    selector = scope if level == "cluster" else ""
    used, total = sum(g.used for g in members), sum(g.total for g in members)
    return [
        _close(f"{level}:sm_active:avg5m{selector}", _mean([g.mean for g in members]), scope),
        _close(f"{level}:sm_active:count5m{selector}", len(members), scope),
        _close(f"{level}:memory_used_ratio:avg5m{selector}", used / total, scope),
    ]


def _mean(values: list[float] | list[int]) -> float:
    return sum(values) / len(values)


def _close(expression: str, value: float, labels: str) -> dict[str, object]:
    """The expression is there, once, and within rounding of the value."""
    bound = max(abs(value), 1.0) * 1e-6
    return {
        "expr": f"abs({expression} - {value!r}) < bool {bound!r}",
        "eval_time": "25m",
        "exp_samples": [{"labels": labels, "value": 1}],
    }
