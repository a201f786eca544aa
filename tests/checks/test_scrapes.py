"""Relabelling in configurations of others: which steps are reported, at which token; and that what is claimed is so."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
import yaml

from gpuobs import foreign
from gpuobs.diagnostics import Diagnostic
from gpuobs.foreign import world
from gpuobs.foreign.world import World
from gpuobs.promql import re2
from gpuobs.promql.relabel import Step, relabelled

JOB = "scrape_configs:\n- job_name: dcgm-exporter\n"
METRICS = (
    JOB + "  static_configs: [{targets: [a:9400, b:9400]}]\n  metric_relabel_configs: [STEPS]\n"
)
TARGETS = JOB + "  kubernetes_sd_configs: [{role: pod}]\n  relabel_configs: [STEPS]\n"
NODES = TARGETS.replace("pod", "node")
LISTED = JOB + "  static_configs: [{targets: [a:9400, a:9401]}]\n  relabel_configs: [STEPS]\n"
SENT = "remote_write:\n- url: http://a\n  write_relabel_configs: [STEPS]\n"
ALL_FOUR = "gpu|UUID|device|pci_bus_id"
HASHED = "{action: hashmod, source_labels: [UUID], target_label: s, modulus: COUNT}, {action: labeldrop, regex: gpu|UUID|device|pci_bus_id}"
PREFIX = "(DCGM_FI_DEV)_.*"

REPORTED = [
    # What told series apart is gone.
    (METRICS, f"{{action: labeldrop, regex: {ALL_FOUR}}}", "identity-dropped", ALL_FOUR),
    (METRICS, f"{{action: labeldrop, regex: ({ALL_FOUR}|modelName)}}", "identity-dropped", f"({ALL_FOUR}|modelName)"),
    (METRICS, "{action: labelkeep, regex: __name__|job|instance|Hostname}", "identity-dropped", "__name__|job|instance|Hostname"),
    (METRICS, "{action: labelkeep, regex: __name__|job|gpu}", "identity-dropped", "__name__|job|gpu"),
    (METRICS, "{action: labeldrop, regex: instance|Hostname|UUID}", "identity-dropped", "instance|Hostname|UUID"),
    (METRICS, "{action: labeldrop, regex: UUID|device|pci_bus_id}, {target_label: gpu, replacement: all}", "identity-dropped", "gpu"),
    (METRICS, HASHED.replace("COUNT", "4"), "identity-dropped", ALL_FOUR),
    (METRICS, "{source_labels: [__name__], target_label: __name__, replacement: gpu}", "identity-dropped", "gpu"),
    (METRICS, f"{{source_labels: [__name__], target_label: __name__, regex: {PREFIX}, replacement: $1}}", "identity-dropped", "$1"),
    (TARGETS, "{target_label: instance, replacement: gpu}", "identity-dropped", "instance"),
    (LISTED, "{source_labels: [__address__], regex: '([^:]+):.*', target_label: instance}", "identity-dropped", "instance"),
    # Labels that are not there at the stage.
    (METRICS, "{action: drop, source_labels: [__meta_kubernetes_namespace]}", "label-unset", "__meta_kubernetes_namespace"),
    (METRICS, "{action: keep, source_labels: [__address__], regex: a.*}", "label-unset", "__address__"),
    (METRICS, "{source_labels: [__tmp_node], target_label: node}", "label-unset", "__tmp_node"),
    (METRICS, "{source_labels: [hostname], target_label: node}", "label-unset", "hostname"),
    (METRICS.replace("  static", "  honor_labels: true\n  static"), "{source_labels: [exported_pod], target_label: p}", "label-unset", "exported_pod"),
    (METRICS, "{action: drop, source_labels: [exported_pod], regex: ''}", "label-unset", "exported_pod"),
    (TARGETS, "{action: keep, source_labels: [__name__], regex: DCGM_.*}", "label-unset", "__name__"),
    (TARGETS, "{source_labels: [gpu], target_label: device}", "label-unset", "gpu"),
    (TARGETS, "{source_labels: [instance], target_label: node}", "label-unset", "instance"),
    (TARGETS, "{action: keep, source_labels: [__meta_kubernetes_service_name], regex: dcgm}", "label-unset", "__meta_kubernetes_service_name"),
    (TARGETS, "{source_labels: [__meta_kubernetes_node_name], target_label: node}", "label-unset", "__meta_kubernetes_node_name"),
    (TARGETS, "{source_labels: [__meta_consul_node], target_label: node}", "label-unset", "__meta_consul_node"),
    (NODES, "{source_labels: [__meta_kubernetes_pod_name], target_label: pod}", "label-unset", "__meta_kubernetes_pod_name"),
    (SENT, "{action: keep, source_labels: [__meta_kubernetes_namespace], regex: gpu}", "label-unset", "__meta_kubernetes_namespace"),
    (TARGETS, "{source_labels: [__meta_kubernetes_pod_nod_name], target_label: node}", "label-unset", "__meta_kubernetes_pod_nod_name"),
    (TARGETS, "{source_labels: [__meta_kubernetes_pod_lable_app], target_label: app}", "label-unset", "__meta_kubernetes_pod_lable_app"),
    (TARGETS, "{source_labels: [__meta_kubernetes_pod_namespace], target_label: namespace}", "label-unset", "__meta_kubernetes_pod_namespace"),
    (METRICS, "{action: keep, source_labels: [Hostnam], regex: n.*}", "label-unset", "Hostnam"),
    # Nothing is left.
    (SENT, "{action: keep, source_labels: [__name__], regex: DCGM_FI}", "drops-all", "DCGM_FI"),
    (SENT, "{action: drop, source_labels: [job]}", "drops-all", "drop"),
    (METRICS, "{action: drop}", "drops-all", "drop"),
    (METRICS, "{action: drop, source_labels: [__name__], regex: .*}", "drops-all", ".*"),
    (METRICS, "{action: drop, source_labels: [gpu, Hostname], regex: (.*)}", "drops-all", "(.*)"),
    (METRICS, "{action: keep, source_labels: [__name__], regex: DCGM_FI}", "drops-all", "DCGM_FI"),
    (METRICS, "{action: keep, source_labels: [__name__], regex: up}", "drops-all", "up"),
    (METRICS, "{action: keep, regex: DCGM_FI_.*}", "drops-all", "DCGM_FI_.*"),
    (METRICS, "{action: labelkeep, regex: gpu|Hostname}", "drops-all", "gpu|Hostname"),
    (METRICS, "{action: labeldrop, regex: .*}", "drops-all", ".*"),
    (TARGETS, "{action: keep, source_labels: [job], regex: other}", "drops-all", "other"),
    (LISTED, "{action: keep, source_labels: [__address__], regex: 'b:.*'}", "drops-all", "b:.*"),
    # Nothing is done.
    (METRICS, "{action: drop, source_labels: [__name__], regex: DCGM_FI_PROF}", "never-matches", "DCGM_FI_PROF"),
    (METRICS, "{action: drop, source_labels: [__name__], regex: up}", "never-matches", "up"),
    (METRICS, "{action: labeldrop, regex: uuid}", "never-matches", "uuid"),
    (METRICS, "{action: labeldrop, regex: GPU_I}", "never-matches", "GPU_I"),
    (METRICS, "{action: labelmap, regex: __meta_kubernetes_pod_label_(.+)}", "never-matches", "__meta_kubernetes_pod_label_(.+)"),
    (NODES, "{action: labelmap, regex: __meta_kubernetes_pod_label_(app)}", "never-matches", "__meta_kubernetes_pod_label_(app)"),
    (METRICS, "{action: drop, source_labels: [__name__], regex: DCGM_FI_DEV_GPU_TMP}", "never-matches", "DCGM_FI_DEV_GPU_TMP"),
    (METRICS, "{action: labeldrop, regex: Hotsname}", "never-matches", "Hotsname"),
    (TARGETS, "{source_labels: [__meta_kubernetes_namespace, __meta_kubernetes_pod_name], regex: (.+)/(.+), target_label: a}", "never-matches", "(.+)/(.+)"),
    (TARGETS, "{action: keep, source_labels: [__meta_kubernetes_namespace, __meta_kubernetes_pod_label_app], regex: gpu/dcgm, separator: '-'}", "never-matches", "gpu/dcgm"),
    (METRICS, "{source_labels: [Hostname, gpu], separator: /, regex: (.+);(.+), target_label: a}", "never-matches", "(.+);(.+)"),
    # The target's own name.
    (METRICS, "{source_labels: [gpu], target_label: instance}", "instance-overwritten", "instance"),
    (METRICS, "{source_labels: [gpu, UUID], target_label: instance}", "instance-overwritten", "instance"),
    # A replacement of nothing.
    (METRICS, "{source_labels: [gpu], regex: (.+), target_label: a, replacement: gpu$2}", "unknown-reference", "gpu$2"),
    (METRICS, "{source_labels: [gpu], target_label: a, replacement: $1_gpu}", "unknown-reference", "$1_gpu"),
    (METRICS, "{source_labels: [gpu], target_label: 'a_${2}', replacement: x}", "unknown-reference", "a_${2}"),
    (METRICS, "{source_labels: [gpu], regex: '0', target_label: first}", "unknown-reference", "0"),
    (TARGETS, "{action: labelmap, regex: __meta_kubernetes_pod_label_app}", "unknown-reference", "__meta_kubernetes_pod_label_app"),
    # Too early, too late, for nothing.
    (METRICS, "{action: labeldrop, regex: gpu}, {source_labels: [gpu], target_label: index}", "order", "gpu"),
    (METRICS, "{source_labels: [__tmp_a], target_label: b}, {source_labels: [gpu], target_label: __tmp_a}", "order", "__tmp_a"),
    (TARGETS, "{action: keep, source_labels: [__tmp_h], regex: 1}, {action: hashmod, source_labels: [__address__], target_label: __tmp_h, modulus: 2}", "order", "__tmp_h"),
    (TARGETS, "{target_label: cluster, replacement: a}, {target_label: cluster, replacement: b}", "order", "cluster"),
]  # fmt: skip

SILENT = [
    (SENT, "{action: drop, source_labels: [__name__], regex: up}"),
    (SENT, "{action: labeldrop, regex: uuid|hostname|UUID|gpu}"),
    (SENT, "{source_labels: [hostname], target_label: node}"),
    *((METRICS, f"{{action: labeldrop, regex: {'|'.join(sorted({*ALL_FOUR.split('|')} - {kept}))}}}") for kept in sorted(ALL_FOUR.split("|"))),
    (METRICS, f"{{source_labels: [gpu], target_label: index}}, {{action: labeldrop, regex: {ALL_FOUR}}}"),
    (METRICS, HASHED.replace("COUNT", "64")),
    (METRICS, "{action: labelkeep, regex: __name__|instance|gpu}"),
    (METRICS, f"{{action: keep, source_labels: [gpu], regex: 0}}, {{action: labeldrop, regex: {ALL_FOUR}}}"),
    (METRICS, "{source_labels: [__name__], target_label: __name__, regex: DCGM_FI_(.*), replacement: gpu_$1}"),
    (METRICS, "{action: drop, source_labels: [__name__], regex: DCGM_FI_PROF_.*}"),
    (JOB + "  static_configs: [{targets: [a:9400], labels: {pod: p}}]\n  metric_relabel_configs: [STEPS]\n", "{action: drop, source_labels: [exported_pod], regex: ''}"),
    (METRICS, "{source_labels: [some_label_of_a_pod], target_label: team}"),
    (METRICS.replace("dcgm-exporter", "node"), "{action: labeldrop, regex: uuid|hostname|x}"),
    (METRICS.replace("dcgm-exporter", "node"), "{action: keep, source_labels: [__name__], regex: node_.*}"),
    (TARGETS, "{source_labels: [__meta_kubernetes_pod_node_name], target_label: instance}"),
    (TARGETS.replace("pod}", "pod, attach_metadata: {node: true}}"), "{source_labels: [__meta_kubernetes_node_name], target_label: node}"),
    (TARGETS, "{action: hashmod, source_labels: [__address__], target_label: __tmp_h, modulus: 2}, {action: keep, source_labels: [__tmp_h], regex: 1}"),
    (NODES, "{source_labels: [instance], target_label: node}"),
    (TARGETS, "{source_labels: [__meta_kubernetes_pod_label_app_kubernetes_io_name], target_label: app}"),
    (TARGETS, "{source_labels: [__meta_kubernetes_pod_of_a_later_version], target_label: app}"),
    (TARGETS, "{action: labelmap, regex: __meta_kubernetes_pod_(.+)}"),
    (TARGETS, "{action: labelmap, regex: __meta_kubernetes_pod_label_(app|tier), replacement: 'k8s_${1}'}"),
    (METRICS, "{source_labels: [gpu], target_label: index, replacement: '$$1 ${1} $0'}"),
    (TARGETS, "{source_labels: [__meta_kubernetes_namespace, __meta_kubernetes_pod_name], regex: (.+);(.+), target_label: a}"),
    (TARGETS, "{source_labels: [__meta_kubernetes_namespace, __meta_kubernetes_pod_name], separator: /, regex: (.+)/(.+), target_label: a}"),
    (TARGETS, "{source_labels: [__address__, __meta_kubernetes_pod_annotation_prometheus_io_port], regex: '([^:/]+)/?(.*);(.*)', target_label: a}"),
    (TARGETS, "{source_labels: [__meta_kubernetes_pod_container_image, __meta_kubernetes_pod_name], regex: 'a/b;(.*)', target_label: a}"),
    (TARGETS, "{action: keep, source_labels: [__meta_kubernetes_namespace, __meta_kubernetes_pod_name], regex: gpu;.*|a/b}"),
    (METRICS, "{source_labels: [Hostname], target_label: instance}"),
    (METRICS, "{source_labels: [Hostname, gpu], target_label: instance}"),
    (METRICS, "{source_labels: [gpu1], target_label: index}"),
    (METRICS, "{action: drop, source_labels: [__name__], regex: DCGM_FI_DEV_GPU_TEMP_OF_A_LATER_VERSION}"),
    (LISTED, "{source_labels: [__address__], regex: '(.*):.*', target_label: host}"),
    (JOB + "  file_sd_configs: [{files: [a.json]}]\n  relabel_configs: [STEPS]\n", "{source_labels: [rack, __meta_x], target_label: r}"),
]  # fmt: skip


@pytest.fixture(scope="module")
def built_in() -> World:
    return world.built_in()


def found(folder: Path, text: str, of: World) -> tuple[Diagnostic, ...]:
    file = folder / "prometheus.yml"
    file.write_text(text, encoding="utf-8")
    done = foreign.lint([file], of)
    assert done.refused == ()
    return done.diagnostics


def token(text: str, finding: Diagnostic) -> str:
    line = text.split("\n")[finding.span.line - 1]
    return line[finding.span.column - 1 : finding.span.end_column - 1].strip("'")


@pytest.mark.parametrize(("form", "steps", "code", "at"), REPORTED)
def test_reported(
    form: str, steps: str, code: str, at: str, tmp_path: Path, built_in: World
) -> None:
    text = form.replace("STEPS", steps)
    seen = [(each.code, token(text, each)) for each in found(tmp_path, text, built_in)]
    assert seen == [(f"scrape/{code}", at)]


@pytest.mark.parametrize(("form", "steps"), SILENT)
def test_silent(form: str, steps: str, tmp_path: Path, built_in: World) -> None:
    text = form.replace("STEPS", steps)
    assert [each.message for each in found(tmp_path, text, built_in)] == []


def test_the_operators_spelling(tmp_path: Path, built_in: World) -> None:
    text = (
        "apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {name: gpus}\nspec:\n"
        "  selector: {}\n  endpoints:\n  - relabelings:\n"
        "    - {sourceLabels: [__meta_kubernetes_ingress_name], targetLabel: x}\n"
        f"    metricRelabelings:\n    - {{action: LabelDrop, regex: {ALL_FOUR}}}\n"
    )
    seen = [(each.code, token(text, each)) for each in found(tmp_path, text, built_in)]
    assert seen == [
        ("scrape/label-unset", "__meta_kubernetes_ingress_name"),
        ("scrape/identity-dropped", ALL_FOUR),
    ]


def test_a_map_of_all_labels_of_pods(tmp_path: Path, built_in: World) -> None:
    pattern = "__meta_kubernetes_pod_label_(.+)"
    text = TARGETS.replace("STEPS", f"{{action: labelmap, regex: {pattern}}}")
    seen = [(each.code, token(text, each)) for each in found(tmp_path, text, built_in)]
    assert seen == [("budget/unbounded-label", pattern)]


# What is claimed is so -----------------------------------------------------------------------------------------------

SERIES = [
    {
        "__name__": "DCGM_FI_DEV_SM_CLOCK", "job": "dcgm-exporter", "instance": "a:9400", "gpu": str(gpu), "UUID": f"GPU-{gpu * 7919:08x}",
        "device": f"nvidia{gpu}", "pci_bus_id": f"0000000{gpu}:0A:00.0", "modelName": "NVIDIA H100 80GB HBM3", "Hostname": "a",
    }
    for gpu in range(8)
]  # fmt: skip
LABELS = ("gpu", "UUID", "device", "pci_bus_id", "modelName", "Hostname", "x")


def random_steps(chance: random.Random) -> list[dict[str, object]]:
    steps: list[dict[str, object]] = [
        {"action": "labeldrop", "regex": "|".join(chance.sample(LABELS[:4], 3))}
    ]
    for _ in range(chance.randrange(1, 4)):
        labels = chance.sample(LABELS, chance.randrange(1, 4))
        setting: dict[str, object] = {
            "source_labels": labels[:2],
            "target_label": chance.choice(LABELS),
        }
        steps.append(
            chance.choice(
                [
                    {"action": "labeldrop", "regex": "|".join(labels)},
                    {"action": "labelkeep", "regex": "|".join(["__name__", "instance", *labels])},
                    {**setting, "replacement": chance.choice(["x", "", "$1"])},
                    {
                        **setting,
                        "regex": chance.choice(["(.).*", ".+", "GPU-.*", "[0-3]"]),
                        "replacement": chance.choice(["y", "$1"]),
                    },
                    {**setting, "action": "hashmod", "modulus": chance.choice([2, 4, 16])},
                    {**setting, "action": "uppercase"},
                    {
                        "action": "labelmap",
                        "regex": "|".join(labels),
                        "replacement": chance.choice(["x", "a_$0"]),
                    },
                    {"action": "keep", "source_labels": labels[:1], "regex": ".+"},
                ]
            )
        )
    chance.shuffle(steps)
    return steps


def as_step(written: dict[str, object]) -> Step:
    names = {"source_labels": "sources", "target_label": "target"}
    given = {names.get(key, key): value for key, value in written.items()}
    if "sources" in given:
        given["sources"] = tuple(written["source_labels"])  # type: ignore[arg-type]
    return Step(**given)  # type: ignore[arg-type]


def test_as_many_series_become_one_as_is_said(tmp_path: Path, built_in: World) -> None:
    chance = random.Random(5)
    said = 0
    for _ in range(800):
        steps = random_steps(chance)
        text = METRICS.replace(
            "[STEPS]", yaml.safe_dump(steps, default_flow_style=True, width=10**6).strip()
        )
        text = text.replace(", b:9400", "")
        chain = [as_step(each) for each in steps]
        assert all(re2.anchored(each.regex) for each in chain)
        left = [relabelled(series, chain) for series in SERIES]
        stored = {tuple(sorted(each.items())) for each in left if each is not None}
        for finding in found(tmp_path, text, built_in):
            counts = re.search(r"the GPUs of a node .* (\d+) series become (\d+)", finding.message)
            if counts is None:
                continue
            said += 1
            before, after = map(int, counts.groups())
            assert before == len(SERIES), text
            assert len(stored) <= after < before, (text, finding.message, len(stored))
    assert said > 100
