"""Tiers: who is woken by what, and how they are told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from gpuobs.spec.model.base import Doc, Item, Spec
from gpuobs.spec.scalars import (
    Channel,
    ClockTimes,
    DateRange,
    Duration,
    HostPort,
    Interval,
    LabelName,
    MailAddress,
    MailAddresses,
    Name,
    ReceiverName,
    SecretKey,
    WebAddress,
    WeekdayRange,
    Word,
)

Required = Literal["summary", "description", "runbook", "scenarios"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tier(Item):
    """How urgently an alert wants a person."""

    severity: Annotated[Word, Doc("Value of the `severity` label.")]
    group_by: Annotated[
        tuple[LabelName, ...],
        Doc(
            "Alerts with the same values of these labels arrive in one notification.",
            non_empty=True,
        ),
    ] = (LabelName("alertname"), LabelName("cluster"))
    group_wait: Annotated[
        Duration, Doc("How long the first notification of a group waits for more alerts.")
    ] = Duration("30s")
    group_interval: Annotated[
        Interval, Doc("How long a notification of more alerts in the group waits.")
    ] = Interval("5m")
    repeat_interval: Annotated[
        Interval, Doc("How often a notification repeats while the alert fires.")
    ] = Interval("12h")
    mute_times: Annotated[
        tuple[Name, ...], Doc("Names of `muteTimes` at which its alerts notify nobody.")
    ] = ()
    requires: Annotated[tuple[Required, ...], Doc("What each alert of this tier must have.")] = (
        "summary",
    )
    min_for: Annotated[Duration | None, Doc("Shortest `for` of its alerts.")] = None
    max_for: Annotated[Duration | None, Doc("Longest `for` of its alerts.")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PagerDuty(Item):
    """A service of PagerDuty, by its Events API v2."""

    routing_key: Annotated[SecretKey, Doc("Secret with the integration key, as `NAME/KEY`.")]
    url: Annotated[WebAddress | None, Doc("Address of the API, such as that of the EU region.")] = (
        None
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Slack(Item):
    """A channel of Slack, by an incoming webhook."""

    api_url: Annotated[SecretKey, Doc("Secret with the webhook's address, as `NAME/KEY`.")]
    channel: Annotated[Channel, Doc("The channel. `{label}` stands for a label.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Email(Item):
    """Mail."""

    to: Annotated[
        MailAddresses, Doc("Addresses, with commas between. `{label}` stands for a label.")
    ]
    from_: Annotated[MailAddress, Doc("The sender.")]
    smarthost: Annotated[HostPort, Doc("The mail server.")]
    username: Annotated[str, Doc("Who logs in to it.")] = ""
    password: Annotated[SecretKey | None, Doc("Secret with the password, as `NAME/KEY`.")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook(Item):
    """An HTTP endpoint that takes Alertmanager's JSON."""

    url: Annotated[
        WebAddress | None, Doc("Its address, without secrets. `{label}` does not work here.")
    ] = None
    url_secret: Annotated[
        SecretKey | None,
        Doc(
            "In place of `url`, where the address is a secret: `NAME/KEY`. Needs Alertmanager 0.26."
        ),
    ] = None
    token: Annotated[SecretKey | None, Doc("Secret with a bearer token, as `NAME/KEY`.")] = None
    username: Annotated[str, Doc("Who logs in, with `password`.")] = ""
    password: Annotated[SecretKey | None, Doc("Secret with the password, as `NAME/KEY`.")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Receiver(Item):
    """Who is told, in one way or in several at once."""

    pagerduty: Annotated[PagerDuty | None, Doc("An incident in PagerDuty.")] = None
    slack: Annotated[Slack | None, Doc("A message in Slack.")] = None
    servicenow: Annotated[
        Webhook | None,
        Doc("A ticket in ServiceNow, through an endpoint there that takes webhooks."),
    ] = None
    email: Annotated[Email | None, Doc("A mail.")] = None
    webhook: Annotated[Webhook | None, Doc("Any other service.")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Inhibit(Item):
    """While one alert fires, others about the same thing are not notified."""

    name: Annotated[str, Doc("What it is for, in a few words.", non_empty=True)]
    when: Annotated[
        Mapping[LabelName, tuple[str, ...]],
        Doc("Labels of the alerts that silence, each with its values.", non_empty=True),
    ]
    silences: Annotated[
        Mapping[LabelName, tuple[str, ...]],
        Doc("Labels of the alerts that are silenced, each with its values.", non_empty=True),
    ]
    equal: Annotated[
        tuple[LabelName, ...],
        Doc(
            "Labels that both have, with the same value: what makes them about one thing.",
            non_empty=True,
        ),
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class MuteTime(Item):
    """A span of time that comes again. Without a key, every day or hour is meant."""

    times: Annotated[tuple[ClockTimes, ...], Doc("Hours of the day, such as `22:00-24:00`.")] = ()
    weekdays: Annotated[tuple[WeekdayRange, ...], Doc("Days, such as `saturday:sunday`.")] = ()
    days_of_month: Annotated[
        tuple[DateRange, ...], Doc("Days of the month, such as `1:7`; `-1` is the last.")
    ] = ()
    time_zone: Annotated[str, Doc("A name of the IANA database, such as `Europe/Berlin`.")] = "UTC"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tiers(Spec):
    """Who is woken by what. A project has exactly one.

    With `receivers` it is compiled to Alertmanager's configuration; without, only alerts get their labels.
    """

    tiers: Annotated[Mapping[Name, Tier], Doc("The tiers, by name.", non_empty=True)]
    owners: Annotated[
        Mapping[Name, Mapping[Name, ReceiverName]],
        Doc("Owner to tier to receiver. `{namespace}` stands for the alert's label."),
    ]
    receivers: Annotated[
        Mapping[ReceiverName, Receiver],
        Doc(
            "The receivers, by the names that `owners` has. Where a text has `{label}`, alerts are grouped by the label too."
        ),
    ] = field(default_factory=dict)
    default: Annotated[
        ReceiverName | None,
        Doc("Receiver of what no owner answers, such as alerts that others wrote."),
    ] = None
    inhibit: Annotated[tuple[Inhibit, ...], Doc("What silences what.")] = ()
    mute_times: Annotated[
        Mapping[Name, tuple[MuteTime, ...]], Doc("Times that tiers name, each one span or several.")
    ] = field(default_factory=dict)
    dashboard_url: Annotated[
        WebAddress | None,
        Doc("Dashboard that notifications link to, with the alert's labels as `var-LABEL`."),
    ] = None
    secrets_folder: Annotated[
        str, Doc("Where Alertmanager finds the secret `NAME/KEY` as a file.", non_empty=True)
    ] = "/etc/alertmanager/secrets"
