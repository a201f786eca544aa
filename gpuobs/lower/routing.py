"""Tiers to what an Alertmanager is told: a route for each owner and tier, receivers, inhibition and times."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from gpuobs import names
from gpuobs.lower import notifications
from gpuobs.policy import Policy
from gpuobs.receivers import LABEL, labels_in
from gpuobs.routing import (
    Configuration,
    Inhibition,
    Integration,
    Matcher,
    Receiver,
    Route,
    TimeInterval,
)
from gpuobs.spec import model
from gpuobs.spec.model import Tiers
from gpuobs.spec.scalars import ReceiverName

_DAYS = ("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday")
_TITLE = f'{{{{ template "{notifications.TITLE}" . }}}}'
_BODY = f'{{{{ template "{notifications.BODY}" . }}}}'
# PagerDuty knows these severities and no others.
_SEVERITY = (
    '{{ if match "^(critical|error|warning|info)$" .CommonLabels.severity }}{{ .CommonLabels.severity }}'
    "{{ else }}error{{ end }}"
)


def routing(policy: Policy) -> Configuration | None:
    """None where the Tiers name no receivers, so that somebody else routes."""
    tiers = policy.tiers
    if not tiers.receivers:
        return None
    return Configuration(
        route=_root(tiers),
        receivers=tuple(_receiver(tiers, name) for name in sorted(tiers.receivers)),
        inhibitions=tuple(_inhibition(each) for each in tiers.inhibit),
        times=tuple(_time(tiers, name) for name in sorted(tiers.mute_times)),
        templates=(notifications.FILE,),
        definitions={
            notifications.TITLE: notifications.title(),
            notifications.BODY: notifications.body(tiers.dashboard_url),
        },
        span=tiers.span,
    )


# Routes --------------------------------------------------------------------------------------------------------------


def _root(tiers: Tiers) -> Route:
    """What no owner's route takes goes to the default receiver, and keeps Alertmanager's own waits."""
    assert tiers.default is not None
    by = dict.fromkeys((names.ALERTNAME, names.CLUSTER, *labels_in(tiers.receivers[tiers.default])))
    return Route(
        receiver=tiers.default,
        group_by=tuple(by),
        group_wait="30s",
        group_interval="5m",
        repeat_interval="12h",
        routes=tuple(_owner(tiers, owner) for owner in tiers.owners),
        span=tiers.where("default"),
    )


def _owner(tiers: Tiers, owner: str) -> Route:
    receivers = {str(name): of_owner for name, of_owner in tiers.owners.items()}[owner]
    place = tiers.written.at_key("owners", owner)
    return Route(
        receiver=None,
        matchers=(Matcher(label=names.OWNER, operator="=", value=owner, span=place),),
        routes=tuple(_tier(tiers, owner, tier, receiver) for tier, receiver in receivers.items()),
        span=place,
    )


def _tier(tiers: Tiers, owner: str, name: str, receiver: ReceiverName) -> Route:
    place = tiers.where("owners", owner, name)
    tier = {str(each): tier for each, tier in tiers.tiers.items()}[name]
    by = dict.fromkeys((*map(str, tier.group_by), *labels_in(tiers.receivers[receiver])))
    return Route(
        receiver=receiver,
        matchers=(Matcher(label=names.TIER, operator="=", value=name, span=place),),
        group_by=tuple(by),
        group_wait=str(tier.group_wait),
        group_interval=str(tier.group_interval),
        repeat_interval=str(tier.repeat_interval),
        mute_times=tuple(map(str, tier.mute_times)),
        span=place,
    )


# Receivers -----------------------------------------------------------------------------------------------------------


def _receiver(tiers: Tiers, name: ReceiverName) -> Receiver:
    place = tiers.written.at_key("receivers", name)
    found = tiers.receivers[name]
    ways = tuple(
        Integration(kind=kind, settings=settings, span=place)
        for kind, settings in _integrations(tiers, found)
    )
    return Receiver(name=name, integrations=ways, span=place)


def _integrations(
    tiers: Tiers, receiver: model.Receiver
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    folder = tiers.secrets_folder.rstrip("/")
    if receiver.pagerduty is not None:
        yield "pagerduty_configs", _pagerduty(folder, receiver.pagerduty)
    if receiver.slack is not None:
        yield "slack_configs", _slack(folder, receiver.slack)
    if receiver.email is not None:
        yield "email_configs", _email(folder, receiver.email)
    for hook in (receiver.servicenow, receiver.webhook):
        if hook is not None:
            yield "webhook_configs", _webhook(folder, hook)


def _pagerduty(folder: str, found: model.PagerDuty) -> Mapping[str, Any]:
    return {
        "routing_key_file": f"{folder}/{found.routing_key}",
        **({"url": found.url} if found.url else {}),
        "send_resolved": True,
        "severity": _SEVERITY,
        "class": f"{{{{ .CommonLabels.{names.ALERTNAME} }}}}",
        "component": f"{{{{ .CommonLabels.{names.NODE} }}}}",
        "group": f"{{{{ .CommonLabels.{names.CLUSTER} }}}}",
        "description": _TITLE,
        "details": {
            "what": _BODY,
            "runbook": f"{{{{ .CommonAnnotations.{names.RUNBOOK_URL} }}}}",
        },
    }


def _slack(folder: str, found: model.Slack) -> Mapping[str, Any]:
    return {
        "api_url_file": f"{folder}/{found.api_url}",
        "channel": _grouped(found.channel),
        "send_resolved": True,
        "color": '{{ if eq .Status "resolved" }}good{{ else if eq .CommonLabels.severity "critical" }}danger'
        "{{ else }}warning{{ end }}",
        "title": _TITLE,
        "title_link": f"{{{{ .CommonAnnotations.{names.RUNBOOK_URL} }}}}",
        "text": _BODY,
    }


def _email(folder: str, found: model.Email) -> Mapping[str, Any]:
    login = {"auth_username": found.username} if found.username else {}
    if found.password is not None:
        login["auth_password_file"] = f"{folder}/{found.password}"
    return {
        "to": _grouped(found.to),
        "from": found.from_,
        "smarthost": found.smarthost,
        **login,
        "send_resolved": True,
        "headers": {"Subject": _TITLE},
        "html": "",
        "text": _BODY,
    }


def _webhook(folder: str, found: model.Webhook) -> Mapping[str, Any]:
    if found.url_secret is not None:
        settings: dict[str, Any] = {"url_file": f"{folder}/{found.url_secret}"}
    else:
        settings = {"url": found.url}
    settings["send_resolved"] = True
    if found.token is not None:
        credentials = f"{folder}/{found.token}"
        settings["http_config"] = {
            "authorization": {"type": "Bearer", "credentials_file": credentials}
        }
    elif found.password is not None:
        password = f"{folder}/{found.password}"
        settings["http_config"] = {
            "basic_auth": {"username": found.username, "password_file": password}
        }
    return settings


def _grouped(text: str) -> str:
    """A text whose `{label}` is that of the group."""
    return LABEL.sub(lambda found: f"{{{{ .GroupLabels.{found[1]} }}}}", text)


# Inhibition and times ------------------------------------------------------------------------------------------------


def _inhibition(found: model.Inhibit) -> Inhibition:
    """Its sources have every `equal` label: to Alertmanager two alerts that lack one are equal in it."""
    sources = list(_matchers(found, "when"))
    given = {matcher.label for matcher in sources}
    for number, label in enumerate(found.equal):
        if label not in given:
            place = found.where("equal", number)
            sources.append(Matcher(label=str(label), operator="!=", value="", span=place))
    return Inhibition(
        sources=tuple(sources),
        targets=tuple(_matchers(found, "silences")),
        equal=tuple(map(str, found.equal)),
        name=found.name,
        span=found.where("name"),
    )


def _matchers(found: model.Inhibit, key: str) -> Iterator[Matcher]:
    for label, values in (found.when if key == "when" else found.silences).items():
        place = found.where(key, label)
        if len(values) == 1:
            yield Matcher(label=str(label), operator="=", value=values[0], span=place)
        else:
            pattern = "|".join(re.escape(value) for value in values)
            yield Matcher(label=str(label), operator="=~", value=pattern, span=place)


def _time(tiers: Tiers, name: str) -> TimeInterval:
    spans = {str(key): spans for key, spans in tiers.mute_times.items()}[name]
    return TimeInterval(
        name=name,
        intervals=tuple(_interval(each) for each in spans),
        span=tiers.written.at_key("muteTimes", name),
    )


def _interval(found: model.MuteTime) -> Mapping[str, Any]:
    interval: dict[str, Any] = {}
    if found.times:
        hours = (text.split("-") for text in found.times)
        interval["times"] = [{"start_time": start, "end_time": end} for start, end in hours]
    if found.weekdays:
        interval["weekdays"] = [days for text in found.weekdays for days in _weekdays(text)]
    if found.days_of_month:
        interval["days_of_month"] = [str(days) for days in found.days_of_month]
    if found.time_zone != "UTC":
        interval["location"] = found.time_zone
    return interval


def _weekdays(text: str) -> list[str]:
    """Ranges as Alertmanager wants them, whose week begins with Sunday: one that runs past Saturday is two."""
    first, _, last = text.partition(":")
    if last and _DAYS.index(first) > _DAYS.index(last):
        return [
            f"{first}:saturday" if first != "saturday" else first,
            f"sunday:{last}" if last != "sunday" else last,
        ]
    return [text]
