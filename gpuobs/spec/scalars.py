"""The scalar types of the language: text that must have a certain form, kept as the author wrote it."""

from __future__ import annotations

import re

_UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800, "y": 31536000}
_DURATION_PART = re.compile(r"([0-9]+)(ms|[smhdwy])")


class Scalar(str):
    """Text with a form. `pattern` is the JSON Schema pattern, `what` names the form in messages.

    Patterns end in `(?!\\n)$` because `$` alone also matches before a last line break, which block scalars have.
    """

    __slots__ = ()

    pattern = r"^[\s\S]*$"
    what = "text"
    example = ""


class Name(Scalar):
    """The name of a spec or of an owner, pool, tier or cluster; it becomes part of file and object names."""

    pattern = r"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(?!\n)$"
    what = "a name: lower-case letters, digits and '-', at most 63 characters"
    example = "h100-train"


class Identifier(Scalar):
    """The name of a signal, which becomes part of metric names."""

    pattern = r"^[a-z][a-z0-9_]*(?!\n)$"
    what = "an identifier: lower-case letters, digits and '_'"
    example = "sm_active"


class MetricName(Scalar):
    """A Prometheus metric name."""

    pattern = r"^[a-zA-Z_:][a-zA-Z0-9_:]*(?!\n)$"
    what = "a metric name"
    example = "DCGM_FI_DEV_GPU_TEMP"


class LabelName(Scalar):
    """A Prometheus label name; those that begin with `__` are Prometheus' own, `inf` and `nan` are numbers in PromQL."""

    pattern = r"^(?!__|[iI][nN][fF]$|[nN][aA][nN]$)[a-zA-Z_][a-zA-Z0-9_]*(?!\n)$"
    what = "a label name"
    example = "gpu_uuid"


class AlertName(Scalar):
    """An alert's name, in CamelCase by convention."""

    pattern = r"^[A-Z][A-Za-z0-9]*(?!\n)$"
    what = "an alert name in CamelCase"
    example = "GpuTemperatureHigh"


class CheckCode(Scalar):
    """The code of a check."""

    pattern = r"^[a-z0-9-]+/[a-z0-9-]+(?!\n)$"
    what = "the code of a check: area/name"
    example = "alert/no-runbook"


class Sentence(Scalar):
    """Text for people, which says something."""

    pattern = r"\S"
    what = "a sentence"
    example = "our names predate the convention"


class PromQL(Scalar):
    """A PromQL expression."""

    pattern = r"\S"
    what = "a PromQL expression"
    example = "up == 0"


class Duration(Scalar):
    """A Prometheus duration, such as `90s`, `5m` or `1h30m`; all of them fit the 292 years that Prometheus can count."""

    pattern = (
        r"^(?=.)([0-9]{1,2}y)?([0-9]{1,3}w)?([0-9]{1,4}d)?([0-9]{1,5}h)?([0-9]{1,6}m)?([0-9]{1,8}s)?"
        r"([0-9]{1,11}ms)?(?!\n)$"
    )
    what = "a Prometheus duration"
    example = "5m"

    @property
    def seconds(self) -> float:
        return sum(int(count) * _UNITS[unit] for count, unit in _DURATION_PART.findall(self))


class Interval(Duration):
    """A duration after which something comes again."""

    pattern = r"^(?=.*[1-9])" + Duration.pattern.removeprefix("^")
    what = "a Prometheus duration above 0"


class Retention(Scalar):
    """A time span that may be as long as months: a Prometheus duration or a count of months."""

    pattern = (
        r"^([0-9]{1,3}mo|(?=.)([0-9]{1,2}y)?([0-9]{1,3}w)?([0-9]{1,4}d)?([0-9]{1,5}h)?([0-9]{1,6}m)?"
        r"([0-9]{1,8}s)?)(?!\n)$"
    )
    what = "a retention"
    example = "15d"


class PrometheusVersion(Scalar):
    """A version of Prometheus: major and minor, and a patch level that means nothing here."""

    pattern = r"^[0-9]{1,3}\.[0-9]{1,3}(\.[0-9]{1,3})?(?!\n)$"
    what = "a Prometheus version"
    example = "2.42"

    @property
    def number(self) -> tuple[int, int]:
        """Major and minor."""
        major, minor = self.split(".")[:2]
        return int(major), int(minor)


class Version(Scalar):
    """A version of an exporter; its numbers are compared from left to right."""

    pattern = r"^(?=[^\n]*[0-9])[0-9A-Za-z.+_-]{1,64}(?!\n)$"
    what = "a version"
    example = "4.5.3-4.8.2"


