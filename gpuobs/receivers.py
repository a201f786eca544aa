"""Mistakes in who is told: receivers that are not there, secrets in the open, times that never come."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import parse_qsl, urlsplit

from gpuobs.diagnostics import Diagnostic, error
from gpuobs.nearest import did_you_mean
from gpuobs.spec.model import Inhibit, Item, MuteTime, Receiver, Tiers, Webhook
from gpuobs.spec.scalars import WebAddress

LABEL = re.compile(r"\{([a-zA-Z_][a-zA-Z0-9_]*)\}")
_WAYS = ("pagerduty", "slack", "servicenow", "email", "webhook")
# Services whose addresses are secrets as a whole.
_SECRET_HOSTS = (
    "hooks.slack.com",
    "discord.com",
    "discordapp.com",
    "webhook.office.com",
    "api.telegram.org",
    "hooks.zapier.com",
    "hc-ping.com",
    "nosnch.in",
)
_SECRET_KEYS = re.compile(r"token|key|secret|password|passwd|signature|^sig$|^code$", re.IGNORECASE)


def labels_in(receiver: Receiver) -> tuple[str, ...]:
    """Labels that a receiver's texts name, each once."""
    texts: list[str] = []
    if receiver.slack is not None:
        texts.append(receiver.slack.channel)
    if receiver.email is not None:
        texts.append(receiver.email.to)
    return tuple(dict.fromkeys(label for text in texts for label in LABEL.findall(text)))


def problems(tiers: Tiers) -> Iterator[Diagnostic]:
    """What is wrong with receivers, inhibition and mute times."""
    yield from _mute_times(tiers)
    if not tiers.receivers:
        yield from _without_receivers(tiers)
        return
    yield from _named(tiers)
    for name, receiver in tiers.receivers.items():
        yield from _ways(tiers, name, receiver)
    for inhibit in tiers.inhibit:
        yield from _inhibit(tiers, inhibit)
    hint = "people log in to dashboards themselves: leave it out"
    yield from _address(tiers, tiers.dashboard_url, hint, "dashboardUrl")


def _without_receivers(tiers: Tiers) -> Iterator[Diagnostic]:
    """Keys that say something of an Alertmanager's configuration that is not written."""
    for key in ("default", "inhibit", "dashboardUrl", "secretsFolder"):
        if tiers.written.get(key) is not None:
            message = f"'{key}' does nothing without 'receivers'"
            hint = "add 'receivers:', or leave it to whoever writes Alertmanager's configuration"
            yield error(tiers.written.at_key(key), "tiers/no-receivers", message, hint)


def _named(tiers: Tiers) -> Iterator[Diagnostic]:
    used: set[tuple[str, tuple[str, ...]]] = {
        (receiver, ("owners", str(owner), str(tier)))
        for owner, receivers in tiers.owners.items()
        for tier, receiver in receivers.items()
    }
    if tiers.default:
        used.add((tiers.default, ("default",)))
    for receiver, path in sorted(used):
        if receiver not in tiers.receivers:
            hint = did_you_mean(receiver, tiers.receivers) or "add it to 'receivers'"
            message = f"no receiver '{receiver}'"
            yield error(tiers.where(*path), "tiers/unknown-receiver", message, hint)
    if not tiers.default:
        message = "'receivers' without 'default': alerts that no owner answers have nowhere to go"
        hint = "add 'default: <receiver>', for alerts that others wrote"
        yield error(tiers.written.at_key("receivers"), "tiers/no-default", message, hint)
    for name in sorted(tiers.receivers.keys() - {receiver for receiver, _ in used}):
        place = tiers.written.at_key("receivers", name)
        message, hint = f"nobody is told by '{name}'", "name it in 'owners', or remove it"
        yield error(place, "tiers/unused-receiver", message, hint)


def _ways(tiers: Tiers, name: str, receiver: Receiver) -> Iterator[Diagnostic]:
    place = tiers.written.at_key("receivers", name)
    if all(getattr(receiver, way) is None for way in _WAYS):
        hint = f"add one of {', '.join(_WAYS)}"
        yield error(place, "tiers/bad-receiver", f"receiver '{name}' tells nobody", hint)
    for way in ("servicenow", "webhook"):
        hook: Webhook | None = getattr(receiver, way)
        if hook is not None:
            yield from _hook(hook)
    if receiver.pagerduty is not None:
        hint = "the key is 'routingKey: NAME/KEY', and the address has none"
        yield from _address(receiver.pagerduty, receiver.pagerduty.url, hint)
    mail = receiver.email
    if mail is not None and bool(mail.username) != (mail.password is not None):
        yield _login(mail)
    if LABEL.search(name) and not labels_in(receiver):
        message = f"'{name}' names a label, and nothing of the receiver does"
        hint = "say where it goes, such as 'channel: \"#{namespace}\"'"
        yield error(place, "tiers/bad-receiver", message, hint)


