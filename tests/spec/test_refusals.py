"""What is said of a document of the wrong shape."""

from __future__ import annotations

import pytest

from tests.spec.reading import shape_says

ALERT = "apiVersion: gpuobs/v1\nkind: Alerts\nname: a\nowner: infra\nalerts:\n  - name: Hot\n    tier: page\n    "
FLEET = (
    "apiVersion: gpuobs/v1\nkind: Fleet\nname: a\nexporters: [{catalog: c, job: j}]\n"
    "clusters:\n  - name: c\n    pools: [{name: p, gpu: H100, nodes: 1, gpusPerNode: 8}]\n"
)
WHEN = "when: {signal: t, level: gpu, reduce: max, window: 5m, "


@pytest.mark.parametrize(
    ("rest", "wanted"),
    [
        ("for: 1 hour", "8:10 yaml/bad-value [1 hour] '1 hour' is not a Prometheus duration -> write 1h"),
        ("for: 5 min", "8:10 yaml/bad-value [5 min] '5 min' is not a Prometheus duration -> write 5m"),
        ("for: 1.5h", "8:10 yaml/bad-value [1.5h] '1.5h' is not a Prometheus duration -> write 1h30m"),
        ("for: 1h 30m", "8:10 yaml/bad-value [1h 30m] '1h 30m' is not a Prometheus duration -> write 1h30m"),
        ("for: 1 year", "8:10 yaml/bad-value [1 year] '1 year' is not a Prometheus duration -> write 1y"),
        ("for: soon", "8:10 yaml/bad-value [soon] 'soon' is not a Prometheus duration -> such as 5m"),
        ("for: 30", "8:10 yaml/wrong-type [30] the number 30 stands where a Prometheus duration is wanted -> write it with its unit: 30s or 30m"),
        ("for:", "8:9 yaml/wrong-type [] nothing stands where a Prometheus duration is wanted -> fill it in, or remove the key"),
        ("keep_firing_for: 5m", "8:5 yaml/unknown-key [keep_firing_for] no key 'keep_firing_for' here -> did you mean 'keepFiringFor'?"),
        ("keep-firing-for: 5m", "8:5 yaml/unknown-key [keep-firing-for] no key 'keep-firing-for' here -> did you mean 'keepFiringFor'?"),
        ("sumary: x", "8:5 yaml/unknown-key [sumary] no key 'sumary' here -> did you mean 'summary'?"),
        ("window: 5m", "8:5 yaml/unknown-key [window] no key 'window' here -> it belongs under 'when'"),
        (WHEN + "above: 1, for: 5m}", "8:70 yaml/unknown-key [for] no key 'for' here -> it belongs further out, beside 'when'"),
        (WHEN + "above: 90%}", "8:67 yaml/wrong-type [90%] '90%' stands where a number or a mapping is wanted -> write a number without '%'; a ratio is 0.9"),
        (WHEN + "above: '85'}", "8:67 yaml/wrong-type ['85'] '85' stands where a number or a mapping is wanted -> write 85, without quotes and without a unit"),
        (WHEN + "above: {default: 85C}}", "8:77 yaml/wrong-type [85C] '85C' stands where a number is wanted -> write 85, without quotes and without a unit"),
        (WHEN + "match: {a: b}}", "8:71 yaml/wrong-type [b] 'b' stands where a list is wanted -> [b]"),
        ("when: {signal: t, level: gpus, reduce: max, window: 5m}", "8:30 yaml/bad-value [gpus] 'gpus' is none of the values that are allowed here -> did you mean 'gpu'?"),
        ("when: [a]", "8:11 yaml/wrong-type [[a]] a list stands where a mapping is wanted -> write 'key: value' lines, without '- '"),
        ("summary: 5", "8:14 yaml/wrong-type [5] the number 5 stands where text is wanted -> quote it: \"5\""),
        ("summary: true", "8:14 yaml/wrong-type [true] true stands where text is wanted -> quote it: \"true\""),
        ("labels: {a-b: c}", "8:14 yaml/bad-value [a-b] the key 'a-b' is not a label name -> such as gpu_uuid"),
        ("runbook: {impact: '', diagnose: [a], fix: [b]}", "8:23 yaml/bad-value [''] 'impact' is empty -> fill it in, or leave it out"),
        ("runbook: {impact: a, diagnose: -a, fix: [b]}", "8:36 yaml/wrong-type [-a] '-a' stands where a list is wanted -> a space is missing after each '-'"),
        ("runbook: {impct: a, diagnose: [a], fix: [b]}", "8:15 yaml/unknown-key [impct] no key 'impct' here -> did you mean 'impact'?"),
        ("expr: ''", "8:11 yaml/bad-value [''] '' is not a PromQL expression -> such as up == 0"),
    ],
)  # fmt: skip
def test_a_mistake_in_an_alert(rest: str, wanted: str) -> None:
    assert shape_says(f"{ALERT}{rest}\n") == [wanted]