class MigProfile(Scalar):
    """A MIG profile as NVIDIA writes it."""

    pattern = r"^[1-9]g\.[0-9]{1,4}gb([+-][a-z.]+)*(?!\n)$"
    what = "a MIG profile"
    example = "1g.10gb"


class SecretKey(Scalar):
    """A key of a Kubernetes Secret; never the secret itself."""

    pattern = r"^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/(?!\.\.|\.$)[-._a-zA-Z0-9]{1,253}(?!\n)$"
    what = "the name of a Secret and one of its keys: NAME/KEY"
    example = "pagerduty-infra/routing-key"


class Word(Scalar):
    """A label's value in one word, in which rules see no template."""

    pattern = r"^[^\s{}]+(?!\n)$"
    what = "one word"
    example = "critical"


_LABEL = r"\{(?!__)[a-zA-Z_][a-zA-Z0-9_]*\}"


class ReceiverName(Scalar):
    """The name of who is told."""

    pattern = rf"^([^\s{{}}`|<>]|{_LABEL})+(?!\n)$"
    what = "a receiver's name: no blanks, and braces only around a label"
    example = "slack-{namespace}"


class Channel(Scalar):
    """A channel of a chat, in which `{label}` stands for a label."""

    pattern = rf"^([^\s{{}}]|{_LABEL})+(?!\n)$"
    what = "a channel: no blanks, and braces only around a label"
    example = "#gpu-{namespace}"


_MAILBOX = rf"([^@,\s{{}}]| |{_LABEL})+@([^@,\s{{}}]|{_LABEL})+"


class MailAddresses(Scalar):
    """Mail addresses, in which `{label}` stands for a label."""

    pattern = rf"^{_MAILBOX}(,{_MAILBOX})*(?!\n)$"
    what = "mail addresses with commas between, braces only around a label"
    example = "gpu@example.com, {owner}@example.com"


class MailAddress(Scalar):
    """A mail address."""

    pattern = r"^[^@,\s{}]([^@,\s{}]| )*@[^@,\s{}]+(?!\n)$"
    what = "a mail address"
    example = "gpuobs <alerts@example.com>"


_HOST = r"([a-zA-Z0-9_.-]+|\[[0-9a-fA-F:.]+\])"


class HostPort(Scalar):
    """A host and the port there."""

    pattern = rf"^{_HOST}:[0-9]{{1,5}}(?!\n)$"
    what = "a host and its port: HOST:PORT"
    example = "mail.example.com:587"


class WebAddress(Scalar):
    """An address of HTTP, of characters that RFC 3986 has or that are no ASCII."""

    pattern = (
        rf"^[hH][tT][tT][pP][sS]?://([^\s/?#@\\{{}}]*@)?{_HOST}(:[0-9]{{1,5}})?"
        r"([/?#]([^\x00-\x20\x7f\s%{}\\\"<>`^|]|%[0-9a-fA-F]{2})*)?(?!\n)$"
    )
    what = "an address of HTTP, without blanks and braces"
    example = "https://example.com/path"


class ClockTimes(Scalar):
    """Hours of the day, from and to."""

    pattern = r"^([01][0-9]|2[0-3]):[0-5][0-9]-(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)(?!\n)$"
    what = "hours of the day: HH:MM-HH:MM"
    example = "22:00-24:00"


_DAY = "(sun|mon|tues|wednes|thurs|fri|satur)day"


class WeekdayRange(Scalar):
    """A day of the week, or the first and the last of several."""

    pattern = rf"^{_DAY}(:{_DAY})?(?!\n)$"
    what = "a day of the week, or the first and the last of several"
    example = "saturday:sunday"


_DATE = "-?([1-9]|[12][0-9]|3[01])"


class DateRange(Scalar):
    """A day of the month, or the first and the last of several; negative ones count from its end."""

    pattern = rf"^{_DATE}(:{_DATE})?(?!\n)$"
    what = "a day of the month, or the first and the last of several"
    example = "1:7"


def kinds() -> list[type[Scalar]]:
    """All of them, those that narrow another after it."""
    return [
        kind for scalar in Scalar.__subclasses__() for kind in (scalar, *scalar.__subclasses__())
    ]


def duration(seconds: float) -> Duration:
    """The shortest spelling of a number of seconds as a Prometheus duration, down to milliseconds."""
    rest = round(seconds * 1000)
    text = ""
    for unit in ("w", "d", "h", "m", "s", "ms"):
        count, rest = divmod(rest, round(_UNITS[unit] * 1000))
        if count:
            text += f"{count}{unit}"
    return Duration(text or "0s")