def _hook(hook: Webhook) -> Iterator[Diagnostic]:
    if bool(hook.username) != (hook.password is not None):
        yield _login(hook)
    elif hook.token is not None and hook.password is not None:
        message, hint = "'token' and 'password' at once", "keep one of them"
        yield error(hook.where("token"), "tiers/bad-receiver", message, hint)
    if (hook.url is None) == (hook.url_secret is None):
        which = "both 'url' and 'urlSecret'" if hook.url else "neither 'url' nor 'urlSecret'"
        yield error(hook.span, "tiers/bad-receiver", f"{which}", "give one of them")
    yield from _address(
        hook,
        hook.url,
        "for Slack use 'slack: {apiUrl: NAME/KEY}'; else give 'token: NAME/KEY', 'username' and 'password: NAME/KEY', or "
        "'urlSecret: NAME/KEY' for the whole address",
    )


def _address(
    item: Item, address: WebAddress | None, hint: str, key: str = "url"
) -> Iterator[Diagnostic]:
    if address is not None and _has_secret(address):
        message = "a secret stands in the address, which is committed with the specs"
        yield error(item.where(key), "tiers/secret", message, hint)


def _has_secret(address: WebAddress) -> bool:
    parts = urlsplit(address)
    host = parts.hostname or ""
    return (
        "@" in parts.netloc
        or any(_SECRET_KEYS.search(key) for key, _ in parse_qsl(parts.query))
        or any(host == each or host.endswith(f".{each}") for each in _SECRET_HOSTS)
    )


def _login(item: Item) -> Diagnostic:
    has, lacks = (
        ("username", "password") if item.written.get("username") else ("password", "username")
    )
    message = f"'{has}' without '{lacks}'"
    return error(item.where(has), "tiers/bad-receiver", message, f"add '{lacks}'")


def _inhibit(tiers: Tiers, inhibit: Inhibit) -> Iterator[Diagnostic]:
    """Tiers and owners that there are not; what labels alerts carry, the checks of routes know."""
    known = {"tier": {*map(str, tiers.tiers)}, "owner": {*map(str, tiers.owners)}}
    yield from _never_equal(inhibit)
    for key in ("when", "silences"):
        for label, values in getattr(inhibit, key).items():
            if not values:
                hint = f"name some: '{label}: [...]'"
                place = inhibit.where(key, str(label))
                yield error(place, "tiers/inhibit", f"'{label}' has no values", hint)
            for number, value in enumerate(values):
                if value not in known.get(str(label), {value}):
                    hint = did_you_mean(value, known[str(label)])
                    place = inhibit.where(key, str(label), number)
                    yield error(place, "tiers/inhibit", f"no {label} '{value}'", hint)


def _never_equal(inhibit: Inhibit) -> Iterator[Diagnostic]:
    for number, label in enumerate(inhibit.equal):
        values = {*inhibit.when.get(label, ())}
        if "" in values:
            message = f"'{label}' is equal in two alerts that lack it, whatever they are about"
            place = inhibit.where("when", str(label))
            yield error(place, "tiers/inhibit", message, f"leave '' out, or '{label}' of 'equal'")
        elif values and values.isdisjoint(inhibit.silences.get(label, values)):
            message = f"'{label}' is never equal: 'when' and 'silences' have no value in common"
            place = inhibit.where("equal", number)
            yield error(place, "tiers/inhibit", message, f"leave '{label}' out of 'equal'")


def _mute_times(tiers: Tiers) -> Iterator[Diagnostic]:
    known = {str(name) for name in tiers.mute_times}
    for name, tier in tiers.tiers.items():
        for number, time in enumerate(tier.mute_times):
            if time not in known:
                hint = did_you_mean(time, known) or "add it to 'muteTimes'"
                place = tiers.where("tiers", str(name), "muteTimes", number)
                yield error(place, "tiers/mute-time", f"no mute time '{time}'", hint)
    for name, spans in tiers.mute_times.items():
        if not spans:
            place = tiers.written.at_key("muteTimes", str(name))
            hint = "such as 'weekends: [{weekdays: [saturday:sunday]}]'"
            yield error(place, "tiers/mute-time", f"'{name}' is never", hint)
        for span in spans:
            yield from _span(span)


def _span(span: MuteTime) -> Iterator[Diagnostic]:
    for number, hours in enumerate(span.times):
        start, end = hours.split("-")
        if start >= end:
            message = f"'{hours}' ends before it begins"
            hint = f"write '{start}-24:00' and '00:00-{end}'"
            yield error(span.where("times", number), "tiers/mute-time", message, hint)
    for number, days in enumerate(span.days_of_month):
        first, _, last = days.partition(":")
        if last and not _in_order(int(first), int(last)):
            message, hint = f"'{days}' ends before it begins", "give the earlier day first"
            yield error(span.where("daysOfMonth", number), "tiers/mute-time", message, hint)
    if not _is_zone(span.time_zone):
        message = f"no time zone '{span.time_zone}'"
        hint = "a name of the IANA database, such as Europe/Berlin"
        yield error(span.where("timeZone"), "tiers/mute-time", message, hint)


def _in_order(first: int, last: int) -> bool:
    """Whether Alertmanager takes days for a span. It counts from the end of a month of 28, which each one has."""
    if first < 0 <= last:
        return False
    return first <= (last if last > 0 or first < 0 else 29 + last)


def _is_zone(name: str) -> bool:
    """Whether the machine's database has a time zone; a machine without one does not judge."""
    from zoneinfo import available_timezones

    known = available_timezones() if name != "UTC" else set()
    return not known or name in known
