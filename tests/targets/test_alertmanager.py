"""Who is told: Tiers with receivers as Alertmanager's configuration, its templates and the operator's object."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from gpuobs.pipeline import Compilation, compile_project
from tests.projects import project
from tests.targets.schemas import closed

GOLDEN = Path(__file__).parent / "golden" / "alertmanager"

TIERS = """\
tiers:
  page: {severity: critical, groupBy: [alertname, cluster, node], groupWait: 10s, repeatInterval: 1h}
  ticket: {severity: warning, muteTimes: [nights, weekends]}
  info: {severity: info}
owners:
  infra: {page: pager, ticket: servicenow, info: mail}
  workloads: {info: "slack-{namespace}"}
default: hook
dashboardUrl: https://grafana.example.com/d/gpu?orgId=1
secretsFolder: /run/secrets/
receivers:
  pager:
    pagerduty: {routingKey: pagerduty/key, url: https://events.eu.pagerduty.com/v2/enqueue}
    slack: {apiUrl: slack/url, channel: "#oncall"}
  servicenow:
    servicenow: {url: https://example.service-now.com/api/gpu, username: gpuobs, password: servicenow/password}
  mail:
    email: {to: gpu@example.com, from: alerts@example.com, smarthost: "mail.example.com:587", username: alerts, password: mail/password}
  hook:
    webhook: {url: "http://hook.monitoring:8080/alerts", token: hook/token}
  slack-{namespace}:
    slack: {apiUrl: slack/url, channel: "#gpu-{namespace}"}
inhibit:
  - name: a page silences tickets and infos of the same GPU
    when: {tier: [page]}
    silences: {tier: [ticket, info]}
    equal: [cluster, node, gpu]
  - name: a quoted "name" with a | in it
    when: {alertname: [GpuHot, 'a.b"c\\d'], node: [n1]}
    silences: {alertname: ['x|y']}
    equal: [node]
muteTimes:
  nights: [{times: ["22:00-24:00", "00:00-06:00"], timeZone: Europe/Berlin}]
  weekends: [{weekdays: [saturday:monday], daysOfMonth: ["1:7", "-1"]}, {weekdays: [wednesday]}]
"""


def _compiled(folder: Path, text: str) -> Compilation:
    return compile_project(project(folder, text))


def _files(folder: Path, text: str = TIERS) -> dict[str, str]:
    done = _compiled(folder, text)
    assert done.artifacts, done.diagnostics
    return {
        artifact.path.removeprefix("alertmanager/"): artifact.content.decode()
        for artifact in done.artifacts
        if artifact.path.startswith("alertmanager/")
    }


def test_configuration_templates_and_object(tmp_path: Path, update_golden: bool) -> None:
    made = _files(tmp_path)
    if update_golden:
        GOLDEN.mkdir(exist_ok=True)
        for name, content in made.items():
            (GOLDEN / name).write_text(content, encoding="utf-8")
    assert made == {path.name: path.read_text(encoding="utf-8") for path in GOLDEN.iterdir()}


def test_without_receivers_there_is_nothing_to_route(tmp_path: Path) -> None:
    assert _files(tmp_path, "owners: {infra: {page: a, ticket: b, info: c}}") == {}


def test_the_object_is_valid(tmp_path: Path) -> None:
    folder = os.environ.get("GPUOBS_CRDS")
    if folder is None:
        pytest.skip("GPUOBS_CRDS names no folder with the operator's CRDs")
    found: Any = yaml.safe_load(_files(tmp_path)["alertmanagerconfig.yaml"])
    schema = closed(Path(folder), "alertmanagerconfigs", "v1alpha1")
    jsonschema.validate(found, schema, cls=jsonschema.Draft202012Validator)


_RECEIVERS = """\
receivers:
  pagerduty-infra: {pagerduty: {routingKey: a/b}}
  servicenow-infra: {servicenow: {url: "https://example.com/", token: a/b}}
  slack-infra: {slack: {apiUrl: a/b, channel: "#a"}}
  slack-workloads: WORKLOADS
default: slack-infra
"""


@pytest.mark.parametrize(
    ("receiver", "said"),
    [
        ("{}", "tiers/bad-receiver: receiver 'slack-workloads' tells nobody"),
        (
            "{webhook: {url: 'https://hooks.slack.com/services/T/B/x'}}",
            "tiers/secret: a secret stands in the address, which is committed with the specs",
        ),
        (
            "{webhook: {url: 'https://me:secret@example.com/'}}",
            "tiers/secret: a secret stands in the address, which is committed with the specs",
        ),
        (
            "{webhook: {url: 'https://example.com/?api_key=x'}}",
            "tiers/secret: a secret stands in the address, which is committed with the specs",
        ),
        (
            "{webhook: {url: 'https://token@example.com/'}}",
            "tiers/secret: a secret stands in the address, which is committed with the specs",
        ),
        (
            "{pagerduty: {routingKey: a/b, url: 'https://example.com/?token=x'}}",
            "tiers/secret: a secret stands in the address, which is committed with the specs",
        ),
        ("{webhook: {}}", "tiers/bad-receiver: neither 'url' nor 'urlSecret'"),
        (
            "{webhook: {url: 'https://example.com/', urlSecret: a/b}}",
            "tiers/bad-receiver: both 'url' and 'urlSecret'",
        ),
        (
            "{webhook: {url: 'https://example.com/', token: a/b, username: c, password: d/e}}",
            "tiers/bad-receiver: 'token' and 'password' at once",
        ),
        (
            "{email: {to: a@b.c, from: d@e.f, smarthost: 'g:25', username: h}}",
            "tiers/bad-receiver: 'username' without 'password'",
        ),
    ],
)
def test_receivers_that_cannot_work(receiver: str, said: str, tmp_path: Path) -> None:
    done = _compiled(tmp_path, _RECEIVERS.replace("WORKLOADS", receiver))
    assert [f"{each.code}: {each.message}" for each in done.diagnostics] == [said]


@pytest.mark.parametrize(
    ("span", "said"),
    [
        ("{times: ['22:00-06:00']}", "'22:00-06:00' ends before it begins"),
        ("{daysOfMonth: ['7:1']}", "'7:1' ends before it begins"),
        ("{daysOfMonth: ['-1:-7']}", "'-1:-7' ends before it begins"),
        ("{daysOfMonth: ['-1:1']}", "'-1:1' ends before it begins"),
        ("{daysOfMonth: ['29:-1']}", "'29:-1' ends before it begins"),
        ("{daysOfMonth: ['15:-15']}", "'15:-15' ends before it begins"),
        ("{daysOfMonth: ['28:-1', '14:-15', '-31:-1', '31']}", ""),
        ("{timeZone: Europe/Berln}", "no time zone 'Europe/Berln'"),
        ("{daysOfMonth: ['1:-1'], weekdays: [friday:sunday]}", ""),
    ],
)
def test_mute_times_that_never_come(span: str, said: str, tmp_path: Path) -> None:
    done = _compiled(tmp_path, f"muteTimes:\n  nights: [{span}]")
    assert "".join(each.message for each in done.diagnostics) == said


def test_a_mute_time_without_spans(tmp_path: Path) -> None:
    (found,) = _compiled(tmp_path, "muteTimes: {nights: []}").diagnostics
    assert (found.code, found.message) == ("tiers/mute-time", "'nights' is never")


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("when: {tier: []}, silences: {tier: [info]}, equal: [gpu]", "'tier' has no values"),
        (
            "when: {gpu: ['', '1']}, silences: {tier: [info]}, equal: [gpu]",
            "'gpu' is equal in two alerts that lack it, whatever they are about",
        ),
        (
            "when: {tier: [page]}, silences: {tier: [info]}, equal: [tier]",
            "'tier' is never equal: 'when' and 'silences' have no value in common",
        ),
        ("when: {tier: [page]}, silences: {tier: [page, info]}, equal: [tier, gpu]", ""),
    ],
)
def test_inhibition_that_is_not_meant(rule: str, said: str, tmp_path: Path) -> None:
    receivers = _RECEIVERS.replace("WORKLOADS", "{slack: {apiUrl: a/b, channel: '#b'}}")
    done = _compiled(tmp_path, f"{receivers}inhibit: [{{name: a, {rule}}}]")
    assert "".join(each.message for each in done.diagnostics) == said


def test_secrets_cannot_be_written(tmp_path: Path) -> None:
    receiver = "{slack: {apiUrl: 'https://hooks.slack.com/services/T/B/x', channel: '#a'}}"
    (found,) = _compiled(tmp_path, _RECEIVERS.replace("WORKLOADS", receiver)).diagnostics
    assert (found.code, found.message) == (
        "yaml/bad-value",
        "'https://hooks.slack.com/services/T/B/x' is not the name of a Secret and one of its keys: NAME/KEY",
    )
