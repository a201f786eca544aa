"""`gpuobs budget what-if`: before, after and the difference, which limit breaks, and what is no change."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gpuobs.cli import run
from gpuobs.cli.budget import command

FLEETS = Path(__file__).parent / "fleets"


def asked(name: str, *arguments: str) -> Result:
    words = ["what-if", "--specs", str(FLEETS / name / "specs"), *arguments]
    done = CliRunner().invoke(command, words, standalone_mode=False)
    assert done.exception is None, done.exception
    return done


def totals(name: str, *arguments: str) -> dict[str, tuple[float, float, float]]:
    tree = json.loads(asked(name, *arguments, "--format", "json").stdout)["whatIf"]
    found = tree["clusters"]["one"]["totals"]
    return {key: (e["before"], e["after"], e["difference"]) for key, e in found.items()}


def refused(capfd: pytest.CaptureFixture[str], name: str, *arguments: str) -> str:
    """What is said of a mistake in the last line, after the usage."""
    assert run(["budget", "what-if", "--specs", str(FLEETS / name / "specs"), *arguments]) == 2
    return capfd.readouterr().err.strip().splitlines()[-1].removeprefix("Error: ")


@pytest.mark.parametrize(
    ("case", "arguments"),
    [
        ("more-nodes", ["--add-nodes", "share=1", "--add-nodes", "a/train=5"]),
        ("whole-gpus", ["--mig", "share=none", "--no-pod-labels"]),
        ("another-store", ["--send", "gpu", "--replicas", "3", "--scrape-interval", "30s"]),
    ],
)
def test_what_a_terminal_shows(case: str, arguments: list[str], update_golden: bool) -> None:
    seen = asked("mig", *arguments).stdout
    golden = FLEETS / "mig" / f"what-if-{case}.txt"
    if update_golden:
        golden.write_text(seen, encoding="utf-8")
    assert seen == golden.read_text(encoding="utf-8")


def test_a_thousand_nodes_of_a_hundred_metrics() -> None:
    found = totals("one-node", "--add-nodes", "all=999")
    assert found["scraped"] == (800, 800_000, 799_200)
    assert found["scrapedPerSecond"] == (53.333333, 53_333.333333, 53_280)


def test_a_third_of_the_interval_triples_samples_and_leaves_series() -> None:
    found = totals("thousand-nodes", "--scrape-interval", "5s")
    assert found["active"] == (485_003, 485_003, 0)
    assert found["scrapedPerSecond"] == (32_000, 96_000, 64_000)


def test_what_there_was_not_before_is_shown() -> None:
    """Nothing is sent without a level that has rules: then there is no reduction either."""
    tree = json.loads(asked("mig", "--send", "gpu", "--format", "json").stdout)["whatIf"]
    reduction = tree["clusters"]["a"]["totals"]["writeReduction"]
    assert set(reduction) == {"before", "after", "difference", "unit"}


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--mig", "share=none", "--pod-lifetime", "a=12h"], 0),
        (["--add-label", "nvidia-dcgm=job_id:3"], 1),
    ],
)
def test_a_limit_that_would_break_fails(arguments: list[str], code: int) -> None:
    assert asked("mig", *arguments).return_value == code


def test_intervals_change_together() -> None:
    found = totals("one-node", "--scrape-interval", "2m", "--evaluation-interval", "4m")
    assert found["scrapedPerSecond"] == (53.333333, 6.666667, -46.666667)


def test_what_a_build_would_refuse() -> None:
    """A metric that rules read cannot go alone: the account is printed, and what the build would say of it."""
    change = ("--remove-metric", "DCGM_FI_PROF_SM_ACTIVE", "--no-pod-labels")
    (refused,) = json.loads(asked("mig", *change, "--format", "json").stdout)["whatIf"]["refused"]
    said = "'sm_active' needs 'DCGM_FI_PROF_SM_ACTIVE', which this fleet does not collect"
    assert (refused["code"], refused["line"], refused["message"]) == (
        "rollup/not-collected",
        5,
        said,
    )
    done = asked("mig", *change)
    assert done.return_value == 1
    assert done.stdout.endswith("\n\nThe specs would not compile any more:\n")
    assert f"error rollup/not-collected: {said}\n" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "say what changes, such as --add-nodes POOL=10"),
        (["--add-nodes", "shar=1"], "no pool 'shar'; did you mean 'share'?"),
        (
            ["--add-nodes", "train=1"],
            "2 clusters have a pool 'train'; write 'a/train' or 'b/train'",
        ),
        (["--add-nodes", "share"], "--add-nodes: 'share' has no form NAME=VALUE"),
        (["--add-nodes", "share=two"], "--add-nodes: 'two' is no whole number"),
        (["--pods-per-gpu", "a=1.5"], "--pods-per-gpu: '1.5' is no whole number"),
        (["--mig", "share=1g.5gb:x"], "--mig: 'x' is no whole number"),
        (["--add-label", "nvidia-dcgm=job:"], "--add-label: '' is no whole number"),
        (
            ["--add-label", "nvidia-dcgm=job"],
            "--add-label: 'job' has no form NAME:VALUES, such as process:4",
        ),
        (["--add-nodes", "share=-10"], "0 nodes of 'share'; there must be at least 1"),
        (
            ["--mig", "share=1g.5gb"],
            "--mig: '1g.5gb' has no form PROFILE:N, such as 1g.10gb:7, or none",
        ),
        (
            ["--mig", "share=1g.5gb:8"],
            "8 instances of '1g.5gb' do not fit on A100-SXM4-40GB; at most 7",
        ),
        (
            ["--add-metric", "DCGM_FI_DEV_VIDEO_CLOK"],
            "no exporter has a metric or a group 'DCGM_FI_DEV_VIDEO_CLOK'; did you mean 'DCGM_FI_DEV_VIDEO_CLOCK'?",
        ),
        (["--send", "pod"], "--send: no level 'pod': known: cluster, fleet, gpu, node, workload"),
        (["--send", "nod"], "--send: no level 'nod': did you mean 'node'?"),
        (["--scrape-interval", "5"], "'5' is not a Prometheus duration; such as 5m"),
        (["--replicas", "0"], "0 replicas of 'Prometheus'; there must be at least 1"),
        (["--pods-per-gpu", "c=2"], "no cluster 'c'; known: a, b"),
        (
            ["--add-node", "share=1"],
            "No such option '--add-node'. (Did you mean one of: '--add-label', '--add-metric', '--add-nodes'?)",
        ),
    ],
)
def test_a_mistake(arguments: list[str], said: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert refused(capfd, "mig", *arguments) == said


def test_a_command_that_there_is_not(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["budget", "whatif"]) == 2
    said = "'gpuobs budget' has no command 'whatif': did you mean 'what-if'?"
    assert capfd.readouterr().err.strip().endswith(said)
