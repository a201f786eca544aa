"""Relabelling: what each action does to a series, and that what is said of many series holds for each of them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuobs.promql.labelset import Labels
from gpuobs.promql.relabel import Step, of_labels, relabelled

SERIES = {"Hostname": "n1", "gpu": "0", "pod": "job-7", "modelName": "NVIDIA H100"}

# From the examples of Prometheus' documentation of relabel_config, on labels of a GPU.
STEPS = [
    (Step(sources=("Hostname",), target="node"), {"node": "n1"}),
    (Step(sources=("gpu", "Hostname"), separator="@", target="id"), {"id": "0@n1"}),
    (
        Step(sources=("Hostname",), regex="n(.)", target="node", replacement="node-${1}"),
        {"node": "node-1"},
    ),
    (Step(sources=("Hostname",), regex="x(.)", target="node"), {}),
    (Step(sources=("missing",), target="gpu"), {"gpu": None}),
    (Step(target="cluster", replacement="eu"), {"cluster": "eu"}),
    (Step(action="labeldrop", regex="pod|gpu"), {"pod": None, "gpu": None}),
    (Step(action="labelkeep", regex="Hostname|gpu"), {"pod": None, "modelName": None}),
    (Step(action="labelmap", regex="(.*)Name", replacement="$1"), {"model": "NVIDIA H100"}),
    (
        Step(action="lowercase", sources=("modelName",), target="modelName"),
        {"modelName": "nvidia h100"},
    ),
    (Step(action="uppercase", sources=("Hostname",), target="node"), {"node": "N1"}),
    # Prometheus' own test of hashmod has the value 976 for `baz` and a modulus of 1000.
    (Step(action="hashmod", sources=("foo",), target="shard", modulus=1000), {"shard": "976"}),
]


@pytest.mark.parametrize(("step", "changed"), STEPS, ids=[step.action for step, _ in STEPS])
def test_one_step(step: Step, changed: dict[str, str | None]) -> None:
    series = {**SERIES, "foo": "baz"} if "foo" in step.sources else SERIES
    wanted = {label: value for label, value in {**series, **changed}.items() if value is not None}
    assert relabelled(series, [step]) == wanted


@pytest.mark.parametrize(
    ("step", "kept"),
    [
        (Step(action="keep", sources=("gpu",), regex="0|1"), True),
        (Step(action="keep", sources=("gpu",), regex="1"), False),
        (Step(action="drop", sources=("gpu",), regex="0"), False),
        (Step(action="drop", sources=("missing",), regex=""), False),
        (Step(action="keepequal", sources=("gpu",), target="Hostname"), False),
        (Step(action="dropequal", sources=("gpu",), target="Hostname"), True),
    ],
)
def test_series_are_dropped(step: Step, kept: bool) -> None:
    assert (relabelled(SERIES, [step]) is not None) == kept


def test_of_a_copy_the_origin_is_known() -> None:
    scraped = Labels(frozenset({"Hostname", "gpu"}), frozenset({"Hostname", "gpu", "pod"}))
    steps = [
        Step(sources=("Hostname",), target="node"),
        Step(action="labeldrop", regex="Hostname|pod"),
    ]
    found = of_labels(scraped, "DCGM_FI_DEV_GPU_TEMP", steps)
    assert found is not None
    assert found.certain == found.possible == frozenset({"node", "gpu"})
    assert found.origin("node") == "Hostname"


def test_a_metric_is_dropped_by_its_name() -> None:
    step = Step(action="drop", sources=("__name__",), regex="DCGM_FI_PROF_.*")
    assert of_labels(Labels(), "DCGM_FI_PROF_SM_ACTIVE", [step]) is None
    assert of_labels(Labels(), "DCGM_FI_DEV_GPU_TEMP", [step]) == Labels()


LABELS = ("a", "b", "c")
VALUES = ("x", "y", "xy")
names = st.sampled_from(LABELS)
steps = st.builds(
    Step,
    action=st.sampled_from(
        "replace keep drop keepequal dropequal hashmod labelmap labeldrop labelkeep lowercase uppercase".split()
    ),
    sources=st.lists(names, max_size=2).map(tuple),
    separator=st.sampled_from([";", "", "x"]),
    target=st.sampled_from([*LABELS, *LABELS, "$1", "a$1"]),
    regex=st.sampled_from(["(.*)", ".*", "x", "x|y", "(x)(.*)", "", "a|b", "(a)", ".+", "x;.*"]),
    replacement=st.sampled_from(["$1", "z", "", "${1}z", "$2", "b"]),
    modulus=st.integers(1, 3),
)
series = st.dictionaries(names, st.sampled_from(VALUES), max_size=3)


@settings(deadline=None, max_examples=400)
@given(st.lists(series, min_size=1, max_size=4), st.lists(steps, max_size=4))
def test_what_is_said_of_all_series_holds_for_each(
    given_series: list[dict[str, str]], chain: list[Step]
) -> None:
    certain = frozenset.intersection(*(frozenset(each) for each in given_series))
    possible = frozenset().union(*given_series)
    values = {
        label: frozenset(each[label] for each in given_series if label in each)
        for label in possible
    }
    claimed = of_labels(Labels(certain, possible, values=values), "metric", chain)
    for each in given_series:
        left = relabelled(each, chain)
        if left is None:
            continue
        assert claimed is not None
        assert claimed.certain <= left.keys()
        # Where a labelmap makes a label without a name, the scrape is refused.
        assert all(claimed.can_have(label) for label in left if label)
        assert all(left[k] in has for k, has in claimed.values.items() if k in left)