@pytest.mark.parametrize(
    ("rest", "wanted"),
    [
        ("scrapeInterval: 15", "8:17 yaml/wrong-type [15] the number 15 stands where a Prometheus duration is wanted -> write it with its unit: 15s or 15m"),
        ("storage: {cold: 13 months}", "8:17 yaml/bad-value [13 months] '13 months' is not a retention -> write 13mo"),
        ("storage: {replicas: 0}", "8:21 yaml/bad-value [0] 0 is too low -> write 1 or more"),
        ("storage: {replicas: 1.5}", "8:21 yaml/wrong-type [1.5] the number 1.5 stands where a whole number is wanted -> write a whole number"),
        ("storage: {longTerm: {kind: mimr}}", "8:28 yaml/bad-value [mimr] 'mimr' is none of the values that are allowed here -> did you mean 'mimir'?"),
        ("labels:\n  - a: b", "9:3 yaml/wrong-type [- a: b] a list stands where a mapping is wanted -> write 'key: value' lines, without '- '"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_fleet(rest: str, wanted: str) -> None:
    assert shape_says(f"{FLEET}{rest}\n") == [wanted]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("kind: Tiers\nname: a\ntiers: {a: {severity: x}}\nowners: {}\n",
         ["1:1 yaml/missing-key [kind] the key 'apiVersion' is missing -> apiVersion: gpuobs/v1"]),
        ("apiVersion: gpuobs/v2\nkind: Tiers\nname: a\ntiers: {a: {severity: x}}\nowners: {}\n",
         ["1:13 yaml/bad-value [gpuobs/v2] 'gpuobs/v2' is no version of this language -> apiVersion: gpuobs/v1"]),
        ("apiVersion: gpuobs/v1\nkind: Tier\n",
         ["2:7 yaml/bad-value [Tier] no kind of document is called 'Tier' -> did you mean 'Tiers'?"]),
        ("apiVersion: gpuobs/v1\nname: a\n",
         ["1:1 yaml/missing-key [apiVersion] the key 'kind' is missing -> kind: one of Fleet, MetricCatalog, "
          "SignalCatalog, GpuModels, Rollups, Tiers, Alerts, Slos, Budget, Checks"]),
        ("apiVersion: gpuobs/v1\nkind: Tiers\nname: a\nowners: {}\n",
         ["1:1 yaml/missing-key [apiVersion] the key 'tiers' is missing -> add 'tiers: ...': The tiers, by name."]),
        ("apiVersion: gpuobs/v1\nkind: Rollups\nname: |\n  foo\n",
         ["3:7 yaml/bad-value [|] 'foo' is not a name: lower-case letters, digits and '-', at most 63 characters -> such as h100-train"]),
    ],
)  # fmt: skip
def test_a_mistake_in_the_header(text: str, wanted: list[str]) -> None:
    assert shape_says(text)[: len(wanted)] == wanted


def test_all_mistakes_at_once_in_the_order_of_the_file() -> None:
    text = f"{ALERT}for: 1 hour\n    sumary: x\n  - name: low\n    tier: 5\n"
    assert [line.split("] ")[0] for line in shape_says(text)] == [
        "8:10 yaml/bad-value [1 hour",
        "9:5 yaml/unknown-key [sumary",
        "10:11 yaml/bad-value [low",
        "11:11 yaml/wrong-type [5",
    ]
